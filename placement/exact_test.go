package placement_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Two roles of hundreds with a multiple are all looked at: as many members as there are devices fit, and no node takes one that is no multiple.
func TestMultiplesOfManyMembers(t *testing.T) {
	spec := roleSpec(t, 4, 8, 10)
	for i := range spec.Nodes {
		spec.Nodes[i].Allocatable["gpu"] = int64(8 + i%5)
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := roleGang(248, 8)
	req.Gather = []gang.Rule{{Layer: "node", Multiple: 4}}
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))

	req = roleGang(260, 8) // twelve of the nodes have room for a third four
	req.Gather = []gang.Rule{{Layer: "node", Multiple: 4}}
	_, err = placement.Plan(c, req)
	require.NoError(t, err)
	req = roleGang(280, 8)
	req.Gather = []gang.Rule{{Layer: "node", Multiple: 4}}
	var no *placement.Unschedulable
	_, err = placement.Plan(c, req)
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)
	require.Equal(t, "multiple 4 at node", no.Rule)
	require.Equal(t, 280, no.Fits)
}

// Four roles with a multiple have more combinations than are told apart: what is planned is valid, and what is refused is not proven.
func TestTooManyCombinationsWithMultiples(t *testing.T) {
	spec := roleSpec(t, 2, 10, 13)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	for _, sizes := range [][]int{{12, 12, 12, 12}, {60, 60, 60, 60}} {
		req := roleGang(sizes...)
		req.Gather = []gang.Rule{{Layer: "node", Multiple: 4}}
		res, err := placement.Plan(c, req)
		var no *placement.Unschedulable
		if err != nil {
			require.ErrorAs(t, err, &no)
			require.False(t, no.Proven)
			continue
		}
		require.NoError(t, validity.Check(spec, req, res))
	}
}

// A multiple that parts keep in any case costs nothing: many parts that differ are planned, and refused with proof, as if there were none.
func TestMultiplesThatPartsKeep(t *testing.T) {
	c, err := placement.NewCluster(roleSpec(t, 16, 4, 8))
	require.NoError(t, err)
	plan := func(rules []gang.Rule, parts ...int) (*placement.Result, error) {
		req := partedGang(parts...)
		req.Gather = rules
		for i := range req.Parts {
			req.Parts[i].Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
		}
		return placement.Plan(c, req)
	}
	multiple := []gang.Rule{{Layer: "leaf", Multiple: 4}}
	sizes := []int{32, 28, 24, 20, 16, 12, 8, 4, 32, 28, 24, 20, 16, 12, 8, 4}
	with, err := plan(multiple, sizes...)
	require.NoError(t, err)
	without, err := plan(nil, sizes...)
	require.NoError(t, err)
	require.Equal(t, without, with)

	_, err = plan(multiple, 36, 28, 24, 20, 16, 12, 8, 4)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)
	require.Equal(t, "MustGather leaf for part part-0", no.Rule)
}

// The multiples of the common rules count the members of all gangs that start together.
func TestMultiplesTogether(t *testing.T) {
	c, err := placement.NewCluster(roleSpec(t, 1, 3, 3))
	require.NoError(t, err)
	first, second := deviceGang("first", 3), deviceGang("second", 3)
	results, err := placement.Together(c, []gang.Rule{{Layer: "node", Multiple: 2}}, first, second)
	require.NoError(t, err)
	count := map[string]int{}
	for _, r := range results {
		for _, node := range nodesOf(r) {
			count[node]++
		}
	}
	require.Equal(t, map[string]int{"n-0-0": 2, "n-0-1": 2, "n-0-2": 2}, count)

	first.Gather = []gang.Rule{{Layer: "node", Multiple: 3}}
	_, err = placement.Together(c, []gang.Rule{{Layer: "node", Multiple: 2}}, first, second) // one of both takes each node for itself
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)
	require.Equal(t, "multiple 2 at node", no.Rule)

	results, err = placement.Together(c, nil, first, second)
	require.NoError(t, err)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(nodesOf(results[0])))), 1)

	second.Gather = []gang.Rule{{Layer: "node", Multiple: 2}}
	_, err = placement.Together(c, nil, first, second)
	require.ErrorAs(t, err, &no)
	require.Equal(t, "multiple 2 at node for second", no.Rule)
}

