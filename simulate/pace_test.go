package simulate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/simulate"
)

// Of two racks with two nodes, one of which is taken until 40, a gang of two that would rather gather lies across both: wider by a tier.
func TestSlowdown(t *testing.T) {
	first := []cluster.Running{{Gang: "x", Member: "m", Node: "node-0", Resources: gpu, End: 40}, {Gang: "y", Member: "m", Node: "node-2", Resources: gpu, End: 40}}
	wide := job("wide", 2, 0, 10)
	wide.Request.Gather[0].Strength = gang.PreferGather
	s := &starts{simulate.Muster{}, map[string]int64{}}
	play := func(slowdown int64, jobs ...simulate.Job) *simulate.Report {
		r, err := simulate.Run(simulate.Options{Cluster: racks(t, 2, 2, first...), Jobs: of(jobs...), Placer: s, Slowdown: slowdown, Discipline: queue.EASY})
		require.NoError(t, err)
		return r
	}
	r := play(0, wide)
	require.Equal(t, []int64{10, 0}, []int64{s.at["wide"], r.Slowed})
	r = play(250, wide)
	require.Equal(t, []int64{13, 2 * 13, 2 * 3, 0}, []int64{s.at["wide"], r.Used, r.Slowed, r.Lost}, "a quarter of ten seconds, rounded up")
	require.Equal(t, 1, r.Wider)
	gathered := job("wide", 2, 0, 10)
	r = play(250, gathered)
	require.Equal(t, []int64{50, 0}, []int64{s.at["wide"], r.Slowed}, "it waits, and lies as tight as it can")
	late := wide
	late.Expected, late.Arrives = 20, 30 // would end at 55, while room is held from 40 on
	r = play(250, job("all", 2, 0, 10), late)
	require.Equal(t, 2, r.Ended)
	_, err := simulate.Run(simulate.Options{Cluster: racks(t, 1, 2), Jobs: of(), Slowdown: 100_001})
	require.EqualError(t, err, `options.Slowdown "100001": not from 0 to 100000`)
}

// A gang that is slower keeps less of its work when its node fails, and runs as fast as it does where it lies once it has moved.
func TestSlowdownOfWhatIsInterrupted(t *testing.T) {
	first := []cluster.Running{{Gang: "x", Member: "m", Node: "node-0", Resources: gpu, End: 200}, {Gang: "y", Member: "m", Node: "node-2", Resources: gpu, End: 200}}
	wide := job("wide", 2, 0, 100)
	wide.Request.Gather[0].Strength = gang.PreferGather
	wide.Checkpoint = 30
	s := &starts{simulate.Muster{}, map[string]int64{}}
	r, err := simulate.Run(simulate.Options{
		Cluster: racks(t, 2, 2, first...), Jobs: of(wide), Placer: s, Slowdown: 1000, Outages: []simulate.Outage{{Node: "node-1", From: 90, Until: 100}},
	})
	require.NoError(t, err)
	require.Equal(t, int64(100+2*70), s.at["wide"], "45 seconds of its work are done in 90, and 30 are safe")
	require.Equal(t, []int64{2 * 15, 2 * (90 + 140), 2 * (45 + 70)}, []int64{r.Lost, r.Used, r.Slowed})
}

// A gang that lay wider than it had to runs at full speed from the move on that brings it together.
func TestMovesEndSlowdown(t *testing.T) {
	first := []cluster.Running{{Gang: "x", Member: "m", Node: "node-0", Resources: gpu, End: 5}, {Gang: "y", Member: "m", Node: "node-2", Resources: gpu, End: 5}}
	wide := job("wide", 2, 0, 100)
	wide.Request.Gather[0].Strength = gang.PreferGather
	r, err := simulate.Run(simulate.Options{
		Cluster: racks(t, 2, 2, first...), Jobs: of(wide, job("full", 2, 10, 3)), Slowdown: 1000, Moves: &simulate.Moves{Pause: 4},
	})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 2}, []int{r.MovedGangs, r.MovedMembers, r.Ended})
	require.Equal(t, []int64{10 + 4 + 100, 2 * (5 + 4), 2 * 5}, []int64{r.To, r.Lost, r.Slowed}, "five seconds of its work were done in ten")
}
