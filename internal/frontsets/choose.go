// Package frontsets answers: which children together are the best set for members of several shapes or unequal groups, and which vector does each
// take? It is the counterpart of package sets where capacities are fronts in place of numbers.
//
// Values of this package belong to one search and are not safe for concurrent use.
package frontsets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/steps"
)

// Item is a child that can take any vector within its front; where multiples bind, any vector of its front.
type Item struct {
	Slots int64       // of the first role
	Used  int64       // running members of the gang
	Keys  keys.Values // but for the slots
	Front front.Front
}

// Chooser picks the set of items that hold a vector together, and the vector of each: for members of
// several shapes and for unequal groups. Fill in all fields, then call Choose for the set and Fill for
// the vectors. All items together must hold the vector. It writes to none of its items.
type Chooser struct {
	Policy   gang.Policy
	Features features.Set // of the problem
	Items    []Item       // in the order that decides between equal ones
	Want     front.Vector // to be held
	Space    *front.Space
	Sizes    front.Weights   // members by dimension
	Scales   []front.Weights // not empty; each gives a lower bound on the number of items
	// Left are vectors to try; once spent, the answer is the first items in fill order that suffice, as far as the space
	// still knows. It is the caller's.
	Left *steps.Budget
}

// Choose returns the best set, in fill order: all items with running members, and the best of the smallest sets of
// others that suffice beside them.
//
// order: roles.9
func (c *Chooser) Choose() []int {
	var used, others []int
	for i := range c.Items {
		if c.Items[i].Used > 0 {
			used = append(used, i)
		} else {
			others = append(others, i)
		}
	}
	set := append(used, c.choose(used, others)...)
	slices.SortFunc(set, c.compareFill)
	return set
}

// choose picks from the others beside those in use. Every set has the latter, so only the others are searched.
func (c *Chooser) choose(used, others []int) []int {
	places := make([]front.Front, len(others))
	for i, child := range others {
		places[i] = c.Items[child].Front
	}
	scale, least := front.Scarcest(c.Scales, places, c.Want) // no set has fewer than least, items in use apart
	if len(used) == 0 && least == len(others) {              // only all together suffice
		return others
	}
	inUse := c.Space.Zero
	for _, child := range slices.Backward(used) {
		inUse = c.Space.Sum(c.Items[child].Front, inUse)
	}
	p := frontProgram{c: c, rules: keys.RulesOf(c.Policy), scale: scale, left: make(front.Vector, len(c.Want))}
	if len(used) == 0 {
		if set, ok := p.byTwoNumbers(others, least); ok {
			return set
		}
	}
	first := c.firstThatSuffice(inUse, others)
	p.fewest = len(first) // an upper bound for the search
	if set, ok := p.solve(inUse, others); ok {
		return set
	}
	return first
}

// firstThatSuffice returns the shortest prefix of the other items, in fill order, that holds the vector together with
// the items in use. It bounds the search, and is its answer when steps run out. O(others) sums of fronts.
func (c *Chooser) firstThatSuffice(inUse front.Front, others []int) []int {
	others = slices.Clone(others)
	slices.SortFunc(others, c.compareFill)
	sum := inUse
	for n, i := range others {
		if c.Space.Holds(sum, c.Want) {
			return others[:n]
		}
		sum = c.Space.Sum(sum, c.Items[i].Front)
	}
	return others
}

// compareFill is the fill order.
//
// order: roles.10
func (c *Chooser) compareFill(i, j int) int {
	a, b := &c.Items[i], &c.Items[j]
	return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(b.Slots, a.Slots), cmp.Compare(i, j))
}

// Fill gives each item of a list in turn the most members that leave no more than the items after it can take, then the
// most of the first role, of the second, and so on. Vectors are by place in the list, nil where an item takes nothing.
//
// It never runs into a dead end if the items hold the vector: what each one leaves is within the sum of those after it. Only
// where the steps of the space are spent it may leave members over.
//
// order: roles.10
func (c *Chooser) Fill(list []int) []front.Vector {
	after := make([]front.Front, len(list)+1) // the front of the items from n on together
	after[len(list)] = c.Space.Zero
	for n := len(list) - 1; n >= 0; n-- {
		after[n] = c.Space.Sum(c.Items[list[n]].Front, after[n+1])
	}
	out, want := make([]front.Vector, len(list)), slices.Clone(c.Want)
	take, left := make(front.Vector, len(want)), make(front.Vector, len(want))
	for n, i := range list {
		if !c.Space.Spend(int64(len(c.Items[i].Front))) {
			break
		}
		best := c.bestTake(i, after[n+1], want, take, left)
		if best.Total() > 0 {
			out[n] = best
			for r, m := range best {
				want[r] -= m
			}
		}
	}
	return out
}

// bestTake is what an item takes of a vector if those after it must take the rest; nil: nothing. take and left are
// scratch.
func (c *Chooser) bestTake(i int, after front.Front, want, take, left front.Vector) (best front.Vector) {
	size := int64(-1)
	for _, p := range c.Items[i].Front {
		if !c.Space.Takes(want, p, take) {
			continue
		}
		for r, m := range take {
			left[r] = want[r] - m
		}
		n := c.Sizes.Of(take)
		if n < size || n == size && slices.Compare(take, best) <= 0 || !c.Space.Spend(int64(len(after))) || !c.Space.Holds(after, left) {
			continue
		}
		best, size = append(best[:0], take...), n
	}
	return best
}
