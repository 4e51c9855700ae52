package picks

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which of the sets is the best that fits? Members come in rank order, each first as one of the set;
// what holds no set that is large enough, or does not fit already, is left.

// Fit says of sets whether they fit. Of multiples apart, less fits wherever more does.
type Fit struct {
	Takes func(model.Selection) bool
	Tries int // how often it may be asked
}

// Largest is the best set that fits, nil if none is found; sure: there is no better one, as far as Fit says the truth.
//
// order: howmany.4
func (k *Picks) Largest(fit Fit) (best model.Selection, sure bool) {
	w := k.walk(fit)
	w.capCells()
	best = w.greedy()
	top, low := w.room(), k.least
	if best != nil {
		low = best.Size()
	}
	if len(k.m.Gang.Parts) == 0 && len(k.m.Multiples) == 0 { // of a size that fits one less does, too
		n := top - low + 1
		found := sort.Search(max(0, n), func(i int) bool { return w.find(top-i, &best) })
		return best, !w.ended && (found < n || best == nil)
	}
	for size := top; size >= low; size-- {
		if w.find(size, &best) {
			return best, !w.ended
		}
	}
	return best, !w.ended
}

// Least is the set of the fewest members that fits, of equals that of the lowest ranks; else as Largest.
//
// order: howmany.4
func (k *Picks) Least(fit Fit) (best model.Selection, sure bool) {
	w := k.walk(fit)
	w.capCells()
	for size, top := k.least, w.room(); size <= top && !w.ended; size++ {
		if w.find(size, &best) {
			return best, true
		}
	}
	if w.ended {
		return w.greedy(), false
	}
	return nil, true
}

// Leasts lists the first n sets that leave nothing out that they need not have, fewest members first, then by ranks;
// whole: there are no more. minimal says whether nothing can be left out of a set.
func (k *Picks) Leasts(n int, minimal func(model.Selection) bool) (list []model.Selection, whole bool) {
	w := k.walk(Fit{})
	w.capCells()
	for size, top := k.least, w.room(); size <= top; size++ {
		w.each(0, size, func() bool {
			if k.isWhole(w.in) && minimal(w.in) {
				list = append(list, slices.Clone(w.in))
			}
			return len(list) > n
		})
		if len(list) > n || w.ended {
			return list[:min(n, len(list))], false
		}
	}
	return list, true
}

// walk is a way through the sets: what is taken so far, and what may follow.
type walk struct {
	*Picks
	fit        Fit
	in         model.Selection
	size       int
	count      []int  // by cell: members taken
	most, left []int  // by cell: members that fit by themselves at most, and those that are still to come
	closed     []bool // by cell: none of it follows
	known      map[bool][][]int
	steps      int
	ended      bool // steps or tries ran out
}

func (k *Picks) walk(fit Fit) *walk {
	w := &walk{
		Picks: k, fit: fit, in: make(model.Selection, len(k.m.Pending)), count: make([]int, k.cells), most: make([]int, k.cells),
		left: make([]int, k.cells), closed: make([]bool, k.cells), known: map[bool][][]int{}, steps: k.m.Steps,
	}
	for _, a := range k.atoms {
		w.left[a.cell] += len(a.members)
	}
	return w
}

// monotone says whether less fits wherever more does.
func (w *walk) monotone() bool { return len(w.m.Multiples) == 0 }

// put takes an atom, or gives it back.
func (w *walk) put(a *atom, is bool) {
	n := len(a.members)
	if !is {
		n = -n
	}
	for _, i := range a.members {
		w.in[i] = is
	}
	w.size, w.count[a.cell] = w.size+n, w.count[a.cell]+n
}

// with asks about what is taken together with some atoms, and gives these back.
func (w *walk) with(atoms []*atom, ask func() bool) bool {
	for _, a := range atoms {
		w.put(a, true)
	}
	is := ask()
	for _, a := range atoms {
		w.put(a, false)
	}
	return is
}

// takes says whether what is taken fits. The answer is known where another set decides it.
func (w *walk) takes() bool {
	if w.fit.Takes == nil {
		return true
	}
	within := func(a, b []int) bool {
		for i, n := range a {
			if n > b[i] || n < b[i] && !w.monotone() {
				return false
			}
		}
		return true
	}
	switch {
	case slices.ContainsFunc(w.known[true], func(other []int) bool { return within(w.count, other) }):
		return true
	case slices.ContainsFunc(w.known[false], func(other []int) bool { return within(other, w.count) }):
		return false
	}
	if w.fit.Tries--; w.fit.Tries < 0 {
		w.ended = true
		return false
	}
	is := w.fit.Takes(slices.Clone(w.in))
	w.known[is] = append(w.known[is], slices.Clone(w.count))
	return is
}

