package holds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

func on(gang, node string, priority int64) cluster.Hold {
	return cluster.Hold{Gang: gang, Member: "m-" + node, Node: node, Resources: muster.Resources{"gpu": 1}, Priority: priority}
}

func held(t *testing.T, list ...cluster.Hold) *snapshot.Snapshot {
	t.Helper()
	spec := cluster.Spec{Holds: list}
	for _, name := range []string{"a", "b"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
	}
	c, err := New(spec)
	require.NoError(t, err)
	require.Empty(t, c.LeftOut)
	return c
}

// Whoever counts least goes first, the last by name of equals, and on the node in question; gangs go whole, and count as the lowest of their holds.
func TestTake(t *testing.T) {
	c := held(t, on("g-2", "a", 1), on("g-10", "a", 1), on("g-10", "b", 7), on("h", "b", 0), on("i", "a", 3))
	left := func(c *snapshot.Snapshot) (gangs []string) {
		each(c, func(gang string, _ *snapshot.GangMembers) { gangs = append(gangs, gang) })
		return gangs
	}
	require.Equal(t, []string{"g-2", "g-10", "h", "i"}, left(c))
	next, ok := Take(c, 3, c.PresentNode("a", -1))
	require.True(t, ok)
	require.Equal(t, []string{"g-2", "h", "i"}, left(next))
	next, ok = Take(next, 3, -1)
	require.True(t, ok)
	require.Equal(t, []string{"g-2", "i"}, left(next))
	next, ok = Take(next, 3, next.PresentNode("a", -1))
	require.True(t, ok)
	require.Equal(t, []string{"i"}, left(next))
	same, ok := Take(next, 3, -1)
	require.False(t, ok)
	require.Same(t, next, same)
	require.Equal(t, []int64{2}, On(c, c.PresentNode("b", -1))[:1])
	require.Len(t, Of(c), 5)
}

// Nobody sees less than there is to see, and a snapshot without holds is seen as it is.
func TestSeen(t *testing.T) {
	c := held(t, on("g", "a", 1), on("h", "b", 2))
	nobody := func(string) bool { return false }
	require.Same(t, c, Seen(c, 1, "", 0, nobody))
	require.Len(t, Of(Seen(c, 2, "", 0, nobody)), 1)
	require.Len(t, Of(Seen(c, 0, "", 0, func(gang string) bool { return gang == "h" })), 1)
	require.Empty(t, Of(Seen(c, 3, "", 0, nobody)))
	require.Len(t, Of(c), 2)
}

// No gang is called as those are for whom room is held: it is refused, or left out of what was seen.
func TestNamesOfHolds(t *testing.T) {
	c, name := held(t, on("g", "a", 1)), prefix+"g"
	require.Equal(t, "hold for g", Called(name))
	require.Equal(t, "g", Called("g"))
	for _, d := range []cluster.Delta{
		{Place: []cluster.Running{{Gang: name, Member: "m", Node: "a"}}},
		{Remove: []cluster.MemberRef{{Gang: name, Member: "m-a"}}},
		{Leaving: []cluster.MemberRef{{Gang: name, Member: "m-a"}}},
		{RemoveGangs: []string{name}},
		{LeavingGangs: []string{name}},
		{Minima: map[string]int{name: 1}},
	} {
		_, err := Update(c, d)
		require.ErrorContains(t, err, "a gang cannot be called so")
		d.Observed = true
		next, err := Update(c, d)
		require.NoError(t, err)
		require.Len(t, next.LeftOut, 1)
		require.Equal(t, Of(c), Of(next))
	}
	_, err := New(cluster.Spec{Nodes: []cluster.Node{{Name: "a"}}, Running: []cluster.Running{{Gang: name, Member: "m", Node: "a"}}})
	require.ErrorContains(t, err, "a gang cannot be called so")
}

