package outcome_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// asked is the problem of members 0, 1, ... with so many devices each, where so many are free, and leaving members of the gang and of others have one each.
func asked(t require.TestingT, devices []int64, free int64, leaving ...cluster.MemberRef) *problem.Problem {
	one := muster.Resources{"gpu": 1}
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": free + int64(len(leaving))}}}}
	for _, m := range leaving {
		spec.Running = append(spec.Running, cluster.Running{Gang: m.Gang, Member: m.Member, Node: "n", Resources: one, Leaving: true})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "g"}
	for i, n := range devices {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(i), Shape: &gang.Shape{Resources: muster.Resources{"gpu": n}}})
	}
	if devices[0] != devices[1] { // pairs, each on a node
		req.Groups = []gang.Groups{{Size: 2, Gather: []gang.Rule{{Layer: "node", Strength: gang.MustGather}}}}
	}
	p, err := problem.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	return p
}

// An answer in numbers is a plan of the problem that it is of.
func TestAnswersArePlans(t *testing.T) {
	require.Nil(t, outcome.Of(nil))
	p := asked(t, []int64{1, 1}, 2)
	o := outcome.Of(&model.Answer{Of: &p.Model, Domain: 3, Tier: 2, Positions: []int32{0, 0}})
	require.Same(t, p, o.Of)
	require.Equal(t, &outcome.Outcome{Of: p, Domain: 3, Tier: 2, Positions: []int32{0, 0}}, o)
	members, positions := o.Members()
	require.Same(t, p, members)
	require.Equal(t, o.Positions, positions)
}

// Members of a unit are where it is.
func TestMembersOfUnits(t *testing.T) {
	p := asked(t, []int64{1, 2, 1, 2}, 6)
	require.NotNil(t, p.Unbundled)
	members, positions := (&outcome.Outcome{Of: p, Positions: []int32{7, 5}}).Members()
	require.Same(t, p.Unbundled, members)
	require.Equal(t, []int32{7, 7, 5, 5}, positions)
}

// A plan waits for those of the gang whose names its members have, and beside them for the fewest whose room it needs.
func TestPlansWaitForNamesAndRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var leaving []cluster.MemberRef
		placed := 2 * rapid.IntRange(1, 2).Draw(t, "placed pairs")
		for i := range 4 {
			if rapid.Bool().Draw(t, "leaves") {
				leaving = append(leaving, cluster.MemberRef{Gang: "g", Member: fmt.Sprint(i)})
			}
			if rapid.Bool().Draw(t, "another leaves") {
				leaving = append(leaving, cluster.MemberRef{Gang: rapid.SampledFrom([]string{"f", "h"}).Draw(t, "gang"), Member: fmt.Sprint(i)})
			}
		}
		devices := rapid.SampledFrom([][]int64{{1, 1, 1, 1}, {1, 2, 1, 2}}).Draw(t, "devices")
		lacks := int64(rapid.IntRange(0, len(leaving)).Draw(t, "devices that lack"))
		needs := int64(placed/2) * (devices[0] + devices[1])
		lacks = min(lacks, needs)
		p := asked(t, devices, needs-lacks, leaving...)
		o := &outcome.Outcome{Of: p, Positions: make([]int32, placed/p.Room.Size())}
		o.Waits = p.WaitsFor(o.Positions)
		require.Len(t, o.Waits, int(lacks))
		var names, others []*snapshot.Member
		for _, m := range p.Snapshot.Leaving {
			if m.Class.Gang == "g" && m.Name < fmt.Sprint(placed) {
				names = append(names, m)
			} else {
				others = append(others, m)
			}
		}
		want := slices.Concat(names, others[:max(0, int(lacks)-len(names))])
		slices.SortFunc(want, snapshot.CompareMembers)
		require.ElementsMatch(t, names, o.Namesakes())
		require.Equal(t, want, o.WaitsFor())
		require.Len(t, o.Waits, int(lacks))
	})
}
