package problem

import (
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
			load, units = p.onNode(positions, id), 1
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
		lack[i] = max(0, n*need.Amount-p.Counting().FreeOf(id, need, nil))
	}
	return lack
}
