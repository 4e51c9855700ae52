package placement

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
)

// casting is a cast with the number of new members decided, and a strategy.
type casting struct {
	*cast
	want counts
	// within is what of it lies in the tree; the rest lies outside, because the tree has no room.
	within counts
	gang   int32 // the tier that holds the gang
	whole  int32 // the tier of a domain that holds the gang as a group; at most that of the gang
}

// outcomes iterates over the best plans in every domain that some strategy allows, best first, for the first n pending members.
func (c *cast) outcomes(n int) iter.Seq[*outcome] {
	return func(yield func(*outcome) bool) {
		g, ok := c.casting(n)
		if n == 0 || !ok {
			return
		}
		tried := map[vertex]bool{}
		for st := range c.strategies() {
			g.use(st)
			for d := range g.ranked() {
				if tried[d] {
					continue
				}
				tried[d] = true
				if !yield(g.decide(d, st)) {
					return
				}
			}
		}
	}
}

// best is the best plan for the first n pending members, nil if there is none.
func (c *cast) best(n int) *outcome {
	for o := range c.outcomes(n) {
		return o
	}
	return nil
}

// mostMembers is the largest number of new members that the hard rules allow, 0 if that is below the least.
func (c *cast) mostMembers() int {
	list := c.counts()
	i := sort.Search(len(list), func(i int) bool { return !c.possible(list[i]) })
	if i == 0 {
		return 0
	}
	return list[i-1]
}

// possible says whether the first n pending members can be placed at all.
func (c *cast) possible(n int) bool {
	g, ok := c.casting(n)
	return ok && g.holdsUnder(c.loosest(c.gather.must))
}

// casting decides how many members lie outside the tree; false if there is no room for all.
func (c *cast) casting(n int) (*casting, bool) {
	g := &casting{cast: c, want: c.wanted(n)}
	g.within = g.want
	tree, outside := c.fits[rootVertex], c.fits[c.v.outside]
	if tree.holds(g.want) {
		return g, true
	}
	g.within = nil
	for _, t := range tree {
		inside := g.want.least(t)
		if !outside.holds(g.want.minus(inside)) {
			continue
		}
		if g.within == nil || cmp.Or(cmp.Compare(inside.total(), g.within.total()), slices.Compare(inside, g.within)) > 0 {
			g.within = inside
		}
	}
	return g, g.within != nil
}

// beyond is how many members lie outside the tree.
func (g *casting) beyond() int64 { return g.want.total() - g.within.total() }

// use sets the strategy.
func (g *casting) use(st strategy) {
	g.gang, g.whole = st.gang, st.gang
	for _, t := range st.groups {
		g.whole = min(g.whole, t)
	}
}

func (g *casting) holdsUnder(st strategy) bool {
	g.use(st)
	return slices.ContainsFunc(g.candidates(g.gang), g.holds)
}

// holds says whether a domain holds the gang, and with it one of the tier in which it is whole.
func (g *casting) holds(d vertex) bool {
	if g.lca >= 0 && g.v.tierOf(d) > g.whole {
		low := g.aboveRunning(g.whole)
		return low >= 0 && g.takes(low)
	}
	return g.holdsBelow(d)
}

func (g *casting) holdsBelow(x vertex) bool {
	if g.v.tierOf(x) <= g.whole {
		return g.takes(x)
	}
	lo, end := g.v.kids(x)
	for kid := lo; kid < end; kid++ {
		if g.holdsBelow(kid) {
			return true
		}
	}
	return false
}

// takes says whether all members fit below a vertex. Outside the tree there is room only for those who must lie there.
func (g *casting) takes(x vertex) bool {
	if x == rootVertex {
		return true
	}
	if g.v.contains(g.v.outside, x) && g.beyond() < g.want.total() {
		return false
	}
	return g.fits[x].holds(g.want)
}

// rankedDomain is a domain that holds the gang, with the number of children that it uses, or one that this is not below.
type rankedDomain struct {
	at    vertex
	whole int32
	span  int
	exact bool
}

