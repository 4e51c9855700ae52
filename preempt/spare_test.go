package preempt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// bruteStrategy is the best strategy that the gang fits under with a set gone; -1: none.
func bruteStrategy(p *Problem, gone []int32) int {
	for st := range p.Strategies {
		if fitsBrute(p, gone, st) {
			return st
		}
	}
	return -1
}

// bruteSpared finds a member of a set, or all members of a gang in it, without which it would be legal, and cost no more; nil if there is none.
func bruteSpared(p *Problem, set []int32) []int32 {
	key := bruteKey(p, set, bruteStrategy(p, set))
	for _, i := range set {
		for _, whole := range []bool{false, true} {
			less := slices.DeleteFunc(slices.Clone(set), func(o int32) bool {
				return o == i || whole && p.Candidates[o].Gang == p.Candidates[i].Gang
			})
			if len(less) == 0 || !bruteLegal(p, less) {
				continue
			}
			if st := bruteStrategy(p, less); st >= 0 && slices.Compare(bruteKey(p, less, st), key) <= 0 {
				return less
			}
		}
	}
	return nil
}

// However early a search ends, nobody leaves who need not: whichever domain holds the gang then.
func TestNobodyCanBeSpared(t *testing.T) {
	for _, exact := range []bool{true, false} {
		t.Run(fmt.Sprint("exact ", exact), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawProblem(t, true)
				if p.Exact = exact; bruteStrategy(p, nil) >= 0 {
					t.Skip("it fits without")
				}
				p.Steps = rapid.IntRange(1, 4).Draw(t, "steps")
				if got := Solve(*p); got.Found {
					require.Nil(t, bruteSpared(p, got.Gone), "%+v\n%+v", *p, got)
				}
			})
		})
	}
}

// Fits may end early, and say no of what fits. Nobody leaves who need not where it is asked again with other steps, and nothing is proven.
func TestNobodyCanBeSparedInDoubt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		if p.Exact = false; bruteStrategy(p, nil) >= 0 {
			t.Skip("it fits without")
		}
		left, doubt := rapid.IntRange(0, 12).Draw(t, "answers"), false
		p.FitsAtLast = p.Fits
		p.Fits = func(gone []int32, strategy int) (int64, bool) {
			left--
			fits := fitsBrute(p, gone, strategy)
			doubt = doubt || fits && left < 0
			return 0, fits && left >= 0
		}
		p.Doubt = func() bool { return doubt }
		want, got := bruteBest(p), Solve(*p)
		require.Equal(t, !doubt, got.Proven)
		if !got.Found {
			require.True(t, want == nil || doubt)
			return
		}
		require.Nil(t, bruteSpared(p, got.Gone), "%+v\n%+v", *p, got)
		bound := got.Cost
		if doubt { // of what is not known for sure, nothing bounds the cost
			l := newLayout(p)
			bound = Cost{HighestPriority: l.lowest}
		}
		require.Equal(t, bound, got.LowerBound)
	})
}

// A gang that leaves whole makes room on two nodes. So the member that makes the second room on the first of them can be spared, though the
// search looked for room there.
func TestSparesWhereTheGangGoesElsewhere(t *testing.T) {
	p := one(0, 1, 1, 1, 1, 1)
	p.Request, p.Units, p.Nodes = []int64{1}, 2, []Node{{Free: []int64{0}}, {Free: []int64{0}}}
	p.Tiers, p.Budgets = [][]int32{{0, 1}}, []int{0}
	p.Holdings = []Holding{{Amounts: []int64{1}}, {Amounts: []int64{1}, Budgets: []int32{0}}}
	p.Gangs = []Gang{{Running: 3, Surplus: 1, Ends: true}, {Running: 3, Whole: true, Ends: true}}
	for i, c := range []Candidate{{Gang: 1}, {Holding: 1}, {Position: 1, Holding: 1}, {Position: 1, Gang: 1, Holding: 1}, {Position: 1, Gang: 1, Holding: 1}} {
		c.Order = int32(i)
		p.Candidates[i] = c
	}
	p.Steps = 1
	s := Solve(*p)
	require.False(t, s.Proven)
	require.Equal(t, []int32{0, 3, 4}, s.Gone)
}

