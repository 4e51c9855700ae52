// Does a unit spoil the same of the devices of every node?

package room

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/snapshot"
)

// wasteful says whether nodes may differ in their waste otherwise than in their slots. Where an index has been looked up it tells, and nothing is
// weighed.
func (r *Room) wasteful() features.Set {
	if r.Model.Gang != nil || r.Model.Policy == gang.ByScore || r.Request.Slots != nil || !r.Snapshot.HasDevices() {
		return 0
	}
	state := Bit(r.LeavingGone)
	return features.Wasteful.When(r.indexes[state] == nil || r.mixed[state])
}

// spoilsAll looks at all nodes of an index that take a unit. O(nodes) until two differ.
func (k Slots) spoilsAll(ix *index.Index, extra map[int32]Released) snapshot.Spoils {
	s := snapshot.Spoils{By: k.r.wastes().weights()}
	for pos := int32(0); pos < ix.V.Nodes && s.By != nil && !s.Mixed; pos++ {
		id := ix.V.Node(pos)
		k.spoilsOn(&s, id, ix.Slots.At(pos), extra)
	}
	return s
}

// spoilsOnPage looks at nodes that stand side by side, from the first of a page on.
func (k Slots) spoilsOnPage(s *snapshot.Spoils, first int32, slots []int32) {
	if s.By == nil || s.Mixed {
		return
	}
	if len(slots) == cow.PageSize {
		page := k.pageOfSpoils(first, slots)
		if page.alike() {
			slots = slots[:1]
		} else if s.Known && page.spoils(s.Same) {
			return
		}
	}
	for i, n := range slots {
		k.spoilsOn(s, first+int32(i), n, nil)
	}
}

// pageOfSpoils has what a unit spoils of the devices of nodes that stand side by side.
type pageOfSpoils struct {
	room  *Room
	first int32
	slots *[cow.PageSize]int32
	cpu   *[cow.PageSize]int64
}

// pageOfSpoils reads the page that starts with a node.
func (k Slots) pageOfSpoils(first int32, slots []int32) pageOfSpoils {
	p := pageOfSpoils{k.r, first, (*[cow.PageSize]int32)(slots), &noAmounts}
	if cpu := k.r.Snapshot.Lineage.CPU(); cpu >= 0 {
		p.cpu = p.free(cpu)
	}
	return p
}

// free is what is free of a resource.
func (p *pageOfSpoils) free(resource int) *[cow.PageSize]int64 {
	return (*[cow.PageSize]int64)(p.room.Snapshot.Free[resource].From(p.first))
}

// alike says whether its nodes are all equal.
func (p *pageOfSpoils) alike() bool {
	if !isOne(p.slots) || p.slots[0] > 0 && !isOne(p.cpu) {
		return false
	}
	for i := range p.room.wastes().devices {
		if !isOne(p.free(p.room.wastes().devices[i].resource)) {
			return false
		}
	}
	return true
}

// isOne says whether all values are one.
func isOne[T comparable](values *[cow.PageSize]T) bool {
	for i := range values {
		if values[i] != values[0] {
			return false
		}
	}
	return true
}

// spoils says whether a unit spoils the same on all that take one; it may say no where numbers are large. Its loops have no branches: which nodes are
// full no processor can tell beforehand.
func (p *pageOfSpoils) spoils(same [2]int64) bool {
	var stranded, lacked [cow.PageSize]int64
	for i := range p.room.wastes().devices {
		if !p.add(&p.room.wastes().devices[i], &stranded, &lacked) {
			return false
		}
	}
	other := int64(0)
	for i, n := range p.slots {
		other |= ((stranded[i] ^ same[0]) | (lacked[i] ^ same[1])) & -int64(uint32(-n)>>31)
	}
	return other == 0
}

// add adds a kind of devices, as [waster.on]; not ok if a number might be rounded.
func (p *pageOfSpoils) add(d *device, stranded, lacked *[cow.PageSize]int64) (ok bool) {
	w, column := p.room.wastes(), p.free(d.resource)
	anyFree, anyCPU := int64(0), int64(0) // no number is larger than all their bits
	less := d.asked*d.weighs - w.asked*w.milli
	for i, n := range p.slots {
		free, cpu := max(0, column[i]), max(0, p.cpu[i])
		anyFree, anyCPU = anyFree|free, anyCPU|cpu
		lacks := free*d.weighs - cpu*w.milli
		stranded[i] += (free - int64(n)*d.asked) * d.weighs
		lacked[i] += max(0, lacks-less) - max(0, lacks)
	}
	return w.times(anyFree, d.weighs) < w.most && w.times(anyCPU, w.milli) < w.most
}

// spoilsAfter is spoilsAll for a later index in which only these nodes changed.
func (k Slots) spoilsAfter(before *snapshot.Spoils, ix *index.Index, nodes []int32, extra map[int32]Released) snapshot.Spoils {
	if !k.r.wastes().weighsBy(before.By) {
		return k.spoilsAll(ix, extra)
	}
	s := *before
	for _, id := range nodes {
		k.spoilsOn(&s, id, ix.Slots.At(ix.V.At(id)), extra)
	}
	return s
}

// spoilsOn looks at one more node, with so many slots.
func (k Slots) spoilsOn(s *snapshot.Spoils, id, slots int32, extra map[int32]Released) {
	if slots == 0 || s.By == nil || s.Mixed {
		return
	}
	_, stranded, lacked := k.r.wastes().on(k.r.Snapshot, id, extra[id].Amounts, int64(slots))
	same := [2]int64{stranded, lacked}
	s.Mixed, s.Known, s.Same = s.Known && same != s.Same, true, same
}