// ranked iterates over the domains that hold the gang, best first. How many children one uses is found out once nothing else is
// better than it could be.
func (g *casting) ranked() iter.Seq[vertex] {
	return func(yield func(vertex) bool) {
		var list []rankedDomain
		for _, d := range g.candidates(g.gang) {
			if g.holds(d) {
				in := g.intact(d)
				list = append(list, rankedDomain{at: d, whole: in.whole, span: in.leastSpan(d)})
			}
		}
		slices.SortFunc(list, g.compareDomains)
		for len(list) > 0 {
			best := list[0]
			list = list[1:]
			if best.exact {
				if !yield(best.at) {
					return
				}
				continue
			}
			best.span, best.exact = g.intact(best.at).span(best.at), true
			at, _ := slices.BinarySearchFunc(list, best, g.compareDomains)
			list = slices.Insert(list, at, best)
		}
	}
}

func (g *casting) compareDomains(a, b rankedDomain) int {
	return cmp.Or(
		cmp.Compare(a.whole, b.whole),
		cmp.Compare(g.friends.at(b.at), g.friends.at(a.at)),
		cmp.Compare(a.span, b.span),
		g.compareSlots(a.at, b.at),
		g.v.comparePaths(a.at, b.at),
	)
}

// leastSpan is a number of children that a domain cannot do with less than: were there nothing but numbers of members.
func (g *casting) leastSpan(d vertex) int {
	if g.v.isNode(d) || g.lca >= 0 || d == rootVertex || g.v.tierOf(d) > g.whole {
		return 0
	}
	var most []int64
	lo, end := g.v.kids(d)
	for kid := lo; kid < end; kid++ {
		most = append(most, g.fits[kid].mostInAll())
	}
	slices.Sort(most)
	n, left := 0, g.want.total()
	for _, m := range slices.Backward(most) {
		if left <= 0 {
			break
		}
		n, left = n+1, left-m
	}
	return n
}

// intact is the casting that keeps the gang, where it is a group, as whole in a domain as can be.
func (g *casting) intact(d vertex) *casting {
	if len(g.levels) == 0 {
		return g
	}
	in := *g
	for _, t := range g.v.tiers {
		if in.whole = t; t >= g.whole || in.holds(d) {
			break
		}
	}
	in.whole = min(in.whole, g.whole)
	return &in
}

// span is the number of children that a domain uses, those of running members included.
func (g *casting) span(d vertex) int {
	n := 0
	for _, part := range g.parts(d, g.want) {
		if g.siblings.at(part.at) == 0 {
			n++
		}
	}
	if g.v.isNode(d) || len(g.siblings) == 0 {
		return n
	}
	lo, end := g.v.kids(d)
	for kid := lo; kid < end; kid++ {
		if g.siblings.at(kid) > 0 {
			n++
		}
	}
	return n
}

// compareSlots compares the slots of the first role in two domains, then in their parents, and so on.
func (g *casting) compareSlots(a, b vertex) int {
	for a != b && a >= 0 && b >= 0 {
		if c := g.fewerSlots(g.slots.at(a), g.slots.at(b)); c != 0 {
			return c
		}
		a, b = g.v.above(a), g.v.above(b)
	}
	return 0
}

// decide places the gang below a domain.
func (g *casting) decide(d vertex, st strategy) *outcome {
	at := map[int32]counts{}
	g.intact(d).placeBelow(d, g.want, at)
	lists := make([][]int32, len(g.roles))
	for _, pos := range slices.Sorted(maps.Keys(at)) {
		for r, n := range at[pos] {
			for range n {
				lists[r] = append(lists[r], pos)
			}
		}
	}
	positions := make([]int32, g.want.total())
	for i := range positions {
		r := g.roleOf[i]
		positions[i], lists[r] = lists[r][0], lists[r][1:]
	}
	// The slice of groups is the iterator's.
	f := &found{strategy: strategy{st.gang, slices.Clone(st.groups)}}
	return &outcome{found: f, domain: d, positions: positions}
}

// placeBelow hands counts down to the nodes.
func (g *casting) placeBelow(x vertex, want counts, at map[int32]counts) {
	if g.v.isNode(x) {
		at[g.v.position(x)] = want
		return
	}
	for _, part := range g.parts(x, want) {
		g.placeBelow(part.at, part.counts, at)
	}
}
