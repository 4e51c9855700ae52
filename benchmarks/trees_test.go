package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// moved is a tree of units of 16 nodes, of which the first stands in so many different units.
func moved(nodes, variants int) (trees []*topology.Tree, names []string) {
	for v := range variants {
		var spec topology.Spec
		units := nodes / 16
		for u := range units {
			if u%128 == 0 {
				spec.Roots = append(spec.Roots, topology.Domain{Name: fmt.Sprint("spine-", u/128), Tier: 3})
			}
			spine := &spec.Roots[len(spec.Roots)-1]
			if u%16 == 0 {
				spine.Children = append(spine.Children, topology.Domain{Name: fmt.Sprint("leaf-", u/16), Tier: 2})
			}
			leaf := &spine.Children[len(spine.Children)-1]
			unit := topology.Domain{Name: fmt.Sprint("unit-", u), Tier: 1}
			for n := u * 16; n < u*16+16; n++ {
				if n > 0 {
					unit.Nodes = append(unit.Nodes, fmt.Sprint("node-", n))
				}
				if v == 0 {
					names = append(names, fmt.Sprint("node-", n))
				}
			}
			if u == v*(units-1)/max(variants-1, 1) {
				unit.Nodes = append(unit.Nodes, "node-0")
			}
			leaf.Children = append(leaf.Children, unit)
		}
		tree, err := topology.New(spec)
		if err != nil {
			panic(err)
		}
		trees = append(trees, tree)
	}
	return trees, names
}

// BenchmarkTrees moves a node from the first unit to another one and back, as a change of a snapshot; `then=plan`: and plans a gang.
func BenchmarkTrees(b *testing.B) {
	for _, nodes := range []int{10_240, 102_400} {
		trees, names := moved(nodes, 2)
		spec := cluster.Spec{Trees: []cluster.NamedTree{{Name: "default", Tree: trees[0]}}}
		for _, name := range names {
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: map[string]int64{"gpu": 8}})
		}
		c, err := placement.NewCluster(spec)
		require.NoError(b, err)
		req := &gang.Request{Name: "ns/g", Shape: gang.Shape{Resources: map[string]int64{"gpu": 8}}}
		for i := range 64 {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m-", i)})
		}
		for _, then := range []string{"", "/then=plan"} {
			b.Run(fmt.Sprintf("nodes=%d%s", nodes, then), func(b *testing.B) {
				b.ReportAllocs()
				next := 0
				for b.Loop() {
					next = 1 - next
					d := cluster.Delta{Trees: []cluster.NamedTree{{Name: "default", Tree: trees[next]}}}
					if c, err = c.Update(d); err != nil {
						b.Fatal(err)
					}
					if then != "" {
						if _, err := placement.Plan(c, req); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
		b.Run(fmt.Sprintf("nodes=%d/diff", nodes), func(b *testing.B) {
			for b.Loop() {
				if d := topology.Diff(trees[0], trees[1]); len(d.Moved) != 1 {
					b.Fatal(d)
				}
			}
		})
	}
}
