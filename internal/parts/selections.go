package parts

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: which members are placed, if not all of them? Selections are enumerated from the largest down.

// selections enumerates the selections of a gang: the sets of new members that fulfil all minima. They form a lattice
// by removals from the largest one.
type selections struct {
	p          *problem.Problem
	pendingOf  []int32                  // by rank: index in pending; -1: the member runs
	signatures map[*problem.Part]string // equal for parts that can change places
	// truncated: steps ran out, and the list of least selections may be incomplete.
	truncated bool
}

// selectionsOf reads the parts of a gang. A part with pinned members is alike to none, since a quota may admit one
// such part and not another. O(parts * members).
func selectionsOf(p *problem.Problem) *selections {
	inv := inventory{p: p, pendingOf: p.Places(), positionOf: p.PositionsByRank(), signatures: map[*problem.Part]string{}, inOrder: true}
	inv.addSignature(p.Gang)
	s := &selections{p: p, pendingOf: inv.pendingOf, signatures: inv.signatures}
	if len(p.Pinned) == 0 {
		return s
	}
	p.Gang.Each(func(a *problem.Part) { // unlike any other part
		if slices.ContainsFunc(a.All(), func(rank int) bool { i := s.pendingOf[rank]; return i >= 0 && p.Pinned[p.Pending[i].Name] }) {
			s.signatures[a] = fmt.Sprint("with pinned members, of rank ", a.First())
		}
	})
	return s
}

// placedIn is the number of members of a part, those of inner parts included, that run or are selected. O(its members).
func (s *selections) placedIn(a *problem.Part, in problem.Selection) (n int) {
	a.Each(func(b *problem.Part) {
		for _, rank := range b.Ranks {
			if i := s.pendingOf[rank]; i < 0 || in[i] {
				n++
			}
		}
	})
	return n
}

// hasRunning says whether members of a part run.
func (s *selections) hasRunning(a *problem.Part) (is bool) {
	a.Each(func(b *problem.Part) {
		is = is || slices.ContainsFunc(b.Ranks, func(rank int) bool { return s.pendingOf[rank] < 0 })
	})
	return is
}

// everything selects all new members but those of optional parts whose minima are more than their known members. It
// is the largest selection: every other one is within it. Nil if the gang's minima cannot be met, or nobody is left.
func (s *selections) everything() problem.Selection {
	in := make(problem.Selection, len(s.p.Pending))
	for i := range in {
		in[i] = true
	}
	if !s.complete(s.p.Gang, in) || in.Size() == 0 {
		return nil
	}
	return in
}

// complete says whether a selection fulfils the minima of a part and of the parts in it. An inner part that does not is
// deselected on the way, and counts as not placed; one with running members cannot be, so that the answer is no.
//
// order: parts.2
func (s *selections) complete(a *problem.Part, in problem.Selection) bool {
	placed := 0
	for _, b := range a.Parts {
		switch {
		case b.Idle:
			if placed++; !s.complete(b, in) { // a part with running members lacks others
				return false
			}
		case s.placedIn(b, in) == 0: // not placed, which its own minima do not forbid
		case s.complete(b, in):
			placed++
		case s.hasRunning(b):
			return false
		default:
			s.leaveOut(b, in)
		}
	}
	return placed >= a.LeastParts && s.placedIn(a, in) >= a.Least
}

// leaveOut deselects the new members of a part.
func (s *selections) leaveOut(a *problem.Part, in problem.Selection) {
	for _, rank := range a.All() {
		if i := s.pendingOf[rank]; i >= 0 {
			in[i] = false
		}
	}
}

// removal is one step down from a selection: a single member, or a whole part.
type removal struct {
	first int // rank
	ranks []int
}

// removals lists the steps down from a selection that keep all minima: the last own member of a part that has a
// MinMember, or a whole inner part. Of interchangeable parts only the last may go, and of own members only the one of
// the highest rank: any members of lower ranks come first. At least one new member stays.
// O(parts^2 * members).
//
// order: parts.2
func (s *selections) removals(in problem.Selection) (out []removal) {
	total := in.Size()
	var walk func(a *problem.Part, slack int)
	walk = func(a *problem.Part, slack int) { // slack: members that a and all parts around it can spare
		if !a.Idle {
			slack = min(slack, s.placedIn(a, in)-max(1, a.Least)) // its last member keeps it placed
		}
		if i := s.lastOwn(a, in); a.Least > 0 && i >= 0 && slack > 0 && total > 1 {
			out = append(out, removal{i, []int{i}})
		}
		// spare is the number of inner parts beyond LeastParts; an idle one counts as placed, whatever is in it.
		var placed []*problem.Part
		spare := -a.LeastParts
		for _, b := range a.Parts {
			switch {
			case b.Idle:
				spare++
				walk(b, slack)
			case s.placedIn(b, in) > 0:
				spare++
				placed = append(placed, b)
			}
		}
		slices.SortFunc(placed, problem.ComparePartRanks)
		for i, b := range placed {
			last := !slices.ContainsFunc(placed[i+1:], func(o *problem.Part) bool { return s.signatures[o] == s.signatures[b] })
			// A part may go if the parts around have members to spare for all of it, and none of it runs.
			if n := s.placedIn(b, in); spare > 0 && last && n <= slack && n < total && !s.hasRunning(b) {
				out = append(out, removal{b.First(), b.All()})
			}
			walk(b, slack)
		}
	}
	walk(s.p.Gang, total)
	return out
}

