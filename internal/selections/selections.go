// Package selections answers: which members of a gang in parts are placed, if not all of them? A selection is a set of new members that
// fulfils, with the running ones, all minima. [Selections] enumerates them from the largest down; whether one fits is the caller's to say.
//
// The rules are parts.2 to parts.4 of docs/order/8-parts.md. Everything here sees the model alone, belongs to one plan and is not safe for
// concurrent use.
package selections

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/model"
)

// Selections are the selections of a gang. They form a lattice by removals from the largest one.
type Selections struct {
	m         *model.Model
	pendingOf []int32             // by rank: index in pending; -1: the member runs
	kinds     map[*model.Part]int // equal for parts that can change places
	down      *ladder             // nil: not asked for yet
	// Truncated: steps ran out, and the list of least selections may be incomplete.
	Truncated bool
}

// Of reads the parts of a gang. A part with pinned members is alike to none, since a quota may admit one such part and not
// another; pinned is by index in the pending members, nil: none is. O(parts * members).
func Of(m *model.Model, pinned []bool) *Selections {
	places := m.Places()
	signatures := m.Signatures(places, true, true)
	s := &Selections{m: m, pendingOf: places, kinds: make(map[*model.Part]int, len(signatures))}
	var kinds intern.Keys[string]
	for a, text := range signatures {
		s.kinds[a], _ = kinds.Of(text)
	}
	if pinned == nil {
		return s
	}
	m.Gang.Each(func(a *model.Part) { // unlike any other part
		if slices.ContainsFunc(a.All(), func(rank int) bool { i := s.pendingOf[rank]; return i >= 0 && pinned[i] }) {
			s.kinds[a] = -1 - a.First()
		}
	})
	return s
}

// ladder is that of the gang, made once.
func (s *Selections) ladder() *ladder {
	if s.down == nil {
		s.down = &ladder{pendingOf: s.pendingOf, at: map[*model.Part]int32{}, kinds: len(s.kinds)}
		s.down.add(s.m.Gang, -1, s.kinds)
	}
	return s.down
}

// chain is the whole chain from a selection.
func (s *Selections) chain(in model.Selection) *chain { return s.ladder().chainFrom(in, nil, nil) }

// hasRunning says whether members of a part run.
func (s *Selections) hasRunning(a *model.Part) (is bool) {
	a.Each(func(b *model.Part) {
		is = is || slices.ContainsFunc(b.Ranks, func(rank int) bool { return s.pendingOf[rank] < 0 })
	})
	return is
}

// Minimal is the last selection of the chain of removals, with multiples the last one that keeps them; nil: there is no selection.
//
// order: parts.4
func (s *Selections) Minimal() model.Selection {
	all := s.everything()
	if all == nil {
		return nil
	}
	chain := s.chain(all)
	for i := chain.len() - 1; i >= max(0, chain.len()-Steps(s.m)) && len(s.m.Multiples) > 0; i-- {
		if in := chain.at(i); s.keepsMultiples(in) {
			return in
		}
	}
	return chain.last()
}

// IsLeast says whether nothing can be left out of a selection. O(members + parts).
func (s *Selections) IsLeast(in model.Selection) bool { return len(s.removals(in)) == 0 }

// everything selects all new members but those of optional parts whose minima are more than their known members. It
// is the largest selection: every other one is within it. Nil if the gang's minima cannot be met, or nobody is left.
func (s *Selections) everything() model.Selection {
	in := make(model.Selection, len(s.m.Pending))
	for i := range in {
		in[i] = true
	}
	if !s.complete(s.m.Gang, in) || in.Size() == 0 {
		return nil
	}
	return in
}

// complete says whether a selection fulfils the minima of a part and of the parts in it. An inner part that does not is
// deselected on the way, and counts as not placed; one with running members cannot be, so that the answer is no.
//
// order: parts.2
func (s *Selections) complete(a *model.Part, in model.Selection) bool {
	placed := 0
	for _, b := range a.Parts {
		switch {
		case b.Idle:
			if placed++; !s.complete(b, in) { // a part with running members lacks others
				return false
			}
		case in.PlacedIn(b, s.pendingOf) == 0: // not placed, which its own minima do not forbid
		case s.complete(b, in) && in.PlacedIn(b, s.pendingOf) > 0: // parts in it may have been left out
			placed++
		case s.hasRunning(b):
			return false
		default:
			s.leaveOut(b, in)
		}
	}
	return placed >= a.LeastParts && in.PlacedIn(a, s.pendingOf) >= a.Least
}

// leaveOut deselects the new members of a part.
func (s *Selections) leaveOut(a *model.Part, in model.Selection) {
	for _, rank := range a.All() {
		if i := s.pendingOf[rank]; i >= 0 {
			in[i] = false
		}
	}
}

// removals lists the steps down from a selection, see standing.removals. O(members + parts * log).
func (s *Selections) removals(in model.Selection) (out []removal) {
	s.ladder().standingOf(in).removals(func(r removal) { out = append(out, r) })
	return out
}

