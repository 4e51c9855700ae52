package moves

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Gangs that are to gather do so at the least cost, and those of them who are there already stay.
func TestGangsGatherAtTheLeastCost(t *testing.T) {
	best, proven, some, none := 0, 0, 0, 0
	for seed := range 6000 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		f := fabric{pods: 1 + r.IntN(2), units: 2, room: 2 + r.Int64N(3), load: 0.5 + r.Float64()/2, amounts: 1, lost: r.IntN(3) == 0}
		p := f.draw(r)
		p.Wants = nil
		gathering := 0
		for g := range p.Gangs {
			of := &p.Gangs[g]
			tree := newTree(len(p.Free), p.Tiers)
			for of.Tier = tree.tier[tree.over(of.Parts[0].Unit, of.Parts[len(of.Parts)-1].Unit, 0)]; of.Tier > 0 && r.IntN(4) > 0; of.Tier-- {
				of.Gathers, of.Fixed = true, false
			}
			gathering += one(of.Gathers)
		}
		if len(p.Gangs) > 6 || gathering == 0 {
			continue
		}
		want, got := least(p), Solve(p)
		if want == never {
			none++
			require.False(t, got.Found, "seed %d: %v%+v", seed, p, got)
			proven += one(got.Never)
			continue
		}
		some++
		require.False(t, got.Never, "seed %d: %v%+v, want %v", seed, p, got, want)
		require.False(t, want.less(got.Bound), "seed %d: %v%+v, want %v", seed, p, got, want)
		if got.Found {
			require.False(t, got.Cost.less(want), "seed %d: %v%+v, want %v", seed, p, got, want)
			best, proven = best+one(got.Cost == want), proven+one(got.Cost == got.Bound)
		}
	}
	t.Logf("%d with a way, %d the best; %d without; %d proven", some, best, none, proven)
	require.Greater(t, min(some, none), 50)
	require.GreaterOrEqual(t, 100*best, 98*some)
	require.GreaterOrEqual(t, 100*proven, 95*(some+none))
}
