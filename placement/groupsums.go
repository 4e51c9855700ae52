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
}

// newGroupSums counts the groups of every domain. O(domains), and O(nodes that hold a group).
func newGroupSums(ix *index, size int64) *groupSums {
	g := &groupSums{size: int32(min(size, math.MaxInt32))} // no gang has a larger group
	for i := range ix.v.switchTiers() {
		n := ix.v.upTo[i]
		g.whole, g.rest = append(g.whole, newSlab[int32](n)), append(g.rest, newSlab[int32](n))
		g.sums = append(g.sums, newSlab[int32](ix.v.numDomains()))
		g.most = append(g.most, nil)
		for range i {
			g.most[i] = append(g.most[i], newSlab[int32](n))
		}
	}
	s := summer{index: ix}
	for x := vertex(ix.v.numDomains()) - 1; x >= 0; x-- {
		g.sum(&s, x)
	}
	return g
}

func (g *groupSums) after(ix *index, dirty []vertex) *groupSums {
	next := &groupSums{size: g.size, whole: forks(g.whole), rest: forks(g.rest), sums: forks(g.sums)}
	for _, list := range g.most {
		next.most = append(next.most, forks(list))
	}
	s := summer{index: ix}
	for _, x := range dirty {
		next.sum(&s, x)
	}
	return next
}

// sum makes the entries of a domain from those of its children.
func (g *groupSums) sum(s *summer, x vertex) {
	below := s.v.tiersBelow(s.v.tier[x])
	if lo, end := s.v.kids(x); lo == end || s.v.isNode(lo) {
		whole, rest := g.onNodes(s.index, x)
		for i := range below {
			g.whole[i].put(x, whole)
			g.rest[i].put(x, rest)
			for t := range i {
				most := int32(0)
				if lo < end {
					most = s.nodeSums.at(s.v.firstPos[x]) / g.size
				}
				g.most[i][t].put(x, most)
			}
		}
		return
	}
	for i := range below {
		g.gather(s, x, i)
	}
}

// gather makes the entries for one tier of a domain of domains.
func (g *groupSums) gather(s *summer, x vertex, i int) {
	lo, end := s.v.kids(x)
	s.list = s.list[:0]
	var rest int32
	for c := lo; c < end; c++ {
		slots := s.domains.at(c)
		whole := slots / g.size
		left := slots - whole*g.size
		if s.v.tier[c] > s.v.tiers[i] {
			whole, left = g.whole[i].at(c), g.rest[i].at(c)
		}
		s.list = append(s.list, whole)
		rest = max(rest, left)
	}
	g.rest[i].put(x, rest)
	g.whole[i].put(x, s.addUp())
	putAll(&g.sums[i], lo, s.list)
	for t := range i {
		var most int32
		for c := lo; c < end; c++ {
			switch {
			case s.v.tier[c] > s.v.tiers[i]:
				most = max(most, g.most[i][t].at(c))
			case s.v.tier[c] > s.v.tiers[t]:
				most = max(most, g.whole[t].at(c))
			default:
				most = max(most, s.domains.at(c)/g.size)
			}
		}
		g.most[i][t].put(x, most)
	}
}

// onNodes counts the groups that lie on one node each of a domain, and the most that they leave over on one.
func (g *groupSums) onNodes(ix *index, x vertex) (whole, rest int32) {
	var sum int32
	for pos := ix.v.firstPos[x]; pos < ix.v.endPos[x]; pos++ {
		slots := ix.nodeSums.at(pos) - sum // in descending order
		sum += slots
		if slots < g.size {
			return whole, max(rest, slots)
		}
		whole += slots / g.size
		rest = max(rest, slots%g.size)
	}
	return whole, rest
}
