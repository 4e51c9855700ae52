package placement_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// A lineage keeps the shapes that were planned last, by whichever of its snapshots: their nodes are asked once.
func TestKeptShapes(t *testing.T) {
	spec := board(t)
	for _, tc := range []struct {
		kept  int
		again map[string]bool // classes whose nodes are asked again
	}{
		{0, map[string]bool{}},
		{3, map[string]bool{}},
		{2, map[string]bool{"b": true}}, // a was used after it
		{1, map[string]bool{"a": true, "b": true}},
	} {
		spec.KeptShapes = tc.kept
		c := newCluster(t, spec)
		asked := 0
		ask := func(c *placement.Cluster, class string) int {
			asked = 0
			req := job(1)
			req.Class, req.Eligible = class, func(string) bool { asked++; return true }
			mustPlan(t, c, req)
			return asked
		}
		require.Equal(t, len(spec.Nodes), ask(c, "a"))
		require.Equal(t, len(spec.Nodes), ask(c, "b"))
		later, err := c.Update(cluster.Delta{Leaving: []cluster.MemberRef{ref("x", "x-0")}})
		require.NoError(t, err)
		ask(later, "a")
		ask(later, "c")
		for _, class := range []string{"c", "a", "b"} { // each, if it is asked again, drives no other one out
			next, err := later.Update(cluster.Delta{})
			require.NoError(t, err)
			require.Equal(t, tc.again[class], ask(next, class) > 1, "%d kept, class %s", tc.kept, class)
		}
	}
}

// Group sizes that are not kept are counted again, with the same answer.
func TestKeptSizes(t *testing.T) {
	spec := board(t)
	all := newCluster(t, spec)
	spec.KeptSizes = 1
	one := newCluster(t, spec)
	for range 2 {
		for size := 1; size <= 4; size++ {
			req := job(4)
			req.Groups = []gang.Groups{{Size: size}}
			require.Equal(t, plan(all, req), plan(one, req), "groups of %d", size)
		}
	}
}

// Whoever keeps the newest snapshot of a lineage keeps none of the ones before it, however many plans were made on them.
func TestDroppedSnapshotsAreCollected(t *testing.T) {
	const dropped = 20
	var collected atomic.Int32
	c := newCluster(t, board(t))
	for i := range dropped {
		req := job(2)
		req.Name = fmt.Sprint("job-", i)
		next, err := c.Apply(mustPlan(t, c, req))
		require.NoError(t, err)
		plan(next, job(1))
		next, err = next.Release(req.Name)
		require.NoError(t, err)
		runtime.AddCleanup(c, func(int) { collected.Add(1) }, i)
		c = next
	}
	for range 100 {
		runtime.GC()
		if collected.Load() == dropped {
			break
		}
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of their own
	}
	require.EqualValues(t, dropped, collected.Load())
	plan(c, job(1))
}
