package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/snapshot"
)

// newIndex counts every node; nil if the slots of the cluster do not fit into an index. O(nodes * resources).
func (k Counting) newIndex() *snapshot.ShapeIndex {
	s := &snapshot.ShapeIndex{}
	if !s.Index.Build(k.p.View, k.countNodes, k.p.Zones().alikeIn(&s.Index, nil)) {
		return nil
	}
	s.Needs, s.Inexact = k.p.Zones().allNeeds(), k.p.ZoneState.inexact
	return s
}

// after is the index of a later snapshot in which only these nodes changed; nil as for newIndex. O(touched * children
// of the domains above them).
func (k Counting) after(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex {
	if s == nil {
		return k.newIndex()
	}
	k.p.ZoneState.indexNeeds = s.Needs
	return k.recount(s, nodes, nil, nil)
}

// overlay is the index for one request, without the nodes that it excludes and, if they count as gone, with what leaving
// members hold. Cost as for after, with the nodes concerned.
func (k Counting) overlay(s *snapshot.ShapeIndex) *snapshot.ShapeIndex {
	excluded, extra := k.Excluded(), k.LeavingReleased()
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
	for _, l := range k.p.Levels {
		k.GroupsOf(&s.Index, l.Size) // to start from
	}
	slices.Sort(nodes)
	return k.recount(s, slices.Compact(nodes), excluded, extra)
}

// recount is the index with these nodes counted again; nil as for newIndex.
func (k Counting) recount(s *snapshot.ShapeIndex, nodes []int32, excluded map[int32]bool, extra map[int32]Released) *snapshot.ShapeIndex {
	next := &snapshot.ShapeIndex{}
	if !next.Index.Recount(&s.Index, nodes, k.Counter(excluded, extra), k.p.Zones().alikeIn(&next.Index, extra)) {
		return nil
	}
	next.Needs, next.Inexact = k.p.Zones().allNeeds(), k.p.ZoneState.inexact || s.Inexact
	return next
}

// GroupsOf are the sums of an index for a group size.
func (k Counting) GroupsOf(ix *index.Index, size int64) *index.GroupSums {
	return ix.GroupsOf(&k.p.Snapshot.Lineage.Clock, k.p.Snapshot.Lineage.KeptSizes, size)
}

// Counter is a function that counts the slots of a node, none on excluded ones, and with what is given back there.
func (k Counting) Counter(excluded map[int32]bool, extra map[int32]Released) func(id int32) int32 {
	plain, zones := !k.Selective() && k.p.Request.Eligible == nil, k.p.Zones().zoneCounter()
	return func(id int32) int32 {
		flags := k.p.Snapshot.FlagsOf(id)
		if excluded[id] || (flags&^snapshot.Zoned != snapshot.Present || !plain) && k.Refusal(id) != "" {
			return 0
		}
		g := extra[id]
		room := k.Room(id, g.Amounts)
		if room > 0 && k.p.Zones().BindsOn(flags) {
			room = min(room, zones(id, k.p.Zones().StateOf(id, g)).Slots)
		}
		return int32(room)
	}
}

// countNodes fills the slots of all nodes, by position, and adds them up. O(nodes * resources).
func (k Counting) countNodes(slots *cow.Column[int32]) (total int64) {
	count := k.Counter(nil, nil)
	nowhere := func(n Need) bool { return n.ID < 0 }
	if k.p.View.Order != nil || k.Selective() || k.p.Request.Eligible != nil || slices.ContainsFunc(k.p.Needs, nowhere) {
		for pos := range k.p.View.Nodes {
			n := count(k.p.View.Node(pos))
			cow.Put(slots, pos, n)
			total += int64(n)
		}
		return total
	}
	zones := k.p.Zones().zoneCounter()
	var page [cow.PageSize]int32
	for first := int32(0); first < k.p.View.Nodes; first += cow.PageSize {
		n := min(cow.PageSize, k.p.View.Nodes-first)
		for i := range page {
			page[i] = boundlessSlots
		}
		for _, need := range k.p.Needs {
			for i, free := range k.p.Snapshot.Free[need.ID].Page(int(first / cow.PageSize))[:cow.PageSize] {
				page[i] = min(page[i], fits(free, need.Amount))
			}
		}
		states := k.p.Snapshot.Zones.Page(int(first / cow.PageSize))
		for i, f := range k.p.Snapshot.Static.Flags.Page(int(first / cow.PageSize))[:n] {
			switch id := first + int32(i); {
			case f&^snapshot.Zoned != snapshot.Present:
				page[i] = count(id)
			case page[i] > 0 && k.p.Zones().BindsOn(f):
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
