package streams

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// withLone are the gangs of a stream of which so many in 100 are lone pods of 1 to 4 of 8 devices.
func withLone(t *testing.T, percent int) (jobs []simulate.Job) {
	t.Helper()
	g := generated()
	g.Lone = Lone{percent, "gpu", 4}
	g.Gather = func(members int) []gang.Rule {
		return []gang.Rule{{Layer: map[bool]string{true: "alone", false: "rack"}[members == 1], Strength: gang.MustGather}}
	}
	for j, err := range g.Stream() {
		require.NoError(t, err)
		jobs = append(jobs, j)
	}
	return jobs
}

// So many are lone pods, each amount as often; all together ask for the load.
func TestLonePods(t *testing.T) {
	for _, percent := range []int{0, 30, 100} {
		amounts, lone, devices, last := map[int64]int{}, 0, int64(0), int64(0)
		for _, j := range withLone(t, percent) {
			takes := j.Request.Shape.Resources["gpu"]
			if takes < 8 {
				amounts[takes]++
				lone++
				require.Len(t, j.Request.Members, 1)
				require.Equal(t, "alone", j.Request.Gather[0].Layer)
				require.Equal(t, "lone "+string(rune('0'+takes)), j.Class)
			}
			devices, last = devices+takes*int64(len(j.Request.Members))*j.Runs, j.Arrives
		}
		require.InDelta(t, percent*200, lone, 200)
		for amount := int64(1); amount <= 4; amount++ {
			require.InDelta(t, lone/4, amounts[amount], 150, amount)
		}
		require.Len(t, amounts, map[bool]int{true: 4}[percent > 0])
		require.InDelta(t, 850, devices*1000/(8*1024*last), 40, percent)
	}
}

// The gangs that are not lone are those of the stream without, and who is lone stays so where more are; only when they come differs.
func TestLonePodsChangeNothingElse(t *testing.T) {
	none, some, more := withLone(t, 0), withLone(t, 30), withLone(t, 60)
	for i := range none {
		none[i].Arrives, some[i].Arrives, more[i].Arrives = 0, 0, 0
		if more[i].Request.Shape.Resources["gpu"] == 8 {
			require.Equal(t, none[i], more[i])
		}
		if some[i].Request.Shape.Resources["gpu"] == 8 {
			require.Equal(t, none[i], some[i])
		} else {
			require.Equal(t, some[i], more[i])
			require.Equal(t, none[i].Runs, some[i].Runs)
		}
	}
}

// What cannot be drawn is named.
func TestLoneDefects(t *testing.T) {
	for want, lone := range map[string]Lone{
		`generated.Lone.Percent "101": not from 0 to 100`:                                          {101, "gpu", 1},
		`generated.Lone.Percent "-1": not from 0 to 100`:                                           {-1, "gpu", 1},
		`generated.Lone.Most "0": not from 1 to the 8 "gpu" that a member asks for, or above 2^40`: {1, "gpu", 0},
		`generated.Lone.Most "9": not from 1 to the 8 "gpu" that a member asks for, or above 2^40`: {1, "gpu", 9},
		`generated.Lone.Most "1": not from 1 to the 0 "cpu" that a member asks for, or above 2^40`: {1, "cpu", 1},
	} {
		g := generated()
		g.Lone = lone
		for j, err := range g.Stream() {
			require.EqualError(t, err, want)
			require.Equal(t, simulate.Job{}, j)
		}
	}
}