// Of a gang that leaves whole any neighbours may stay that can run on. They are tried one after the other, and nodes are counted for the two in which a
// try differs from the one before.
func TestSparingCountsWhatDiffers(t *testing.T) {
	const members, asked = 400, 4 * 400
	p := one(0)
	p.Units, p.Nodes, p.Tiers, p.Strategies = members, nil, [][]int32{nil, {0}}, []Strategy{{Gang: 1}}
	p.Holdings, p.Gangs = []Holding{{Amounts: []int64{8}}}, []Gang{{Running: members, Surplus: members / 2, Whole: true, Ends: true}}
	var all []int32
	for i := range int32(members) {
		p.Nodes, p.Tiers[0], all = append(p.Nodes, Node{Free: []int64{0}}), append(p.Tiers[0], i), append(all, i)
		p.Candidates = append(p.Candidates, Candidate{Position: i, Order: i})
	}
	asks := 0
	p.Slots = func(_ int32, gone []int32) int64 {
		asks++
		return int64(len(gone))
	}
	s, ok := newSolver(p, nil)
	require.True(t, ok)
	d := driver{solver: s}
	search := s.search(0, nil)
	require.Equal(t, all, search.spareIn(all, domain{end: members}))
	require.LessOrEqual(t, asks, asked)
	require.Equal(t, all, d.spareAtAll(all))
	require.LessOrEqual(t, asks, 2*asked)
}

// by lists candidates of one amount each on a line of nodes, a letter for each: its gang, large where it counts in a budget that lets nobody go.
func by(free []int64, gangs []Gang, on ...string) *Problem {
	p := &Problem{
		Request: []int64{1}, First: 0, Last: -1, Exact: true, Order: gang.Costs(), Lowest: -1, Budgets: []int{0}, Gangs: gangs,
		Holdings: []Holding{{Amounts: []int64{1}}, {Amounts: []int64{1}, Budgets: []int32{0}}},
		Tiers:    [][]int32{nil, {0}}, Strategies: []Strategy{{Gang: 0}, {Gang: 1}},
	}
	for pos, letters := range on {
		p.Nodes, p.Tiers[0] = append(p.Nodes, Node{Free: free[pos : pos+1]}), append(p.Tiers[0], int32(pos))
		for _, c := range letters {
			of := c | 0x20 - 'a'
			p.Candidates = append(p.Candidates, Candidate{Position: int32(pos), Gang: of, Holding: 1 - c>>5&1, Order: int32(len(p.Candidates))})
			p.Gangs[of].Running++
		}
	}
	for g := range p.Gangs {
		if of := &p.Gangs[g]; !of.Ends {
			of.Surplus, of.Whole = of.Running, true
		}
	}
	return p
}

// After the first step a set is known that has the gang on one node, by three who leave there. One of them can stay: the last node has a place free.
func TestNobodyLeavesForTheStrategyAlone(t *testing.T) {
	p := by([]int64{0, -1, 1}, []Gang{{}, {Priority: -1, Whole: true, Ends: true}}, "b", "aaa", "B")
	p.Units, p.Steps = 2, 1
	p.Order = []gang.Cost{
		gang.CostBudgets, gang.CostBelowMin, gang.CostMembers, gang.CostStrategy, gang.CostHighestPriority, gang.CostPrioritySum, gang.CostGangsEnded,
		gang.CostLostWork,
	}
	s := Solve(*p)
	require.False(t, s.Proven)
	require.Equal(t, []int32{2, 3}, s.Gone)
	require.Equal(t, 1, s.Strategy)
	require.Nil(t, bruteSpared(p, s.Gone))
}
