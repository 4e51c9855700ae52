package fronts

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/frontsets"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which children of a domain take which part of a vector?

// share is the vector that one child takes.
type share struct {
	at   layout.Vertex
	take front.Vector
}

// distribute divides a vector that fits below x among the children of x; children that take nothing are left out. At
// the root the nodes outside the tree get their part first, as splitGang found it. Where vectors were forgotten a
// smallest set might not hold the vector: then every child may be filled, in the sequence in which sumChildren summed
// them, which puts equal ones next to each other.
func (c *capacity) distribute(x layout.Vertex, want front.Vector) []share {
	if c.m.View.IsNode(x) {
		return nil
	}
	lo, end := c.m.View.Kids(x)
	var out []share
	if x == layout.Root {
		if c.outside.Total() > 0 {
			out, want = append(out, share{c.m.View.Outside, c.outside}), want.Minus(c.outside)
		}
		end = c.m.View.Outside
	}
	// Children without room or running members are in no set.
	var children []layout.Vertex
	for child := lo; child < end; child++ {
		if !c.frontOf(child).IsZero() || c.m.Siblings.At(child) > 0 {
			children = append(children, child)
		}
	}
	if want.Total() == 0 {
		return out
	}
	forgets := c.forgets(x)
	if forgets {
		slices.SortStableFunc(children, func(a, b layout.Vertex) int { return cmp.Compare(c.search.classes.Of(a), c.search.classes.Of(b)) })
	}
	ch := c.chooser(children, want)
	var set []int
	if forgets {
		for i := range children {
			set = append(set, i)
		}
	} else {
		set = ch.Choose()
	}
	for n, take := range ch.Fill(set) {
		if take != nil {
			out = append(out, share{children[set[n]], take})
		}
	}
	return out
}

// chooser asks which of the children, given in the order that decides between equal ones, hold a vector.
func (c *capacity) chooser(children []layout.Vertex, want front.Vector) frontsets.Chooser {
	items, set := make([]frontsets.Item, len(children)), keys.Of(c.tables.space.Features)
	for i, child := range children {
		items[i] = frontsets.Item{
			Slots: c.search.slots.At(child), Used: c.m.Siblings.At(child), Keys: c.m.Values(set, child, false), Front: c.frontOf(child),
		}
	}
	return frontsets.Chooser{
		Policy: c.m.Policy, Features: c.tables.space.Features, Items: items, Want: want, Space: c.tables.space,
		Sizes: c.search.sizes, Scales: c.search.scales, Left: &c.m.Left.Sets,
	}
}

// countsChildren says whether the span of a domain is the number of children that take new members: not where children in
// use, or nodes outside the tree, count too.
func (c *capacity) countsChildren(d layout.Vertex) bool {
	return !c.m.View.IsNode(d) && c.m.LCA < 0 && d != layout.Root
}

// leastSpan is a lower bound of span, from weights alone: each child counts as if it took its heaviest vector, so
// that no set of fewer children can hold the gang. It must never exceed span, or bySpan would return domains out of
// order.
func (c *capacity) leastSpan(d layout.Vertex) int {
	if !c.countsChildren(d) {
		return 0
	}
	lo, end := c.m.View.Kids(d)
	places := make([]front.Front, 0, end-lo)
	for child := lo; child < end; child++ {
		places = append(places, c.frontOf(child))
	}
	_, n := front.Scarcest(c.search.scales, places, c.expand(d, c.search.want))
	return n
}

// span is the number of children in use: those that take new members, and those with running ones, each once. Cost of
// distribute.
func (c *capacity) span(d layout.Vertex) int {
	n := 0
	c.shares[d] = c.distribute(d, c.expand(d, c.search.want))
	for _, s := range c.shares[d] {
		if c.m.Siblings.At(s.at) == 0 {
			n++
		}
	}
	if c.m.View.IsNode(d) || !c.m.Siblings.Any() {
		return n
	}
	lo, end := c.m.View.Kids(d)
	for child := lo; child < end; child++ {
		if c.m.Siblings.At(child) > 0 {
			n++
		}
	}
	return n
}

// within is the highest worth of at most that miss, and the smallest worth where all are above it. A miss of 0 stands
// for the smallest worth.
//
// order: parts.7
func within(g model.Gather, miss int32) int32 {
	bound := g.Worths[0]
	for _, t := range g.Worths {
		if t <= miss {
			bound = max(bound, t)
		}
	}
	return bound
}
