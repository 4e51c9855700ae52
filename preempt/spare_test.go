package preempt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
