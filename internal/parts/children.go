package parts

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
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
	if c.p.View.IsNode(x) {
		return nil
	}
	lo, end := c.p.View.Kids(x)
	var out []share
	if x == layout.Root {
		if c.outside.Total() > 0 {
			out, want = append(out, share{c.p.View.Outside, c.outside}), want.Minus(c.outside)
		}
		end = c.p.View.Outside
	}
	// Children without room or running members are in no set.
	var children []layout.Vertex
	for child := lo; child < end; child++ {
		if !c.frontOf(child).IsZero() || c.p.Siblings.At(child) > 0 {
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
func (c *capacity) chooser(children []layout.Vertex, want front.Vector) sets.FrontChooser {
	items := make([]sets.FrontItem, len(children))
	for i, child := range children {
		items[i] = sets.FrontItem{
			Slots: c.search.slots.At(child), Used: c.p.Siblings.At(child), Friends: c.p.Friends.At(child), Front: c.frontOf(child),
		}
	}
	return sets.FrontChooser{
		Policy: c.p.Policy, Items: items, Want: want, Space: c.tables.space,
		Sizes: c.search.sizes, Scales: c.search.scales, Left: &c.p.Parts.Left.Sets,
	}
}
