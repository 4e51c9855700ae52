package fronts

import (
	"iter"
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/manyshapes"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/packing"
)

// This file answers: when are fronts too long, and what decides in their place?

// manyShapesFrom is the most vectors of a front of the whole gang that is still listed, where steps allow no more.
const manyShapesFrom = 1 << 12

// isPlain says whether packing knows all rules of the gang.
func (s *Search) isPlain() bool {
	return len(s.groups)+len(s.done) == 0 && !s.CrossesTrees() && s.chosen == nil && len(s.m.Multiples)+len(s.caps) == 0 && s.counted == nil
}

// avoidLongFronts has the gang packed if its fronts would be too long.
//
// order: roles.12
func (s *Search) avoidLongFronts() {
	s.manyShapes = nil
	if s.isPlain() && s.vectors() > max(manyShapesFrom, int64(s.m.Steps)/16) {
		s.manyShapes = s.newManyShapes()
	}
}

// newManyShapes makes the search that packs the gang's members, whatever groups they are in.
func (s *Search) newManyShapes() *manyshapes.Search {
	all := s.classes.all()
	k := &manyshapes.Search{
		M: s.m, Asks: s.asks, Want: s.totals[:s.roles], Slots: s.slots, Of: all.of, Left: &s.m.Left.Packing,
		ChildrenOf: func(class int32) []int64 { return all.kids[int(class)-len(all.nodes)] },
	}
	for _, a := range all.nodes {
		k.Kinds = append(k.Kinds, s.kindOf(a))
	}
	k.Begin()
	return k
}

// construct iterates over plans by construction, where steps for fronts are spent. doubted: there was doubt before the
// fronts of this search left some.
func (s *Search) construct(doubted bool) iter.Seq[*model.Answer] {
	if s.isPlain() { // what fronts forgot does not matter
		s.manyShapes, *s.m.Doubt = s.newManyShapes(), doubted
		return s.manyShapes.Plans()
	}
	*s.m.Doubt = true
	if s.CrossesTrees() || s.m.BindsBelow() {
		return func(func(*model.Answer) bool) {}
	}
	return s.builds()
}

// vectors bounds the number of vectors in a front: those of all roles but the largest.
func (s *Search) vectors() int64 {
	n, largest := int64(1), slices.Max(s.totals)
	for _, most := range s.totals {
		if n *= int64(most) + 1; n > math.MaxInt32*int64(largest+1) {
			return math.MaxInt32
		}
	}
	return n / int64(largest+1)
}

// kindOf is a class of nodes as packing knows it.
func (s *Search) kindOf(a *front.Node) packing.Kind {
	kind := packing.Kind{Free: a.Free, Open: a.Open}
	if a.Zones != nil {
		kind.Takes = func(some []int32) bool {
			s.m.Left.Packing.Spend(int64(len(a.Zones)) / 4)
			return a.Zones.Holds(s.m.ByShape(front.Vector(some)))
		}
	}
	return kind
}

// wholeClasses are the classes of all vertices, those of nodes first.
type wholeClasses struct {
	of    []int32       // by vertex
	nodes []*front.Node // by class
	kids  [][]int64     // by class of domains, counted from 0: as in vertexClass
}

// all finds the classes of all vertices. O(vertices) the first time.
func (c *vertexClasses) all() *wholeClasses {
	if c.whole != nil {
		return c.whole
	}
	n := c.search.vertices()
	for x := n - 1; x >= 0; x-- {
		c.Of(layout.Vertex(x))
	}
	w := &wholeClasses{of: make([]int32, n)}
	number, domains := make([]int32, len(c.list)), int32(0)
	for i := range c.list {
		if c.list[i].node != nil {
			number[i] = int32(len(w.nodes))
			w.nodes = append(w.nodes, c.list[i].node)
		} else {
			number[i] = domains
			domains++
		}
	}
	for i := range c.list {
		if c.list[i].node == nil {
			number[i] += int32(len(w.nodes))
		}
	}
	for i := range c.list {
		if c.list[i].node != nil {
			continue
		}
		var kids []int64
		for _, child := range c.list[i].kids {
			kids = append(kids, int64(number[child>>32])<<32|child&math.MaxInt32)
		}
		slices.Sort(kids)
		w.kids = append(w.kids, kids)
	}
	for x := range w.of {
		w.of[x] = number[c.Of(layout.Vertex(x))]
	}
	c.whole = w
	return w
}
