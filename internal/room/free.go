// How much is free on a node, once leaving members are gone and beside those that were placed before?

package room

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
)

// freeReader reads free amounts and flags of nodes page by page, so that neighbours share the look-up of their pages.
type freeReader struct {
	kinds *Kinds
	page  int32     // -1: none yet
	pages [][]int64 // by need
	flags []snapshot.NodeFlags
	// beside: some amounts are released or reserved.
	beside bool
}

// newFreeReader reads from the first node on.
func (k *Kinds) newFreeReader() freeReader {
	return freeReader{kinds: k, page: -1, pages: make([][]int64, len(k.room.Needs)), beside: len(k.released)+len(k.taken) > 0}
}

// read fills in the free amounts of a node, with released amounts and without reserved ones, and returns its flags.
func (r *freeReader) read(into []int64, id int32) snapshot.NodeFlags {
	if r.page != id/cow.PageSize {
		r.turnTo(id / cow.PageSize)
	}
	at := id % cow.PageSize
	for i, page := range r.pages {
		into[i] = page[at]
	}
	if r.beside {
		released, reserved := r.kinds.released[id].Amounts, r.kinds.taken[id].Amounts
		for i, n := range r.kinds.room.Needs {
			if n.ID < 0 || into[i] == snapshot.Boundless {
				continue
			}
			if released != nil {
				into[i] += released[n.ID]
			}
			if reserved != nil {
				into[i] -= reserved[n.ID]
			}
		}
	}
	return r.flags[at]
}

// turnTo finds the page of each need.
func (r *freeReader) turnTo(page int32) {
	r.page = page
	r.flags = r.kinds.room.Snapshot.Static.Flags.From(page * cow.PageSize)
	for i, n := range r.kinds.room.Needs {
		if n.ID >= 0 {
			r.pages[i] = r.kinds.room.Snapshot.Free[n.ID].From(page * cow.PageSize)
		} else {
			r.pages[i] = noAmounts[:]
		}
	}
}

// noAmounts is the page of a resource that no node has.
var noAmounts [cow.PageSize]int64

// SlotsBeside are the slots of all vertices once the taken amounts and zones are gone, of which members of other roles may
// have taken some.
func (r *Room) SlotsBeside(taken map[int32]Reserved) model.SlotTable {
	if len(taken) == 0 {
		return r.Slots().table()
	}
	slots := r.Slots().Count()
	for id, t := range taken {
		left := make([]int64, len(t.Amounts))
		for i, amount := range t.Amounts {
			left[i] = -amount
		}
		x := r.Model.View.NodeVertex(r.Model.View.At(id))
		slots[x] = min(slots[x], r.Slots().Room(id, left))
		if t.Zones != nil {
			slots[x] = min(slots[x], int64(t.Beside.Most(0)), r.Zones().CountZones(r.Zones().NeedsOn(id), t.Zones).Slots)
		}
	}
	r.Slots().sumSlots(slots)
	return model.SlotTable{Flat: slots}
}
