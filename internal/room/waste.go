// What does a unit spoil of the devices of a node, and does it spoil the same of every one?

package room

import (
	"math/bits"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
)

// waster knows which devices count for a unit, those that it asks for, or if it asks for none, all; and what each of them weighs.
type waster struct {
	read    bool
	asked   int64 // CPU of a unit
	devices []device
	milli   int64 // what a milli-CPU weighs
	most    int64 // no node's devices, and no CPU of a node, weigh more
}

// device is a kind of devices that counts, what a unit takes of it, and what each weighs: the CPU that it needs.
type device struct {
	resource      int
	asked, weighs int64
}

// mostWeighed is what all CPU may weigh so that nothing is rounded. Sums of waste are at most three times that.
const mostWeighed = 1 << 60

// wastes reads which devices count for a unit. O(resources) the first time.
func (r *Room) wastes() *waster {
	w := &r.waster
	if w.read {
		return w
	}
	w.read = true
	cpu := r.Snapshot.Lineage.CPU()
	for i := range r.Needs {
		need := &r.Needs[i]
		if need.ID == cpu {
			w.asked = need.Amount
		}
		if _, devices := r.Snapshot.Feeding(need.ID); devices > 0 {
			w.devices = append(w.devices, device{resource: need.ID, asked: need.Amount})
		}
	}
	if len(w.devices) == 0 {
		for i := range r.Snapshot.Lineage.Resources {
			if _, devices := r.Snapshot.Feeding(i); devices > 0 {
				w.devices = append(w.devices, device{resource: i})
			}
		}
	}
	if !w.weigh(r.Snapshot) {
		w.round(r.Snapshot, int64(r.Model.View.Nodes))
	}
	return w
}

// weigh says what devices weigh so that nothing is rounded: a milli-CPU weighs the least common multiple of the denominators of all means, and a
// device its mean times that. The devices of a kind then weigh as much as all CPU of the nodes that have them, and that bounds what free ones of any
// nodes weigh in sum, and what they lack. It is false if that may exceed mostWeighed.
func (w *waster) weigh(c *snapshot.Snapshot) bool {
	w.milli, w.most = 1, mostWeighed
	sum := uint64(0)
	for i := range w.devices {
		cpu, n := c.Feeding(w.devices[i].resource)
		n /= model.GCD(cpu, n)
		w.milli = w.times(w.milli/model.GCD(w.milli, n), n)
		sum = min(sum+uint64(cpu), mostWeighed)
	}
	if high, low := bits.Mul64(sum, uint64(w.milli)); high > 0 || low >= mostWeighed {
		return false
	}
	for i := range w.devices {
		d := &w.devices[i]
		cpu, n := c.Feeding(d.resource)
		by := model.GCD(cpu, n)
		d.weighs = cpu / by * (w.milli / (n / by))
	}
	return true
}

// round says what devices weigh in whole milli-CPU, at least one if there is any, where exact numbers would be too large. Those of a node are
// bounded, so that no sum over all nodes and kinds overflows.
func (w *waster) round(c *snapshot.Snapshot, nodes int64) {
	w.milli, w.most = 1, mostWeighed>>bits.Len64(uint64(nodes)*uint64(len(w.devices)))
	for i := range w.devices {
		d := &w.devices[i]
		cpu, n := c.Feeding(d.resource)
		d.weighs = min(cpu, max(1, cpu/n))
	}
}

// on is what the free devices of a node need in CPU, what those beside so many slots do, and by how much a unit raises what they lack; extra
// amounts are free as well. O(devices).
func (w *waster) on(c *snapshot.Snapshot, id int32, extra []int64, slots int64) (free, stranded, lacked int64) {
	amount := func(resource int) int64 {
		if resource < 0 {
			return 0
		}
		n := c.Free[resource].At(id)
		if extra != nil {
			n += extra[resource]
		}
		return max(0, n)
	}
	cpu := amount(c.Lineage.CPU())
	for i := range w.devices {
		d := &w.devices[i]
		n := amount(d.resource)
		weighs := w.times(n, d.weighs)
		free += weighs
		stranded += weighs - w.times(slots*d.asked, d.weighs)
		lacked += w.lacks(max(0, n-d.asked), d, max(0, cpu-w.asked)) - w.lacks(n, d, cpu)
	}
	return free, stranded, lacked
}

// lacks is what so many devices lack beside free CPU.
func (w *waster) lacks(n int64, d *device, cpu int64) int64 {
	return max(0, w.times(n, d.weighs)-w.times(cpu, w.milli))
}

// times multiplies numbers that are not negative, at most what weighs most.
func (w *waster) times(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > uint64(w.most) {
		return w.most
	}
	return int64(low)
}

// wasteOn is the waste of a node.
//
// order: domain.8
func (r *Room) wasteOn(pos int32) int64 {
	id, extra := r.Model.View.Node(pos), []int64(nil)
	if g, ok := r.Slots().LeavingReleased()[id]; ok {
		extra = g.Amounts
	}
	if r.Before != nil {
		extra = r.besideFirst(pos, extra)
	}
	w := r.wastes()
	free, _, lacked := w.on(r.Snapshot, id, extra, 0)
	if r.Model.Policy != gang.BestFit {
		free = 0
	}
	return free + 2*lacked
}

// besideFirst is extra without what the first members of a plan that waits take on a node.
func (r *Room) besideFirst(pos int32, extra []int64) []int64 {
	left := make([]int64, len(r.Snapshot.Lineage.Resources))
	copy(left, extra)
	for _, p := range r.Before.Positions {
		if p == pos {
			for _, need := range r.Needs {
				if need.ID >= 0 {
					left[need.ID] -= need.Amount
				}
			}
		}
	}
	return left
}

// weights are what tells two weighings apart; nil where nothing weighs anything.
func (w *waster) weights() []int64 {
	if len(w.devices) == 0 {
		return nil
	}
	list := []int64{w.milli, w.most}
	for i := range w.devices {
		list = append(list, w.devices[i].weighs)
	}
	return list
}

// weighsBy says whether these are its weights, without making a list of them: each plan on a changed snapshot asks.
func (w *waster) weighsBy(list []int64) bool {
	if len(w.devices) == 0 {
		return list == nil
	}
	if len(list) != 2+len(w.devices) || list[0] != w.milli || list[1] != w.most {
		return false
	}
	for i := range w.devices {
		if list[2+i] != w.devices[i].weighs {
			return false
		}
	}
	return true
}

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
	pages := ix.V.Order == nil && extra == nil // positions are node ids
	for first := int32(0); first < ix.V.Nodes && s.By != nil && !s.Mixed; first += cow.PageSize {
		slots := ix.Slots.From(first)[:min(cow.PageSize, ix.V.Nodes-first)]
		if pages {
			k.spoilsOnPage(&s, first, slots)
			continue
		}
		for i, n := range slots {
			k.spoilsOn(&s, ix.V.Node(first+int32(i)), n, extra)
		}
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
	by    *waster
	room  *Room
	first int32
	slots *[cow.PageSize]int32
	cpu   *[cow.PageSize]int64
}

// pageOfSpoils reads the page that starts with a node.
func (k Slots) pageOfSpoils(first int32, slots []int32) pageOfSpoils {
	p := pageOfSpoils{k.r.wastes(), k.r, first, (*[cow.PageSize]int32)(slots), &noAmounts}
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
	for i := range p.by.devices {
		if !isOne(p.free(p.by.devices[i].resource)) {
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
	for i := range p.by.devices {
		if !p.add(&p.by.devices[i], &stranded, &lacked) {
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
	w, column := p.by, p.free(d.resource)
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
