package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// BenchmarkCrowd plans gangs of many shapes, some members of each: CPUs 4, 4.5, 5 and so on, and devices, on leaves of 32
// nodes of 128 CPUs and eight devices. Proven is the share of the plans that are.
func BenchmarkCrowd(b *testing.B) {
	for _, one := range []struct {
		shapes, each, nodes int
		devices             int64
		fill                int // percent
	}{
		{14, 1, 8, 1, 0},
		{16, 1, 2, 1, 0},
		{20, 1, 4, 1, 0},
		{20, 1, 8, 1, 0},
		{24, 1, 24, 8, 0},
		{5, 13, 64, 1, 0},
		{28, 2, 8, 1, 0},
		{32, 2, 64, 1, 0},
		{64, 1, 64, 1, 0},
		{5, 16, 512, 0, 70},
		{8, 16, 512, 0, 70},
	} {
		b.Run(fmt.Sprintf("nodes=%d/fill=%d/shapes=%d/each=%d/devices=%d", one.nodes, one.fill, one.shapes, one.each, one.devices), func(b *testing.B) {
			c := leaves(b, one.nodes, one.fill)
			req, proven, plans := manyShapes(one.shapes, one.each, one.devices), 0, 0
			b.ReportAllocs()
			for b.Loop() {
				res := plan(b, c, req)
				if plans++; res.Proven {
					proven++
				}
			}
			b.ReportMetric(float64(proven)/float64(plans), "proven")
			goal(b, time.Second)
		})
	}
}

// leaves is a cluster of leaves of 32 nodes, on whose nodes so many percent of the CPUs and devices are taken, by members of
// any size.
func leaves(b *testing.B, nodes, fill int) *placement.Cluster {
	b.Helper()
	r := rand.New(rand.NewPCG(1, uint64(nodes)))
	root := topology.Domain{Name: "spine-0", Tier: 2}
	var spec cluster.Spec
	for n := range nodes {
		if n%32 == 0 {
			root.Children = append(root.Children, topology.Domain{Name: fmt.Sprint("leaf-", n/32), Tier: 1})
		}
		name := fmt.Sprint("node-", n)
		leaf := &root.Children[len(root.Children)-1]
		leaf.Nodes = append(leaf.Nodes, name)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8, muster.CPU: 128_000}})
		if taken := min(100, max(0, fill-25+r.IntN(51))); fill > 0 && taken > 0 {
			spec.Running = append(spec.Running, cluster.Running{
				Gang: name, Member: name, Node: name, Resources: muster.Resources{"gpu": int64(8 * taken / 100), muster.CPU: int64(1280 * taken)},
			})
		}
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}, {Name: "spine", Tier: 2}}, Roots: []topology.Domain{root}})
	require.NoError(b, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	c, err := placement.NewCluster(spec)
	require.NoError(b, err)
	return c
}

// manyShapes is a gang of so many members of each shape.
func manyShapes(shapes, each int, devices int64) *gang.Request {
	req := &gang.Request{Name: "crowd"}
	for s := range shapes {
		shape := &gang.Shape{Resources: muster.Resources{muster.CPU: int64(4000 + 500*s)}}
		if devices > 0 {
			shape.Resources["gpu"] = devices
		}
		for i := range each {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("shape-%d-%d", s, i), Shape: shape})
		}
	}
	return req
}
