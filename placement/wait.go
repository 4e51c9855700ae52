package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// wait plans the least number of members with the leaving ones counted as gone, then as many further ones as fit into
// the same domain now. Nil if that does not help.
func wait(p *problem) *outcome {
	if p.req.IgnoreLeaving || len(p.c.Leaving) == 0 {
		return nil
	}
	later := *p
	later.leavingGone = true
	return engineOf(&later).LeastAndMore()
}

// beside is the problem with the members that a plan places counted as running, all in its domain.
func (p *problem) beside(o *outcome) *problem {
	more := *p
	more.leavingGone = false
	more.running = slices.Clone(p.running)
	for i, pos := range o.positions {
		m := &o.of.pending[i]
		more.running = append(more.running, siblingMember{pos, m.rank, m.name})
	}
	slices.SortFunc(more.running, func(a, b siblingMember) int { return cmp.Compare(a.rank, b.rank) })
	more.gather.must, more.gather.worths = o.tier, []int32{o.tier}
	more.siblings, more.friends, more.lca = nil, nil, more.runningLCA()
	findAnchors(&more)
	more.countEvens()
	return &more
}

// waitsFor lists the leaving members that must be gone before the members fit where they are placed: on every node
// the fewest, among those the first by name. A member that does not fit beside what leaves makes the plan invalid, so
// every node can be satisfied.
func (p *problem) waitsFor(positions []int32) []*snapshot.Member {
	placed := map[int32]int64{}
	for _, pos := range positions {
		placed[p.v.Node(pos)]++
	}
	leaving := map[int32][]*snapshot.Member{}
	for _, m := range p.c.Leaving {
		if placed[m.Node] > 0 {
			leaving[m.Node] = append(leaving[m.Node], m)
		}
	}
	var out []*snapshot.Member
	for id, members := range leaving {
		load, units := p, placed[id]
		zones := func(state *numa.Occupancy) bool {
			return p.zones().countZones(p.zones().needsOn(id), state).Slots >= units
		}
		if p.hasRoles() {
			some := p.countsOn(positions, id)
			load, units = loadOf(p, positions, id), 1
			zones = func(state *numa.Occupancy) bool { return p.zones().zonesTake(id, state, some) }
		}
		out = append(out, fewestLeaving(load, id, members, units, zones)...)
	}
	slices.SortFunc(out, snapshot.CompareMembers)
	return out
}

// lacking is what n members need on a node beyond what is free, by need; what is enough is 0.
func lacking(p *problem, id int32, n int64) []int64 {
	lack := make([]int64, len(p.needs))
	for i, need := range p.needs {
		lack[i] = max(0, n*need.amount-p.freeOf(id, need, nil))
	}
	return lack
}
