package selections

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/model"
)

// This file answers: how does one get from a selection down to a least one? Step by step, without a copy for each.

// ladder is what steps down depend on.
type ladder struct {
	pendingOf []int32               // by rank: index in pending; -1: the member runs
	rungs     []rung                // of the gang and its parts, outer ones first
	at        map[*model.Part]int32 // the rung of a part
	kinds     int                   // that several parts may have
}

// rung is a part of the gang.
type rung struct {
	of     *model.Part
	outer  int32   // the part around; -1: it is the gang
	inside []int32 // in the order of first ranks
	first  int     // rank
	kind   int     // equal for parts that can change places; below 0: for no other
	runs   bool    // members run, of inner parts included
}

// add adds a part and all in it, and returns its rung.
func (l *ladder) add(a *model.Part, outer int32, kinds map[*model.Part]int) int32 {
	i := int32(len(l.rungs))
	l.at[a] = i
	runs := func(rank int) bool { return l.pendingOf[rank] < 0 }
	r := rung{of: a, outer: outer, first: a.First(), kind: kinds[a], runs: slices.ContainsFunc(a.Ranks, runs)}
	l.rungs = append(l.rungs, r)
	for _, b := range a.Parts {
		k := l.add(b, i, kinds)
		r.inside, r.runs = append(r.inside, k), r.runs || l.rungs[k].runs
	}
	slices.SortStableFunc(r.inside, func(x, y int32) int { return cmp.Compare(l.rungs[x].first, l.rungs[y].first) })
	l.rungs[i] = r
	return i
}

// standing is how a selection stands: what its removals depend on, kept while members are removed. Its lists are by rung.
type standing struct {
	down   *ladder
	in     model.Selection
	size   int
	placed []int   // members that run or are selected, those of inner parts included
	own    []int   // no own member from here on is selected, by place in Ranks
	behind []int32 // by kind: the last part, + 1, inside which one of the kind was passed
}

// standingOf reads a selection, which is the standing's from then on. O(members + parts).
func (l *ladder) standingOf(in model.Selection) *standing {
	st := &standing{down: l, placed: make([]int, len(l.rungs)), own: make([]int, len(l.rungs)), behind: make([]int32, l.kinds)}
	st.read(in)
	return st
}

// read reads another selection.
func (st *standing) read(in model.Selection) {
	st.in, st.size = in, in.Size()
	clear(st.placed)
	for i := len(st.down.rungs) - 1; i >= 0; i-- {
		r := &st.down.rungs[i]
		for _, rank := range r.of.Ranks {
			if k := st.down.pendingOf[rank]; k < 0 || in[k] {
				st.placed[i]++
			}
		}
		if st.own[i] = len(r.of.Ranks); r.outer >= 0 {
			st.placed[r.outer] += st.placed[i]
		}
	}
}

// lastOwn is the highest selected rank among the own members of a part that may go one by one, -1 if there is none.
func (st *standing) lastOwn(i int32) int {
	if st.down.rungs[i].of.Least <= 0 {
		return -1
	}
	ranks := st.down.rungs[i].of.Ranks
	for at := st.own[i]; at > 0; at-- {
		if k := st.down.pendingOf[ranks[at-1]]; k >= 0 && st.in[k] {
			st.own[i] = at
			return ranks[at-1]
		}
	}
	st.own[i] = 0
	return -1
}

// remove takes a step down.
func (st *standing) remove(r removal) {
	gone, top := 0, st.down.at[r.of]
	r.each(func(of *model.Part, rank int) {
		i := st.down.pendingOf[rank]
		if i < 0 || !st.in[i] {
			return
		}
		st.in[i] = false
		gone++
		for k := st.down.at[of]; k != top; k = st.down.rungs[k].outer {
			st.placed[k]--
		}
	})
	for k := top; k >= 0; k = st.down.rungs[k].outer {
		st.placed[k] -= gone
	}
	st.size -= gone
}

