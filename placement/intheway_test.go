package placement_test

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Obstacles are those that trying all subsets of the running members finds; of more than nine members, the small ones.
func TestInTheWayEqualsAllSubsets(t *testing.T) {
	found := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		req.NeverPreempts = true
		found[obstaclesAgree(t, newCluster(t, spec), req)]++
	})
	t.Log(found)
}

// obstaclesAgree compares with brute force, and says of which kind the answer is.
func obstaclesAgree(t require.TestingT, c *placement.Cluster, req *gang.Request) string {
	_, err := placement.Plan(c, req)
	var why *placement.Unschedulable
	if !errors.As(err, &why) {
		return "placed"
	}
	own := runningOf(c, req)
	got := why.InTheWay()
	if len(own) == 0 || why.Rule == "minMember" || why.RefusedBy != nil {
		require.Equal(t, placement.Obstacles{}, got)
		return "another reason"
	}
	most := len(own)
	if most > 9 { // a plan of shapes and zones takes tens of milliseconds: thousands of subsets would take minutes
		most = 2
	}
	want := fewest(t, c, req, own, most)
	if want == nil && most < len(own) {
		require.False(t, got.Members != nil && len(got.Members) <= most, "smaller ones were tried")
		require.True(t, got.Members == nil || helps(t, c, req, own, setOf(own, got.Members)))
		return "more than were tried"
	}
	switch {
	case got.Proven:
		require.Equal(t, want, got.Members)
		if want == nil {
			return "nothing helps"
		}
		return "the fewest"
	case got.Members == nil && want == nil:
		return "nothing helps, not proven"
	case got.Members == nil:
		return "not found"
	}
	require.GreaterOrEqual(t, len(got.Members), len(want))
	require.NotEmpty(t, want)
	if len(want) < len(got.Members) {
		return "too many"
	}
	return "as few, not proven"
}

// fewest tries all subsets of up to so many members, and returns the first one of the fewest that helps; nil: none does.
func fewest(t require.TestingT, c *placement.Cluster, req *gang.Request, own []cluster.Running, most int) (want []placement.Obstacle) {
	for size := 1; size <= most && want == nil; size++ {
		var first uint
		for set := uint(1); set < 1<<len(own); set++ {
			// The first in natural order: of two sets, the one that has the first element in which they differ.
			if bits.OnesCount(set) == size && (first == 0 || bits.Reverse(set) > bits.Reverse(first)) && helps(t, c, req, own, set) {
				first = set
			}
		}
		for i, m := range own {
			if first&(1<<i) != 0 {
				want = append(want, placement.Obstacle{MemberRef: cluster.MemberRef{Gang: m.Gang, Member: m.Member}, Node: m.Node})
			}
		}
	}
	return want
}

// setOf are obstacles as a set of members.
func setOf(own []cluster.Running, obstacles []placement.Obstacle) (set uint) {
	for i, m := range own {
		if slices.ContainsFunc(obstacles, func(o placement.Obstacle) bool { return o.Member == m.Member }) {
			set |= 1 << i
		}
	}
	return set
}

// runningOf lists the members of a gang that stay, in natural order.
func runningOf(c *placement.Cluster, req *gang.Request) (own []cluster.Running) {
	for m := range c.Running() {
		if m.Gang == req.Name && (!m.Leaving || req.IgnoreLeaving) {
			own = append(own, m)
		}
	}
	return own
}

// helps says whether as many members could run as do and have to, if some were placed anew.
func helps(t require.TestingT, c *placement.Cluster, req *gang.Request, own []cluster.Running, set uint) bool {
	anew := *req
	anew.Members = slices.Clone(req.Members)
	var names []string
	for i, m := range own {
		if set&(1<<i) != 0 {
			names = append(names, m.Member)
			anew.Members = append(anew.Members, gang.Member{
				Name: m.Member, Index: m.Index, Indexed: m.Indexed, NonPreemptible: m.NonPreemptible, Shape: shapeOf(req, m.Resources),
			})
		}
	}
	if req.MinMember > 0 {
		anew.MinMember = len(own) + max(1, req.MinMember-len(own))
		anew.Total = max(req.Total, anew.MinMember)
	}
	without, err := c.Release(req.Name, names...)
	require.NoError(t, err)
	_, err = placement.Plan(without, &anew)
	return err == nil
}

// shapeOf is the first shape of a request that asks for what is held.
func shapeOf(req *gang.Request, held muster.Resources) *gang.Shape {
	is := func(s *gang.Shape) bool {
		return (&gang.Shape{Resources: s.Resources}).Equal(&gang.Shape{Resources: held})
	}
	if is(&req.Shape) {
		return nil
	}
	for _, m := range req.Members {
		if m.Shape != nil && is(m.Shape) {
			return m.Shape
		}
	}
	s := req.Shape
	s.Resources = held
	return &s
}

// Small clusters that are nearly full, and gangs that lost members there, mostly in groups that must gather.
func TestInTheWayOfReplacements(t *testing.T) {
	found := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawLoss(t)
		found[obstaclesAgree(t, newCluster(t, spec), req)]++
	})
	t.Log(found)
}

