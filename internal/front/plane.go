package front

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/features"
)

// Most gangs of several shapes have two. The front of a place is a line then: for each number of one dimension the most of
// the other beside it. Lines need not be summed pair by pair where their steps down only grow: of two such lines, which
// are concave, the smaller steps come first in the sum, as in the Minkowski sum of convex polygons. Where one member takes
// the room of two others, only the line along the larger ones is concave.

// inPlane says whether fronts are lines that a table would have room for.
func (s *Space) inPlane() bool {
	return len(s.most) == 2 && len(s.Domains) == 0 && int64(max(s.most[0], s.most[1])) < s.limit && features.SumInPlane.Takes(s.Features)
}

// line is the front of a place by number of one dimension: the most of the other, falling.
type line []int32

// holdsInPlane is Holds in two dimensions, where the vectors that a space makes are sorted, either way: of those with
// enough of the first dimension it asks the one with most of the second.
func (f Front) holdsInPlane(want Vector) bool {
	last := len(f) - 1
	if f[0][0] < f[last][0] {
		i := sort.Search(len(f), func(i int) bool { return f[i][0] >= want[0] })
		return i <= last && f[i][1] >= want[1]
	}
	i := sort.Search(len(f), func(i int) bool { return f[i][0] < want[0] }) - 1
	return i >= 0 && f[i][1] >= want[1]
}

// plane sums fronts of two dimensions.
type plane struct {
	a, b, sum line // scratch
}

// read makes lines of two fronts along a dimension, and says whether both are concave. O(len + largest number).
func (p *plane) read(a, b Front, along int) (concave bool) {
	p.a.read(a, along)
	p.b.read(b, along)
	return p.a.isConcave() && p.b.isConcave()
}

func (l *line) read(f Front, along int) {
	*l = (*l)[:0]
	for range f.Most(along) + 1 {
		*l = append(*l, -1)
	}
	for _, p := range f {
		(*l)[p[along]] = max((*l)[p[along]], p[1-along])
	}
	l.fall()
}

// fall lets what fits beside more fit beside less.
func (l line) fall() {
	for i := len(l) - 2; i >= 0; i-- {
		l[i] = max(l[i], l[i+1])
	}
}

// isConcave says whether no step down is smaller than the one before.
func (l line) isConcave() bool {
	for i := 2; i < len(l); i++ {
		if l[i-1]-l[i] < l[i-2]-l[i-1] {
			return false
		}
	}
	return true
}

// sumInPlane is the sum of two fronts in two dimensions, along the one that is not the main one, or along that where
// lines are concave; false if steps were spent. O(numbers of a dimension) for concave fronts, O(len(a) * len(b)) for
// others.
//
// Same answer as order: roles.3, faster.
func (s *Space) sumInPlane(a, b Front) (Front, bool) {
	along := 1 - s.Main // where numbers are small
	concave := s.plane.read(a, b, along)
	if !concave {
		if concave = s.plane.read(a, b, s.Main); concave {
			along = s.Main
		} else {
			s.plane.read(a, b, along)
		}
	}
	cost := int64(len(s.plane.a) + len(s.plane.b))
	if !concave {
		cost += int64(len(a)) * int64(len(b)) / 4
	}
	if !s.Spend(cost) {
		return nil, false
	}
	side := min(int(s.most[along]), len(s.plane.a)+len(s.plane.b)-2)
	s.plane.sum = s.plane.sum[:0]
	if concave {
		s.plane.addSteps(side)
	} else {
		s.plane.addPairs(a, b, int32(side), along)
	}
	out := s.listed(s.plane.sum, along)
	if along == s.Main {
		slices.Reverse(out)
	}
	return out, true
}

// addSteps sums concave lines: of both the smaller step down comes first.
func (p *plane) addSteps(side int) {
	i, j := 0, 0
	for {
		p.sum = append(p.sum, p.a[i]+p.b[j])
		switch {
		case len(p.sum) > side:
			return
		case j+1 == len(p.b), i+1 < len(p.a) && p.a[i]-p.a[i+1] <= p.b[j]-p.b[j+1]:
			i++
		default:
			j++
		}
	}
}

// addPairs adds every vector of one front to every vector of the other.
func (p *plane) addPairs(a, b Front, side int32, along int) {
	for range side + 1 {
		p.sum = append(p.sum, -1)
	}
	for _, v := range a {
		for _, w := range b {
			at := min(side, v[along]+w[along])
			p.sum[at] = max(p.sum[at], v[1-along]+w[1-along])
		}
	}
	p.sum.fall()
}

// listed is the front of a line: the vectors that one more along it would change. The line is capped for that.
func (s *Space) listed(l line, along int) Front {
	n, most := 1, s.most[1-along]
	for i := range l {
		if l[i] = min(l[i], most); i > 0 && l[i-1] > l[i] {
			n++
		}
	}
	out, numbers := Carve(&s.spare, n)[:0], Carve(&s.spareNumbers, 2*n)
	for i, m := range l {
		if i+1 == len(l) || m > l[i+1] {
			v := numbers[:2:2]
			v[along], v[1-along] = int32(i), m
			out, numbers = append(out, v), numbers[2:]
		}
	}
	return out
}
