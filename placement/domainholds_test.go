package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// What is held in domains follows snapshots: plans that are applied keep it, changes that are seen may not, and a cluster that is made anew gives the same plans.
func TestDomainHoldsFollowSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		var names []string
		for _, n := range spec.Nodes {
			names = append(names, n.Name)
		}
		c, reqs := newCluster(t, spec), further(req)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			of := *rapid.SampledFrom(reqs).Draw(t, "request")
			of.Priority = rapid.Int64Range(0, 2).Draw(t, "priority")
			switch step := rapid.IntRange(0, 3).Draw(t, "step"); step {
			case 0:
				c = carriedOn(t, c, &of)
			case 1, 2:
				d := cluster.Delta{Observed: step == 2, DomainHolds: map[string][]cluster.DomainHold{of.Name: drawDomainHolds(t, described(c), &of)}}
				if next, err := c.Update(d); err == nil {
					c = next
				} else {
					require.ErrorContains(t, err, "no room is left")
				}
			default:
				d := drawDelta(t, newModel(described(c)), names)
				d.Observed = true
				next, err := c.Update(d)
				require.NoError(t, err)
				c = next
			}
			fresh := newCluster(t, described(c))
			again := *rapid.SampledFrom(reqs).Draw(t, "asked")
			again.Priority = of.Priority
			requireSame(t, fresh, c, []*gang.Request{&again}, "built anew, and changed")
		}
	})
}

// carriedOn plans a gang and carries the plan out, if there is one that waits for nobody.
func carriedOn(t *rapid.T, c *placement.Cluster, req *gang.Request) *placement.Cluster {
	res, err := placement.Plan(c, req)
	if err != nil {
		return c
	}
	require.NoError(t, validity.Check(described(c), req, res))
	if res.Waits() || len(res.Victims) > 0 {
		return c
	}
	next, err := c.Apply(res)
	require.NoError(t, err)
	for _, h := range next.DomainHolds() {
		require.NotEqual(t, req.Name, h.Gang)
	}
	return next
}

// drawDomainHolds draws none, or room for some members of a gang in a domain.
func drawDomainHolds(t *rapid.T, spec cluster.Spec, req *gang.Request) (out []cluster.DomainHold) {
	paths := validity.DomainPaths(&spec, req)
	for range rapid.IntRange(0, 2).Draw(t, "domain holds") {
		h := cluster.DomainHold{
			Gang: req.Name, Tree: req.Tree, Domain: rapid.SampledFrom(paths).Draw(t, "domain"), Count: rapid.IntRange(1, 3).Draw(t, "count"),
			Priority: rapid.Int64Range(0, 2).Draw(t, "priority"), From: rapid.Int64Range(0, 2).Draw(t, "from"),
		}
		if rapid.Bool().Draw(t, "of devices") {
			h.Resources = gpus(rapid.Int64Range(1, 3).Draw(t, "devices"))
		}
		out = append(out, h)
	}
	return out
}

// A gang has its place beside what is held in domains once that is kept all the same; and ends before, or starts later.
func TestEarliestBesideDomainHolds(t *testing.T) {
	spec := cluster.Spec{}
	for i := range 4 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n", i), Allocatable: gpus(1)})
	}
	for i := range 2 {
		r := cluster.Running{Gang: fmt.Sprint("r", i), Member: "m", Node: fmt.Sprint("n", i), Resources: gpus(1), End: int64(10 + 10*i)}
		spec.Running = append(spec.Running, r)
	}
	spec.DomainHolds = []cluster.DomainHold{{Gang: "held", Count: 2, Resources: gpus(1), From: 10}}
	c := newCluster(t, spec)
	start := func(members int, end int64) (int64, bool) {
		req := &gang.Request{Name: "g", End: end, Shape: gang.Shape{Resources: gpus(1)}}
		for i := range members {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("g-", i)})
		}
		s, err := placement.Earliest(c, req, placement.EarliestOptions{})
		if err != nil {
			return -1, false
		}
		return s.At, s.Proven
	}
	for _, test := range []struct {
		members   int
		end, want int64
	}{{1, 0, 0}, {2, 0, 20}, {2, 10, 0}, {2, 11, 20}, {3, 5, -1}} {
		at, proven := start(test.members, test.end)
		require.Equal(t, test.want, at, "%+v", test)
		require.Equal(t, at >= 0, proven, "%+v", test)
	}
}
