package placement

import "math"

// groupSums counts, for one group size, the whole groups below every domain: by place of a tier, groups that each lie in
// one domain of that tier. Only domains above the tier have an entry, the others take slots / size.
type groupSums struct {
	size  int32
	whole []slab[int32]
	rest  []slab[int32] // the most slots left over in one domain of the tier
	// sums of the children's counts, the largest child first, in the interval of the children, where these are domains.
	sums []slab[int32]
	// most has, by place of a gang tier and of a lower group tier, for every domain above the former: the most groups below one
	// domain of the gang tier.
	most [][]slab[int32]
	// tops has, by the same places but for a gang tier above the lowest layer, the most groups below the best 1, 2, ... children
	// of one domain of the gang tier.
	tops [][]slab[int32]
}

// newGroupSums counts the groups of every domain. O(domains), and O(nodes that hold a group).
func newGroupSums(ix *index, size int64) *groupSums {
	g := &groupSums{size: int32(min(size, math.MaxInt32))} // no gang has a larger group
	for i := range ix.v.switchTiers() {
		n := ix.v.upTo[i]
		g.whole, g.rest = append(g.whole, newSlab[int32](n)), append(g.rest, newSlab[int32](n))
		g.sums = append(g.sums, newSlab[int32](ix.v.kidsUpTo[i]))
		var most, tops []slab[int32]
		for range i {
			most, tops = append(most, newSlab[int32](n)), append(tops, newSlab[int32](n*topSize*min(i-1, 1)))
		}
		g.most, g.tops = append(g.most, most), append(g.tops, tops)
	}
	s := summer{index: ix}
	for x := vertex(ix.v.numDomains()) - 1; x >= 0; x-- {
		g.sum(&s, x)
	}
	return g
}

func (g *groupSums) after(ix *index, dirty []vertex) *groupSums {
	next := &groupSums{size: g.size, whole: forks(g.whole), rest: forks(g.rest), sums: forks(g.sums)}
	for i := range g.most {
		next.most, next.tops = append(next.most, forks(g.most[i])), append(next.tops, forks(g.tops[i]))
	}
	s := summer{index: ix}
	for _, x := range dirty {
		next.sum(&s, x)
	}
	return next
}

// sum makes the entries of a domain from those of its children.
func (g *groupSums) sum(s *summer, x vertex) {
	below := s.index.v.tiersBelow(s.index.v.tier[x])
	if lo, end := s.index.v.kids(x); lo == end || s.index.v.isNode(lo) {
		whole, rest := g.onNodes(s, x)
		for i := range below {
			g.whole[i].put(x, whole)
			g.rest[i].put(x, rest)
			g.sumMost(s, x, i)
		}
		return
	}
	for i := range below {
		whole, rest := g.gather(s, x, i)
		g.whole[i].put(x, whole)
		g.rest[i].put(x, rest)
		lo, _ := s.index.v.kids(x)
		putAll(&g.sums[i], lo, s.list)
		g.sumMost(s, x, i)
	}
}

// onNodes counts the groups that lie on one node each of a domain, and the most that they leave over on one.
func (g *groupSums) onNodes(s *summer, x vertex) (whole, rest int32) {
	if largest := s.index.most[0].at(x); largest < g.size {
		return 0, largest
	}
	s.list = appendTo(s.list[:0], &s.index.nodeSums, s.index.v.firstPos[x], s.index.v.endPos[x])
	var before int32
	for _, sum := range s.list { // in descending order
		slots := sum - before
		before = sum
		if slots < g.size {
			return whole, max(rest, slots)
		}
		n := slots / g.size
		whole, rest = whole+n, max(rest, slots-n*g.size)
	}
	return whole, rest
}

// gather counts the groups of one tier below a domain of domains, and the most that they leave over. The sums of the children's
// counts are left in the list.
func (g *groupSums) gather(s *summer, x vertex, i int) (whole, rest int32) {
	lo, end := s.index.v.kids(x)
	if s.index.v.gaps[i][x] == 1 { // who has more slots takes no fewer groups
		s.list = appendTo(s.list[:0], &s.index.domainSums, lo, end)
		var before int32
		for k, sum := range s.list {
			slots := sum - before
			n := slots / g.size
			before, rest = sum, max(rest, slots-n*g.size)
			whole += n
			s.list[k] = whole
		}
		return whole, rest
	}
	s.list = s.list[:0]
	for c := lo; c < end; c++ {
		n, left := g.of(s, i, c)
		s.list, rest = append(s.list, n), max(rest, left)
	}
	return s.addUp(), rest
}

// of is how many groups of a tier a domain takes, and the most that they leave over.
func (g *groupSums) of(s *summer, i int, x vertex) (whole, rest int32) {
	if s.index.v.tier[x] > s.index.v.tiers[i] {
		return g.whole[i].at(x), g.rest[i].at(x)
	}
	slots := s.index.domains.at(x)
	whole = slots / g.size
	return whole, slots - whole*g.size
}

// sumMost makes what a domain knows of the best domain of a gang tier below it.
func (g *groupSums) sumMost(s *summer, x vertex, i int) {
	for t := range i {
		lo, end := s.index.v.kids(x)
		var most int32
		switch {
		case lo == end:
		case s.index.v.isNode(lo):
			most = s.index.most[0].at(x) / g.size
		case s.index.v.gaps[i][x] == 1:
			most = g.sums[t].at(lo)
		default:
			for c := lo; c < end; c++ {
				if s.index.v.tier[c] > s.index.v.tiers[i] {
					most = max(most, g.most[i][t].at(c))
				} else {
					n, _ := g.of(s, t, c)
					most = max(most, n)
				}
			}
		}
		g.most[i][t].put(x, most)
		if i > 1 {
			g.sumTops(s, x, i, t)
		}
	}
}

// sumTops makes the tops of a domain.
func (g *groupSums) sumTops(s *summer, x vertex, i, t int) {
	var tops [topSize]int32
	if lo, end := s.index.v.kids(x); lo < end && s.index.v.isNode(lo) {
		for k := range tops {
			tops[k] = g.most[i][t].at(x)
		}
	} else {
		for c := lo; c < end; c++ {
			g.raise(s, &tops, i, t, c)
		}
	}
	putAll(&g.tops[i][t], x*topSize, tops[:])
}

// raise takes the tops of a domain into those of the one above. Where the groups of a domain of the gang tier need not lie in a
// child each, or lie on nodes, all of them count for one.
func (g *groupSums) raise(s *summer, tops *[topSize]int32, i, t int, x vertex) {
	lo, end := s.index.v.kids(x)
	switch {
	case s.index.v.tier[x] > s.index.v.tiers[i]:
		s.list = appendTo(s.list[:0], &g.tops[i][t], x*topSize, (x+1)*topSize)
	case s.index.v.tier[x] > s.index.v.tiers[t] && lo < end && !s.index.v.isNode(lo):
		s.list = appendTo(s.list[:0], &g.sums[t], lo, min(end, lo+topSize))
	default:
		n, _ := g.of(s, t, x)
		s.list = append(s.list[:0], n)
	}
	for k := range tops {
		tops[k] = max(tops[k], s.list[min(k, len(s.list)-1)])
	}
}
