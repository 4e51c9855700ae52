// Package hitting answers: which smallest set of elements helps, where it is dear to ask whether a set does?
package hitting

import "slices"

// Fewest finds a smallest set that helps, where it is dear to ask whether a set does. A set that helps must still help
// with more in it. The elements are in classes of equally good ones, so that a set is a number for each class (counts).
//
// It searches implicit hitting sets. Each set that does not help is grown as large as it can be without helping. No set
// within the grown one helps, so every set that helps has more of some class: that is a core. A smallest set that
// reaches every core known so far is asked next. Sets that help reach all cores, so the first of these that helps is a
// smallest. (Moreno-Centeno and Karp, The implicit hitting set approach, 2013.)
type Fewest struct {
	ClassOf []int32                   // by element; among equally small sets the one with the first elements wins
	Sizes   []int32                   // by class: the number of elements
	Helps   func(counts []int32) bool // counts one question; false without asking once none is left
	Asks    int                       // questions left; below 0: one was not asked
	// May says of a set whether it may help, which is no question; nil: all may.
	May   func(counts []int32) bool
	cores [][]raise // every set that helps reaches a raise of each
}

// raise asks for at least so many elements of a class.
type raise struct{ class, least int32 }

// NewFewest makes a search among elements, with at most asks questions; classOf is by element, and stays unchanged.
// O(n).
func NewFewest(classOf []int32, asks int, helps func(counts []int32) bool) *Fewest {
	f := &Fewest{ClassOf: classOf, Asks: asks}
	for _, c := range classOf {
		for int(c) >= len(f.Sizes) {
			f.Sizes = append(f.Sizes, 0)
		}
		f.Sizes[c]++
	}
	f.Helps = func(counts []int32) bool {
		if !f.may(counts) {
			return false
		}
		f.Asks--
		return f.Asks >= 0 && helps(counts)
	}
	return f
}

func (f *Fewest) may(counts []int32) bool { return f.May == nil || f.May(counts) }

// Spent says whether questions ran out, so that an answer may have been no without asking.
func (f *Fewest) Spent() bool { return f.Asks < 0 }

// With returns counts with some elements more; counts stay as they are.
func (f *Fewest) With(counts []int32, elements []int32) []int32 {
	out := slices.Clone(counts)
	for _, e := range elements {
		out[f.ClassOf[e]]++
	}
	return out
}

// Spare takes elements out of a set that helps, the last ones first, as long as the rest helps. No element of the
// result can be spared alone, unless questions ran out. Whole runs of elements go at once: O(k log n) questions for k
// that stay.
func (f *Fewest) Spare(counts []int32) []int32 {
	var without func(run []int32)
	without = func(run []int32) {
		less := slices.Clone(counts)
		for _, e := range run {
			less[f.ClassOf[e]]--
		}
		switch {
		case len(run) == 0 || f.Spent():
		case f.Helps(less):
			counts = less
		case len(run) > 1: // some of the run must stay
			without(run[len(run)/2:])
			without(run[:len(run)/2])
		}
	}
	without(f.Elements(counts))
	return counts
}

// Elements lists a set: the first elements of each class, ascending. O(n).
func (f *Fewest) Elements(counts []int32) []int32 {
	left, out := slices.Clone(counts), make([]int32, 0, len(f.ClassOf))
	for e, c := range f.ClassOf {
		if left[c] > 0 {
			left[c]--
			out = append(out, int32(e))
		}
	}
	return out
}

// grow adds elements to a set that does not help, until no other can be added without helping. It asks as Spare does; of a set that
// may not help no question is asked at all: then the grown one may not either. If questions run out it may have grown too far: the
// caller looks at Spent.
func (f *Fewest) grow(counts []int32) []int32 {
	helps := f.Helps
	if !f.may(counts) {
		helps = f.May
	}
	left := slices.Clone(f.Sizes)
	for c, n := range counts {
		left[c] -= n
	}
	var add func(run []int32)
	add = func(run []int32) {
		if len(run) == 0 || f.Spent() {
			return
		}
		if more := f.With(counts, run); !helps(more) {
			counts = more
		} else if len(run) > 1 {
			add(run[:len(run)/2])
			add(run[len(run)/2:])
		}
	}
	add(f.Elements(left))
	return counts
}

// Search finds a smallest set that helps, of these the one with the first elements. All elements together must help. It
// is nil if it runs out of questions, or of steps for a hitting set.
func (f *Fewest) Search() []int32 {
	for range mostCores {
		h := hitting{fewest: f, steps: maxHittingSteps}
		if h.descend(make([]int32, len(f.Sizes)), 0); h.steps <= 0 {
			return nil
		}
		if f.Helps(h.best) {
			return h.best
		}
		core := f.core(f.grow(h.best))
		if f.Spent() { // the core may forbid sets that help
			return nil
		}
		f.cores = append(f.cores, core)
	}
	return nil
}

// mostCores bounds the cores of a search, each of which costs a search for a hitting set.
const mostCores = 1 << 10

// core lists the raises of which every set that helps reaches one, given a set that does not help and cannot grow.
// Classes that are in it as a whole cannot have more.
//
// order: sets.1
func (f *Fewest) core(counts []int32) (core []raise) {
	for c, n := range counts {
		if n < f.Sizes[c] {
			core = append(core, raise{int32(c), n + 1})
		}
	}
	return core
}

// maxHittingSteps bounds the branches of one search for a smallest hitting set, which takes exponential time.
const maxHittingSteps = 20_000

// hitting finds the smallest set that reaches a raise of every core, by branch and bound.
type hitting struct {
	fewest *Fewest
	steps  int     // left; 0 or less: the search was cut off
	best   []int32 // counts; nil: none yet
	total  int     // elements of best
}

// descend tries every raise of a core that counts do not reach, the one with the fewest raises. The best set within
// reach has as many of some class as a raise of that core asks for, so one of the branches leads to it. A smallest set
// has no more of a class than some raise asks for.
func (h *hitting) descend(counts []int32, total int) {
	if h.steps--; h.steps <= 0 {
		return
	}
	var open []raise
	for _, core := range h.fewest.cores {
		reached := slices.ContainsFunc(core, func(r raise) bool { return counts[r.class] >= r.least })
		if !reached && (open == nil || len(core) < len(open)) {
			open = core
		}
	}
	if open == nil { // all cores are reached
		if h.best == nil || total < h.total || total == h.total && slices.Compare(h.fewest.Elements(counts), h.fewest.Elements(h.best)) < 0 {
			h.best, h.total = slices.Clone(counts), total
		}
		return
	}
	for _, r := range open {
		was := counts[r.class]
		// Sets only grow on the way down, so one that is larger than the best so far leads nowhere.
		if more := total + int(r.least-was); h.best == nil || more <= h.total {
			counts[r.class] = r.least
			h.descend(counts, more)
			counts[r.class] = was
		}
	}
}
