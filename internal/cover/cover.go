// Package cover answers: which gangs and members leave, at the least cost, so that places hold so many units? Members
// of a gang leave one by one up to its surplus, or all together. Costs are plain integers.
//
// A member has a price besides its cost. Places take members at their prices until there is room; gangs let members go
// who bring in more than they cost. What both come to is a bound for any prices (Lagrangian decomposition). Prices move
// towards what places want and gangs do not let go; branch and bound closes what is left. Prices are integers, so that
// every bound is exact. What gangs let go must suffice besides, by a share of a unit for each member: a knapsack, which
// settles most problems at once where members make units by themselves.
//
// Sources: M. Guignard and S. Kim, "Lagrangean decomposition", 1987; steps of prices by B. T. Polyak, 1969.
package cover

import (
	"container/heap"
	"math"
	"slices"
)

// Problem is what is lacking, and who may leave for it. Its slices are read only.
type Problem struct {
	// Units that must have room, at least 1.
	Units int64
	// Members who may leave.
	Members []Member
	// Gangs of the members.
	Gangs []Gang
	// Places where members run and units go.
	Places []Place
	// Below is what a set must cost less than to be of use. No cost may be above it, nor its product with the number of
	// members and gangs be 2^58.
	Below int64
	// Steps bounds the search; one compares some 8,192 numbers.
	Steps int
	// Stop says whether the search must end now; nil: it need not.
	Stop func() bool
}

// Member may leave, by itself or with its gang.
type Member struct {
	Gang int32
	Cost int64
}

// Gang is what members have in common.
type Gang struct {
	// Surplus is how many members may leave while the gang runs on.
	Surplus int
	// Whole says that all may leave together.
	Whole bool
	// End is what that costs beside the members.
	End int64
}

// Place is where units go. Kinds are its members, those together that give back the same.
type Place struct {
	Kinds [][]int32
	// Sizes are what a member of each kind gives back, in any measure, above 0. They only guide.
	Sizes []int64
	// Options are how many of each kind make so many units; one without members is the room there is. Those that no
	// smaller one matches suffice.
	Options []Option
}

// Option makes units on a place.
type Option struct {
	Units int64
	Count []int32 // by kind
}

// Solution is the best set that was found, and what is known of others.
type Solution struct {
	// Gone are the members that leave, ascending; nil if none below Problem.Below was found.
	Gone []int32
	// Cost of them.
	Cost int64
	// Bound is a cost that no set is below; it is never above Problem.Below.
	Bound int64
	// Steps that were taken.
	Steps int
}

const (
	impossible = math.MaxInt64 / 8
	// finest is how much finer than costs prices are at most.
	finest = 1 << 12
	// stepWork is how many numbers are compared in a step.
	stepWork = 1 << 13
)

// The states of gangs and members on a branch.
const (
	open int8 = iota
	leaves
	stays
)

// branch is what is decided, and the best prices so far.
type branch struct {
	gangs, members []int8
	price          []int64
	bound          int64 // scaled
	next           int32 // the gang to settle, or the member as -1 - its id
	settled        bool
}

// frontier are the branches that are pending, the one with the lowest bound first: a [heap.Interface].
type frontier []*branch

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].bound < f[j].bound }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(*branch)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	b := (*f)[last]
	*f = (*f)[:last]
	return b
}

// Solve finds the cheapest set below Problem.Below as far as the steps suffice: it is the best one, or there is none, if
// Bound is its cost, or Below. To value all prices once takes
// O(options + members log members), O(units * units of a place) more for each place if some unit costs less than the one
// before it, and O(units * members) for the knapsack if prices alone do not suffice. Memory is O(members) a branch. The problem must be consistent: it is not checked.
func Solve(p *Problem) Solution {
	s := newSearch(p)
	root := &branch{gangs: make([]int8, len(p.Gangs)), members: make([]int8, len(p.Members)), price: make([]int64, len(p.Members))}
	var pending frontier
	if s.value(root, 1) && !s.closed(root.bound) { // without prices gangs choose what shares tell them to
		root.price = s.firstPrices()
		s.add(&pending, root, 300)
	}
	s.swap(root)
	for len(pending) > 0 {
		b := heap.Pop(&pending).(*branch)
		if s.closed(b.bound) {
			pending = nil
			break
		}
		if s.spent() {
			return s.solution(s.up(b.bound))
		}
		for _, as := range []int8{leaves, stays} {
			if child := b.settle(as); child != nil {
				s.add(&pending, child, 30)
			}
		}
	}
	return s.solution(s.best)
}

// spent says whether the search must end.
func (s *search) spent() bool {
	return s.steps >= s.problem.Steps || s.problem.Stop != nil && s.problem.Stop()
}

// up is a bound in costs: those are integers.
func (s *search) up(scaled int64) int64 { return (scaled + s.scale - 1) / s.scale }

// closed says whether no set of such a bound is of use.
func (s *search) closed(bound int64) bool { return s.up(bound) >= s.best }

// add values a branch, and makes it pending unless it holds nothing of use.
func (s *search) add(pending *frontier, b *branch, rounds int) {
	if s.value(b, rounds) && !s.closed(b.bound) && !b.settled {
		heap.Push(pending, b)
	}
}

// settle is a branch that decides what is next.
func (b *branch) settle(as int8) *branch {
	child := &branch{
		gangs: slices.Clone(b.gangs), members: slices.Clone(b.members), price: slices.Clone(b.price), bound: b.bound,
	}
	if b.next >= 0 {
		child.gangs[b.next] = as
	} else {
		child.members[-1-b.next] = as
	}
	return child
}

func (s *search) solution(bound int64) Solution {
	return Solution{Gone: s.gone, Cost: s.best, Bound: min(bound, s.best), Steps: s.steps}
}
