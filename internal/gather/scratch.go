package gather

import (
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/sets"
)

// scratch is what a search writes and nobody keeps: the plans of a lineage take turns with a few of them.
type scratch struct {
	ask    ask // the first of the problem
	asked  bool
	picks  []chosen
	slots  []int32
	least  sets.LeastSum
	taken  []taken
	groups sets.LeastGroups
	kids   []children // by depth below the candidate
	depth  int
	units  []int64
	used   int
	list   []int32 // positions of members
	listed int
}

// enter goes one level down and returns room for the children there.
func (r *scratch) enter() children {
	if r.depth++; r.depth > len(r.kids) {
		r.kids = append(r.kids, children{make([]sets.Item, 0, 64), make([]child, 0, 64)})
	}
	kids := &r.kids[r.depth-1]
	return children{kids.items[:0], kids.of[:0]}
}

// keep remembers the children of the current depth, whose room may have grown.
func (r *scratch) keep(kids children) { r.kids[r.depth-1] = kids }

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

// scratchOf is what the searches of a problem write on.
func scratchOf(p *problem.Problem) *scratch {
	r, ok := p.Scratch.Search.(*scratch)
	if !ok {
		r = &scratch{}
		p.Scratch.Search = r
	}
	return r
}

// Reset makes it ready for another problem; nothing refers to the snapshot any more.
func (r *scratch) Reset() {
	r.ask, r.asked = ask{}, false
	r.depth, r.used, r.listed = 0, 0, 0
	r.picks, r.taken = r.picks[:0], r.taken[:0]
}
