// How many vertices of each layer are in use, and with which numbers are they fewest?

package spec

import (
	"math/bits"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/model"
)

// looksDown says whether the order looks below the children of a domain.
func (s *solver) looksDown() bool {
	return s.m.Policy != gang.Spread && s.m.Policy != gang.Balanced
}

// addSpan adds what a placement in a child uses to the span of its parent: of each tier from the child's own on the child itself.
func addSpan(span []int, inner *placed) {
	if inner.members == 0 && inner.v.own == 0 {
		return
	}
	for i := range span {
		if i < len(inner.span) {
			span[i] += inner.span[i]
		} else {
			span[i]++
		}
	}
}

// compared is what the order sees of a span of v, the highest layer first: the children, and of those below them the layers at or above the lowest
// PreferGather.
func (s *solver) compared(v *vertex, span []int) (out []int) {
	for i, t := range slices.Backward(s.m.View.TiersBelow(int32(v.tier))) {
		if i == len(span)-1 || s.looksDown() && t >= finest(s.m) {
			out = append(out, span[i])
		}
	}
	return out
}

// finest is the lowest tier that a PreferGather of the gang or of its groups names, 0 without one.
func finest(m *model.Model) int32 {
	finest := m.Gather.Finest
	for _, l := range m.Levels {
		if f := l.Gather.Finest; f > 0 && (finest == 0 || f < finest) {
			finest = f
		}
	}
	return max(0, finest-1)
}

// spanBelow is what the order sees of a placement in child c of v, below the children.
func spanBelow(p *search, v, c *vertex, st state) []int {
	span := make([]int, len(p.solver.m.View.TiersBelow(int32(v.tier))))
	addSpan(span, p.place(c, st))
	return p.solver.compared(v, span)[1:]
}

// addUnused adds to a set what is in use below the other children.
func addUnused(p *search, v *vertex, s *set, portions []portion, mask uint) {
	for i, c := range portions {
		if mask>>i&1 == 0 && p.solver.looksDown() {
			s.below = plus(s.below, spanBelow(p, v, c.child.v, state{short: c.child.state.short}))
		}
	}
}

func plus(a, b []int) []int {
	out := slices.Clone(b)
	for i := range a {
		out[i] += a[i]
	}
	return out
}

// narrow gives the children of a set, in fill order, the largest numbers with which the fewest vertices below them are in use; the short group goes
// to the last of them with which that is so. False if the set does not suffice.
func (p *search) narrow(s *set, h hand, numbers []uint64) bool {
	if !h.short {
		s.counts, s.below = p.narrowWith(s, h, numbers)
		return s.counts != nil
	}
	best, with := -1, []int(nil)
	for i := len(s.portions) - 1; i >= 0; i-- {
		beside := slices.Clone(numbers)
		beside[i] = s.portions[i].short
		s.short = i
		if counts, below := p.narrowWith(s, h, beside); counts != nil && (best < 0 || slices.Compare(below, s.below) < 0) {
			best, with, s.below = i, counts, below
		}
	}
	s.short, s.counts = best, with
	return best >= 0
}

// narrowWith is narrow with the numbers that each child may take, for a child that has the short group.
func (p *search) narrowWith(s *set, h hand, numbers []uint64) (counts, below []int) {
	type part struct {
		child, left int
	}
	type choice struct {
		number int
		below  []int
	}
	memo := map[part]*choice{}
	var best func(i, left int) *choice
	best = func(i, left int) *choice {
		if i == len(numbers) {
			if left == 0 {
				return &choice{}
			}
			return nil
		}
		if done, ok := memo[part{i, left}]; ok {
			return done
		}
		var out *choice
		for set := numbers[i] & (2<<left - 1); set != 0; set &^= 1 << highest(set) {
			n := bits.Len64(set) - 1
			rest := best(i+1, left-n)
			if rest == nil {
				continue
			}
			s.counts[i] = n
			st := p.stateOf(s, i, h)
			st.short = st.short || s.portions[i].child.state.short
			if sum := plus(rest.below, spanBelow(p, h.at, s.portions[i].child.v, st)); out == nil || slices.Compare(sum, out.below) < 0 {
				out = &choice{n, sum}
			}
		}
		memo[part{i, left}] = out
		return out
	}
	s.counts = make([]int, len(numbers))
	c := best(0, h.n)
	if c == nil {
		return nil, nil
	}
	below = c.below
	for i, left := 0, h.n; i < len(numbers); i++ {
		n := best(i, left).number
		counts, left = append(counts, n), left-n
	}
	return counts, below
}
