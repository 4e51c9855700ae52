package sets

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
)

// scoreOf is the score of an item that takes some multiples of units, and the short group if short is set. This file
// lets scores decide between children that all keys before them find equal.
func (c *Chooser) scoreOf(i int, units int64, short bool) Score {
	return c.Scorer.Score(i, units*c.Multiple+c.Items[i].rest, short)
}

// bestScored is, among the sets as good as the best choice by all keys before scores, the one with the highest score;
// of equal ones the first in path order. Within a choice of classes the children are exchanged (bestScores). Choices
// may be equal by several tasks, and all of them are tried.
//
// order: sets.7
func (k *picker) bestScored(size int, tasks []task, best *pick) []int {
	var out []int
	var top Score
	for i, t := range tasks {
		k.memo, k.bit = map[pickState]*pick{}, 1<<i
		st := pickState{0, size, max(0, t.need), t.flagged}
		if p := k.solve(st); p == nil || k.compareValues(p, best) != 0 {
			continue
		}
		for set := range k.equals(st) {
			set = k.bestScores(set)
			score := k.setScore(set)
			if out == nil || beats(score.Compare(top), set, out) {
				out, top = set, score
			}
		}
	}
	return out
}

// beats says whether a set comes before another, whose score its own compares so with: the score is higher, or equal and the set first in path order.
func beats(order int, set, other []int) bool {
	return order > 0 || order == 0 && comparePlaces(set, other) < 0
}

// equals iterates over the sets from a state on that are as good as the best one, one for each choice of classes: its
// first children in path order. Values are sums and sizes, so each part of such a choice is as good as the best from
// its own state, and no other part need be tried.
func (k *picker) equals(st pickState) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		best := k.solve(st)
		if best == nil {
			return
		}
		if best.next == nil { // nothing is left to pick
			yield(nil)
			return
		}
		cl := &k.classes[st.class]
		for m := min(st.size, len(cl.items)); m >= 0; m-- {
			rest := k.after(st, m)
			if p := k.extend(st, m, k.solve(rest)); p == nil || k.compareValues(p, best) != 0 {
				continue
			}
			for set := range k.equals(rest) {
				if !yield(append(slices.Clone(cl.items[:m]), set...)) {
					return
				}
			}
		}
	}
}

// setScore is the score of what the core and the picked children take.
func (k *picker) setScore(picked []int) Score {
	return k.c.filledScore(slices.Concat(k.core, picked))
}

// filledScore is the score of a set as it would be filled: scores depend on how many units a child takes.
func (c *Chooser) filledScore(set []int) Score { return c.scoreFilled(set, c.fill) }

// scoreFilled is the score of a set as it would be filled in some way.
func (c *Chooser) scoreFilled(set []int, fill func(set []int)) (sum Score) {
	filled := c.filledBy(fill, set)
	for _, i := range set {
		sum = sum.Plus(c.scoreOf(i, filled[i].Given, filled[i].HasShort))
	}
	return sum
}

// keepScored takes the first n of the rest as keepAble does. Among children that compareUsed finds equal it takes those
// with the highest score together. Only the first maxMixed sets of them, in path order, are compared. Where
// nodes are compared by host score, each takes one unit and the first ones are best, unless the short group takes the
// place of several.
func (c *Chooser) keepScored(set, rest []int, n int, short bool) []int {
	best := c.keepAble(rest, n, short)
	mixed := c.byHost && short && c.Place > 1
	if n == 0 || len(best) < n || !c.scored() || c.byHost && !c.Zoned && !mixed {
		return best
	}
	compare := c.compareUsed
	if mixed {
		compare = c.compareBeforeSlots
	}
	top, tries := c.filledScore(slices.Concat(set, best)), 0
	for kept := range exchanges(rest, best, compare) {
		if tries++; tries > maxMixed {
			break
		}
		if short && !c.able(kept) {
			continue
		}
		score := c.filledScore(slices.Concat(set, kept))
		if beats(c.compareTaken(kept, best, score, top), kept, best) {
			best, top = kept, score
		}
	}
	return best
}

// compareTaken is above 0 if some children with a score are better than others with another one, which are equal in all keys before. Between
// nodes that are compared by host score this comes in place of slots, so that the keys behind slots are still to be compared.
func (c *Chooser) compareTaken(some, others []int, score, other Score) int {
	if !c.byHost {
		return score.Compare(other)
	}
	var a, b keys.Values
	for _, i := range some {
		a = a.With(1, &c.Items[i].Keys)
	}
	for _, i := range others {
		b = b.With(1, &c.Items[i].Keys)
	}
	return cmp.Or(cmp.Compare(score.Host, other.Host), b.Compare(&a, keys.Packing+1, keys.Count), cmp.Compare(score.Zones, other.Zones))
}