// All plans of a search share the steps of one: where these end, nothing is proven.
func TestInTheWayIsBounded(t *testing.T) {
	spec, tree := cluster.Spec{}, topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}}
	small, large := muster.Resources{"gpu": 1}, muster.Resources{"gpu": 2}
	req := &gang.Request{
		Name: "ns/gang", Shape: gang.Shape{Resources: small}, Members: []gang.Member{{Name: "leader", Shape: &gang.Shape{Resources: large}}},
		Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}},
	}
	for r := range 2 {
		rack := topology.Domain{Name: fmt.Sprint("rack-", r), Tier: 1}
		for n := range 4 {
			node := cluster.Node{Name: fmt.Sprint("node-", 4*r+n), Allocatable: muster.Resources{"gpu": int64(1 + 2*r)}}
			rack.Nodes, spec.Nodes = append(rack.Nodes, node.Name), append(spec.Nodes, node)
			if r == 0 {
				spec.Running = append(spec.Running, cluster.Running{Gang: req.Name, Member: fmt.Sprint("worker-", n), Node: node.Name, Resources: small})
			}
		}
		tree.Roots = append(tree.Roots, rack)
	}
	spec.Trees = []cluster.NamedTree{{Tree: newTree(t, tree)}}
	inTheWay := func(steps int) placement.Obstacles {
		req.Steps = steps
		_, err := placement.Plan(newCluster(t, spec), req)
		var why *placement.Unschedulable
		require.ErrorAs(t, err, &why)
		return why.InTheWay()
	}
	all := inTheWay(0)
	require.Len(t, all.Members, 4, "all of them, for the leader finds no node beside them")
	require.True(t, all.Proven)
	require.False(t, inTheWay(1).Proven)
}

// drawLoss draws up to three leaves of up to two units of two nodes, members of a gang and of others on most of their slots, and what the gang lacks.
func drawLoss(t *rapid.T) (cluster.Spec, *gang.Request) {
	n := func(lo, hi int, what string) int { return rapid.IntRange(lo, hi).Draw(t, what) }
	spec, tree := cluster.Spec{}, topology.Spec{Layers: []topology.Layer{{Name: "unit", Tier: 1}, {Name: "leaf", Tier: 2}}}
	size := n(4, 8, "gang")
	lost := n(1, 2, "lost")
	indexes := rapid.Permutation(slices.Collect(rangeOf(size))).Draw(t, "indexes")
	small := &gang.Shape{Resources: muster.Resources{"gpu": 1}}
	large := &gang.Shape{Resources: muster.Resources{"gpu": 2}}
	req := &gang.Request{Name: "ns/gang", Shape: *small}
	roles := n(0, 3, "roles") == 3
	shape := func(index int) *gang.Shape {
		if roles && index < 2 {
			return large
		}
		return small
	}
	name := func(index int) string { return fmt.Sprint("pod-", index) }
	for _, i := range indexes[:lost] {
		req.Members = append(req.Members, gang.Member{Name: name(i), Index: i, Indexed: true, Shape: shape(i)})
	}
	running := indexes[lost:]
	for l := range n(1, 3, "leaves") {
		leaf := topology.Domain{Name: fmt.Sprint("leaf-", l), Tier: 2}
		for u := range n(1, 2, "units") {
			unit := topology.Domain{Name: fmt.Sprintf("unit-%d%d", l, u), Tier: 1}
			for range 2 {
				node := cluster.Node{Name: fmt.Sprint("node-", len(spec.Nodes)), Allocatable: muster.Resources{"gpu": int64(n(1, 3, "slots"))}}
				node.Cordoned = n(0, 29, "cordoned") == 29
				for free := node.Allocatable["gpu"]; free > 0; free-- {
					kind := n(0, 4, "slot") // free, or somebody else's, or the gang's
					if kind > 2 && len(running) > 0 {
						held := shape(running[0]).Resources
						spec.Running = append(spec.Running, cluster.Running{
							Gang: req.Name, Member: name(running[0]), Index: running[0], Indexed: true, Node: node.Name, Resources: held,
						})
						running, free = running[1:], free-held["gpu"]+1
					} else if kind == 2 {
						spec.Running = append(spec.Running, cluster.Running{
							Gang: "ns/other", Member: fmt.Sprint("x-", len(spec.Running)), Node: node.Name, Resources: small.Resources, MinMember: -1,
						})
					}
				}
				unit.Nodes, spec.Nodes = append(unit.Nodes, node.Name), append(spec.Nodes, node)
			}
			leaf.Children = append(leaf.Children, unit)
		}
		tree.Roots = append(tree.Roots, leaf)
	}
	for _, i := range running { // those that found no slot are lost as well
		req.Members = append(req.Members, gang.Member{Name: name(i), Index: i, Indexed: true, Shape: shape(i)})
	}
	spec.Trees = []cluster.NamedTree{{Tree: newTree(t, tree)}}
	drawBounds(t, req, size, roles)
	return spec, req
}

// drawBounds draws what binds a gang: rules, groups unless it has roles, a minimum.
func drawBounds(t *rapid.T, req *gang.Request, size int, roles bool) {
	n := func(lo, hi int, what string) int { return rapid.IntRange(lo, hi).Draw(t, what) }
	must := func(what string) []gang.Rule {
		layer := rapid.SampledFrom([]string{"", "node", "unit", "unit", "leaf", "leaf"}).Draw(t, what)
		if layer == "" {
			return nil
		}
		return []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
	}
	req.Gather = must("gang gathers")
	if group := n(1, 4, "group"); group > 1 && !roles && group <= size {
		req.Groups = []gang.Groups{{Size: group, Gather: must("groups gather")}}
		if group == 4 && size == 8 {
			req.Groups = append(req.Groups, gang.Groups{Size: 2, Gather: must("inner groups gather")})
		}
	}
	if n(0, 4, "with a minimum") == 4 {
		req.MinMember = n(1, size, "minimum")
	}
}

func rangeOf(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}
