package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// wait plans the least number of members with the leaving ones counted as gone, then as many further ones as fit into
// the same domain now. Nil if that does not help.
func (p *problem) wait() *Result {
	if p.req.IgnoreLeaving || len(p.c.leaving) == 0 {
		return nil
	}
	later := *p
	later.leavingGone = true
	return later.leastAndMore()
}

// leastAndMore is wait for a problem that counts leaving members as gone, or does not.
func (p *problem) leastAndMore() *Result {
	if p.inParts() {
		return p.fewAndMore()
	}
	counts := p.counts()
	if len(counts) == 0 {
		return nil
	}
	o := p.searchFor(p.slotTable(), counts[0])
	if o == nil {
		return nil
	}
	waits := p.waitsFor(o.positions)
	positions := append(o.positions, p.further(o, waits)...)
	if len(p.levels) == 0 {
		slices.Sort(positions) // ranks follow the tree, whoever came first
	}
	slices.SortFunc(waits, compareWaited)
	return p.result(positions, waits)
}

// further places the members that a waiting plan leaves out, as if its members ran: inside its domain, on what is free
// now.
func (p *problem) further(o *outcome, waits []Waited) []int32 {
	n := len(o.positions)
	if n == len(p.pending) || p.mult != nil {
		return nil
	}
	more := p.beside(o)
	more.pending, more.least, more.admitted = p.pending[n:], 1, p.admitted-n
	slots := more.countSlots()
	for _, pos := range o.positions {
		x := more.v.nodeVertex(pos)
		slots[x] = max(0, slots[x]-1)
	}
	more.boundFurther(slots, o.positions, waits)
	more.sumSlots(slots)
	table := slotTable{flat: slots}
	if n, ok := more.most(table); ok {
		if next := more.searchFor(table, n); next != nil {
			return next.positions
		}
	}
	return nil
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
	more.gather.must, more.gather.worths = o.strategy.gang, []int32{o.strategy.gang}
	more.siblings, more.friends, more.lca = nil, nil, more.runningLCA()
	more.findAnchors()
	more.countEvens()
	return &more
}

// waitsFor lists the leaving members that must be gone before the members fit where they are placed: on every node
// the fewest, among those the first by name. A member that does not fit beside what leaves makes the plan invalid, so
// every node can be satisfied.
func (p *problem) waitsFor(positions []int32) []Waited {
	placed := map[int32]int64{}
	for _, pos := range positions {
		placed[p.v.node(pos)]++
	}
	leaving := map[int32][]*member{}
	for _, m := range p.c.leaving {
		if placed[m.node] > 0 {
			leaving[m.node] = append(leaving[m.node], m)
		}
	}
	var out []Waited
	for id, members := range leaving {
		load, units := p, placed[id]
		zones := func(state *numa.Occupancy) bool { return p.countZones(p.needsOn(id), state).Slots >= units }
		if p.hasRoles() {
			some := p.countsOn(positions, id)
			load, units = p.loadOf(positions, id), 1
			zones = func(state *numa.Occupancy) bool { return p.zonesTake(id, state, some) }
		}
		for _, m := range load.fewest(id, members, units, zones) {
			out = append(out, Waited{MemberRef{m.gang, m.name}, p.c.names[m.node]})
		}
	}
	return out
}

func compareWaited(a, b Waited) int { return compareRefs(a.MemberRef, b.MemberRef) }

func compareRefs(a, b MemberRef) int {
	return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
}

// lacking is what n members need on a node beyond what is free, by need; what is enough is 0.
func (p *problem) lacking(id int32, n int64) []int64 {
	lack := make([]int64, len(p.needs))
	for i, need := range p.needs {
		lack[i] = max(0, n*need.amount-p.freeOf(id, need, nil))
	}
	return lack
}
