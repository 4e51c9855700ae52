package fronts

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which domain of which strategy takes the gang, best first?

// overAllNodes iterates over the best plans for the selection, one for every domain that some strategy allows, best
// first: a domain comes with the first strategy under which it holds the gang.
func overAllNodes(s *Search) iter.Seq[*model.Answer] {
	return func(yield func(*model.Answer) bool) {
		doubted := *s.m.Doubt
		if !s.Possible() {
			return
		}
		switch {
		case s.manyShapes != nil:
			s.manyShapes.Plans()(yield)
			return
		case s.built != nil:
			builtBefore(s.built, s.builds())(yield)
			return
		}
		tried := map[layout.Vertex]bool{}
		for c := range s.feasible() {
			for d, tight := range c.ranked(tried) {
				tried[d] = true
				o := tight.decide(d, c.strategy)
				if o == nil {
					s.construct(doubted)(yield)
					return
				}
				if !yield(o) {
					return
				}
				*s.m.Left = *front.NewBudget(s.m.Steps, s.m.Stop) // for the next one
			}
		}
	}
}

// builtBefore puts a plan first that was built already, and leaves its domain out of those that come.
func builtBefore(built *model.Answer, builds iter.Seq[*model.Answer]) iter.Seq[*model.Answer] {
	return func(yield func(*model.Answer) bool) {
		if !yield(built) {
			return
		}
		for o := range builds {
			if o.Domain != built.Domain && !yield(o) {
				return
			}
		}
	}
}

// Best is the first of the outcomes, nil if there is none.
func (s *Search) Best() *model.Answer {
	for o := range s.Answers() {
		return o
	}
	return nil
}

// Possible says whether the selection fits under the hard rules, and sets s.outside to the fewest members outside the
// tree; every strategy then has that number (strategy.1). The answer is kept. Tighter tiers are asked first: a yes
// there spares the sums of the whole cluster, and below the root no member lies outside, unless running ones do.
//
// Where fronts leave a doubt, a plan that is built says yes too.
func (s *Search) Possible() bool {
	if s.feasibility != unknown {
		return s.feasibility == yes
	}
	s.feasibility, s.outside = no, 0
	doubted := *s.m.Doubt
	if !s.asked.KeepsMultiples() { // in total, wherever the members lie
		return false
	}
	*s.m.Doubt = false
	switch {
	case s.manyShapes != nil:
		if outside, ok := s.manyShapes.Possible(); ok {
			s.feasibility, s.outside = yes, outside
		}
	case s.fitsByFronts():
		s.feasibility = yes
	case *s.m.Doubt:
		for s.built = range s.construct(doubted) {
			s.feasibility = yes
			break
		}
	}
	*s.m.Doubt = *s.m.Doubt || doubted
	return s.feasibility == yes
}

// fitsByFronts is possible by fronts alone.
func (s *Search) fitsByFronts() bool {
	if s.m.Left.Fronts.Spent() {
		*s.m.Doubt = true
		return false
	}
	worths := s.m.Gather.Worths
	if s.CrossesTrees() {
		worths = worths[len(worths)-1:] // a no for one tier may cost many choices of domains
	}
	for _, t := range worths {
		c := s.under(s.loosest(t)) // if the gang does not fit under it, it fits under no strategy of the tier
		if c == nil {
			continue
		}
		if s.outside = s.members(c.outside); s.m.LCA >= 0 && s.m.Gather.Must < s.m.View.RootTop && s.m.View.Contains(s.m.View.Outside, s.m.LCA) {
			s.outside = s.members(s.want) // running members lie there and bind the gang
		}
		if c.fits() && s.fitsAcrossTrees(c) {
			// A vector that was forgotten might leave fewer members outside.
			*s.m.Doubt = *s.m.Doubt || s.outside > 0 && c.tables.forgot
			return true
		}
	}
	return false
}

// splitGang finds the vector outside the tree: zero below the root's tier, where the gang lies in one domain.
func (c *capacity) splitGang() {
	c.outside = c.tables.space.Zero[0]
	if c.strategy.Gang < c.m.View.RootTop || c.fitsInside() {
		return
	}
	c.outside, _ = c.splitOf(c.expand(layout.Root, c.search.want))
}

// fitsInside says whether a domain in the tree is found to hold a gang that may span the root, all its groups included:
// then it need not be known how much the whole tree takes. It looks into the roomiest domain of each tier.
func (c *capacity) fitsInside() bool {
	if c.search.joint == nil || c.m.LCA >= 0 || c.tables.space.Exact {
		return false
	}
	for _, t := range c.m.View.SwitchTiers() {
		d := c.search.joint.Roomiest(t)
		if d < 0 || c.m.View.Contains(c.m.View.Outside, d) || !c.search.joint.Holds(d, c.search.loads.Of(c.search.want)) || !c.search.caps.allow(c.m.View, d, c.search.totals) {
			continue
		}
		if c.inside = c.tables.space.Holds(c.frontBelow(d), c.expandFrom(c.m.View.TierOf(d), c.search.want)); c.inside {
			return true
		}
	}
	return false
}

