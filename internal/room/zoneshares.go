// Which shares of the zones of a node does each member get?

package room

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// addUnit puts one member of each need into the zones, each beside those before it. It returns the zones with them,
// which are the same value if no member has zones there, and their shares; nil if they do not fit.
//
// order: zones.2
func addUnit(needs []*numa.Need, state *numa.Occupancy) (*numa.Occupancy, *zoneShares) {
	out := &zoneShares{}
	for _, need := range needs {
		placed := need.Split(state, 1)
		if placed == nil {
			return nil, nil
		}
		out.score += need.Rate(state, placed)
		out.placed = append(out.placed, placed[0])
		if len(placed[0].Shares) == 0 {
			continue
		}
		next, err := state.Add(placed[0])
		if err != nil {
			return nil, nil // the sum overflows
		}
		state = next
	}
	return state, out
}

// zoneShares are the shares of zones of the members of some units, in rank order, and the sum of their scores.
type zoneShares struct {
	placed []numa.Placed
	score  int64 // in millionths of a point
}

// share splits so many units over the zones of a node in a state; nil if they do not fit, or if there are none.
// Members of one shape are split at once, for one after the other might strand the last. O(1) if it is known for
// equal zones in an equal state, else the cost of numa.Need.Split.
//
// order: zones.2
func (z Zones) share(id int32, state *numa.Occupancy, units int64) *zoneShares {
	return z.r.ZoneState.shares.of(z.zonesOf(id), state, units, func() *zoneShares {
		needs, s := z.NeedsOn(id), &zoneShares{}
		if len(needs) == 1 { // units are single members: all of them at once
			s.placed = needs[0].Split(state, int(units))
			s.score = needs[0].Rate(state, s.placed)
		}
		for n := int64(0); n < units && len(needs) > 1; n++ {
			next, unit := addUnit(needs, state)
			if unit == nil {
				return nil
			}
			state = next
			s.placed, s.score = append(s.placed, unit.placed...), s.score+unit.score
		}
		if s.placed == nil {
			return nil
		}
		return s
	})
}

// ShareZones calls share for each new member that gets zones, with its index in pending: members of one node are
// split over its zones at once, as the zones are when the leaving members that the plan waits for are gone. A unit's
// members count one by one. O(members * log), and the splits.
func (z Zones) ShareZones(positions []int32, waits []*snapshot.Member, share func(member int, placed *numa.Placed)) {
	if !z.Bind() {
		return
	}
	gone := z.zonesAfter(waits)
	give := func(pos int32, members []int) {
		id := z.r.Model.View.Node(pos)
		if !z.BindsOn(z.r.Snapshot.FlagsOf(id)) {
			return
		}
		state := z.StateOf(id, Released{zones: gone[id]})
		if z.r.Model.RoleOf != nil {
			z.giveZones(id, state, members, share)
			return
		}
		s := z.share(id, state, int64(len(members)/z.r.Size()))
		for n := 0; s != nil && n < len(members); n++ {
			if placed := &s.placed[n]; len(placed.Shares) > 0 {
				share(members[n], placed)
			}
		}
	}
	on := make([]int, len(positions)) // members by position; a stable sort keeps the rank order on a node
	for i := range on {
		on[i] = i
	}
	if !slices.IsSorted(positions) { // mostly they are: ranks follow the tree
		slices.SortStableFunc(on, func(i, j int) int { return cmp.Compare(positions[i], positions[j]) })
	}
	for len(on) > 0 {
		pos, n := positions[on[0]], 1
		for n < len(on) && positions[on[n]] == pos {
			n++
		}
		give(pos, on[:n])
		on = on[n:]
	}
}
