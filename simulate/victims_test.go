package simulate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// urgent is a job of a high priority.
func urgent(name string, members int, arrives, runs int64) simulate.Job {
	j := job(name, members, arrives, runs)
	j.Request.Priority = 1
	return j
}

// Gangs evict others only where that is asked for. Who is evicted waits again, with what was done until its last checkpoint.
func TestVictims(t *testing.T) {
	low := job("low", 3, 0, 100)
	low.Checkpoint = 30
	s := &starts{simulate.Muster{}, map[string]int64{}}
	opt := simulate.Options{Cluster: racks(t, 1, 4), Jobs: of(low, urgent("high", 2, 70, 20)), Placer: s}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int64{100, 120}, []int64{s.at["low"], s.at["high"]})
	require.Equal(t, 0, r.EvictedGangs)
	opt.Victims, opt.Jobs = true, of(low, urgent("high", 2, 70, 20))
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int64{90 + 40, 90}, []int64{s.at["low"], s.at["high"]}, "60 of 100 seconds are done")
	require.Equal(t, []int{1, 3, 2, 0}, []int{r.EvictedGangs, r.EvictedMembers, r.Ended, r.Restarts})
	require.Equal(t, []int64{3 * 10, 3*(70+40) + 2*20, 130}, []int64{r.Lost, r.Used, r.To})
	gentle := urgent("high", 2, 70, 20)
	gentle.Request.NeverPreempts = true
	opt.Jobs = of(low, gentle)
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, 0, r.EvictedGangs)
}

// A gang that may do with fewer members goes on with those that are left, for as long as it runs. What ran at first leaves for good.
func TestVictimsOfGangsThatGoOn(t *testing.T) {
	low := job("low", 3, 0, 100)
	low.Request.MinMember = 1
	opt := simulate.Options{Cluster: racks(t, 1, 4), Jobs: of(low, urgent("high", 2, 10, 20)), Victims: true}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 2}, []int{r.EvictedGangs, r.EvictedMembers, r.Ended})
	require.Equal(t, []int64{0, 3*10 + 2*90 + 2*20, 100}, []int64{r.Lost, r.Used, r.To})
	first := []cluster.Running{{Gang: "first", Member: "m", Node: "node-0", Resources: gpu, End: 50}, {Gang: "other", Member: "m", Node: "node-1", Resources: gpu}}
	opt = simulate.Options{Cluster: racks(t, 1, 2, first...), Jobs: of(urgent("high", 2, 10, 20)), Victims: true}
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 1, 0}, []int{r.EvictedGangs, r.EvictedMembers, r.Ended, r.Waiting})
	require.Equal(t, int64(30), r.To)
}

// Where gangs may move for the first one that waits nobody is evicted for it.
func TestMovesBeforeVictims(t *testing.T) {
	a, b := job("a", 1, 0, 100), job("b", 1, 0, 100)
	a.Request.Gather[0].Strength, b.Request.Gather[0].Strength = gang.PreferGather, gang.PreferGather
	opt := simulate.Options{Cluster: racks(t, 2, 2), Jobs: of(a, job("aa", 1, 0, 10), b, urgent("wide", 2, 10, 5)), Placer: careless{}, Moves: &simulate.Moves{}, Victims: true}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 4}, []int{r.MovedGangs, r.EvictedGangs, r.Ended})
	opt.Moves, opt.Jobs = nil, of(a, job("aa", 1, 0, 10), b, urgent("wide", 2, 10, 5))
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 4}, []int{r.MovedGangs, r.EvictedGangs, r.Ended})
}