// Multiples of many parts that are alike cost no more than that of one, and of parts that differ in shape each keeps its own.
func TestMultiplesOfManyParts(t *testing.T) {
	spec := roleSpec(t, 4, 16, 7) // each node takes one four
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	plan := func(parts ...int) (*gang.Request, *placement.Result, error) {
		req := partedGang(parts...)
		for i := range req.Parts {
			req.Parts[i].Gather = []gang.Rule{{Layer: "node", Multiple: 4}, {Layer: "leaf", Strength: gang.PreferGather}}
		}
		res, err := placement.Plan(c, req)
		return req, res, err
	}
	req, res, err := plan(slices.Repeat([]int{16}, 16)...)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
	require.True(t, res.Proven)
	require.Equal(t, []int{1}, res.GroupTiers)

	_, _, err = plan(append(slices.Repeat([]int{16}, 16), 4)...)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.True(t, no.Proven)
	require.Equal(t, "multiple 4 at node for part part-0", no.Rule)
}

// Parts with inner groups do not share what lies on a node, even if they are alike.
func TestMultiplesAroundInnerParts(t *testing.T) {
	spec := roleSpec(t, 1, 4, 2)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := partedGang(4, 4)
	for i := range req.Parts {
		p := &req.Parts[i]
		p.Gather = []gang.Rule{{Layer: "node", Multiple: 2}}
		p.Parts = []gang.Part{{Name: fmt.Sprint("inner-", i), Members: p.Members[3:]}}
		p.Members = p.Members[:3]
	}
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
}

// Where more selections are multiples than are tried, those of the fewest members are among them, and a refusal is not proven.
func TestManySelectionsWithMultiples(t *testing.T) {
	spec := roleSpec(t, 1, 40, 5)
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := roleGang(300, 100)
	req.MinMember = 2
	req.Gather = []gang.Rule{{Layer: "node", Multiple: 2}}
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
	require.Len(t, res.Assignments, 160)

	req.MinMember = 180
	_, err = placement.Plan(c, req)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.False(t, no.Proven)
}

// Gangs of more roles and parts than are told apart keep their multiples in every plan.
func TestMultiplesAreKept(t *testing.T) {
	placed := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		spec := roleSpec(t, 1+r.IntN(4), 1+r.IntN(8), 0)
		for i := range spec.Nodes {
			spec.Nodes[i].Allocatable = muster.Resources{"gpu": r.Int64N(12), muster.CPU: r.Int64N(40)}
		}
		var sizes []int
		for range 1 + r.IntN(4) {
			sizes = append(sizes, 1+r.IntN(12))
		}
		req := roleGang(sizes...)
		req.Gather = []gang.Rule{{Layer: []string{"node", "leaf"}[r.IntN(2)], Multiple: 2 + r.IntN(3)}}
		req.MinMember = r.IntN(len(req.Members))
		for at := 0; r.IntN(4) > 0 && at < len(req.Members); {
			part := gang.Part{Name: fmt.Sprint("part-", at)}
			for range 1 + r.IntN(len(req.Members)-at) {
				part.Members, at = append(part.Members, req.Members[at].Name), at+1
			}
			if part.MinMember = r.IntN(len(part.Members)); r.IntN(2) == 0 {
				part.Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
			}
			if len(part.Members)%2 == 0 && r.IntN(2) == 0 {
				part.Gather = append(part.Gather, gang.Rule{Layer: "node", Multiple: 2})
			}
			req.Parts = append(req.Parts, part)
		}
		for i := range r.IntN(3) {
			on := spec.Nodes[r.IntN(len(spec.Nodes))].Name
			spec.Running = append(spec.Running, cluster.Running{Gang: req.Name, Member: fmt.Sprint("old-", i), Node: on})
		}
		c, err := placement.NewCluster(spec)
		require.NoError(t, err)
		if res, err := placement.Plan(c, req); err == nil {
			placed++
			require.NoError(t, validity.Check(spec, req, res), seed)
		} else {
			require.ErrorIs(t, err, placement.ErrUnschedulable)
		}
	}
	require.Greater(t, placed, 50)
}
