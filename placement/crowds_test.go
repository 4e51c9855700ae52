package placement_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// crowdSpec is one leaf for every 32 nodes, of 128 CPUs and 8 devices each.
func crowdSpec(t *testing.T, nodes int) cluster.Spec {
	t.Helper()
	tree := topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}, {Name: "spine", Tier: 2}}}
	root := topology.Domain{Name: "spine-0", Tier: 2}
	var spec cluster.Spec
	for n := range nodes {
		if n%32 == 0 {
			root.Children = append(root.Children, topology.Domain{Name: fmt.Sprintf("leaf-%d", n/32), Tier: 1})
		}
		name := fmt.Sprintf("node-%d", n)
		leaf := &root.Children[len(root.Children)-1]
		leaf.Nodes = append(leaf.Nodes, name)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8, muster.CPU: 128_000}})
	}
	tree.Roots = []topology.Domain{root}
	built, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: built}}
	return spec
}

// crowdGang has n members of each of some shapes: a device, and 4, 4.5, 5, ... CPUs.
func crowdGang(shapes, n int, devices int64) *gang.Request {
	sizes := make([]int, shapes)
	for i := range sizes {
		sizes[i] = n
	}
	return gangOfRoles(sizes, func(r int) *gang.Shape {
		return &gang.Shape{Resources: muster.Resources{"gpu": devices, muster.CPU: int64(4000 + 500*r)}}
	})
}

func TestCrowds(t *testing.T) {
	for _, one := range []struct {
		shapes, n, nodes int
		devices          int64
	}{
		{14, 1, 8, 1}, {16, 1, 2, 1}, {20, 1, 4, 1}, {20, 1, 8, 1}, {24, 1, 24, 8}, {5, 13, 64, 1}, {28, 2, 8, 1}, {32, 2, 64, 1}, {64, 1, 64, 1},
	} {
		t.Run(fmt.Sprintf("%d x %d on %d", one.shapes, one.n, one.nodes), func(t *testing.T) {
			spec := crowdSpec(t, one.nodes)
			c, err := placement.NewCluster(spec)
			require.NoError(t, err)
			req := crowdGang(one.shapes, one.n, one.devices)
			res, err := placement.Plan(c, req)
			require.NoError(t, err)
			require.NoError(t, validity.Check(spec, req, res))
			require.True(t, res.Proven)
		})
	}
}

// Of gangs of up to 32 shapes on clusters that are seven tenths full, nine of ten plans and refusals are proven.
func TestCrowdsAreProven(t *testing.T) {
	tries := 100
	if testing.Short() {
		tries = 25
	}
	r := rand.New(rand.NewPCG(7, 7))
	proven, placed := 0, 0
	var took []time.Duration
	for range tries {
		spec := crowdSpec(t, 64<<r.IntN(5))
		for _, n := range spec.Nodes {
			if taken := int64(45 + r.IntN(51)); r.IntN(10) > 0 { // percent
				spec.Running = append(spec.Running, cluster.Running{
					Gang: n.Name, Member: n.Name, Node: n.Name, Resources: muster.Resources{"gpu": taken * 8 / 100, muster.CPU: 1280 * taken},
				})
			}
		}
		shapes := 1 + r.IntN(32)
		req := gangOfRoles(slices.Repeat([]int{1 + r.IntN(max(1, 4*len(spec.Nodes)/shapes))}, shapes), func(int) *gang.Shape {
			return &gang.Shape{Resources: muster.Resources{"gpu": int64(r.IntN(3)), muster.CPU: int64(1000 * (1 + r.IntN(40)))}}
		})
		c := newCluster(t, spec)
		start := time.Now()
		res, err := placement.Plan(c, req)
		took = append(took, time.Since(start))
		var why *placement.Unschedulable
		switch {
		case err == nil:
			require.NoError(t, validity.Check(spec, req, res))
			placed++
			if res.Proven {
				proven++
			}
		case errors.As(err, &why):
			if why.Proven {
				proven++
			}
		default:
			require.NoError(t, err)
		}
	}
	slices.Sort(took)
	t.Logf("%d of %d placed, %d proven; median %v, longest %v", placed, tries, proven, took[tries/2], took[tries-1])
	require.GreaterOrEqual(t, 10*proven, 9*tries)
	require.Greater(t, placed, tries/3)
}
