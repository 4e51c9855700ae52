package streams

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

func generated() Generated {
	return Generated{Seed: 7, Jobs: 20000, Members: 128, Shape: gang.Shape{Resources: muster.Resources{"gpu": 8}}, Runs: 3600, Load: 850, Slots: 1024, Longer: 3, Checkpoint: 60}
}

// The gangs ask for the load, run as long as they are to in the mean, and half of them have less than the root of the largest size.
func TestMeans(t *testing.T) {
	g := generated()
	var work, runs, last, said int64
	small := 0
	for j, err := range g.Stream() {
		require.NoError(t, err)
		require.GreaterOrEqual(t, j.Arrives, last)
		require.LessOrEqual(t, j.Runs, j.Expected)
		require.LessOrEqual(t, j.Expected, 3*j.Runs)
		n := len(j.Request.Members)
		require.LessOrEqual(t, n, 128)
		if n <= 11 { // 11.3 is the root of 128
			small++
		}
		runs, work, last, said = runs+j.Runs, work+j.Runs*int64(n), j.Arrives, said+j.Expected
	}
	require.InDelta(t, 3600, runs/20000, 100)
	require.InDelta(t, 2*3600, said/20000, 200)
	require.InDelta(t, 850, work*1000/(1024*last), 40)
	require.InDelta(t, 0.5, float64(small)/20000, 0.02)
}

// Equal seeds give equal gangs, on every machine; other seeds give others.
func TestEqualSeeds(t *testing.T) {
	first := func(seed uint64) (out []string) {
		g := generated()
		g.Seed, g.Jobs, g.Prefix = seed, 4, "job"
		for j, err := range g.Stream() {
			require.NoError(t, err)
			m := j.Request.Members[len(j.Request.Members)-1]
			out = append(out, fmt.Sprint(j.Request.Name, " ", m.Name, " at ", j.Arrives, " for ", j.Runs, " says ", j.Expected, " of class ", j.Class))
		}
		return out
	}
	require.NotEqual(t, first(7), first(8))
	require.Equal(t, []string{
		"job-0 job-0-5 at 28 for 416 says 515 of class 6", "job-1 job-1-2 at 209 for 55 says 147 of class 3",
		"job-2 job-2-74 at 332 for 1929 says 5336 of class 75", "job-3 job-3-3 at 564 for 154 says 318 of class 4",
	}, first(7))
}

// The mean of numbers drawn by comparisons is the one that was asked for, and their share above it is 1/e.
func TestExponential(t *testing.T) {
	r := rand.NewPCG(1, 2)
	sum, above := uint64(0), 0
	for range 100000 {
		n := exponential(r, 1000)
		if sum += n; n > 1000 {
			above++
		}
	}
	require.InDelta(t, 1000, sum/100000, 15)
	require.InDelta(t, 0.368, float64(above)/100000, 0.006)
}

// What cannot be drawn is named.
func TestGeneratedDefects(t *testing.T) {
	for want, change := range map[string]func(*Generated){
		`generated.Jobs "0": not positive`:  func(g *Generated) { g.Jobs = 0 },
		`generated.Load "-1": not positive`: func(g *Generated) { g.Load = -1 },
		`generated "runs 3600, members 2000000, load 850, slots 1024, longer 3": out of bounds`: func(g *Generated) { g.Members = 2000000 },
		`generated.Load "1": so few gangs come that the last one is too late`:                   func(g *Generated) { g.Load, g.Slots, g.Runs, g.Members, g.Jobs = 1, 1, 1<<30, 1<<16, 1<<30 },
	} {
		g := generated()
		change(&g)
		for j, err := range g.Stream() {
			require.EqualError(t, err, want)
			require.Equal(t, simulate.Job{}, j)
		}
	}
}
