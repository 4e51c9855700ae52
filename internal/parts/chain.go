package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: how does one get from a selection down to a least one? Step by step, without a copy for each.

// ladder is what steps down depend on.
type ladder struct {
	gang      *problem.Part
	pendingOf []int32               // by rank: index in pending; -1: the member runs
	kinds     map[*problem.Part]int // equal for parts that can change places
}

// standing is how a selection stands: what its removals depend on, kept while members are removed.
type standing struct {
	down    ladder
	in      problem.Selection
	size    int
	placed  map[*problem.Part]int  // members that run or are selected, those of inner parts included
	running map[*problem.Part]bool // members run
	own     map[*problem.Part]int  // no own member from here on is selected, by place in Ranks
}

// standingOf reads a selection, which is the standing's from then on. O(members + parts).
func (l ladder) standingOf(in problem.Selection) *standing {
	st := &standing{down: l, in: in, size: in.Size(), placed: map[*problem.Part]int{}, running: map[*problem.Part]bool{}, own: map[*problem.Part]int{}}
	st.read(l.gang)
	return st
}

func (st *standing) read(a *problem.Part) {
	n, runs := 0, false
	for _, rank := range a.Ranks {
		i := st.down.pendingOf[rank]
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
		if i := st.down.pendingOf[a.Ranks[at-1]]; i >= 0 && st.in[i] {
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
		i := st.down.pendingOf[rank]
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

// removals yields the steps down from a selection that keep all minima: the last own member of a part that has a
// MinMember, or a whole inner part. Of interchangeable parts only the last may go, and of own members only the one of
// the highest rank: any members of lower ranks come first. At least one new member stays. O(parts * log).
//
// order: parts.2
func (st *standing) removals(yield func(removal)) {
	var walk func(a *problem.Part, slack int)
	walk = func(a *problem.Part, slack int) { // slack: members that a and all parts around it can spare
		if !a.Idle {
			slack = min(slack, st.placed[a]-max(1, a.Least)) // its last member keeps it placed
		}
		if a.Least > 0 && slack > 0 && st.size > 1 {
			if i := st.lastOwn(a); i >= 0 {
				yield(removal{first: i, of: a})
			}
		}
		// spare is the number of inner parts beyond LeastParts; an idle one counts as placed, whatever is in it.
		var placed []*problem.Part
		spare := -a.LeastParts
		for _, b := range a.Parts {
			switch {
			case b.Idle:
				spare++
				walk(b, slack)
			case st.placed[b] > 0:
				spare++
				placed = append(placed, b)
			}
		}
		slices.SortFunc(placed, problem.ComparePartRanks)
		behind := map[int]bool{} // kinds of parts of higher ranks
		for _, b := range slices.Backward(placed) {
			// A part may go if the parts around have members to spare for all of it, and none of it runs.
			if n := st.placed[b]; spare > 0 && !behind[st.down.kinds[b]] && n <= slack && n < st.size && !st.running[b] {
				yield(removal{first: b.First(), of: b, whole: true})
			}
			behind[st.down.kinds[b]] = true
			walk(b, slack)
		}
	}
	walk(st.down.gang, st.size)
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
	down  ladder
	from  problem.Selection
	steps []removal
	sizes []int // of each selection
}

// chainFrom is the chain from a selection, by the removals that may be taken; nil: all. It ends before until says so; nil: it
// does not. O(members + steps * parts * log).
func (l ladder) chainFrom(in problem.Selection, may func(removal) bool, until func(*standing) bool) *chain {
	c := &chain{down: l, from: in}
	st := l.standingOf(slices.Clone(in))
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

// len is the number of selections.
func (c *chain) len() int { return len(c.sizes) }

// at is the i-th selection, the caller's. O(members).
func (c *chain) at(i int) problem.Selection {
	in := slices.Clone(c.from)
	for _, r := range c.steps[:i] {
		r.each(func(_ *problem.Part, rank int) {
			if k := c.down.pendingOf[rank]; k >= 0 {
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
