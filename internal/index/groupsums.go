package index

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// GroupSums counts, for one group size, the whole groups below every domain: by place of a tier in the view's Tiers,
// the groups that each lie in one domain of that tier. Only domains above the tier have an entry. Any other domain
// holds slots / size groups, as all its slots are in one domain of the tier.
//
// It is immutable once made; the sums of a later snapshot are a fork of it.
type GroupSums struct {
	size  int32             // of a group, in slots
	cap   Cap               // of groups in every domain of a tier; Most 0: none
	Whole []cow.Slab[int32] // groups
	Rest  []cow.Slab[int32] // the most slots that whole groups leave over in one domain of the tier
	// Sums has prefix sums of the groups of the children, the largest child first, in the interval of the children. It
	// has them for children that are domains.
	Sums []cow.Slab[int32]
	// most has, by place of a gang tier and of a lower group tier, for every domain above the former, the most groups
	// below one domain of the gang tier.
	most [][]cow.Slab[int32]
	// Tops has, by the same places and for gang tiers above the lowest layer, the most groups below 1, 2, ... children
	// of one domain of the gang tier: TopSize entries for each domain. Nil, like most, for a tree of more than
	// [PairedLayers].
	Tops [][]cow.Slab[int32]
}

// newGroupSums counts the groups of every domain, children before parents. O(domains) for each tier, and for each pair
// of tiers that is kept; O(nodes) for the domains in which a group fits on a node.
func newGroupSums(ix *Index, key Grouping) *GroupSums {
	g := &GroupSums{size: int32(min(key.Size, math.MaxInt32)), cap: key.Cap} // no gang has a larger group
	for i := range ix.V.SwitchTiers() {
		n := ix.V.UpTo[i]
		g.Whole, g.Rest = append(g.Whole, cow.NewSlab[int32](n)), append(g.Rest, cow.NewSlab[int32](n))
		g.Sums = append(g.Sums, cow.NewSlab[int32](kidsUpTo(ix.V, i)))
		if len(ix.V.Layers) > PairedLayers {
			continue
		}
		var most, tops []cow.Slab[int32]
		for range i {
			most, tops = append(most, cow.NewSlab[int32](n)), append(tops, cow.NewSlab[int32](n*TopSize*min(i-1, 1)))
		}
		g.most, g.Tops = append(g.most, most), append(g.Tops, tops)
	}
	s := summer{index: ix}
	for x := layout.Vertex(ix.V.NumDomains()) - 1; x >= 0; x-- {
		g.sum(&s, x)
	}
	return g
}

// after returns the sums of a later snapshot, with its index: a fork with the dirty domains summed again. These come
// children first, with all domains above them.
func (g *GroupSums) after(ix *Index, dirty []layout.Vertex) *GroupSums {
	next := &GroupSums{size: g.size, cap: g.cap, Whole: forks(g.Whole), Rest: forks(g.Rest), Sums: forks(g.Sums)}
	for i := range g.most {
		next.most, next.Tops = append(next.most, forks(g.most[i])), append(next.Tops, forks(g.Tops[i]))
	}
	s := summer{index: ix}
	for _, x := range dirty {
		next.sum(&s, x)
	}
	return next
}

// sum makes the entries of x from those of its children, tier after tier upwards: sumMost reads the Sums of lower
// tiers.
func (g *GroupSums) sum(s *summer, x layout.Vertex) {
	below := s.index.V.TiersBelow(s.index.V.Tier[x])
	if lo, end := s.index.V.Kids(x); lo == end || s.index.V.IsNode(lo) {
		whole, rest := g.onNodes(s, x) // a node stands for a domain of any tier below x
		whole = g.bounded(s.index.V.Tier[x], whole)
		for i := range below {
			g.Whole[i].Put(x, whole)
			g.Rest[i].Put(x, rest)
			g.sumMost(s, x, i)
		}
		return
	}
	for i := range below {
		whole, rest := g.gather(s, x, i)
		g.Whole[i].Put(x, g.bounded(s.index.V.Tier[x], whole))
		g.Rest[i].Put(x, rest)
		lo, _ := s.index.V.Kids(x)
		cow.PutAll(&g.Sums[i], lo, s.list)
		g.sumMost(s, x, i)
	}
}

// onNodes counts the groups that lie on one node each, for a domain of nodes, and the most slots left over on a node.
// It
// counts from the largest node down to the first that holds no group.
func (g *GroupSums) onNodes(s *summer, x layout.Vertex) (whole, rest int32) {
	if largest := s.index.Most[0].At(x); largest < g.size {
		return 0, largest
	}
	s.list = cow.AppendTo(s.list[:0], &s.index.nodeSums, s.index.V.FirstPos[x], s.index.V.EndPos[x])
	var before int32
	for _, sum := range s.list { // in descending order
		slots := sum - before
		before = sum
		if slots < g.size { // all further nodes are no larger
			return whole, max(rest, slots)
		}
		n := slots / g.size
		whole, rest = whole+g.bounded(0, n), max(rest, slots-n*g.size)
	}
	return whole, rest
}