// lastOwn is the highest selected rank among the own members of a part, -1 if there is none.
func (s *selections) lastOwn(a *problem.Part, in problem.Selection) int {
	for _, rank := range slices.Backward(a.Ranks) {
		if i := s.pendingOf[rank]; i >= 0 && in[i] {
			return rank
		}
	}
	return -1
}

// without is a selection after a removal, as a copy.
func (s *selections) without(in problem.Selection, r removal) problem.Selection {
	out := slices.Clone(in)
	for _, rank := range r.ranks {
		if i := s.pendingOf[rank]; i >= 0 {
			out[i] = false
		}
	}
	return out
}

// chain lists selections from the largest to a least one, each within the one before, by the removal with the highest
// first rank each time. For a gang without parts these are all that matter: the lowest ranks come first, so that each
// is the best of its size.
func (s *selections) chain(in problem.Selection) []problem.Selection {
	out := []problem.Selection{in}
	if len(s.p.Gang.Parts) == 0 { // the same chain, without removals
		n, least := in.Size(), max(1, s.p.Gang.Least-len(s.p.Running))
		if s.p.Gang.Least == 0 {
			least = n
		}
		for n--; n >= least; n-- {
			out = append(out, s.p.FirstOnes(n))
		}
		return out
	}
	for {
		list := s.removals(in)
		if len(list) == 0 {
			return out
		}
		in = s.without(in, slices.MaxFunc(list, func(a, b removal) int { return cmp.Compare(a.first, b.first) }))
		out = append(out, in)
	}
}

// most is the best selection that fits, nil if none does.
//
// A binary search on the chain finds a good one first: each selection of it is within the one before, and without
// multiples fewer members never need more room. Selections off the chain are then tried best first, until they would
// be no better. So the first that fits is the best. If trials run out, the good one is the answer, with doubt.
//
// order: parts.3
func (s *selections) most(fits func(problem.Selection) bool) problem.Selection {
	all := s.everything()
	if all != nil && len(s.p.Multiples) > 0 {
		return s.mostKeeping(all, fits)
	}
	if all == nil || fits(all) {
		return all
	}
	chain := s.chain(all)
	// chain[:i] does not fit: all is chain[0], and was refused.
	i := 1 + sort.Search(len(chain)-1, func(i int) bool { return fits(chain[i+1]) })
	var best problem.Selection
	if i < len(chain) {
		best = chain[i]
	}
	if len(s.p.Gang.Parts) == 0 {
		return best
	}
	refused := map[string]bool{} // by Key: not to be tried again
	for _, in := range chain[:i] {
		refused[in.Key()] = true
	}
	plans := 0       // selections tried one by one
	if best == nil { // off the chain smaller ones may fit
		best = s.leastThatFits(refused, fits, &plans)
	}
	if best == nil {
		return nil
	}
	best = s.grow(best, all, fits) // the better it is, the fewer selections are to be tried
	for in := range s.downFrom(all) {
		if problem.CompareSelections(in, best) >= 0 {
			break // so are all that follow
		}
		if refused[in.Key()] {
			continue
		}
		if plans >= s.p.SelectionPlans() {
			*s.p.Parts.Doubt = true
			break
		}
		if plans++; fits(in) {
			return in
		}
	}
	return best
}

// downFrom iterates over the selections that removals reach from one, best first. Every removal leads to a smaller,
// and so to a worse selection: when one is taken from the heap, all that are better have come. Work and memory grow
// with the selections taken; callers bound these.
func (s *selections) downFrom(all problem.Selection) iter.Seq[problem.Selection] {
	return func(yield func(problem.Selection) bool) {
		open, seen := selectionHeap{all}, map[string]bool{all.Key(): true}
		for len(open) > 0 {
			in := heap.Pop(&open).(problem.Selection)
			if !yield(in) {
				return
			}
			for _, r := range s.removals(in) {
				next := s.without(in, r) // several ways may lead to it
				if key := next.Key(); !seen[key] {
					seen[key] = true
					heap.Push(&open, next)
				}
			}
		}
	}
}

// least lists the selections of which nothing can be left out, fewest members first, of equals the better. With
// multiples it lists all that keep them, since fewer members may not fit where more do. The last of the chain is
// among them, whenever steps run out.
//
// order: parts.4
func (s *selections) least() []problem.Selection {
	all := s.everything()
	if all == nil {
		return nil
	}
	if len(s.p.Multiples) > 0 {
		return s.allKeeping(all)
	}
	chain := s.chain(all)
	out := []problem.Selection{chain[len(chain)-1]}
	if len(s.p.Gang.Parts) == 0 {
		return out
	}
	// All selections are gone through, for one of which nothing can be left out may lie anywhere below the largest.
	seen := map[string]bool{out[0].Key(): true}
	steps := 0
	for in := range s.downFrom(all) {
		if steps++; steps > s.p.SelectionSteps() {
			s.truncated, *s.p.Parts.Doubt = true, true
			break
		}
		if key := in.Key(); !seen[key] && len(s.removals(in)) == 0 {
			seen[key] = true
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b problem.Selection) int {
		return cmp.Or(cmp.Compare(a.Size(), b.Size()), problem.CompareSelections(a, b))
	})
	return out
}

// selectionHeap has the best selection first; the methods are those of container/heap.
type selectionHeap []problem.Selection

func (h selectionHeap) Len() int { return len(h) }

func (h selectionHeap) Less(i, j int) bool { return problem.CompareSelections(h[i], h[j]) < 0 }

func (h selectionHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *selectionHeap) Push(x any) { *h = append(*h, x.(problem.Selection)) }

func (h *selectionHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