// removals yields the steps down from a selection that keep all minima: the last own member of a part that has a
// MinMember, or a whole inner part. Of interchangeable parts only the last may go, and of own members only the one of
// the highest rank: any members of lower ranks come first. At least one new member stays. O(parts).
//
// order: parts.2
func (st *standing) removals(yield func(removal)) {
	clear(st.behind)
	st.removalsIn(0, st.size, yield)
}

// removalsIn is removals in a part; slack are the members that it and all parts around it can spare.
func (st *standing) removalsIn(i int32, slack int, yield func(removal)) {
	down, a := st.down, st.down.rungs[i].of
	if !a.Idle {
		slack = min(slack, st.placed[i]-max(1, a.Least)) // its last member keeps it placed
	}
	if slack > 0 && st.size > 1 {
		if first := st.lastOwn(i); first >= 0 {
			yield(removal{first: first, of: a})
		}
	}
	spare := st.placedInside(i) - a.LeastParts
	for _, k := range slices.Backward(down.rungs[i].inside) {
		b := &down.rungs[k]
		if b.of.Idle || st.placed[k] == 0 {
			continue
		}
		alike := b.kind >= 0 && st.behind[b.kind] == i+1 // to one of higher ranks
		if spare > 0 && !alike && st.mayGo(k, slack) {
			yield(removal{first: b.first, of: b.of, whole: true})
		}
		if b.kind >= 0 {
			st.behind[b.kind] = i + 1
		}
	}
	for _, k := range down.rungs[i].inside {
		if st.isPlaced(k) {
			st.removalsIn(k, slack, yield)
		}
	}
}

// mayGo says whether all of a part may be left out: the parts around have members to spare for it, others stay, and none of it runs.
func (st *standing) mayGo(i int32, slack int) bool {
	n := st.placed[i]
	return n <= slack && n < st.size && !st.down.rungs[i].runs
}

// isPlaced says whether a part is placed: an idle one is, whatever is in it.
func (st *standing) isPlaced(i int32) bool { return st.down.rungs[i].of.Idle || st.placed[i] > 0 }

// placedInside counts the placed parts right inside of a part.
func (st *standing) placedInside(i int32) (n int) {
	for _, k := range st.down.rungs[i].inside {
		if st.isPlaced(k) {
			n++
		}
	}
	return n
}

// removal is one step down from a selection: a single member, or a whole part.
type removal struct {
	first int // rank
	of    *model.Part
	whole bool
}

// each calls f with every rank that the removal takes, and with the part whose own member it is.
func (r removal) each(f func(of *model.Part, rank int)) {
	if !r.whole {
		f(r.of, r.first)
		return
	}
	r.of.Each(func(b *model.Part) {
		for _, rank := range b.Ranks {
			f(b, rank)
		}
	})
}

// chain are selections from the largest to a least one, each within the one before, by the removal with the highest
// first rank each time. For a gang without parts these are all that matter: the lowest ranks come first, so that each
// is the best of its size.
type chain struct {
	down  *ladder
	from  model.Selection
	steps []removal
	sizes []int // of each selection
}

// chainFrom is the chain from a selection, by the removals that may be taken; nil: all. It ends before until says so; nil: it
// does not. O(members + steps * parts * log).
func (l *ladder) chainFrom(in model.Selection, may func(removal) bool, until func(*standing) bool) *chain {
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
func (c *chain) at(i int) model.Selection {
	in := slices.Clone(c.from)
	for _, r := range c.steps[:i] {
		r.each(func(_ *model.Part, rank int) {
			if k := c.down.pendingOf[rank]; k >= 0 {
				in[k] = false
			}
		})
	}
	return in
}

// last is the least selection.
func (c *chain) last() model.Selection { return c.at(c.len() - 1) }

// find is the place of a selection, -1 if it is not in the chain. O(members).
func (c *chain) find(in model.Selection) int {
	size := in.Size()
	i, ok := slices.BinarySearchFunc(c.sizes, size, func(a, b int) int { return b - a })
	if !ok || !slices.Equal(c.at(i), in) {
		return -1
	}
	return i
}