// exchanges iterates over the choices from a sorted list that take as many of its equal entries, run by run, as a given
// choice does. Every slice is the caller's.
func exchanges(list, taken []int, compare func(i, j int) int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var walk func(from int, kept []int) bool
		walk = func(from int, kept []int) bool {
			if from == len(list) {
				return yield(slices.Clone(kept))
			}
			to, n := from, 0
			for ; to < len(list) && compare(list[to], list[from]) == 0; to++ {
				if slices.Contains(taken, list[to]) {
					n++
				}
			}
			for some := range combinations(list[from:to], n) {
				if !walk(to, append(kept, some...)) {
					return false
				}
			}
			return true
		}
		walk(0, nil)
	}
}

// bestScores exchanges picked children for others of their class where that raises the score. What the k-th child of a
// class takes does not depend on which child it is, as fill order goes by slots and zones before paths. So each class
// is decided alone, unless classes of equal slots and zones mix in fill order. It is exact within a class (see
// [Assign]).
func (k *picker) bestScores(picked []int) []int {
	filled := k.c.tryFill(slices.Concat(k.core, picked))
	var out []int
	for from := 0; from < len(k.classes); {
		to := from
		var mixed [][]int // the chosen children of the classes with these slots and zones, class by class
		for ; to < len(k.classes) && k.classes[to].slots == k.classes[from].slots && k.classes[to].keys[keys.Zones] == k.classes[from].keys[keys.Zones]; to++ {
			var parts []Item // what the picked children of the class take, in path order
			for _, j := range k.classes[to].items {
				if slices.Contains(picked, j) {
					parts = append(parts, filled[j])
				}
			}
			if len(parts) > 0 {
				mixed = append(mixed, k.assign(k.classes[to].items, parts))
			}
		}
		if len(mixed) > 1 {
			mixed = k.bestMixed(picked, from, to, mixed)
		}
		out, from = append(out, slices.Concat(mixed...)...), to
	}
	return out
}

// maxMixed bounds the sets of children with equal slots that are compared by score one by one (order sets.7).
const maxMixed = 1 << 12

// bestMixed tries every exchange within several classes of equal slots and zones together, because the child that is
// last in fill order depends on all of them. Only the first maxMixed exchanges, in path order, are compared, after the
// choice that is given.
func (k *picker) bestMixed(picked []int, from, to int, chosen [][]int) [][]int {
	var others []int // picked children of other slots or zones
	for _, i := range picked {
		if k.c.Items[i].Slots != k.classes[from].slots || k.c.Items[i].Keys[keys.Zones] != k.classes[from].keys[keys.Zones] {
			others = append(others, i)
		}
	}
	best, first, tries := chosen, slices.Concat(chosen...), 0
	top := k.setScore(slices.Concat(others, first))
	var classes []class // those with picked children, as chosen lists them
	for i := from; i < to; i++ {
		if slices.ContainsFunc(k.classes[i].items, func(j int) bool { return slices.Contains(picked, j) }) {
			classes = append(classes, k.classes[i])
		}
	}
	try := make([][]int, len(classes))
	var next func(i int) bool // tries all sets of the classes from i on; false: stop
	next = func(i int) bool {
		if i < len(classes) {
			for set := range combinations(classes[i].items, len(chosen[i])) {
				if try[i] = set; !next(i + 1) {
					return false
				}
			}
			return true
		}
		tries++
		set := slices.Concat(try...)
		if score := k.setScore(slices.Concat(others, set)); beats(score.Compare(top), set, first) {
			best, first, top = slices.Clone(try), set, score
		}
		return tries < maxMixed
	}
	next(0)
	return best
}

// tryFill returns the items as they would be if the children were the set; the chooser's items stay as they are.
// O(items).
func (c *Chooser) tryFill(set []int) []Item { return c.filledBy(c.fill, set) }

// filledBy is tryFill for some way to fill a set.
func (c *Chooser) filledBy(fill func(set []int), set []int) []Item {
	before := slices.Clone(c.Items)
	fill(slices.Clone(set))
	filled := slices.Clone(c.Items)
	copy(c.Items, before)
	return filled
}

// assign chooses children to take the parts, in order, so that the score is largest; ties go to the earlier children.
func (k *picker) assign(children []int, parts []Item) []int {
	value := func(i, j int) Score {
		return k.c.scoreOf(children[i], parts[j].Given, parts[j].HasShort)
	}
	out := make([]int, 0, len(parts))
	for _, i := range Assign(len(children), len(parts), value) {
		out = append(out, children[i])
	}
	return out
}