// Most is the best selection that fits, nil if none does.
//
// A binary search on the chain finds a good one first: each selection of it is within the one before, and without
// multiples fewer members never need more room. Selections off the chain are then tried best first, until they would
// be no better. So the first that fits is the best. If trials run out, the good one is the answer, with doubt.
//
// order: parts.3
func (s *Selections) Most(fits func(model.Selection) bool) model.Selection {
	all := s.everything()
	if all != nil && len(s.m.Multiples) > 0 {
		return s.mostKeeping(all, fits)
	}
	if all == nil || fits(all) {
		return all
	}
	chain := s.chain(all)
	// The first i of the chain do not fit: all is the first, and was refused.
	i := 1 + sort.Search(chain.len()-1, func(i int) bool { return fits(chain.at(i + 1)) })
	var best model.Selection
	if i < chain.len() {
		best = chain.at(i)
	}
	if len(s.m.Gang.Parts) == 0 {
		return best
	}
	refused := func(in model.Selection) bool { // not to be tried again
		at := chain.find(in)
		return at >= 0 && at < i
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
		if compareSelections(in, best) >= 0 {
			break // so are all that follow
		}
		if refused(in) {
			continue
		}
		if plans >= Plans(s.m) {
			*s.m.Doubt = true
			break
		}
		if plans++; fits(in) {
			return in
		}
	}
	return best
}

// mostReached is how many selections may be reached for each that may be taken.
const mostReached = 4

// downFrom iterates over the selections that removals reach from one, best first. Every removal leads to a smaller,
// and so to a worse selection: when one is taken from the heap, all that are better have come. Callers bound the
// selections taken; those that wait for their turn are bounded here, and where they are too many none follows.
func (s *Selections) downFrom(all model.Selection) iter.Seq[model.Selection] {
	return func(yield func(model.Selection) bool) {
		first := sized{all, all.Size(), keyOf(all)}
		open, seen, st := selectionHeap{first}, map[string]bool{first.key: true}, s.ladder().standingOf(all)
		for len(open) > 0 {
			in := heap.Pop(&open).(sized)
			if !yield(in.members) {
				return
			}
			if len(seen) > mostReached*Steps(s.m) {
				s.Truncated, *s.m.Doubt = true, true
				continue
			}
			st.read(in.members)
			st.removals(func(r removal) {
				if next := in.without(r, s.pendingOf); !seen[next.key] { // several ways may lead to it
					seen[next.key] = true
					heap.Push(&open, next)
				}
			})
		}
	}
}

// Least lists the selections of which nothing can be left out, fewest members first, of equals the better. With
// multiples it lists all that keep them, since fewer members may not fit where more do. The last of the chain is
// among them, whenever steps run out.
//
// order: parts.4
func (s *Selections) Least() []model.Selection {
	all := s.everything()
	if all == nil {
		return nil
	}
	if len(s.m.Multiples) > 0 {
		return s.allKeeping(all)
	}
	chain := s.chain(all)
	out := []model.Selection{chain.last()}
	if len(s.m.Gang.Parts) == 0 {
		return out
	}
	// All selections are gone through, for one of which nothing can be left out may lie anywhere below the largest.
	seen := map[string]bool{keyOf(out[0]): true}
	steps := 0
	for in := range s.downFrom(all) {
		if steps++; steps > Steps(s.m) {
			s.Truncated, *s.m.Doubt = true, true
			break
		}
		if key := keyOf(in); !seen[key] && len(s.removals(in)) == 0 {
			seen[key] = true
			out = append(out, in)
		}
	}
	if s.m.Charged {
		s.m.Left.Packing.Spend(int64(steps) * int64(len(all)) / 4)
	}
	sortBySize(out)
	return out
}

// compareSelections puts the better selection first: more members, then the lower rank where two first differ.
func compareSelections(a, b model.Selection) int {
	return cmp.Or(cmp.Compare(b.Size(), a.Size()), a.CompareRanks(b))
}

// sized is a selection with the number of its members, and its key, which are asked for often.
type sized struct {
	members model.Selection
	size    int
	key     string
}

// without is a selection after a removal.
func (a sized) without(r removal, pendingOf []int32) sized {
	a.members = slices.Clone(a.members)
	key := []byte(a.key)
	r.each(func(_ *model.Part, rank int) {
		if i := pendingOf[rank]; i >= 0 && a.members[i] {
			a.members[i], a.size = false, a.size-1
			key[i/8] &^= 1 << (i % 8) // see keyOf
		}
	})
	a.key = string(key)
	return a
}

// compare is compareSelections.
func (a sized) compare(b sized) int {
	return cmp.Or(cmp.Compare(b.size, a.size), a.members.CompareRanks(b.members))
}

// sortBySize puts selections with the fewest members first, of equals the better.
func sortBySize(list []model.Selection) {
	all := make([]sized, len(list))
	for i, in := range list {
		all[i] = sized{members: in, size: in.Size()}
	}
	slices.SortFunc(all, func(a, b sized) int {
		return cmp.Or(cmp.Compare(a.size, b.size), a.members.CompareRanks(b.members))
	})
	for i := range all {
		list[i] = all[i].members
	}
}

// selectionHeap has the best selection first; the methods are those of container/heap.
type selectionHeap []sized

func (h selectionHeap) Len() int { return len(h) }

func (h selectionHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }

func (h selectionHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *selectionHeap) Push(x any) { *h = append(*h, x.(sized)) }

func (h *selectionHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
