package simulate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
)

// Gangs that never end stay: who finds no place waits for ever, and the end is when the last of the others has ended. Their expected end is unknown.
func TestForever(t *testing.T) {
	var ends []int64
	r, err := simulate.Run(simulate.Options{Cluster: racks(t, 2, 4), Placer: ending{&ends}, Jobs: of(
		job("a", 3, 0, simulate.Forever), job("b", 4, 1, 10), job("c", 2, 2, simulate.Forever), job("d", 1, 3, simulate.Forever), job("e", 5, 4, simulate.Forever),
	)})
	require.NoError(t, err)
	require.Equal(t, []int{5, 1, 1, 0}, []int{r.Arrived, r.NeverFit, r.Ended, r.Waiting})
	require.Equal(t, []int64{11, 6, 11, 40, 40}, []int64{r.Wanted, r.Allocated, r.To, r.Asked, r.Used})
	require.Equal(t, []int64{11}, ends, "that of b")

	r, err = simulate.Run(simulate.Options{Cluster: racks(t, 1, 4), Jobs: of(job("a", 3, 0, simulate.Forever), job("b", 2, 1, simulate.Forever), job("c", 1, 2, simulate.Forever))})
	require.NoError(t, err)
	require.Equal(t, []int64{6, 4, 1}, []int64{r.Wanted, r.Allocated, int64(r.Waiting)})

	_, err = simulate.Run(simulate.Options{Cluster: racks(t, 1, 4), Jobs: of(job("a", 3, 0, simulate.Forever+1))})
	require.EqualError(t, err, `job a: Runs "4611686018427387905": longer than forever`)
}

// Nodes fail under gangs that never end, and gangs move that never end: they go on for ever.
func TestForeverGoesOn(t *testing.T) {
	a := job("a", 3, 0, simulate.Forever)
	a.Checkpoint = 5
	r, err := simulate.Run(simulate.Options{Cluster: racks(t, 2, 4), Jobs: of(a), Outages: []simulate.Outage{{Node: "node-0", From: 23}, {Node: "node-4", From: 30}}})
	require.NoError(t, err)
	require.Equal(t, []int64{3, 3, 0, 0}, []int64{r.Wanted, r.Allocated, int64(r.Ended), int64(r.Waiting)})
}

// ending places as plans do, and notes when gangs are expected to end, but for those of which nothing is known.
type ending struct{ ends *[]int64 }

func (e ending) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	place, err := simulate.Muster{}.Place(c, req)
	if req.End != 0 {
		*e.ends = append(*e.ends, req.End)
	}
	return place, err
}
