package preempt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
)

// A set of the last node costs as much by gangs, members and priorities as the best one of the first node, and less by lost work: nobody's start is
// unknown there. That all members of the node are alike by it makes no difference.
func TestBestSetOfAnotherDomain(t *testing.T) {
	p := &Problem{
		Units: 5, Request: []int64{1}, First: 0, Last: -1, Exact: true, Order: gang.Costs(), Lowest: -1, Latest: 3,
		Nodes: []Node{{Free: []int64{2}}, {}, {Free: []int64{1}}}, Tiers: [][]int32{{0, 1, 2}}, Strategies: []Strategy{{}},
		Holdings: []Holding{{Amounts: []int64{1}}},
		Gangs: []Gang{
			{Running: 4, Whole: true, Ends: true},
			{Priority: -1, Running: 1, Surplus: 1, Whole: true},
			{Running: 2, Surplus: 2, Whole: true},
			{Priority: -1, Running: 3, Surplus: 1, Ends: true},
		},
	}
	for i, c := range []Candidate{
		{Gang: 1},
		{Gang: 2},
		{Gang: 0, Started: 1},
		{Position: 1, Gang: 0, Started: 1},
		{Position: 2, Gang: 0, Started: 1},
		{Position: 2, Gang: 0, Started: 1},
		{Position: 2, Gang: 2, Started: 1},
		{Position: 2, Gang: 3, Started: 1},
		{Position: 2, Gang: 3, Started: 1},
	} {
		c.Order = int32(i)
		p.Candidates = append(p.Candidates, c)
	}
	s := Solve(*p)
	require.True(t, s.Proven)
	require.Equal(t, bruteBest(p), bruteKey(p, s.Gone, s.Strategy), "%+v", s)
}