// manyCells is the number of cells from which on it is not asked how much of each fits by itself, but whether any does.
const manyCells = 16

// capCells finds how many members of each cell fit by themselves.
func (w *walk) capCells() {
	copy(w.most, w.left)
	if w.fit.Takes == nil || !w.monotone() {
		return
	}
	of := make([][]*atom, w.cells)
	for i := range w.atoms {
		of[w.atoms[i].cell] = append(of[w.atoms[i].cell], &w.atoms[i])
	}
	for c, atoms := range of {
		fits := func(n int) bool { return w.with(atoms[:n], w.takes) }
		switch {
		case !fits(1):
			w.most[c] = 0
		case w.cells <= manyCells && !fits(len(atoms)):
			w.most[c] = sort.Search(len(atoms)-1, func(i int) bool { return !fits(i + 1) })
		}
	}
	if w.ended { // what was not asked is not known
		copy(w.most, w.left)
	}
}

// room bounds the number of members of any set that has what is taken.
func (w *walk) room() int {
	n := w.size
	for c := range w.cells {
		if !w.closed[c] {
			n += max(0, min(w.most[c]-w.count[c], w.left[c]))
		}
	}
	return n
}

// find looks for the set of a size that has the lowest ranks.
func (w *walk) find(size int, best *model.Selection) bool {
	return w.each(0, size, func() bool {
		if !w.isWhole(w.in) || !w.takes() {
			return false
		}
		*best = slices.Clone(w.in)
		return true
	})
}

// each goes through the sets of a size that have what is taken, from the i-th atom on, those of lower ranks first, until
// enough says so. It leaves what is taken as it was.
func (w *walk) each(i, size int, enough func() bool) (is bool) {
	if w.steps--; w.steps < 0 || w.ended {
		w.ended = true
		return false
	}
	if w.size == size {
		return enough()
	}
	if i == len(w.atoms) || w.room() < size {
		return false
	}
	a := &w.atoms[i]
	w.left[a.cell] -= len(a.members)
	defer func() { w.left[a.cell] += len(a.members) }()
	if w.closed[a.cell] {
		return w.each(i+1, size, enough)
	}
	if w.size+len(a.members) <= size && w.count[a.cell]+len(a.members) <= w.most[a.cell] {
		w.put(a, true)
		is = (!w.monotone() || w.takes()) && w.each(i+1, size, enough)
		if w.put(a, false); is {
			return true
		}
	}
	w.closed[a.cell] = true
	is = w.each(i+1, size, enough)
	w.closed[a.cell] = false
	return is
}

// greedy is a set that fits, nil if none is found: the members that ask for least, as many as fit.
func (w *walk) greedy() (best model.Selection) {
	if !w.monotone() {
		return nil
	}
	tries := w.fit.Tries
	defer func() { w.fit.Tries = max(0, w.fit.Tries) }()
	w.fit.Tries = max(tries, greedyTries) // a set by hand is worth these
	ended := w.ended
	var some []*atom
	for i := range w.atoms {
		if a := &w.atoms[i]; w.most[a.cell] > 0 {
			some = append(some, a)
		}
	}
	asks := w.asks()
	slices.SortStableFunc(some, func(a, b *atom) int {
		return cmp.Compare(asks[w.m.Role(int(a.members[0]))], asks[w.m.Role(int(b.members[0]))])
	})
	for n := sort.Search(len(some), func(i int) bool { return !w.with(some[:i+1], w.takes) }); n > 0 && best == nil; n-- {
		w.with(some[:n], func() bool {
			if w.isWhole(w.in) {
				best = slices.Clone(w.in)
			}
			return true
		})
	}
	w.ended = ended
	return best
}

// greedyTries are the questions that a set by hand may ask in any case.
const greedyTries = 24

// asks are what members of each role ask for: their largest share of what anybody asks of a resource.
func (w *walk) asks() []int64 {
	const whole = 1 << 10
	asks := w.m.Room.Asks()
	out := make([]int64, len(asks))
	for n := range asks[0] {
		most := int64(0)
		for _, of := range asks {
			most = max(most, of[n])
		}
		for r, of := range asks {
			out[r] = max(out[r], of[n]/(most/whole+1))
		}
	}
	return out
}
