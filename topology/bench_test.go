package topology_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-sched/muster/topology"
)

// fabric is spines x leaves x units x nodes; a shuffled one has its nodes and domains out of order.
func fabric(spines, leaves, units, nodes int, shuffled bool) topology.Spec {
	r := rand.New(rand.NewPCG(1, 2))
	mix := func(d []topology.Domain) []topology.Domain {
		if shuffled {
			r.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
		}
		return d
	}
	n := 0
	var roots []topology.Domain
	for s := range spines {
		spine := topology.Domain{Name: fmt.Sprint("spine-", s), Tier: 3}
		for l := range leaves {
			leaf := topology.Domain{Name: fmt.Sprint("leaf-", l), Tier: 2}
			for u := range units {
				unit := topology.Domain{Name: fmt.Sprint("unit-", u), Tier: 1}
				for range nodes {
					unit.Nodes = append(unit.Nodes, fmt.Sprint("node-", n))
					n++
				}
				if shuffled {
					r.Shuffle(nodes, func(i, j int) { unit.Nodes[i], unit.Nodes[j] = unit.Nodes[j], unit.Nodes[i] })
				}
				leaf.Children = append(leaf.Children, unit)
			}
			leaf.Children = mix(leaf.Children)
			spine.Children = append(spine.Children, leaf)
		}
		spine.Children = mix(spine.Children)
		roots = append(roots, spine)
	}
	return topology.Spec{
		Layers: []topology.Layer{{Name: "spine", Tier: 3}, {Name: "leaf", Tier: 2}, {Name: "unit", Tier: 1}},
		Roots:  mix(roots),
	}
}

func BenchmarkNew(b *testing.B) {
	for _, shuffled := range []bool{false, true} {
		b.Run(fmt.Sprintf("nodes=102400/shuffled=%v", shuffled), func(b *testing.B) {
			spec := fabric(10, 10, 32, 32, shuffled)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := topology.New(spec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFromLabels(b *testing.B) {
	cfg := topology.LabelLayers{Layers: []topology.LabelLayer{
		{Name: "spine", Keys: []string{"net/spine"}}, {Name: "leaf", Keys: []string{"net/leaf"}}, {Name: "unit", Keys: []string{"net/unit"}},
	}}
	nodes := make([]topology.LabeledNode, 102_400)
	for i := range nodes {
		nodes[i] = topology.LabeledNode{Name: fmt.Sprint("node-", i), Labels: map[string]string{
			"kubernetes.io/hostname": fmt.Sprint("node-", i), "kubernetes.io/arch": "amd64",
			"net/unit": fmt.Sprint("unit-", i/32%32), "net/leaf": fmt.Sprint("leaf-", i/1024%10), "net/spine": fmt.Sprint("spine-", i/10240),
		}}
	}
	for _, shuffled := range []bool{false, true} {
		b.Run(fmt.Sprintf("nodes=102400/shuffled=%v", shuffled), func(b *testing.B) {
			if shuffled {
				rand.New(rand.NewPCG(1, 2)).Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := topology.FromLabels(cfg, nodes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
