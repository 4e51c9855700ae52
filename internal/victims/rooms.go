// In which domains is there room once all members that may leave are gone? Read from indexes that follow the snapshots.

package victims

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

// roomy finds the lowest priority so that there may be room once all candidates of gangs up to it are gone, and the
// domains in which there may be. There is none elsewhere, and none in any domain if the list is empty. Not ok if indexes do
// not tell. For each bit of the number of priorities it reads an index: O(1) if it is known for this snapshot, else the
// cost of its changes.
func (o *oneByOneSearch) roomy() (ceiling int64, domains []layout.Vertex, ok bool) {
	p, question, tier := o.e.p, &o.e.question, o.widestTier()
	if tier >= p.Model.View.RootTop || p.Room.Zones().Bind() || p.Model.Multiple != nil || p.Room.Allowed != nil || p.Request.Class == "" && p.Request.Eligible != nil {
		return 0, nil, false
	}
	if p.Model.View.FirstPos[p.Model.View.Outside] < p.Model.View.Nodes && !p.Model.Hard {
		return 0, nil, false
	}
	known := map[int]*index.Index{}
	room := func(i int) *index.Index {
		if _, asked := known[i]; !asked {
			known[i] = o.roomUpTo(question.Gangs[i].Priority)
		}
		return known[i]
	}
	last := len(question.Gangs) - 1
	if ix := room(last); ix == nil || !ix.HasDomain(tier, question.Units) { // first, so that a refusal reads one index
		return 0, nil, ix != nil
	}
	i := sort.Search(last, func(i int) bool {
		ix := room(i)
		return ix == nil || ix.HasDomain(tier, question.Units)
	})
	ix := room(i)
	if ix == nil {
		return 0, nil, false
	}
	domains = slices.Collect(ix.DomainsWith(tier, func() int64 { return question.Units }))
	return question.Gangs[i].Priority, domains, true
}

// widestTier is the tier of the gang under the last strategy.
func (o *oneByOneSearch) widestTier() int32 {
	return o.e.p.Model.View.Tiers[o.e.question.Strategies[len(o.e.question.Strategies)-1].Gang]
}

// roomUpTo is the index of slots once all candidates of gangs up to a priority are gone, and leaving members with them;
// nil if it has no room for the sums. The index that is kept counts leaving members as staying, and excludes no node.
func (o *oneByOneSearch) roomUpTo(priority int64) *index.Index {
	p := o.e.p
	if p.Room.Inside != layout.Root { // of use to nobody else
		_, excluded, released := p.Room.Slots().Apart()
		s := &index.Index{}
		if !s.BuildBy(p.Model.View, o.roomCounter(priority, excluded, released)) {
			return nil
		}
		return s
	}
	key := binary.BigEndian.AppendUint64(bytes.Clone(p.Room.Slots().Key()), uint64(priority))
	kept := p.Snapshot.Caches.Rooms.Get(&p.Snapshot.Lineage.Clock, p.Snapshot.Lineage.KeptShapes,
		func(other []byte) bool { return bytes.Equal(other, key) },
		func(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex {
			if s == nil {
				return o.countRooms(priority)
			}
			return o.recountRooms(s, nodes, o.roomCounter(priority, room.Excluded{}, nil))
		},
		func() ([]byte, *snapshot.ShapeIndex) { return key, o.countRooms(priority) })
	if kept == nil {
		return nil
	}
	if nodes, excluded, released := p.Room.Slots().Apart(); len(nodes) > 0 {
		if kept = o.recountRooms(kept, nodes, o.roomCounter(priority, excluded, released)); kept == nil {
			return nil
		}
	}
	return &kept.Index
}

// countRooms counts all nodes.
func (o *oneByOneSearch) countRooms(priority int64) *snapshot.ShapeIndex {
	s := &snapshot.ShapeIndex{}
	if !s.Index.BuildBy(o.e.p.Model.View, o.roomCounter(priority, room.Excluded{}, nil)) {
		return nil
	}
	return s
}

// recountRooms counts some nodes again.
func (o *oneByOneSearch) recountRooms(s *snapshot.ShapeIndex, nodes []int32, count func(id int32) int32) *snapshot.ShapeIndex {
	next := &snapshot.ShapeIndex{}
	if !next.Index.Recount(&s.Index, nodes, count, nil) {
		return nil
	}
	return next
}

// roomCounter is a function that counts the slots of a node by id.
func (o *oneByOneSearch) roomCounter(priority int64, excluded room.Excluded, released map[int32]room.Released) func(id int32) int32 {
	p := o.e.p
	takes, extra := p.Room.Slots().Taking(), make([]int64, len(p.Snapshot.Lineage.Resources))
	return func(id int32) int32 {
		if excluded.Has(id) || !takes(id) {
			return 0
		}
		clear(extra)
		copy(extra, released[id].Amounts)
		page := o.index.Pages[id/cow.PageSize]
		for lo, end := page.Of(int(id % cow.PageSize)); lo < end; lo++ {
			of := &o.index.Profiles[page.Profiles[lo]]
			if of.Priority > priority || of.Tied {
				continue
			}
			for _, n := range p.Room.Needs {
				if n.ID >= 0 {
					extra[n.ID] += of.Holds[n.ID]
				}
			}
		}
		return int32(p.Room.Slots().Room(id, extra))
	}
}
