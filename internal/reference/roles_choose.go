package reference

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// bestDomain compares the domains of the gang's tier that hold it.
func (s *roleSolver) bestDomain(ways []way) *vertex {
	in := map[*vertex][]way{}
	for _, c := range ways {
		d := s.smallestOf(c)
		for d.parent != nil && d.parent.tier <= s.tiers[0] && !(d.parent.outside && d.parent.node == nil) {
			d = d.parent
		}
		in[d] = append(in[d], c)
	}
	var domains []*vertex
	for _, v := range s.solver.vertices {
		if in[v] != nil {
			domains = append(domains, v)
			in[v] = s.mostIntact(in[v])
		}
	}
	return slices.MinFunc(domains, func(a, b *vertex) int {
		return cmp.Or(
			cmp.Compare(s.groupTier(in[a][0]), s.groupTier(in[b][0])),
			cmp.Compare(b.key, a.key),
			cmp.Compare(s.fewestChildren(a, in[a]), s.fewestChildren(b, in[b])),
			s.compareFree(a, b),
			cmp.Compare(a.order, b.order),
		)
	})
}

// groupTier is the tier of the group that is the gang, 0 if there is none.
func (s *roleSolver) groupTier(c way) int {
	if len(s.solver.levels) == 0 {
		return 0
	}
	return s.smallestOf(c).tier
}

func (s *roleSolver) mostIntact(ways []way) []way { return least(ways, s.groupTier, cmp.Compare) }

func (s *roleSolver) fewestChildren(d *vertex, ways []way) int {
	best := len(s.solver.vertices)
	for _, c := range ways {
		n := 0
		for _, kid := range d.children {
			n += bit(kid.own > 0 || total(s.sumBelow(kid, c)) > 0)
		}
		best = min(best, n)
	}
	return best
}

// fewer is negative if so many slots are better than b.
func (s *roleSolver) fewer(a, b int) int {
	if s.solver.in.Request.Policy == gang.Spread {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

func (s *roleSolver) compareFree(a, b *vertex) int {
	for a != b && a != nil && b != nil {
		if c := s.fewer(a.high, b.high); c != 0 {
			return c
		}
		a, b = a.parent, b.parent
	}
	return 0
}

// down keeps, at a vertex and below it, the best ways, until one is left.
func (s *roleSolver) down(v *vertex, ways []way) []way {
	if v.node != nil {
		return ways
	}
	ways = least(ways, func(c way) []*vertex { return s.others(v, c) }, s.compareSets)
	kids := slices.SortedFunc(slices.Values(v.children), func(a, b *vertex) int {
		return cmp.Or(cmp.Compare(b.own, a.own), cmp.Compare(b.high, a.high), cmp.Compare(a.order, b.order))
	})
	for _, kid := range kids {
		key := func(c way) []int {
			sum := s.sumBelow(kid, c)
			return append([]int{total(sum)}, sum...)
		}
		ways = least(ways, key, func(a, b []int) int { return slices.Compare(b, a) })
	}
	for _, kid := range v.children {
		if total(s.sumBelow(kid, ways[0])) > 0 {
			ways = s.down(kid, ways)
		}
	}
	return ways
}

// others are the children that take members although none of the gang run there; what lies outside the tree is decided before.
func (s *roleSolver) others(v *vertex, c way) []*vertex {
	var out []*vertex
	for _, kid := range v.children {
		if kid.own == 0 && kid != s.solver.outside && total(s.sumBelow(kid, c)) > 0 {
			out = append(out, kid)
		}
	}
	return out
}

func (s *roleSolver) compareSets(a, b []*vertex) int {
	key, free := 0, 0
	var slotsA, slotsB []int
	for _, v := range a {
		key, free, slotsA = key+v.key, free+v.high, append(slotsA, v.high)
	}
	keyB, freeB := 0, 0
	for _, v := range b {
		keyB, freeB, slotsB = keyB+v.key, freeB+v.high, append(slotsB, v.high)
	}
	descending := func(x, y int) int { return cmp.Compare(y, x) }
	slices.SortFunc(slotsA, descending)
	slices.SortFunc(slotsB, descending)
	return cmp.Or(
		cmp.Compare(len(a), len(b)), cmp.Compare(keyB, key), s.fewer(free, freeB), s.fewer(slices.Compare(slotsA, slotsB), 0),
		slices.CompareFunc(a, b, func(x, y *vertex) int { return cmp.Compare(x.order, y.order) }),
	)
}
