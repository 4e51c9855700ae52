// Package moves answers: who moves, and into which domain, at the least cost, so that something more has a place? It counts amounts of one resource in the
// units of a topology, its lowest domains; what else decides where a member may be is its caller's. So the cost that it proves is a lower bound of what moving
// costs, and its answer a proposal.
//
// A gang lies in one domain of a tier and stays in such a one. It moves as a whole into another one, or only those of its members leave a narrower domain who
// are in the way there, to wherever there is room in its own. What goes into a domain needs no unit yet: amounts fit if no domain holds more than it has
// room for, those that lie below it included. So a search of few decisions suffices: a domain that holds too much lets somebody go, a gang that left takes
// a domain. The branch with the lowest bound is looked at first (A*).
package moves

import "cmp"

// Problem is who is where, and what is to have a place. Its slices are read only.
type Problem struct {
	// Free is what newcomers may take of each unit.
	Free []int64
	// Tiers are the domains, narrowest first, each as its first unit, ascending: the units themselves come first, all of them together last.
	Tiers [][]int32
	Gangs []Gang
	Wants []Want
	// Most is how many members may move; 0: any number.
	Most int64
	// Steps bounds the branches that are looked at.
	Steps int
	// Stop says whether the search must end now; nil: it need not.
	Stop func() bool
}

// Gang runs.
type Gang struct {
	// Tier is a place in Tiers: it lies in one of these domains, and will.
	Tier int
	// Gathers says that it lies in none of them yet: those of its members who are in the domain that it takes need not move.
	Gathers bool
	// Parts are its members by unit and amount, in the order of units; each holds some.
	Parts []Part
	// Lost is the work that is lost once any of its members moves.
	Lost int64
	// Fixed gangs do not move.
	Fixed bool
}

// Part are members of a gang in a unit who hold the same.
type Part struct {
	Unit    int32
	Members int64
	Amount  int64 // of a member
}

// Want is something that is to lie in one domain of a tier.
type Want struct {
	Tier int
	// Amount is what it takes there; 0: the whole domain, which gets empty.
	Amount int64
	// Domains lists which of the tier will do, ascending; nil: any.
	Domains []int32
}

// Cost is what moving costs, the most important first.
type Cost struct{ Lost, Members, Gangs int64 }

// Compare is below 0 if a costs less.
func (a Cost) Compare(b Cost) int {
	return cmp.Or(cmp.Compare(a.Lost, b.Lost), cmp.Compare(a.Members, b.Members), cmp.Compare(a.Gangs, b.Gangs))
}

func (a Cost) less(b Cost) bool { return a.Compare(b) < 0 }

func (a Cost) plus(b Cost) Cost {
	if a == never || b == never {
		return never
	}
	return Cost{a.Lost + b.Lost, a.Members + b.Members, a.Gangs + b.Gangs}
}

// never is the cost of what cannot be.
var never = Cost{Lost: 1 << 62}

// Solution is the cheapest way that was found, and what is known of others.
type Solution struct {
	Found bool
	// Wants are the domains of what has a place now, by Want, each a place in its tier.
	Wants []int32
	Moves []Move
	Cost  Cost
	// Bound is a cost that no way is below, at most Cost.
	Bound Cost
	// Never says that there is no way; where nothing was found without it the search ended before.
	Never bool
	Steps int
}

// Move is a gang that moves, or some of its members.
type Move struct {
	Gang int
	// To is the domain of its tier that all of it moves to, but for those who are there already; -1: those in Leave go to other units of the domain that it is in.
	To    int32
	Leave []Leave
}

// Leave are members who leave a unit.
type Leave struct {
	Unit    int32
	Amount  int64 // of a member
	Members int64
}
