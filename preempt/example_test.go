package preempt_test

import (
	"fmt"

	"github.com/muster-sched/muster/preempt"
)

// Whom to evict? Two units are to be placed within one rack of two nodes. In the first rack two plain members of priority 1 stand in the way; in the
// second one member does, but its gang cannot run without it, and has another member elsewhere.
func ExampleSolve() {
	problem := preempt.Problem{
		Units: 2, Request: []int64{4}, // devices
		Tiers:      [][]int32{{0, 1, 2, 3}, {0, 2}, {0}}, // nodes, racks, the root
		First:      0,
		Last:       -1, // nobody of the gang runs
		Strategies: []preempt.Strategy{{Gang: 1}},
		Nodes:      []preempt.Node{{Free: []int64{0}}, {Free: []int64{0}}, {Free: []int64{0}}, {Free: []int64{4}}},
		Holdings:   []preempt.Holding{{Amounts: []int64{4}}},
		Gangs: []preempt.Gang{
			{Priority: 1, Surplus: 1, Running: 1, Whole: true},
			{Priority: 1, Surplus: 1, Running: 1, Whole: true},
			{Priority: 1, Running: 2, Whole: true, Ends: true},
		},
		Candidates: []preempt.Candidate{
			{Position: 0, Gang: 0, Order: 0}, {Position: 0, Gang: 2, Order: 2}, {Position: 1, Gang: 1, Order: 1}, {Position: 2, Gang: 2, Order: 3},
		},
		Lowest: 1,
		Exact:  true,
	}
	problem.Fits = func([]int32, int) (int64, bool) { return 0, true } // asked only where the numbers do not decide
	s := preempt.Solve(problem)
	fmt.Println(s.Gone, s.Cost.GangsEnded, "gangs ended,", s.Cost.Members, "members, proven:", s.Proven)
	// Output:
	// [0 2] 0 gangs ended, 2 members, proven: true
}