// splitOf divides a vector at the root: inside as many members as fit, then most of the first role, and so on. It
// returns the vector outside, and false if that does not fit there. An exact front is tried vector by vector, the
// whole one included. O(vectors of the tree * vectors outside).
//
// order: roles.7
func (c *capacity) splitOf(want front.Vector) (outside front.Vector, ok bool) {
	tree := c.frontBelow(layout.Root)
	if !c.tables.space.Exact && tree.Holds(want) {
		return c.tables.space.Zero[0], true
	}
	room, best := c.frontOf(c.m.View.Outside), front.Vector(nil)
	for _, t := range tree {
		inside := make(front.Vector, len(t))
		if !c.tables.space.Takes(want, t, inside) || !c.tables.space.Holds(room, want.Minus(inside)) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(c.search.members(inside), c.search.members(best)), slices.Compare(inside, best)) > 0 {
			best = inside
		}
	}
	if best == nil {
		return nil, false
	}
	return want.Minus(best), true
}

// fits says whether any domain holds the gang, and notes doubt if a no is not certain. A yes always is: fronts have
// only vectors that fit.
func (c *capacity) fits() bool {
	fits := c.fitsAnywhere()
	*c.m.Doubt = *c.m.Doubt || !fits && c.leavesDoubt()
	return fits
}

// leavesDoubt says whether a gang that was found not to fit might fit: vectors were forgotten; or zones, which were
// not counted exactly, would take it if each role found them by itself.
func (c *capacity) leavesDoubt() bool {
	if c.tables.forgot {
		return true
	}
	if c.search.relaxed || !c.search.classes.inexact {
		return false
	}
	relaxed := c.search.relax().under(c.strategy)
	if relaxed == nil {
		return false
	}
	relaxed.search.outside = max(relaxed.search.outside, relaxed.search.members(relaxed.outside)) // where nothing fitted nobody knew how many
	return relaxed.fitsAnywhere() || relaxed.tables.forgot
}

// fitsAnywhere asks the candidates: those first that are ranked first, where that is known without all fronts.
func (c *capacity) fitsAnywhere() bool {
	for k := range c.search.groups {
		if c.tables.homes[k] < 0 && !c.search.groupFitsAt(k, c.tables.bounds[k]) {
			return false
		}
	}
	if c.search.caps.refuse(c.strategy.Gang, c.search.totals) {
		return false
	}
	if c.search.joint == nil {
		return slices.ContainsFunc(c.candidates(), c.holds)
	}
	queue := c.byLeastSpan(c.candidates())
	for queue.Len() > 0 {
		if c.holds(heap.Pop(queue).(rankedDomain).at) {
			return true
		}
	}
	return false
}

// candidates are the domains of the gang's tier that may hold the gang, as far as it is known without fronts.
func (c *capacity) candidates() []layout.Vertex {
	var list []layout.Vertex
	if c.search.joint == nil || c.m.LCA >= 0 {
		list = c.m.Candidates(c.strategy.Gang)
	} else {
		load := c.search.loads.Of(c.search.want)
		list = slices.Collect(c.search.joint.Domains(c.strategy.Gang, func() int64 { return load }))
		list = c.search.caps.withRoom(c.m.View, list, c.search.totals, c.search.loads, c.search.joint)
	}
	for _, room := range c.rooms {
		list = slices.DeleteFunc(slices.Clone(list), func(d layout.Vertex) bool { return !room[d] })
	}
	return list
}

// holds says whether a domain of the gang's tier holds the gang, with at most s.outside members outside the tree. The
// verdict is kept by class: nodes outside the tree have classes of their own.
//
// order: roles.3
func (c *capacity) holds(d layout.Vertex) bool {
	if d == layout.Root && c.inside {
		return true
	}
	class := c.search.classes.Of(d)
	if n := int(class) + 1 - len(c.holding); n > 0 {
		c.holding = append(c.holding, make([]verdict, n)...)
	}
	if c.holding[class] == unknown {
		c.holding[class] = no
		if c.takesGang(d) {
			c.holding[class] = yes
		}
	}
	return c.holding[class] == yes
}

// takesGang is holds without its cache.
func (c *capacity) takesGang(d layout.Vertex) bool {
	// A domain outside the tree takes the gang only if all of it may lie there. At the root the part inside must fit
	// into the tree.
	want := c.expand(d, c.search.want)
	switch {
	case d == layout.Root && (c.outside == nil || c.search.members(c.outside) > c.search.outside):
		return false
	case d == layout.Root:
		want = want.Minus(c.outside)
	case c.m.View.Contains(c.m.View.Outside, d) && c.search.outside < c.search.members(c.search.want):
		return false
	}
	return c.search.caps.allow(c.m.View, d, c.search.totals) && c.tables.space.Holds(c.frontBelow(d), want)
}

// ranked iterates over the domains that hold the gang, best first, each with the tightest capacity that it allows.
// Intact groups come before all other keys of a domain: the domains that hold the most of them come first, and those
// that hold fewer follow, with a less tight capacity of their own. Domains in tried came with a better strategy.
func (c *capacity) ranked(tried map[layout.Vertex]bool) iter.Seq2[layout.Vertex, *capacity] {
	return func(yield func(layout.Vertex, *capacity) bool) {
		open := slices.DeleteFunc(c.candidates(), func(d layout.Vertex) bool { return tried[d] })
		for len(open) > 0 {
			tight := c.tightest(open)
			for d := range tight.bySpan(open) {
				if !yield(d, tight) {
					return
				}
			}
			open = slices.DeleteFunc(open, func(d layout.Vertex) bool { return tight.holds(d) || !c.holds(d) })
		}
	}
}
