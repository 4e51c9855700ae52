package preempt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where the slots of a node must be asked for each combination of candidates, of which there are many, the questions are
// bounded, and the set makes room.
func TestAsksAreBounded(t *testing.T) {
	for _, ends := range []bool{false, true} {
		const nodes, on = 16, 16
		asks := 0
		p := Problem{
			Units: nodes, Request: []int64{2}, Tiers: [][]int32{make([]int32, nodes), {0}}, First: 1, Last: 0,
			Strategies: []Strategy{{Gang: 1}}, Exact: true,
		}
		for pos := range int32(nodes) {
			p.Tiers[0][pos] = pos
			p.Nodes = append(p.Nodes, Node{Free: []int64{0}})
			for i := range int32(on) {
				p.Candidates = append(p.Candidates, Candidate{Position: pos, Gang: pos*on + i, Holding: int32(len(p.Holdings)), Order: pos*on + i})
				p.Holdings = append(p.Holdings, Holding{Amounts: []int64{1}, Tag: int32(len(p.Holdings))})
				p.Gangs = append(p.Gangs, Gang{Priority: 1, Surplus: 1, Whole: true, Running: 1, Ends: ends})
			}
		}
		gone := func(gone []int32) (units int64) { // in each half of a node by itself
			halves := [2]int64{}
			for _, i := range gone {
				halves[i%on/(on/2)]++
			}
			return halves[0]/2 + halves[1]/2
		}
		p.Slots = func(_ int32, some []int32) int64 {
			asks++
			return gone(some)
		}
		s := Solve(p)
		require.True(t, s.Found)
		require.LessOrEqual(t, asks, 2*asksInStep*defaultSteps)
		made := int64(0)
		for pos := range int32(nodes) {
			var here []int32
			for _, i := range s.Gone {
				if p.Candidates[i].Position == pos {
					here = append(here, i)
				}
			}
			made += gone(here)
		}
		require.GreaterOrEqual(t, made, p.Units)
		t.Logf("gangs end: %v; %d leave, of at least %d; asked %d times, %d steps", ends, len(s.Gone), s.LowerBound.Members, asks, s.Steps)
	}
}
