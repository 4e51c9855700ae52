package placement

import "slices"

// fewest finds a smallest set that helps, where it costs to ask whether one does, and what helps still does with more in it. The elements are
// in classes: within one all are as good, so that a set is a number for each class. The search is that for implicit hitting sets: each set that
// does not help is made as large as can be, and says so which numbers are too low together; a smallest set that none of what is known forbids
// is asked next.
// (Moreno-Centeno and Karp, The implicit hitting set approach, 2013.)
type fewest struct {
	classOf []int32 // by element; among equally small sets the one with the first elements wins
	sizes   []int32 // by class
	helps   func(counts []int32) bool
	asks    int // that are left
	cores   [][]raise
}

// raise is a number that a class has at least.
type raise struct{ class, least int32 }

// newFewest is the search among elements, of which those of a class come in any order.
func newFewest(classOf []int32, asks int, helps func(counts []int32) bool) *fewest {
	f := &fewest{classOf: classOf, asks: asks}
	for _, c := range classOf {
		for int(c) >= len(f.sizes) {
			f.sizes = append(f.sizes, 0)
		}
		f.sizes[c]++
	}
	f.helps = func(counts []int32) bool {
		f.asks--
		return f.asks >= 0 && helps(counts)
	}
	return f
}

// spent says whether an answer may have been no because nobody was asked.
func (f *fewest) spent() bool { return f.asks < 0 }

// with is counts and some elements more.
func (f *fewest) with(counts []int32, elements []int32) []int32 {
	out := slices.Clone(counts)
	for _, e := range elements {
		out[f.classOf[e]]++
	}
	return out
}

// spare takes elements out of a set that helps, one after the other, the last ones first, as long as it does help. Where many can be spared it asks little: whole
// runs of them go at once. O(k log n) questions for k that stay.
func (f *fewest) spare(counts []int32) []int32 {
	var without func(run []int32)
	without = func(run []int32) {
		less := slices.Clone(counts)
		for _, e := range run {
			less[f.classOf[e]]--
		}
		switch {
		case len(run) == 0 || f.spent():
		case f.helps(less):
			counts = less
		case len(run) > 1:
			without(run[len(run)/2:])
			without(run[:len(run)/2])
		}
	}
	without(f.elements(counts))
	return counts
}

// elements are those of a set, the first ones of each class.
func (f *fewest) elements(counts []int32) []int32 {
	left, out := slices.Clone(counts), make([]int32, 0, len(f.classOf))
	for e, c := range f.classOf {
		if left[c] > 0 {
			left[c]--
			out = append(out, int32(e))
		}
	}
	return out
}

// grow makes a set that does not help as large as can be.
func (f *fewest) grow(counts []int32) []int32 {
	left := slices.Clone(f.sizes)
	for c, n := range counts {
		left[c] -= n
	}
	var add func(run []int32)
	add = func(run []int32) {
		if len(run) == 0 || f.spent() {
			return
		}
		if more := f.with(counts, run); !f.helps(more) {
			counts = more
		} else if len(run) > 1 {
			add(run[:len(run)/2])
			add(run[len(run)/2:])
		}
	}
	add(f.elements(left))
	return counts
}

// search finds a smallest set, the first of them, given that all elements together help; nil if it runs out of questions.
func (f *fewest) search() []int32 {
	for {
		h := hitting{fewest: f, steps: maxHittingSteps}
		if h.descend(make([]int32, len(f.sizes)), 0); h.steps <= 0 {
			return nil
		}
		if f.helps(h.best) {
			return h.best
		}
		core := f.core(f.grow(h.best))
		if f.spent() {
			return nil
		}
		f.cores = append(f.cores, core)
	}
}

// core is what a largest set that does not help forbids: no class in it has more than there, so one of those that help has.
func (f *fewest) core(counts []int32) (core []raise) {
	for c, n := range counts {
		if n < f.sizes[c] {
			core = append(core, raise{int32(c), n + 1})
		}
	}
	return core
}

// maxHittingSteps bounds the search for a smallest set that nothing forbids.
const maxHittingSteps = 20_000

// hitting finds the smallest numbers that reach a raise of every core.
type hitting struct {
	fewest *fewest
	steps  int
	best   []int32 // nil: none yet
	total  int
}

// descend reaches what counts do not, the narrowest core first. What is best has no number above the ones it needs, so one of the branches
// leads to it.
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
	if open == nil {
		if h.best == nil || total < h.total || total == h.total && slices.Compare(h.fewest.elements(counts), h.fewest.elements(h.best)) < 0 {
			h.best, h.total = slices.Clone(counts), total
		}
		return
	}
	for _, r := range open {
		was := counts[r.class]
		if more := total + int(r.least-was); h.best == nil || more <= h.total {
			counts[r.class] = r.least
			h.descend(counts, more)
			counts[r.class] = was
		}
	}
}
