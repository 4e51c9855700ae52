// The question and its answer as plain data: docs/order.md, section 6, without names.

package preempt

import "github.com/muster-sched/muster/gang"

// Problem is a gang that fits nowhere, and who may leave for it. Nodes have positions in the order of paths, so that
// every domain is an interval of positions. The slices stay the caller's, and are read only. [Problem.Validate] says
// what must hold; the zero value is a gang without units, which is not valid.
type Problem struct {
	// Units is how many units of the gang must be placed, at least 1: its members, or what stands for several of them.
	Units int64
	// Request is what one unit asks for, by resource, in the units of the resources.
	Request []int64
	// Groups are the sizes of the nested levels of groups in units, outermost first, each a multiple of the next. A
	// single level need not divide Units: then the last group is short.
	Groups []int64
	// Tiers are the domains of every tier, lowest first: Tiers[t][i] is the first position of the i-th domain, and the
	// next one's is its end. Tier 0 are the nodes.
	Tiers [][]int32
	// First and Last are the outermost positions of running members of the gang; a domain must hold both. Last below
	// First: none run.
	First, Last int32
	// Strategies are what is tried, the best first; the last of them binds by nothing but the hard rules.
	Strategies []Strategy
	// Nodes by position.
	Nodes []Node
	// Candidates in the order of positions.
	Candidates []Candidate
	// Others is how many candidates there are beside those listed, all of whom are known to stay.
	Others int
	// Lowest is the lowest priority of the candidates, and of those who could leave if others did. Sums of priorities
	// count from there.
	Lowest int64
	// Latest is the latest start of the same members, in their unit. Lost work counts up to there.
	Latest int64
	// Gangs of the candidates, in natural order of names.
	Gangs []Gang
	// Holdings are what candidates hold; candidates with equal ones share one.
	Holdings []Holding
	// Budgets is how many candidates may leave each disruption budget; below 1: none.
	Budgets []int
	// Order of the costs: empty for the default one, else all of them, see [gang.Preempt.Ranked].
	Order []gang.Cost
	// Steps bounds the search, see [gang.Preempt.Steps]. 0: the default there.
	Steps int
	// Stop says whether the search must end now as if the steps were spent. It is asked at every step; nil: it need not.
	Stop func() bool

	// Exact says that the numbers above decide whether the gang fits: Fits is not asked, and may be nil.
	Exact bool
	// Slots is how many units fit on a node once some of its candidates are gone; nil: Free and Amounts decide.
	Slots func(position int32, gone []int32) int64
	// Fits says whether the gang fits under a strategy once candidates are gone, and how many units lie outside the
	// tree then. With more candidates gone it fits no worse.
	Fits func(gone []int32, strategy int) (outside int64, ok bool)
	// FitsAtLast is Fits for what need not leave of a set that is not proven; nil: Fits.
	FitsAtLast func(gone []int32, strategy int) (outside int64, ok bool)
	// Doubt says whether Fits has said no of a set, so far, that may make room; nil: it never does. Nothing is proven then.
	Doubt func() bool
	// Legal says whether quotas let all of these leave; nil: quotas do not matter.
	Legal func(gone []int32) bool
	// BelowMin is what a set takes below the min of quotas, one amount for each of Guaranteed. A larger set never takes
	// less. It is needed only where Guaranteed names a resource.
	BelowMin func(gone []int32) []int64
	// Guaranteed names the resources of BelowMin, the one that counts most first.
	Guaranteed []string
}

// atLast is Fits for what need not leave.
func (p *Problem) atLast() func(gone []int32, strategy int) (outside int64, ok bool) {
	if p.FitsAtLast != nil {
		return p.FitsAtLast
	}
	return p.Fits
}

// Strategy bounds the gang, and each level of groups, by the index of a tier in Problem.Tiers.
type Strategy struct {
	// Gang is the tier whose domains may hold the gang.
	Gang int
	// Groups is the tier of each level of groups, outermost first, none above the one before it. Empty: groups are not
	// bound.
	Groups []int
}

// Node is where units may be placed. The zero value takes no unit.
type Node struct {
	// Free by resource, as Problem.Request. It is negative where a node is over-committed. Nil: the node takes no unit.
	Free []int64
	// Outside says that the node lies outside the tree.
	Outside bool
}

// Candidate is a running member that may leave.
type Candidate struct {
	// Position is its node; Gang and Holding are its places in the lists of the problem.
	Position, Gang, Holding int32
	// Order is its place among all candidates in natural order of gang and name.
	Order int32
	// Started as in the cluster; 0: unknown.
	Started int64
}

// Holding is what candidates with equal requests hold, and so what each of them gives back. Candidates on a node that share one differ in
// nothing but their gangs and starts: where Fits tells them apart, they have different ones.
type Holding struct {
	// Amounts by resource, as Problem.Request.
	Amounts []int64
	// Budgets are the disruption budgets that the candidate counts in: indexes of Problem.Budgets, ascending.
	Budgets []int32
	// Tag tells apart what amounts and budgets do not: quotas and zones.
	Tag int32
}

// Gang is a gang with candidates. If it Ends and may leave Whole, all its Running members are candidates.
type Gang struct {
	// Priority of the gang: the lowest of its members.
	Priority int64
	// Surplus is how many of its members may leave while it runs on. A gang that does not end has Surplus for all.
	Surplus int
	// Whole says that all members may leave together.
	Whole bool
	// Running is how many of its members run; they all leave if it leaves whole.
	Running int
	// Ends says that something ends with the gang: it has a minimum. Plain pods have none.
	Ends bool
}

// Solution is a set of candidates, and what is known of the best set there could be. The zero value is no set, and
// nothing proven: the answer to a problem that is not valid.
type Solution struct {
	// Gone are the candidates that leave, ascending. The slice is the caller's.
	Gone []int32
	// Found says that there is a set. If it is false and Proven true, there can be none.
	Found bool
	// Strategy is the one that the gang fits under once they are gone: an index of Problem.Strategies.
	Strategy int
	// Cost of the set.
	Cost Cost
	// LowerBound is a cost that no legal set is below; the Cost itself if Proven.
	LowerBound Cost
	// Proven says that no legal set costs less.
	Proven bool
	// Steps that the search took.
	Steps int
}
