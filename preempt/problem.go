package preempt

import "github.com/muster-sched/muster/gang"

// Problem is a gang that fits nowhere, and who may leave for it. Nodes have positions, in the order of paths, so that every domain is an
// interval of positions.
type Problem struct {
	// Units is how many units of the gang must be placed: its members, or what stands for several of them. Request is what one of them
	// asks for, by resource.
	Units   int64
	Request []int64
	// Groups are the sizes of the nested levels of groups in units, outermost first. If a single level does not divide Units, the last group is
	// short.
	Groups []int64
	// Tiers are the domains of every tier, lowest first: Tiers[t][i] is the first position of the i-th, and the next one's is its end.
	// Tier 0 are the nodes.
	Tiers [][]int32
	// First and Last are the outermost positions of members of the gang that run; a domain must hold both. Last below First: none run.
	First, Last int32
	// Strategies are what is tried, the best first; the last of them binds by nothing but the hard rules.
	Strategies []Strategy
	// Nodes by position.
	Nodes []Node
	// Candidates in the order of positions. Others is how many there are beside those listed, who are known not to leave.
	Candidates []Candidate
	Others     int
	// Lowest is the lowest priority and Latest the latest start of the candidates, and of those who might leave as well if others could leave with
	// them: from there sums of priorities and of work count.
	Lowest, Latest int64
	// Gangs of the candidates, in natural order of names.
	Gangs []Gang
	// Holdings of candidates: those of one kind are alike but for their gangs and starts.
	Holdings []Holding
	// Budgets is how many candidates may leave each disruption budget.
	Budgets []int
	// Order of the costs, see [gang.Preempt.Ranked].
	Order []gang.Cost
	// Steps bounds the search, see [gang.Preempt.Steps]. 0: the default there.
	Steps int

	// Exact says that the numbers above decide whether the gang fits, so that Fits need not be asked.
	Exact bool
	// Slots is how many units fit on a node without some of its candidates; nil: Free and Amounts decide.
	Slots func(position int32, gone []int32) int64
	// Fits says whether the gang fits with candidates gone, under a strategy, and how many units lie outside the tree then.
	Fits func(gone []int32, strategy int) (outside int64, ok bool)
	// Legal says whether quotas let so many leave; nil: they do not matter. BelowMin is what that takes below the min of quotas, by
	// resource, what counts most first; nil: nothing. Taking more never takes less.
	Legal    func(gone []int32) bool
	BelowMin func(gone []int32) []int64
	// Guaranteed names the resources of BelowMin.
	Guaranteed []string
}

// Strategy bounds the gang, and each level of groups, by the place of a tier in Problem.Tiers.
type Strategy struct {
	Gang   int
	Groups []int
}

// Node is where units may be placed.
type Node struct {
	// Free by resource, as Problem.Request; it may be negative. Nil: the node takes no unit.
	Free []int64
	// Outside the tree.
	Outside bool
}

// Candidate is a running member that may leave.
type Candidate struct {
	Position, Gang, Holding int32
	// Order is its place among all candidates in natural order of gang and name.
	Order int32
	// Started as in the cluster; 0: unknown.
	Started int64
}

// Holding is what candidates have in common.
type Holding struct {
	// Amounts that one gives back, by resource as Problem.Request.
	Amounts []int64
	// Budgets it counts in, ascending.
	Budgets []int32
	// Tag tells apart what the others do not: quotas and zones.
	Tag int32
}

// Gang is a gang with candidates.
type Gang struct {
	Priority int64
	// Surplus is how many of its members may leave while it runs on; Whole that all may leave together. A gang that stands for nothing
	// as a whole has Surplus for all.
	Surplus int
	Whole   bool
	// Running is how many of its members run; they all leave if it leaves whole.
	Running int
	// Ends is false if nothing ends with its last member: plain pods.
	Ends bool
}

// Solution is a set of candidates, and what is known of the best there could be.
type Solution struct {
	// Gone are the candidates that leave, ascending; empty: there is no set, Proven or not.
	Gone       []int32
	Found      bool
	Strategy   int
	Cost       Cost
	LowerBound Cost
	Proven     bool
	Steps      int
}
