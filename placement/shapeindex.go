package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/snapshot"
)

// newIndex counts every node; nil if the slots of the cluster do not fit into an index. O(nodes * resources).
func (p *problem) newIndex() *snapshot.ShapeIndex {
	s := &snapshot.ShapeIndex{}
	if !s.Index.Build(p.v, p.countNodes, p.alikeIn(&s.Index, nil)) {
		return nil
	}
	s.Needs, s.Inexact = p.allNeeds(), p.alignment.inexact
	return s
}

// after is the index of a later snapshot in which only these nodes changed; nil as for newIndex. O(touched * children
// of the domains above them).
func (p *problem) after(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex {
	if s == nil {
		return p.newIndex()
	}
	p.alignment.indexNeeds = s.Needs
	return p.recount(s, nodes, nil, nil)
}

// overlay is the index for one request, without the nodes that it excludes and, if they count as gone, with what leaving
// members hold. Cost as for after, with the nodes concerned.
func (p *problem) overlay(s *snapshot.ShapeIndex) *snapshot.ShapeIndex {
	excluded, extra := p.excluded(), p.leavingGifts()
	var nodes []int32
	for id := range excluded {
		nodes = append(nodes, id)
	}
	for id := range extra {
		nodes = append(nodes, id)
	}
	if len(nodes) == 0 {
		return s
	}
	for _, l := range p.levels {
		p.groupsOf(&s.Index, l.size) // to start from
	}
	slices.Sort(nodes)
	return p.recount(s, slices.Compact(nodes), excluded, extra)
}

// recount is the index with these nodes counted again; nil as for newIndex.
func (p *problem) recount(s *snapshot.ShapeIndex, nodes []int32, excluded map[int32]bool, extra map[int32]gift) *snapshot.ShapeIndex {
	next := &snapshot.ShapeIndex{}
	if !next.Index.Recount(&s.Index, nodes, p.counter(excluded, extra), p.alikeIn(&next.Index, extra)) {
		return nil
	}
	next.Needs, next.Inexact = p.allNeeds(), p.alignment.inexact || s.Inexact
	return next
}

// groupsOf are the sums of an index for a group size.
func (p *problem) groupsOf(ix *index.Index, size int64) *index.GroupSums {
	return ix.GroupsOf(&p.c.Lineage.Clock, p.c.Lineage.KeptSizes, size)
}

// counter is a function that counts the slots of a node, none on excluded ones, and with what is given back there.
func (p *problem) counter(excluded map[int32]bool, extra map[int32]gift) func(id int32) int32 {
	plain, zones := !p.selective() && p.req.Eligible == nil, p.zoneCounter()
	return func(id int32) int32 {
		flags := p.c.FlagsOf(id)
		if excluded[id] || (flags&^snapshot.Zoned != snapshot.Present || !plain) && p.refusal(id) != "" {
			return 0
		}
		g := extra[id]
		room := p.room(id, g.amounts)
		if room > 0 && p.bound(flags) {
			room = min(room, zones(id, p.stateOf(id, g)).Slots)
		}
		return int32(room)
	}
}

// countNodes fills the slots of all nodes, by position, and adds them up. O(nodes * resources).
func (p *problem) countNodes(slots *cow.Column[int32]) (total int64) {
	count := p.counter(nil, nil)
	nowhere := func(n need) bool { return n.id < 0 }
	if p.v.Order != nil || p.selective() || p.req.Eligible != nil || slices.ContainsFunc(p.needs, nowhere) {
		for pos := range p.v.Nodes {
			n := count(p.v.Node(pos))
			cow.Put(slots, pos, n)
			total += int64(n)
		}
		return total
	}
	zones := p.zoneCounter()
	var page [cow.PageSize]int32
	for first := int32(0); first < p.v.Nodes; first += cow.PageSize {
		n := min(cow.PageSize, p.v.Nodes-first)
		for i := range page {
			page[i] = boundlessSlots
		}
		for _, need := range p.needs {
			for i, free := range p.c.Free[need.id].Page(int(first / cow.PageSize))[:cow.PageSize] {
				page[i] = min(page[i], fits(free, need.amount))
			}
		}
		states := p.c.Zones.Page(int(first / cow.PageSize))
		for i, f := range p.c.Static.Flags.Page(int(first / cow.PageSize))[:n] {
			switch id := first + int32(i); {
			case f&^snapshot.Zoned != snapshot.Present:
				page[i] = count(id)
			case page[i] > 0 && p.bound(f):
				page[i] = min(page[i], int32(zones(id, cmp.Or(states[i], noZones.Bare)).Slots))
			}
			total += int64(page[i])
		}
		cow.PutAll(slots, first, page[:n])
	}
	return total
}

// fits is how often an amount fits. Nodes mostly have room for none or one, which takes no division.
func fits(free, amount int64) int32 {
	if left := free - amount; free >= amount && left >= amount {
		return int32(min(free/amount, boundlessSlots))
	}
	var one int32
	if free >= amount {
		one = 1
	}
	return one
}
