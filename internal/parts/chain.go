package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: how does one get from a selection down to a least one? Step by step, without a copy for each.

// standing is how a selection stands: what its removals depend on, kept while members are removed.
type standing struct {
	s       *selections
	in      problem.Selection
	size    int
	placed  map[*problem.Part]int  // members that run or are selected, those of inner parts included
	running map[*problem.Part]bool // members run
	own     map[*problem.Part]int  // no own member from here on is selected, by place in Ranks
}

// standingOf reads a selection, which is the standing's from then on. O(members + parts).
func (s *selections) standingOf(in problem.Selection) *standing {
	st := &standing{s: s, in: in, size: in.Size(), placed: map[*problem.Part]int{}, running: map[*problem.Part]bool{}, own: map[*problem.Part]int{}}
	st.read(s.p.Gang)
	return st
}

func (st *standing) read(a *problem.Part) {
	n, runs := 0, false
	for _, rank := range a.Ranks {
		i := st.s.pendingOf[rank]
		if runs = runs || i < 0; i < 0 || st.in[i] {
			n++
		}
	}
	for _, b := range a.Parts {
		st.read(b)
		n, runs = n+st.placed[b], runs || st.running[b]
	}
	st.placed[a], st.running[a], st.own[a] = n, runs, len(a.Ranks)
}

// lastOwn is the highest selected rank among the own members of a part, -1 if there is none.
func (st *standing) lastOwn(a *problem.Part) int {
	for at := st.own[a]; at > 0; at-- {
		if i := st.s.pendingOf[a.Ranks[at-1]]; i >= 0 && st.in[i] {
			st.own[a] = at
			return a.Ranks[at-1]
		}
	}
	st.own[a] = 0
	return -1
}

// remove takes a step down.
func (st *standing) remove(r removal) {
	gone := 0
	r.each(func(of *problem.Part, rank int) {
		i := st.s.pendingOf[rank]
		if i < 0 || !st.in[i] {
			return
		}
		st.in[i] = false
		gone++
		for a := of; a != r.of; a = a.Outer {
			st.placed[a]--
		}
	})
	for a := r.of; a != nil; a = a.Outer {
		st.placed[a] -= gone
	}
	st.size -= gone
}

// removal is one step down from a selection: a single member, or a whole part.
type removal struct {
	first int // rank
	of    *problem.Part
	whole bool
}

// each calls f with every rank that the removal takes, and with the part whose own member it is.
func (r removal) each(f func(of *problem.Part, rank int)) {
	if !r.whole {
		f(r.of, r.first)
		return
	}
	r.of.Each(func(b *problem.Part) {
		for _, rank := range b.Ranks {
			f(b, rank)
		}
	})
}

// chain are selections from the largest to a least one, each within the one before, by the removal with the highest
// first rank each time. For a gang without parts these are all that matter: the lowest ranks come first, so that each
// is the best of its size.
type chain struct {
	s     *selections
	from  problem.Selection
	steps []removal
	sizes []int // of each selection
}

// chainFrom is the chain from a selection, by the removals that may be taken; nil: all. It ends before until says so; nil: it
// does not. O(members + steps * parts * log).
func (s *selections) chainFrom(in problem.Selection, may func(removal) bool, until func(*standing) bool) *chain {
	c := &chain{s: s, from: in}
	st := s.standingOf(slices.Clone(in))
	for until == nil || !until(st) {
		c.sizes = append(c.sizes, st.size)
		last := removal{first: -1}
		st.removals(func(r removal) {
			if r.first > last.first && (may == nil || may(r)) {
				last = r
			}
		})
		if last.first < 0 {
			break
		}
		st.remove(last)
		c.steps = append(c.steps, last)
	}
	c.steps = c.steps[:max(0, len(c.sizes)-1)]
	return c
}

// chain is the whole chain from a selection.
func (s *selections) chain(in problem.Selection) *chain { return s.chainFrom(in, nil, nil) }

// len is the number of selections.
func (c *chain) len() int { return len(c.sizes) }

// at is the i-th selection, the caller's. O(members).
func (c *chain) at(i int) problem.Selection {
	in := slices.Clone(c.from)
	for _, r := range c.steps[:i] {
		r.each(func(_ *problem.Part, rank int) {
			if k := c.s.pendingOf[rank]; k >= 0 {
				in[k] = false
			}
		})
	}
	return in
}

// last is the least selection.
func (c *chain) last() problem.Selection { return c.at(c.len() - 1) }

// find is the place of a selection, -1 if it is not in the chain. O(members).
func (c *chain) find(in problem.Selection) int {
	size := in.Size()
	i, ok := slices.BinarySearchFunc(c.sizes, size, func(a, b int) int { return b - a })
	if !ok || !slices.Equal(c.at(i), in) {
		return -1
	}
	return i
}
