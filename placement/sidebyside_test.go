package placement_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// onCores is a batch with so many cores.
func onCores(cores int, c *placement.Cluster, queue []*gang.Request) (*placement.Cluster, []placement.Planned) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	return placement.Batch(c, queue)
}

// oneByOne is the queue as batches of one gang each: what a queue without quotas and gangs that start together means.
func oneByOne(c *placement.Cluster, queue []*gang.Request) (*placement.Cluster, []placement.Planned) {
	var all []placement.Planned
	for i, req := range queue {
		next, planned := onCores(1, c, []*gang.Request{req})
		planned[0].Index = i
		all, c = append(all, planned...), next
	}
	return c, all
}

// requireSameBatch compares two batches: each answer, the snapshot that it was found on, and the last snapshot.
func requireSameBatch(t require.TestingT, wantAt *placement.Cluster, want []placement.Planned, at *placement.Cluster, got []placement.Planned) {
	require.Len(t, got, len(want))
	var before *placement.Cluster // each snapshot is compared once
	for i, w := range want {
		g := got[i]
		require.Equal(t, w.Index, g.Index)
		require.Same(t, w.Request, g.Request)
		require.Equal(t, w.Pass, g.Pass)
		require.Equal(t, answerOf(w.Result, w.Err), answerOf(g.Result, g.Err), "gang %d", i)
		if before != w.Cluster {
			require.Equal(t, stateOf(w.Cluster), stateOf(g.Cluster), "gang %d", i)
		}
		before = w.Cluster
	}
	require.Equal(t, stateOf(wantAt), stateOf(at))
}

// drawCrowd draws a cluster and a long queue for it, of which only a part fits: gangs of few sizes, most of them by
// themselves; here and there one of a name that was there before or runs, of another priority, with functions of a host,
// or drawn to another one; some in zones, some beside members that leave.
func drawCrowd(t *rapid.T) (cluster.Spec, []*gang.Request) {
	spec := deepSpec(t, rapid.IntRange(1, 4).Draw(t, "layers"), 8*rapid.IntRange(1, 6).Draw(t, "nodes"))
	leaving := rapid.IntRange(0, 3).Draw(t, "leaving") == 3
	for i := range spec.Running {
		spec.Running[i].Leaving = leaving && i%7 == 0
		spec.Running[i].Priority = int64(rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "running priority"))
	}
	if rapid.IntRange(0, 4).Draw(t, "zoned") == 4 {
		for i := range spec.Nodes {
			spec.Nodes[i].NUMA = &cluster.NUMA{Zones: []numa.Zone{{ID: 0, Allocatable: gpus(4)}, {ID: 1, Allocatable: gpus(4)}}}
		}
	}
	odd := rapid.IntRange(0, 1).Draw(t, "odd")
	kinds := []string{"", "", "", "", "", "", "again", "runs", "urgent", "asks", "drawn", "groups", "nothing", "together"}
	var queue []*gang.Request
	for i := range rapid.IntRange(1, 80).Draw(t, "gangs") {
		req := named(fmt.Sprint("gang-", i), rapid.SampledFrom([]int{1, 2, 3, 8, 30}).Draw(t, "members"))
		req.Shape.Resources = gpus(rapid.SampledFrom([]int64{1, 1, 2, 5}).Draw(t, "devices"))
		switch rapid.SampledFrom(kinds[:max(1, odd*len(kinds))]).Draw(t, "kind") {
		case "again":
			req.Name = fmt.Sprint("gang-", rapid.IntRange(0, i).Draw(t, "which"))
		case "runs":
			req.Name = rapid.SampledFrom(spec.Running).Draw(t, "namesake").Gang
		case "urgent":
			req.Priority = 2
		case "asks":
			req.Class, req.Eligible = "even", func(node string) bool { return node[len(node)-1]%2 == 0 }
		case "drawn":
			req.AffinityKey = "key"
		case "groups":
			req.PP = 2
		case "nothing":
			req = nil
		case "together":
			req.Together = fmt.Sprint("pair-", i/2)
		}
		queue = append(queue, req)
	}
	return spec, queue
}

// However many cores plan a queue, the answers, the snapshots that they were found on and the last snapshot are those of
// one gang after the other.
func TestCoresChangeNoAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, queue := drawCrowd(t)
		c := newCluster(t, spec)
		wantAt, want := onCores(1, c, queue)
		if !slices.ContainsFunc(queue, func(r *gang.Request) bool { return r != nil && r.Together != "" }) {
			at, one := oneByOne(c, queue)
			requireSameBatch(t, at, one, wantAt, want)
		}
		for _, cores := range []int{2, 3, 8} {
			at, got := onCores(cores, c, queue)
			requireSameBatch(t, wantAt, want, at, got)
		}
	})
}

// The same with quotas and gangs that start together, of small queues.
func TestCoresChangeNoPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SampledFrom([]func(*rapid.T) (cluster.Spec, []*gang.Request){drawQueue, drawTogether}).Draw(t, "queue")
		spec, queue := draw(t)
		c := newCluster(t, spec)
		wantAt, want := onCores(1, c, queue)
		for _, cores := range []int{2, 8} {
			at, got := onCores(cores, c, queue)
			requireSameBatch(t, wantAt, want, at, got)
		}
	})
}

// Functions of a host are called one at a time, by the goroutine that plans the queue.
func TestHostsAreAskedByOneGoroutine(t *testing.T) {
	spec := deepSpec(t, 2, 32)
	c := newCluster(t, spec)
	var queue []*gang.Request
	asked := 0 // not locked: the race detector sees who else asks
	for i := range 100 {
		req := named(fmt.Sprint("gang-", i), 300) // too large
		if i%3 == 0 {
			req.Eligible = func(string) bool { asked++; return true }
		}
		queue = append(queue, req)
	}
	_, planned := onCores(8, c, queue)
	for _, p := range planned {
		require.ErrorIs(t, p.Err, placement.ErrUnschedulable)
	}
	require.Positive(t, asked)
}

// When a batch returns, its goroutines have ended.
func TestBatchLeavesNoGoroutine(t *testing.T) {
	spec := deepSpec(t, 3, 64)
	c := newCluster(t, spec)
	var queue []*gang.Request
	for i := range 300 {
		queue = append(queue, named(fmt.Sprint("gang-", i), 1+i%7))
	}
	before := runtime.NumGoroutine()
	for range 20 {
		_, planned := onCores(8, c, queue)
		require.Len(t, planned, len(queue))
		for range 10_000 { // what has called Done may not be gone yet, on a busy machine for long
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		require.LessOrEqual(t, runtime.NumGoroutine(), before)
	}
}
