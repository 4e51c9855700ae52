// Which leaving members must be gone before the new ones fit where a plan puts them?

package room

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// WaitsFor lists the leaving members that must be gone before the members fit where they are placed, in the order of
// names: on every node the fewest, of equal sets the first. Members of the gang are at these positions, or units of
// it. Those in out must be gone in any case, and may be there twice. Nodes are independent, since a member gives back nothing on another node. The plan counts on all leaving
// members being gone, so that on every node all of them together suffice. O(leaving members), and on nodes with new
// and leaving members the cost of fewestLeaving.
func (r *Room) WaitsFor(positions []int32, out []*snapshot.Member) []*snapshot.Member {
	placed := map[int32]int64{}
	for _, pos := range positions {
		placed[r.Model.View.Node(pos)]++
	}
	must := make(map[*snapshot.Member]bool, len(out))
	for _, m := range out {
		must[m] = true
	}
	leaving, gone := map[int32][]*snapshot.Member{}, map[int32][]*snapshot.Member{}
	for _, m := range r.Snapshot.Leaving {
		switch {
		case placed[m.Node] == 0:
		case must[m]:
			gone[m.Node] = append(gone[m.Node], m)
		default:
			leaving[m.Node] = append(leaving[m.Node], m)
		}
	}
	for id, members := range leaving {
		load, units := r, placed[id]
		zones := func(state *numa.Occupancy) bool {
			return r.Zones().CountZones(r.Zones().NeedsOn(id), state).Slots >= units
		}
		if r.Model.RoleOf != nil {
			// Members of several shapes are one unit that asks for their sum; zones are asked for the counts of each
			// role.
			some := r.countsOn(positions, id)
			load, units = r.onNode(positions, id), 1
			zones = func(state *numa.Occupancy) bool { return r.Zones().zonesTake(id, state, some) }
		}
		out = append(out, fewestLeaving(load, id, members, gone[id], units, zones)...)
	}
	slices.SortFunc(out, snapshot.CompareMembers)
	return slices.Compact(out)
}

// countsOn counts the members on a node by role.
func (r *Room) countsOn(positions []int32, id int32) front.Vector {
	some := make(front.Vector, len(r.Shapes))
	for i, pos := range positions {
		if r.Model.View.Node(pos) == id {
			some[r.Model.Role(i)]++
		}
	}
	return some
}

// onNode is the room for all members that are placed on a node: one unit, which asks for their sum. Its zones stay
// prepared for the roles of r, so that questions about zones are for r. positions are those of the pending members.
// O(members).
func (r *Room) onNode(positions []int32, id int32) *Room {
	next, m := *r, *r.Model
	m.RoleOf, m.Twins = nil, nil
	next.Model, next.Shapes = &m, nil
	for i, pos := range positions {
		if r.Model.View.Node(pos) == id {
			next.Shapes = append(next.Shapes, r.ShapeOf(i))
		}
	}
	if err := next.SumNeeds(); err != nil {
		next.Needs = nil // never: they fit on a node together, so their sum does not overflow
	}
	return &next
}

// lacking is the amounts that n units need on a node beyond what is free, by need; 0 where enough is free.
func lacking(r *Room, id int32, n int64) []int64 {
	lack := make([]int64, len(r.Needs))
	for i, need := range r.Needs {
		lack[i] = max(0, n*need.Amount-r.Slots().FreeOf(id, need, nil))
	}
	return lack
}

// leavingSearch looks for a set of leaving members that makes room for units on a node.
type leavingSearch struct {
	r     *Room
	zones func(*numa.Occupancy) bool // whether they take the units in a state; nil: they are not looked at
}