// A hold has room once those who leave are gone, beside what else is held for its gang; it takes what is held for a lower priority, and no more.
func TestHoldsHaveRoom(t *testing.T) {
	gpus := func(n int64) muster.Resources { return muster.Resources{"gpu": n} }
	spec := cluster.Spec{
		Nodes: []cluster.Node{{Name: "a", Allocatable: gpus(4)}, {Name: "b", Allocatable: gpus(4)}},
		Running: []cluster.Running{
			{Gang: "goes", Member: "m", Node: "a", Resources: gpus(3), Leaving: true}, {Gang: "stays", Member: "m", Node: "a", Resources: gpus(1)},
		},
		Holds: []cluster.Hold{on("low", "b", 1), on("low", "a", 1)},
	}
	c, err := New(spec)
	require.NoError(t, err)
	of := func(n int64, node, member string) cluster.Hold {
		return cluster.Hold{Gang: "g", Member: member, Node: node, Resources: gpus(n), Priority: 2}
	}
	hold := func(list ...cluster.Hold) (*snapshot.Snapshot, error) {
		return Update(c, cluster.Delta{Holds: map[string][]cluster.Hold{"g": list}})
	}
	next, err := hold(of(2, "a", "1"))
	require.NoError(t, err)
	require.Len(t, Of(next), 3, "beside the other one")
	next, err = hold(of(2, "a", "1"), of(1, "a", "2"))
	require.NoError(t, err)
	require.Len(t, Of(next), 2, "in the place of the other gang, wherever it holds room")
	_, err = hold(of(2, "a", "1"), of(2, "a", "2"))
	require.EqualError(t, err, "conflict: node a, member g 2: over-committed (gpu by 1)")
	_, err = hold(of(4, "a", "1"))
	require.EqualError(t, err, "conflict: node a, member g 1: over-committed (gpu by 1)")
	next, err = hold(of(4, "b", "1"))
	require.NoError(t, err)
	require.Len(t, Of(next), 1)
	_, err = Update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"h": {{Gang: "h", Member: "1", Node: "b", Resources: gpus(1), Priority: 2}}}})
	require.EqualError(t, err, "conflict: node b, member h 1: over-committed (gpu by 1)", "its equals take nothing")
	_, err = hold(of(1, "absent", "1"))
	require.EqualError(t, err, "conflict: node absent, member g 1: the node is not in the cluster")
	seen, err := Update(c, cluster.Delta{Observed: true, Holds: map[string][]cluster.Hold{"g": {of(9, "a", "1"), of(1, "absent", "2")}}})
	require.NoError(t, err)
	require.Len(t, Of(seen), 3)
	require.Len(t, seen.LeftOut, 1)
	require.EqualError(t, seen.LeftOut[0], "conflict: node absent, member g 2: the node is not in the cluster")
}

// from is a hold of four devices on a node from an instant on.
func from(gang, node string, at int64) cluster.Hold {
	h := on(gang, node, 0)
	h.Resources, h.From, h.End = muster.Resources{"gpu": 4}, at, at+9
	return h
}

// Room that is held from an instant on is not there for those who end later, or never; of what is held for a gang the earliest instant counts.
func TestHoldsFromAnInstant(t *testing.T) {
	c := held(t, from("g", "a", 5), from("g", "b", 7), on("h", "b", 0))
	require.True(t, AreLater(c))
	require.Equal(t, []int64{5, 0, 0, 0}, []int64{From(c, prefix+"g"), From(c, prefix+"h"), From(c, "g"), From(c, prefix+"nobody")})
	require.True(t, Any(c, "g"))
	require.False(t, Any(c, prefix+"g"))
	require.False(t, AreLater(held(t, on("h", "b", 0))))
	nobody := func(string) bool { return false }
	require.Same(t, c, Seen(c, 0, "", 0, nobody))
	require.Same(t, c, Seen(c, 0, "", 6, nobody), "it ends after the first is held")
	require.Len(t, Of(Seen(c, 0, "", 5, nobody)), 1)
	bare, back := Meanwhile(c, "", 4)
	require.Len(t, Of(bare), 1)
	again, err := back(bare)
	require.NoError(t, err)
	require.Equal(t, Of(c), Of(again))
	require.Equal(t, int64(7), Of(again)[1].From)
	require.Equal(t, int64(16), Of(again)[1].End)
	same, back := Meanwhile(c, "", 6)
	require.Same(t, c, same)
	again, err = back(c)
	require.NoError(t, err)
	require.Same(t, c, again)
}