// bounded is n groups, or fewer where the cap says so for a vertex of a tier.
func (g *GroupSums) bounded(tier, n int32) int32 {
	if g.cap.Most > 0 && tier <= g.cap.Tier {
		return int32(min(int64(n), g.cap.Most))
	}
	return n
}

// gather counts the groups of the tier at place i below a domain of domains, and the most slots left over. The prefix
// sums of the children's groups, the largest first, stay in the list.
func (g *GroupSums) gather(s *summer, x layout.Vertex, i int) (whole, rest int32) {
	lo, end := s.index.V.Kids(x)
	if most := s.index.Most[i].At(x); most < g.size { // no domain of the tier holds a group
		s.list = slices.Grow(s.list[:0], int(end-lo))[:end-lo]
		clear(s.list)
		return 0, most
	}
	// If each child is one domain of the tier, its slots say all, and the order by slots is the order by groups: no
	// sorting.
	if s.index.V.Gaps[i][x] == 1 && g.cap.Most == 0 {
		s.list = cow.AppendTo(s.list[:0], &s.index.domainSums, lo, end)
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

// of is the number of groups of the tier at place i that x holds, and the most slots left over in one domain of the
// tier.
func (g *GroupSums) of(s *summer, i int, x layout.Vertex) (whole, rest int32) {
	if s.index.V.Tier[x] > s.index.V.Tiers[i] {
		return g.Whole[i].At(x), g.Rest[i].At(x)
	}
	slots := s.index.Domains.At(x)
	whole = slots / g.size
	return g.bounded(s.index.V.Tier[x], whole), slots - whole*g.size
}

// Most bounds the groups below one domain of the gang tier at place i below x, each whole in a domain of the lower tier
// at place t. It is exact where pairs of tiers are kept, else all groups below x. O(1).
func (g *GroupSums) Most(i, t int, x layout.Vertex) int64 {
	if g.most == nil {
		return int64(g.Whole[t].At(x))
	}
	return int64(g.most[i][t].At(x))
}

// sumMost makes the entries of x in most and Tops for the gang tier at place i, which lies below x, and all lower tiers
// of groups.
func (g *GroupSums) sumMost(s *summer, x layout.Vertex, i int) {
	if g.most == nil {
		return
	}
	for t := range i {
		lo, end := s.index.V.Kids(x)
		var most int32
		switch {
		case g.Whole[t].At(x) == 0: // as in an empty domain
		case s.index.V.IsNode(lo): // a node stands for a domain of the gang tier, and for one of the group tier
			most = g.bounded(0, s.index.Most[0].At(x)/g.size)
		case s.index.V.Gaps[i][x] == 1: // each child is a domain of the gang tier, and the first sum the largest one
			most = g.Sums[t].At(lo)
		default:
			for c := lo; c < end; c++ {
				if s.index.V.Tier[c] > s.index.V.Tiers[i] {
					most = max(most, g.most[i][t].At(c))
				} else {
					n, _ := g.of(s, t, c)
					most = max(most, n)
				}
			}
		}
		g.most[i][t].Put(x, most)
		if i > 1 {
			g.sumTops(s, x, i, t)
		}
	}
}

// sumTops makes the entries of x in Tops for a gang tier and a group tier below it. A node stands for a domain of the
// gang tier, and then all entries are the same.
func (g *GroupSums) sumTops(s *summer, x layout.Vertex, i, t int) {
	var tops [TopSize]int32
	if lo, end := s.index.V.Kids(x); g.Whole[t].At(x) == 0 {
		// no child holds any
	} else if lo < end && s.index.V.IsNode(lo) {
		for k := range tops {
			tops[k] = g.most[i][t].At(x)
		}
	} else {
		for c := lo; c < end; c++ {
			g.raise(s, &tops, i, t, c)
		}
	}
	cow.PutAll(&g.Tops[i][t], x*TopSize, tops[:])
}

// raise takes the tops of x into those of the domain above it, the larger entry each time. A domain above the gang tier
// has tops. One of the gang tier has the sums of its children if each group must lie in a child. If groups need not, or
// the children are nodes, one child is credited with all groups of the domain: no count of children is ruled out then.
func (g *GroupSums) raise(s *summer, tops *[TopSize]int32, i, t int, x layout.Vertex) {
	lo, end := s.index.V.Kids(x)
	switch {
	case s.index.V.Tier[x] > s.index.V.Tiers[i]:
		s.list = cow.AppendTo(s.list[:0], &g.Tops[i][t], x*TopSize, (x+1)*TopSize)
	case s.index.V.Tier[x] > s.index.V.Tiers[t] && lo < end && !s.index.V.IsNode(lo):
		s.list = cow.AppendTo(s.list[:0], &g.Sums[t], lo, min(end, lo+TopSize))
	default:
		n, _ := g.of(s, t, x)
		s.list = append(s.list[:0], n)
	}
	most := int32(math.MaxInt32)
	if g.cap.Most > 0 && s.index.V.Tier[x] <= g.cap.Tier {
		most = int32(min(g.cap.Most, math.MaxInt32))
	}
	for k := range tops {
		tops[k] = max(tops[k], min(most, s.list[min(k, len(s.list)-1)]))
	}
}
