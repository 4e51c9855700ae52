package placement

import (
	"github.com/muster-sched/muster/internal/sets"
	"github.com/muster-sched/muster/internal/snapshot"
)

// scratch is what a plan writes while it searches and nobody keeps: the plans of a lineage take turns with a few of them.
type scratch struct {
	problem problem
	ask     ask // the first of the problem
	asked   bool
	pending []pendingMember
	picks   []chosen
	slots   []int32
	key     []byte
	least   sets.LeastSum
	taken   []taken
	groups  sets.LeastGroups
	items   [][]item // by depth below the candidate
	depth   int
	units   []int64
	used    int
	list    []int32 // positions of members
	listed  int
}

// enter goes one level down and returns room for the items there.
func (r *scratch) enter() []item {
	if r.depth++; r.depth > len(r.items) {
		r.items = append(r.items, make([]item, 0, 64))
	}
	return r.items[r.depth-1][:0]
}

// keep remembers the items of the current depth, which may have grown.
func (r *scratch) keep(items []item) { r.items[r.depth-1] = items }

// carve returns n zeros.
func (r *scratch) carve(n int) []int64 {
	if r.used+n > len(r.units) {
		r.units, r.used = make([]int64, max(256, 2*len(r.units))), 0
	}
	u := r.units[r.used : r.used+n : r.used+n]
	r.used += n
	clear(u)
	return u
}

// positions returns an empty list with room for n positions and one more.
func (r *scratch) positions(n int64) []int32 {
	n++
	if r.listed+int(n) > len(r.list) {
		r.list, r.listed = make([]int32, max(256, 2*len(r.list), int(n))), 0
	}
	at := r.listed
	r.listed += int(n)
	return r.list[at:at:r.listed]
}

// takeScratch gives a problem something to write on, itself included.
func takeScratch(f *snapshot.Lineage) *scratch {
	r, _ := f.Scratch.Get().(*scratch)
	if r == nil {
		r = &scratch{}
	}
	return r
}

// done gives it to others; nothing refers to the problem any more.
func (p *problem) done() {
	r, f := p.scratch, p.c.Lineage
	r.problem, r.ask, r.asked = problem{}, ask{}, false // they hold the snapshot
	r.depth, r.used, r.listed = 0, 0, 0
	r.picks, r.taken = r.picks[:0], r.taken[:0]
	f.Scratch.Put(r)
}
