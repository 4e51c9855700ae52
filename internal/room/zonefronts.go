// Which nodes have zones that take the same?

package room

import (
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
)

// zoneFronts numbers what zones take, equal fronts alike. Nodes in an equal state share their fit, so that long fronts are
// read once for each.
type zoneFronts struct {
	numbers intern.Vectors
	known   map[*ZoneFit]int
	list    []int64 // scratch
}

// of is the number of a front that comes from a fit alone. O(1) expected for a known fit.
func (z *zoneFronts) of(fit *ZoneFit, f front.Front) int {
	number, ok := z.known[fit]
	if !ok {
		if z.known == nil {
			z.known = map[*ZoneFit]int{}
		}
		number = z.numberOf(f)
		z.known[fit] = number
	}
	return number
}

// numberOf is the number of any front. O(its numbers).
func (z *zoneFronts) numberOf(f front.Front) int {
	z.list = z.list[:0]
	for _, p := range f {
		for _, n := range p {
			z.list = append(z.list, int64(n))
		}
	}
	return z.numbers.Of(z.list)
}
