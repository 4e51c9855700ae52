// Which pending members are placed, and how long may a search for them take?

package problem

import (
	"cmp"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/steps"
)

// Selection says which of the pending members are placed, by index in the pending members of the whole gang. With the
// running members it fulfils all minima.
type Selection []bool

// FirstOnes is the selection of the first n new members, or of all if there are fewer.
func (p *Problem) FirstOnes(n int) Selection {
	in := make(Selection, len(p.Model.Pending))
	for i := range min(n, len(in)) {
		in[i] = true
	}
	return in
}

// Size is the number of its members.
func (in Selection) Size() (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// CompareRanks puts first the selection that has the lower rank where two first differ.
func (in Selection) CompareRanks(other Selection) int {
	for i := range in {
		if in[i] != other[i] {
			if in[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// PlacedIn is the number of members of a part, those of inner parts included, that run or are selected; places are those of
// [Problem.Places]. O(its members).
func (in Selection) PlacedIn(a *Part, places []int32) (n int) {
	a.Each(func(b *Part) {
		for _, rank := range b.Ranks {
			if i := places[rank]; i < 0 || in[i] {
				n++
			}
		}
	})
	return n
}

// Key is different for different selections of a gang: a bit for each member, eight to a byte, the first one lowest.
func (in Selection) Key() string {
	key := make([]byte, (len(in)+7)/8)
	for i, is := range in {
		if is {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// The steps of a request that does not say, and the most that are used, see [gang.Request].Steps.
const (
	defaultSteps = 1 << 16
	mostSteps    = 1 << 24
)

// Steps is the work that a search for a gang in parts may take. Other bounds are fractions or multiples of it.
func (p *Problem) Steps() int {
	n := cmp.Or(min(p.Request.Steps, mostSteps), defaultSteps)
	if p.Bounds.Steps > 0 {
		return min(n, p.Bounds.Steps)
	}
	return n
}

// NewBudget is the budget of a whole plan.
func (p *Problem) NewBudget() *front.Budget {
	n := int64(p.Steps())
	stop := p.Bounds.Stop
	return &front.Budget{Fronts: steps.New(128*n, stop), Sets: steps.New(4*n, stop), Packing: steps.New(front.LooksInStep*n, stop)}
}

// SelectionPlans bounds the selections for which a search asks whether they fit.
func (p *Problem) SelectionPlans() int { return max(1, p.Steps()/256) }

// SelectionSteps bounds the selections that a search enumerates, whether it tries them or not. Each is as long as the gang.
func (p *Problem) SelectionSteps() int {
	return max(1, min(p.Steps()/64, 8*p.Steps()/max(1, len(p.Model.Pending))))
}
