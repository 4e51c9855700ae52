// Which leaving members a plan waits for.

package problem

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// WaitsFor lists the leaving members that must be gone before the members fit where they are placed: on every node
// the fewest, among those the first by name. A member that does not fit beside what leaves makes the plan invalid, so
// every node can be satisfied.
func (p *Problem) WaitsFor(positions []int32) []*snapshot.Member {
	placed := map[int32]int64{}
	for _, pos := range positions {
		placed[p.View.Node(pos)]++
	}
	leaving := map[int32][]*snapshot.Member{}
	for _, m := range p.Snapshot.Leaving {
		if placed[m.Node] > 0 {
			leaving[m.Node] = append(leaving[m.Node], m)
		}
	}
	var out []*snapshot.Member
	for id, members := range leaving {
		load, units := p, placed[id]
		zones := func(state *numa.Occupancy) bool {
			return p.Zones().CountZones(p.Zones().NeedsOn(id), state).Slots >= units
		}
		if p.HasRoles() {
			some := countsOn(p, positions, id)
			load, units = onNode(p, positions, id), 1
			zones = func(state *numa.Occupancy) bool { return p.Zones().zonesTake(id, state, some) }
		}
		out = append(out, fewestLeaving(load, id, members, units, zones)...)
	}
	slices.SortFunc(out, snapshot.CompareMembers)
	return out
}

// lacking is what n members need on a node beyond what is free, by need; what is enough is 0.
func lacking(p *Problem, id int32, n int64) []int64 {
	lack := make([]int64, len(p.Needs))
	for i, need := range p.Needs {
		lack[i] = max(0, n*need.Amount-p.Slots().FreeOf(id, need, nil))
	}
	return lack
}

// leavingSearch looks for leaving members that make room for units on a node.
type leavingSearch struct {
	p     *Problem
	zones func(*numa.Occupancy) bool // whether they take the units in a state; nil: they are not looked at
}

// fewestLeaving finds the smallest set of members that makes room for so many units on their node, the first by name among
// equals. Members that hold the same are tried in order only, so the work grows with the classes of members. zones says
// whether the zones of the node take the units in a state.
//
// order: waiting.3
func fewestLeaving(p *Problem, id int32, members []*snapshot.Member, units int64, zones func(*numa.Occupancy) bool) []*snapshot.Member {
	e := leavingSearch{p: p}
	if p.Zones().BindsOn(p.Snapshot.FlagsOf(id)) {
		e.zones = zones
	}
	lack, state := lacking(p, id, units), p.Zones().StateOf(id, Released{})
	for size := range members {
		if set, ok := e.cover(members, lack, state, size); ok {
			return set
		}
	}
	return members
}

// cover finds a set of so many members. lack and state are those of the node without the members that are chosen already.
func (e *leavingSearch) cover(members []*snapshot.Member, lack []int64, state *numa.Occupancy, size int) ([]*snapshot.Member, bool) {
	if e.enough(lack, state) {
		return nil, true
	}
	if size == 0 || !e.couldCover(members, lack, state, size) {
		return nil, false
	}
	left := make([]int64, len(lack))
	for i, m := range members {
		if slices.ContainsFunc(members[:i], func(o *snapshot.Member) bool { return e.same(o, m) }) {
			continue // without the earlier one, this one is no better
		}
		for r, need := range e.p.Needs {
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

func (e *leavingSearch) enough(lack []int64, state *numa.Occupancy) bool {
	return !slices.ContainsFunc(lack, func(n int64) bool { return n > 0 }) &&
		(e.zones == nil || e.zones(state))
}

// same says whether two members give back the same.
func (e *leavingSearch) same(a, b *snapshot.Member) bool {
	if !slices.Equal(a.Class.Holds, b.Class.Holds) || e.zones == nil || a.Placed == b.Placed {
		return slices.Equal(a.Class.Holds, b.Class.Holds)
	}
	return a.Placed != nil && b.Placed != nil && a.Placed.Policy == b.Placed.Policy &&
		slices.EqualFunc(a.Placed.Shares, b.Placed.Shares, func(x, y numa.Share) bool {
			return x.Zone == y.Zone && maps.Equal(x.Resources, y.Resources)
		})
}

// couldCover bounds what size members can give back: for every resource the largest amounts, and in the zones what all of
// them have.
func (e *leavingSearch) couldCover(members []*snapshot.Member, lack []int64, state *numa.Occupancy, size int) bool {
	held := make([]int64, len(members))
	for r, need := range e.p.Needs {
		if lack[r] <= 0 {
			continue
		}
		if need.ID < 0 {
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
