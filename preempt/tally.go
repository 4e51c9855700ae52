// Costs as one number: those that count most first, then more of them among the sets that are best so far.

package preempt

import (
	"maps"
	"math/bits"
	"slices"
)

const (
	// firstBits is how many bits the costs may have that are settled at once.
	firstBits = 1
	// tallyBits is how many bits a number may have.
	tallyBits = 44
)

// tally adds up costs of a covering with factors. The first ones are such that numbers compare as the costs do. From
// then on no set is better by what is settled than the best one, and a cost that counts less is added with the factor 1,
// the others with so much more that none is worth what the best set has of it.
type tally struct {
	covering *covering
	order    []summand
	each     map[summand]int64 // where all members have the same amount, and the best set as well: it follows from their number
	factor   []int64           // of the first of the order
	first    int               // how many were settled at once
}

// newTally is the tally of a covering beside the best set so far, which may be one of another domain.
func newTally(c *covering, best *answer) *tally {
	t := &tally{covering: c, each: map[summand]int64{}}
	l, w := &c.model.layout, c.model.weightOf(best.set)
	count := l.fields[memberCount].get(&w)
	counted := false
	for _, cost := range l.order {
		for _, x := range summandsOf(cost) {
			if l.fields[x].width == 0 {
				continue
			}
			if each, same := c.perMember(x); counted && same && l.fields[x].get(&w) == uint64(each)*count {
				t.each[x] = each
				continue
			}
			counted = counted || x == memberCount
			t.order = append(t.order, x)
		}
	}
	return t
}

// complete says whether all costs are settled.
func (t *tally) complete() bool { return len(t.factor) == len(t.order) }

// advance takes in the next costs; false if there are none, or too large ones.
func (t *tally) advance(s *search) bool {
	if t.complete() {
		return false
	}
	if len(t.factor) == 0 {
		return t.begin()
	}
	x := t.order[len(t.factor)]
	w := s.model.weightOf(s.best.set)
	rest := s.model.layout.fields[x].get(&w)
	high, low := bits.Mul64(uint64(t.of(&w)), rest+1)
	if high > 0 || low>>tallyBits > 0 || rest>>tallyBits > 0 {
		return false
	}
	for i := range t.factor {
		t.factor[i] *= int64(rest + 1)
	}
	t.factor = append(t.factor, 1)
	return true
}

// begin takes in the first costs, as many as have few bits together, and one at least.
func (t *tally) begin() bool {
	width := 0
	for _, x := range t.order {
		total := t.covering.total(x)
		if width += bits.Len64(total); width > firstBits && t.first > 0 || width > tallyBits {
			break
		}
		for i := range t.factor {
			t.factor[i] <<= bits.Len64(total)
		}
		t.factor, t.first = append(t.factor, 1), t.first+1
	}
	return t.first > 0
}

// of is the number of a weight.
func (t *tally) of(w *weight) (n int64) {
	for i, f := range t.factor {
		n += f * int64(t.covering.model.layout.fields[t.order[i]].get(w))
	}
	return n
}

// write puts costs into the problem of the covering. What costs as much as the best set is not told apart.
func (t *tally) write(s *search) {
	c := t.covering
	p := &c.problem
	p.Below = 1 << tallyBits
	if s.best.ok {
		w := s.model.weightOf(s.best.set)
		p.Below = t.of(&w)
	}
	sum := int64(0)
	for m, i := range c.ids {
		w := c.model.alone(i)
		p.Members[m].Cost = t.capped(&w, p.Below)
		sum += p.Members[m].Cost
	}
	for g := range c.gangs {
		p.Gangs[g].End = t.capped(&c.ends[g], p.Below)
		sum += p.Gangs[g].End
	}
	p.Below = min(p.Below, sum+1)
}

// capped is the number of a weight, or one that is too large.
func (t *tally) capped(w *weight, most int64) int64 {
	n := int64(0)
	for i, f := range t.factor {
		high, low := bits.Mul64(uint64(f), t.covering.model.layout.fields[t.order[i]].get(w))
		if high > 0 || low >= uint64(most) {
			return most
		}
		if n += int64(low); n >= most {
			return most
		}
	}
	return n
}

// bound is the key that no set is below whose number is not below one. Once more than the first costs are in, all sets
// are at least what the best one is by those before the last.
func (t *tally) bound(s *search, number int64) []int64 {
	l := &t.covering.model.layout
	best := s.model.weightOf(s.best.set)
	var w weight
	rest := number
	last, all := len(t.factor)-1, t.of(&best)
	for i, x := range t.order[:len(t.factor)] {
		amount := l.fields[x].get(&best)
		switch {
		case number >= all: // as the best
		case t.first == len(t.factor):
			amount = uint64(rest / t.factor[i])
			rest %= t.factor[i]
		case i == last:
			amount = uint64(max(0, number-(all-int64(amount))))
		}
		l.put(&w, x, amount)
	}
	for _, x := range slices.Sorted(maps.Keys(t.each)) {
		l.put(&w, x, uint64(t.each[x])*l.fields[memberCount].get(&w))
	}
	return s.model.key(w, nil, s.state.ceiling)
}
