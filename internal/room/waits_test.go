// Which leaving members does a plan wait for, and what is left beside its members, by trying all sets of them?

package room_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

// waiting is a plan that counts on all leaving members being gone: where its units are.
type waiting struct {
	*asked
	positions []int32
	out       []*snapshot.Member // those that must be gone in any case
}

// drawWaiting draws a plan of units, on nodes that take them once the leaving members are gone.
func drawWaiting(t *rapid.T) *waiting {
	w := &waiting{}
	if rapid.Bool().Draw(t, "in zones") {
		w.asked = drawUnits(t)
	} else {
		w.asked = drawAsked(t)
		w.limit(nil)
		w.Allowed, w.Model.Hard = nil, false
	}
	w.LeavingGone = true
	for pos := range w.Model.View.Nodes {
		if w.node(w.name(pos)) == nil {
			continue
		}
		most := min(4, w.takes(t, w.name(pos)))
		for range rapid.SampledFrom([]int64{most, 0, max(1, most) - 1}).Draw(t, "placed") {
			w.positions = append(w.positions, pos)
		}
	}
	for _, m := range w.Snapshot.Leaving {
		if draws.Chance(t, 15, "is gone in any case") {
			w.out = append(w.out, m)
		}
	}
	return w
}

// without is an asked for whom these running members are not there, and all others are.
func (a *asked) without(gone ...*snapshot.Member) *asked {
	next := *a
	next.Room = a.Room
	next.spec.Running = slices.DeleteFunc(slices.Clone(a.spec.Running), func(r cluster.Running) bool {
		return slices.ContainsFunc(gone, func(m *snapshot.Member) bool { return m.Class.Gang == r.Gang && m.Name == r.Member })
	})
	for i := range next.spec.Running {
		next.spec.Running[i].Leaving = false
	}
	return &next
}

// suffices says whether a node takes so many units as far as amounts and zones allow.
func (a *asked) suffices(t require.TestingT, name string, units int64) bool {
	if a.amounts(name) < units {
		return false
	}
	state := a.zones(t, name)
	return state == nil || inZones(a.needs(t, name), state, units) != nil
}

// fewest is the smallest set of some members that suffices, of equals the first in their order.
func fewest(members []*snapshot.Member, suffices func(gone []*snapshot.Member) bool) (best []*snapshot.Member) {
	found := false
	for set := range uint(1) << len(members) {
		var some []*snapshot.Member
		for i, m := range members {
			if set>>i&1 == 1 {
				some = append(some, m)
			}
		}
		if (!found || len(some) < len(best) || len(some) == len(best) && slices.CompareFunc(some, best, snapshot.CompareMembers) < 0) && suffices(some) {
			best, found = some, true
		}
	}
	return best
}

// On every node the fewest leaving members are waited for, beside those that are named anyway.
func TestFewestLeavingMembersAreWaitedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWaiting(t)
		want := slices.Clone(w.out)
		on := map[int32]int64{}
		for _, pos := range w.positions {
			on[w.Model.View.Node(pos)]++
		}
		for id, units := range on {
			var gone, others []*snapshot.Member
			for _, m := range w.Snapshot.Leaving {
				if m.Node == id && slices.Contains(w.out, m) {
					gone = append(gone, m)
				} else if m.Node == id {
					others = append(others, m)
				}
			}
			want = append(want, fewest(others, func(some []*snapshot.Member) bool {
				return w.without(append(some, gone...)...).suffices(t, w.Snapshot.Lineage.Names[id], units)
			})...)
		}
		slices.SortFunc(want, snapshot.CompareMembers)
		require.Equal(t, names(want), names(w.WaitsFor(w.positions, slices.Clone(w.out))))
		require.Equal(t, names(want), names(w.WaitsFor(w.positions, slices.Concat(w.out, w.out))), "once, whoever is named twice")
	})
}

func names(members []*snapshot.Member) (out []string) {
	for _, m := range members {
		out = append(out, m.Class.Gang+" "+m.Name)
	}
	return out
}

// Further members find what is left beside those of a waiting plan: now, and in zones also once those are gone for whom it waits.
func TestTableBesideAPlanThatWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWaiting(t)
		w.LeavingGone = false
		waits := w.WaitsFor(w.positions, nil)
		w.Before = &room.Placed{Positions: w.positions, Waits: waits}
		table := w.Nodes().Table()
		now, later := w.without(), w.without(waits...)
		on := map[int32]int64{}
		for _, pos := range w.positions {
			on[pos]++
		}
		for pos := range w.Model.View.Nodes {
			name := w.name(pos)
			if w.node(name) == nil {
				continue
			}
			want := max(0, w.takes(t, name)-on[pos])
			if state := now.zones(t, name); state != nil && on[pos] > 0 && w.refusal(name) == "" {
				placed := inZones(w.needs(t, name), later.zones(t, name), on[pos])
				beside, err := state.Add(placed...)
				require.NoError(t, err)
				most := now.amounts(name) - on[pos]
				for want = 0; want < most && inZones(w.needs(t, name), beside, want+1) != nil && inZones(w.needs(t, name), later.zones(t, name), on[pos]+want+1) != nil; {
					want++
				}
				require.True(t, beside.Equal(w.Zones().StateAt(w.Model.View.NodeVertex(pos))), "the zones of %s beside the first members", name)
			}
			require.Equal(t, want, table.At(w.Model.View.NodeVertex(pos)), "node %s", name)
		}
		sums(t, w.asked, table.At)
	})
}

// sums checks that the slots of a domain are those of its nodes.
func sums(t require.TestingT, a *asked, slots func(x layout.Vertex) int64) {
	v := a.Model.View
	for d := range layout.Vertex(v.NumDomains()) {
		var sum int64
		for pos := v.First(d); pos < v.EndOf(d); pos++ {
			sum += slots(v.NodeVertex(pos))
		}
		require.Equal(t, sum, slots(d), a.vertex(d))
	}
}
