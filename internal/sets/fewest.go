package sets

import "slices"

// Fewest finds a smallest set that helps, where it costs to ask whether one does. A set that helps still does with more
// in it. The elements are in classes: within one all are as good, so that a set is a number for each class.
//
// It searches implicit hitting sets. Each set that does not help is made as large as can be. Its numbers are too low
// together, which forbids smaller ones as well. A smallest set that nothing known forbids is asked next.
// (Moreno-Centeno and Karp, The implicit hitting set approach, 2013.)
type Fewest struct {
	ClassOf []int32 // by element; among equally small sets the one with the first elements wins
	Sizes   []int32 // by class
	Helps   func(counts []int32) bool
	Asks    int // that are left
	cores   [][]raise
}

// raise is a number that a class has at least.
type raise struct{ class, least int32 }

// NewFewest is the search among elements, of which those of a class come in any order.
func NewFewest(classOf []int32, asks int, helps func(counts []int32) bool) *Fewest {
	f := &Fewest{ClassOf: classOf, Asks: asks}
	for _, c := range classOf {
		for int(c) >= len(f.Sizes) {
			f.Sizes = append(f.Sizes, 0)
		}
		f.Sizes[c]++
	}
	f.Helps = func(counts []int32) bool {
		f.Asks--
		return f.Asks >= 0 && helps(counts)
	}
	return f
}

// Spent says whether an answer may have been no because nobody was asked.
func (f *Fewest) Spent() bool { return f.Asks < 0 }

// With is counts and some elements more.
func (f *Fewest) With(counts []int32, elements []int32) []int32 {
	out := slices.Clone(counts)
	for _, e := range elements {
		out[f.ClassOf[e]]++
	}
	return out
}

// Spare takes elements out of a set that helps, one after the other, the last ones first, as long as it does help.
// Where many can be spared it asks little: whole runs of them go at once. O(k log n) questions for k that stay.
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
		case len(run) > 1:
			without(run[len(run)/2:])
			without(run[:len(run)/2])
		}
	}
	without(f.Elements(counts))
	return counts
}

// Elements are those of a set, the first ones of each class.
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

// grow makes a set that does not help as large as can be.
func (f *Fewest) grow(counts []int32) []int32 {
	left := slices.Clone(f.Sizes)
	for c, n := range counts {
		left[c] -= n
	}
	var add func(run []int32)
	add = func(run []int32) {
		if len(run) == 0 || f.Spent() {
			return
		}
		if more := f.With(counts, run); !f.Helps(more) {
			counts = more
		} else if len(run) > 1 {
			add(run[:len(run)/2])
			add(run[len(run)/2:])
		}
	}
	add(f.Elements(left))
	return counts
}

// Search finds a smallest set, the first of them, given that all elements together help; nil if it runs out of
// questions.
func (f *Fewest) Search() []int32 {
	for {
		h := hitting{fewest: f, steps: maxHittingSteps}
		if h.descend(make([]int32, len(f.Sizes)), 0); h.steps <= 0 {
			return nil
		}
		if f.Helps(h.best) {
			return h.best
		}
		core := f.core(f.grow(h.best))
		if f.Spent() {
			return nil
		}
		f.cores = append(f.cores, core)
	}
}

// core is what a largest set that does not help forbids: no class in it has more than there, so one of those that help
// has.
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

// maxHittingSteps bounds the search for a smallest set that nothing forbids.
const maxHittingSteps = 20_000

// hitting finds the smallest numbers that reach a raise of every core.
type hitting struct {
	fewest *Fewest
	steps  int
	best   []int32 // nil: none yet
	total  int
}

// descend reaches what counts do not, the narrowest core first. What is best has no number above the ones it needs, so
// one of the branches leads to it.
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
		if h.best == nil || total < h.total || total == h.total && slices.Compare(h.fewest.Elements(counts), h.fewest.Elements(h.best)) < 0 {
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