// fewestLeaving finds the smallest set of members that makes room for so many units on their node once others are gone, of
// equals the first in the order of the list. All of them make room together. zones says whether the zones of the node take the
// units in a state.
//
// Sets are tried by size. Members that give back the same are tried in order only, and sizes that cannot suffice are
// skipped by a bound. So many equal members cost little; with all members different the work may grow with their
// subsets.
//
// order: waiting.3
func fewestLeaving(r *Room, id int32, members, gone []*snapshot.Member, units int64, zones func(*numa.Occupancy) bool) []*snapshot.Member {
	e := leavingSearch{r: r}
	if r.Zones().BindsOn(r.Snapshot.FlagsOf(id)) {
		e.zones = zones
	}
	lack, state := lacking(r, id, units), r.Zones().StateOf(id, Released{})
	for _, m := range gone {
		for r, need := range r.Needs {
			if need.ID >= 0 {
				lack[r] -= m.Class.Holds[need.ID]
			}
		}
		state = snapshot.Without(state, m)
	}
	for size := range members {
		if set, ok := e.cover(members, lack, state, size); ok {
			return set
		}
	}
	return members // no smaller set suffices
}

// cover finds the first set of at most size members that suffices, false if there is none. lack and state are those
// of the node once the members chosen before are gone.
func (e *leavingSearch) cover(members []*snapshot.Member, lack []int64, state *numa.Occupancy, size int) ([]*snapshot.Member, bool) {
	if e.enough(lack, state) {
		return nil, true
	}
	if size == 0 || !e.couldCover(members, lack, state, size) {
		return nil, false
	}
	left := make([]int64, len(lack)) // is written anew for each member: the search below it has returned by then
	for i, m := range members {
		if slices.ContainsFunc(members[:i], func(o *snapshot.Member) bool { return e.same(o, m) }) {
			// No set with m and without o suffices: o in place of m would give back the same, and the sets whose
			// first member is o were tried.
			continue
		}
		for r, need := range e.r.Needs {
			left[r] = lack[r]
			if need.ID >= 0 {
				left[r] -= m.Class.Holds[need.ID]
			}
		}
		if set, ok := e.cover(members[i+1:], left, snapshot.Without(state, m), size-1); ok {
			return append([]*snapshot.Member{m}, set...), true
		}
	}
	return nil, false
}

// enough says whether nothing lacks, and the zones take the units.
func (e *leavingSearch) enough(lack []int64, state *numa.Occupancy) bool {
	return !slices.ContainsFunc(lack, func(n int64) bool { return n > 0 }) &&
		(e.zones == nil || e.zones(state))
}

// same says whether two members give back the same amounts and, where zones are looked at, the same shares of them.
func (e *leavingSearch) same(a, b *snapshot.Member) bool {
	if !slices.Equal(a.Class.Holds, b.Class.Holds) || e.zones == nil || a.Placed == b.Placed {
		return slices.Equal(a.Class.Holds, b.Class.Holds)
	}
	return a.Placed != nil && b.Placed != nil && a.Placed.Policy == b.Placed.Policy &&
		slices.EqualFunc(a.Placed.Shares, b.Placed.Shares, func(x, y numa.Share) bool {
			return x.Zone == y.Zone && maps.Equal(x.Resources, y.Resources)
		})
}

// couldCover is false only if no size members suffice. For every resource it takes the size largest amounts, though
// other members may hold these for each resource; for zones it takes the state without any of the members.
func (e *leavingSearch) couldCover(members []*snapshot.Member, lack []int64, state *numa.Occupancy, size int) bool {
	held := make([]int64, len(members))
	for r, need := range e.r.Needs {
		if lack[r] <= 0 {
			continue
		}
		if need.ID < 0 { // no node has it, so nobody gives it back
			return false
		}
		for i, m := range members {
			held[i] = m.Class.Holds[need.ID]
		}
		slices.SortFunc(held, func(a, b int64) int { return cmp.Compare(b, a) })
		var sum int64
		for _, h := range held[:min(size, len(held))] {
			sum += h
		}
		if sum < lack[r] {
			return false
		}
	}
	if e.zones == nil {
		return true
	}
	for _, m := range members {
		state = snapshot.Without(state, m)
	}
	return e.enough(nil, state)
}
