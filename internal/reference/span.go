package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// looksDown holds if the span is compared below the children too.
func (s *solver) looksDown() bool {
	return s.in.Request.Policy != gang.Spread && s.in.Request.Policy != gang.Balanced
}

// spanWith counts, for each tier below v, the highest vertices of at most that tier that are in use, given what lies in its children.
func spanWith(tiers []int, v *vertex, children []*placed) []int {
	var out []int
	for i, tier := range tiers {
		if tier >= v.tier {
			break
		}
		n := 0
		for _, c := range children {
			switch {
			case c.members == 0 && c.v.own == 0:
			case c.v.tier <= tier:
				n++
			default:
				n += c.span[i]
			}
		}
		out = append(out, n)
	}
	return out
}

// seen is what the order looks at of a span, from the children downwards.
func (s *solver) seen(span []int) []int {
	var out []int
	for i := len(span) - 1; i >= 0; i-- {
		if i == len(span)-1 || s.looksDown() && s.tiers[i] >= lowestWish(s) {
			out = append(out, span[i])
		}
	}
	return out
}

// lowestWish is the lowest tier that a PreferGather of the gang or of a level of groups names, 0 if there is none. One above the MustGather counts as
// that.
func lowestWish(s *solver) int {
	lowest := -1
	look := func(r rules) {
		for _, t := range r.prefer {
			if t = min(t, r.must); lowest < 0 || t < lowest {
				lowest = t
			}
		}
	}
	look(s.gang)
	for _, l := range s.levels {
		look(l.rules)
	}
	return max(0, lowest)
}

// insideChild is what the order sees below the children of v of what child c takes.
func insideChild(p *search, v, c *vertex, st state) []int {
	return p.solver.seen(spanWith(p.solver.tiers, v, []*placed{p.place(c, st)}))[1:]
}

// countOthers adds what is in use below the children that are not in the set.
func countOthers(p *search, s *set, v *vertex, portions []portion, mask uint) {
	for i, c := range portions {
		if p.solver.looksDown() && mask>>i&1 == 0 {
			s.below = sum(insideChild(p, v, c.child.v, state{short: c.child.state.short}), s.below)
		}
	}
}

// sum adds two spans; nil is one of zeros.
func sum(a, b []int) []int {
	out := slices.Clone(a)
	for i := range b {
		out[i] += b[i]
	}
	return out
}

// fillNarrow gives out the units such that the fewest vertices below the children of the set are in use. Of the ways to do so it takes that in which
// the short group lies in the last child, in fill order, and then that in which the first child takes most, then the second, and so on.
func (p *search) fillNarrow(s *set, h hand, numbers []uint64) bool {
	var best *set
	last := 0
	if h.short {
		last = len(s.portions) - 1
	}
	for i := last; i >= 0; i-- {
		try := &set{portions: s.portions, counts: make([]int, len(numbers)), short: -1}
		allowed := slices.Clone(numbers)
		if h.short {
			try.short, allowed[i] = i, s.portions[i].short
		}
		n := narrowing{p: p, s: try, h: h, numbers: allowed, known: map[[2]int]*split{}}
		if found := n.best(0, h.n); found != nil && (best == nil || slices.Compare(found.below, best.below) < 0) {
			try.below = found.below
			for j := 0; found != nil && j < len(numbers); found, j = found.rest, j+1 {
				try.counts[j] = found.n
			}
			best = try
		}
	}
	if best != nil {
		s.counts, s.short, s.below = best.counts, best.short, best.below
	}
	return best != nil
}

// narrowing is the search for the numbers of one set with its short group in one child.
type narrowing struct {
	p       *search
	s       *set
	h       hand
	numbers []uint64
	known   map[[2]int]*split
}

// split is how many units one child of a set takes, and how the children behind it share the others.
type split struct {
	n     int
	below []int
	rest  *split
}

// best shares units among the children from i on; nil if they do not take so many.
func (n *narrowing) best(i, units int) *split {
	if i == len(n.numbers) {
		if units == 0 {
			return &split{}
		}
		return nil
	}
	if done, ok := n.known[[2]int{i, units}]; ok {
		return done
	}
	var out *split
	for k := units; k >= 0; k-- {
		if n.numbers[i]>>k&1 == 0 {
			continue
		}
		rest := n.best(i+1, units-k)
		if rest == nil {
			continue
		}
		if below := sum(n.below(i, k), rest.below); out == nil || slices.Compare(below, out.below) < 0 {
			out = &split{k, below, rest}
		}
	}
	n.known[[2]int{i, units}] = out
	return out
}

// below is what is in use below child i of the set with so many units.
func (n *narrowing) below(i, units int) []int {
	c := n.s.portions[i].child
	n.s.counts[i] = units
	st := n.p.stateOf(n.s, i, n.h)
	st.short = st.short || c.state.short
	return insideChild(n.p, n.h.at, c.v, st)
}