// It need not be free yet: who is in its way must end by then. Two gangs cannot hold one room.
func TestLaterHoldsNeedEnds(t *testing.T) {
	c, err := New(cluster.Spec{
		Nodes: []cluster.Node{{Name: "a", Allocatable: muster.Resources{"gpu": 4}}, {Name: "b", Allocatable: muster.Resources{"gpu": 4}}},
		Running: []cluster.Running{
			{Gang: "ends", Member: "1", Node: "a", Resources: muster.Resources{"gpu": 4}, End: 3},
			{Gang: "ends", Member: "2", Node: "b", Resources: muster.Resources{"gpu": 3}, End: 5},
		},
	})
	require.NoError(t, err)
	_, err = Update(c, cluster.Delta{Holds: map[string][]cluster.Hold{"g": {from("g", "a", 4)}}})
	require.EqualError(t, err, "conflict: node a, member g m-a: over-committed (gpu by 4)", "its gang ends with its last member")
	next, err := Update(c, cluster.Delta{Holds: map[string][]cluster.Hold{"g": {from("g", "a", 5)}}})
	require.NoError(t, err)
	_, err = Update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"h": {from("h", "a", 6)}}})
	require.EqualError(t, err, "conflict: node a, member h m-a: over-committed (gpu by 4)")
	_, err = Update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"h": {from("h", "a", 14)}}})
	require.NoError(t, err, "once the other one has ended")
	early := from("i", "a", 5)
	early.End = 6
	late := from("g", "a", 6)
	next, err = Update(c, cluster.Delta{Holds: map[string][]cluster.Hold{"g": {late}}})
	require.NoError(t, err)
	_, err = Update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"i": {early}}})
	require.NoError(t, err, "before the other one begins")
	early.End = 7
	_, err = Update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"i": {early}}})
	require.EqualError(t, err, "conflict: node a, member i m-a: over-committed (gpu by 4)")
}

// Members that let a gang run on may do so where nobody would be late for it: not if room is held in its place, from then on, for a gang of no lower priority.
func TestOutstayed(t *testing.T) {
	whole := func(gang, node string, end int64) cluster.Running {
		return cluster.Running{Gang: gang, Member: "m", Node: node, Resources: muster.Resources{"gpu": 4}, End: end}
	}
	c := held(t)
	_, is := Outstayed(c, 0, "r", 0)
	require.False(t, is, "nothing is held")
	c, err := Update(c, cluster.Delta{
		Place: []cluster.Running{whole("r", "a", 5), whole("s", "b", 5)}, Holds: map[string][]cluster.Hold{"g": {from("g", "a", 5)}},
	})
	require.NoError(t, err)
	for _, test := range []struct {
		priority int64
		gang     string
		end      int64
		want     string
	}{
		{0, "r", 0, "g"}, {0, "r", 6, "g"}, {0, "r", 5, ""}, {0, "r", 3, ""}, {9, "r", 0, ""}, {0, "s", 0, ""}, {0, "g", 0, ""}, {0, "nobody", 0, ""},
	} {
		got, is := Outstayed(c, test.priority, test.gang, test.end)
		require.Equal(t, test.want, got, "%+v", test)
		require.Equal(t, test.want != "", is, "%+v", test)
	}
}

// Members of a gang for which room is held do not end before those who are to come: beside them there is less room.
func TestOutstayedBesideItsOwn(t *testing.T) {
	half := func(gang string, end int64) cluster.Running {
		return cluster.Running{Gang: gang, Member: "m", Node: "a", Resources: muster.Resources{"gpu": 2}, End: end}
	}
	late := from("g", "a", 5)
	late.Resources = muster.Resources{"gpu": 2}
	c, err := Update(held(t), cluster.Delta{
		Place: []cluster.Running{half("r", 5), half("g", 4)}, Holds: map[string][]cluster.Hold{"g": {late}},
	})
	require.NoError(t, err)
	got, is := Outstayed(c, 0, "r", 6)
	require.True(t, is)
	require.Equal(t, "g", got)
}

// The own members of a gang that must be alone are no others for those who are to come.
func TestOutstayedAlone(t *testing.T) {
	alone := on("g", "a", 0)
	alone.Resources, alone.From, alone.Alone = muster.Resources{"gpu": 1}, 5, "node"
	own := cluster.Running{Gang: "g", Member: "own", Node: "a", Resources: muster.Resources{"gpu": 1}, Alone: "node", End: 4}
	other := cluster.Running{Gang: "r", Member: "m", Node: "a", Resources: muster.Resources{"gpu": 1}, End: 5}
	c, err := Update(held(t), cluster.Delta{Observed: true, Place: []cluster.Running{other, own}, Holds: map[string][]cluster.Hold{"g": {alone}}})
	require.NoError(t, err)
	require.Empty(t, c.LeftOut)
	got, is := Outstayed(c, 0, "r", 6)
	require.True(t, is)
	require.Equal(t, "g", got)
}
