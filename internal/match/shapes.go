package match

import "github.com/muster-sched/muster/gang"

// Shapes numbers shapes, from 0 in the order in which they come: equal ones have one number. The zero value knows none.
type Shapes struct {
	all   []*gang.Shape
	known map[*gang.Shape]int
	by    map[uint64][]int // numbers of the shapes that have one
}

// Number is that of a shape, which must not change afterwards, and whether it is new. O(what the shape lists), the first time.
func (x *Shapes) Number(s *gang.Shape) (n int, isNew bool) {
	if n, ok := x.known[s]; ok {
		return n, false
	}
	if x.known == nil {
		x.known, x.by = map[*gang.Shape]int{}, map[uint64][]int{}
	}
	sum := digest(s)
	for _, n := range x.by[sum] {
		if x.all[n].Equal(s) {
			x.known[s] = n
			return n, false
		}
	}
	n = len(x.all)
	x.all, x.known[s], x.by[sum] = append(x.all, s), n, append(x.by[sum], n)
	return n, true
}
