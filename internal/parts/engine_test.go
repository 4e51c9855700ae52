package parts

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// ready is a request on a snapshot, counted, with all of its members admitted.
func ready(t *testing.T, c *snapshot.Snapshot, req *gang.Request) Engine {
	t.Helper()
	p, err := problem.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	e := Engine{p}
	e.Count()
	p.Ready()
	p.Model.Admitted = len(p.Model.Pending)
	return e
}

// devices is a shape that asks for so many devices.
func devices(n int64) *gang.Shape { return &gang.Shape{Resources: muster.Resources{"gpu": n}} }

// members are members of these many devices each, named by number.
func members(asks ...int64) (out []gang.Member) {
	for i, n := range asks {
		out = append(out, gang.Member{Name: string(rune('a' + i)), Shape: devices(n)})
	}
	return out
}

// On three nodes of four devices, members of three devices fit once each. The lowest ranks come first, so that the last one of one device
// stays out as well.
func TestTheMostMembersAreFound(t *testing.T) {
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", MinMember: 2, Members: members(3, 3, 3, 3, 1)})
	require.Equal(t, 2, e.P.Model.Least)
	o := e.Search()
	require.NotNil(t, o)
	require.Len(t, o.Positions, 3)
	require.Equal(t, []int{0, 1, 2}, o.Of.Model.Pending)
	require.False(t, *e.P.Model.Doubt)
	first := 0
	for next := range e.Outcomes() {
		require.Equal(t, o.Positions, next.Positions)
		first++
		break
	}
	require.Equal(t, 1, first)
	require.True(t, e.Possible())
	require.Equal(t, 5, e.MostAdmitted(), "no quota bounds them")
	list, whole := e.Minimal()
	require.True(t, whole || len(list) > 0)
	require.Equal(t, []int{0, 1}, list[0].Model.Pending)
}

// What must be placed comes first, and further members beside it on what is free.
func TestFurtherMembersComeBesideTheLeast(t *testing.T) {
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", MinParts: 1, Members: members(4, 4, 4, 4), Parts: []gang.Part{
		{Name: "one", Members: []string{"a", "b"}}, {Name: "two", Members: []string{"c", "d"}},
	}})
	require.Equal(t, 2, e.P.Parts.Minimal.Size())
	o := e.LeastAndMore()
	require.NotNil(t, o)
	require.Equal(t, []int{0, 1}, o.Of.Model.Pending, "of the other part both fit, or none")

	e = ready(t, oneRack(t), &gang.Request{Name: "gang", MinParts: 1, Members: members(4, 4, 2, 2), Parts: []gang.Part{
		{Name: "one", Members: []string{"a", "b"}}, {Name: "two", Members: []string{"c", "d"}},
	}})
	o = e.LeastAndMore()
	require.NotNil(t, o)
	require.Len(t, o.Positions, 4)
	at := slices.Clone(o.Positions)
	slices.Sort(at)
	require.Len(t, slices.Compact(at), 3, "the two of two devices share a node")
}

// A refusal says how many a domain takes, names the rule that binds, and is proven.
func TestRefusalsAreProven(t *testing.T) {
	within := []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", Gather: within, Members: members(3, 3, 3, 2)})
	require.Nil(t, e.Search())
	evidence := e.Evidence()
	require.NotEmpty(t, evidence.Fits)
	require.Equal(t, 3, evidence.Fits[len(evidence.Fits)-1].Members)
	require.True(t, evidence.Proven())
	require.Equal(t, "MustGather rack", e.BindingRule())
	require.False(t, e.Possible())
	require.False(t, e.HoldsWithoutRules())

	e = ready(t, oneRack(t), &gang.Request{Name: "gang", Gather: []gang.Rule{{Layer: "rack", Multiple: 2}}, Members: members(3, 2, 2)})
	require.Nil(t, e.Search(), "three members are no multiple of two")
	require.Equal(t, "multiple 2 at rack", e.BindingMultiple())
	require.True(t, e.HoldsWithoutRules())
}

// Whatever runs on a node, no more members of any roles fit than its free amounts and the gang allow.
func TestRoomOnANode(t *testing.T) {
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", Members: members(2, 1, 1)})
	on := e.Room()
	require.Equal(t, int64(3), on(0, nil, nil), "all")
	require.Equal(t, int64(2), on(0, []int64{-1}, nil), "with a device less")
	require.Equal(t, int64(0), on(0, []int64{-4}, nil))
	require.Nil(t, ready(t, oneRack(t), &gang.Request{Name: "gang", MinParts: 1, Members: members(1, 1), Parts: []gang.Part{
		{Name: "one", Members: []string{"a"}}, {Name: "two", Members: []string{"b"}},
	}}).Room(), "slots say it, where all members have one role")
}

// Under a strategy at least as loose as the one that is found the gang fits, under a tighter one it does not.
func TestStrategiesAllow(t *testing.T) {
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", Members: members(3, 2)})
	tier := e.Search().Tier
	require.Positive(t, tier)
	for st := range e.Strategies() {
		_, ok := e.Allows(0, st)
		require.Equal(t, st.Gang >= tier, ok, "tier %d", st.Gang)
	}
}
