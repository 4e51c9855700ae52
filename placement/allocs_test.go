//go:build !race && !invariants

// The race detector drops what plans reuse, and the invariants allocate.

package placement_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// The number of allocations of a plan is that of its result and of the choices made, not of the nodes looked at.
func TestAllocationsDoNotGrowWithNodes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection drops what plans reuse
	small, large := fleet(t, 1024), fleet(t, 16384)
	scored := job(64)
	scored.Policy, scored.Score = gang.ByScore, func(node string) int64 { return int64(len(node)) }
	grouped, tight, spread := job(64), job(64), job(64)
	grouped.PP, spread.Policy = 8, gang.Spread
	tight.Gather = must("rack")
	for name, req := range map[string]*gang.Request{
		"plain": job(64), "groups": grouped, "refused": job(200_000), "rack": tight, "spread": spread, "score": scored,
	} {
		t.Run(name, func(t *testing.T) {
			allocs := func(c *placement.Cluster) float64 {
				return testing.AllocsPerRun(5, func() { _, _ = placement.Plan(c, req) })
			}
			before, after := allocs(small), allocs(large)
			t.Logf("%v at 1,024 nodes, %v at 16,384", before, after)
			if name == "score" {
				t.Skip("the program over scores allocates for every candidate domain that is otherwise equal")
			}
			require.LessOrEqual(t, after, before+1)
		})
	}
}

// A million members in one request cost what their assignments cost: a name, a node, a rank, and what an index of names
// takes where they come in no order.
func TestAMillionMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("a second each")
	}
	var spec cluster.Spec
	for i := range 1024 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: gpus(1024)})
	}
	const n = 1_000_000
	inOrder, grouped, mixed, shaped := job(n), job(n), job(n), job(n)
	grouped.Groups = []gang.Groups{{Size: 1000}, {Size: 100}, {Size: 10}}
	for i := range n {
		mixed.Members[i].Name = fmt.Sprint("job-", i*7919%n)
		shaped.Members[i].Shape = &gang.Shape{Resources: gpus(1)}
	}
	for name, req := range map[string]*gang.Request{"in order": inOrder, "grouped": grouped, "mixed": mixed, "shaped": shaped} {
		c := newCluster(t, spec)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res := mustPlan(t, c, req)
		runtime.ReadMemStats(&after)
		require.Len(t, res.Assignments, n)
		require.True(t, res.Proven)
		bytes := (after.TotalAlloc - before.TotalAlloc) / n
		t.Logf("%s: %d bytes a member", name, bytes)
		require.Less(t, bytes, uint64(500), name)
	}
}

// A member that asks for nothing fits any number of times; that number is in no size of anything.
func TestMembersThatAskForNothing(t *testing.T) {
	c := fleet(t, 1024)
	var before, after runtime.MemStats
	for _, policy := range []gang.Policy{gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore} {
		for _, n := range []int{1, 20} {
			req := job(n)
			req.Shape.Resources, req.Policy = nil, policy
			req.Gather = []gang.Rule{{Layer: "block", Strength: gang.PreferGather}} // down to a node only then
			runtime.ReadMemStats(&before)
			res := mustPlan(t, c, req)
			runtime.ReadMemStats(&after)
			require.Len(t, res.Assignments, n)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), "bytes")
		}
	}
}

// A change allocates for the pages and lists it changes, not for nodes; for a member only where it shares its node.
func TestAllocationsOfChanges(t *testing.T) {
	for _, nodes := range []int{1024, 16384} {
		c := fleet(t, nodes)
		for _, members := range []int{64, 256} {
			res := mustPlan(t, c, job(members))
			next, err := c.Apply(res)
			require.NoError(t, err)
			apply := testing.AllocsPerRun(5, func() { _, _ = c.Apply(res) })
			release := testing.AllocsPerRun(5, func() { _, _ = next.Release(res.Gang) })
			t.Logf("%d members on %d nodes: %v to apply, %v to release", members, nodes, apply, release)
			require.LessOrEqual(t, apply, float64(80+members))
			require.LessOrEqual(t, release, float64(100))
		}
	}
}

// A node costs what is stored once a node, and a member what is stored once a member.
func TestBytesPerNodeAndMember(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const nodes = 16384
	first := fleet(t, nodes)
	var spec cluster.Spec
	spec.Trees = first.Trees()
	for n := range first.Nodes() {
		spec.Nodes = append(spec.Nodes, n)
	}
	for r := range first.Running() {
		spec.Running = append(spec.Running, r)
	}
	before := heap()
	c := newCluster(t, spec)
	bytes := heap() - before
	runtime.KeepAlive(first)
	runtime.KeepAlive(spec)
	runtime.KeepAlive(c)
	t.Logf("%d B a node with %d members", bytes/nodes, len(spec.Running))
	require.Less(t, bytes, int64(nodes*110+len(spec.Running)*64), "bytes")
}
