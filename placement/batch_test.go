package placement_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// named is a job of another name, and of members named after it.
func named(name string, members int) *gang.Request {
	req := job(members)
	req.Name = name
	for i := range req.Members {
		req.Members[i].Name = fmt.Sprint(name, "-", i)
	}
	return req
}

// told is one line a gang: its place in the queue, and its nodes and whom it waits for, or its error.
func told(planned []placement.Planned) []string {
	var lines []string
	for _, p := range planned {
		line := fmt.Sprint(p.Index)
		if p.Err != nil {
			lines = append(lines, line+" "+p.Err.Error())
			continue
		}
		for _, a := range p.Result.Assignments {
			line += " " + a.Node
		}
		for _, w := range p.Result.WaitsFor {
			line += " after " + w.Member
		}
		lines = append(lines, line)
	}
	return lines
}

// leaving makes members of gang `old` on n0, the only node of the board that stays, each holding so many devices.
func leaving(t *testing.T, devices ...int64) cluster.Spec {
	spec := board(t)
	spec.Nodes, spec.Running = spec.Nodes[:1], nil
	spec.Nodes[0].Allocatable = gpus(4)
	for i, n := range devices {
		spec.Running = append(spec.Running, cluster.Running{
			Gang: "old", Member: fmt.Sprint("old-", i), Node: "n0", Resources: gpus(n), Leaving: true,
		})
	}
	return spec
}

// What a queue becomes, gang by gang. On the board nine of ten devices are free, one of them on n0, two on n9 outside.
func TestBatch(t *testing.T) {
	wrong, nameless, again := named("wrong", 1), named("", 1), named("a", 1)
	wrong.Gather, again.Members[0].Name = must("room"), "late"
	a := named("a", 2)
	for name, tc := range map[string]struct {
		spec  cluster.Spec
		queue []*gang.Request
		want  []string
	}{
		"an empty queue": {spec: board(t)},
		"each on what the ones before left": {board(t), []*gang.Request{named("a", 4), named("b", 3), named("c", 2)}, []string{
			"0 n2 n2 n3 n3", "1 n0 n1 n1", "2 n9 n9",
		}},
		"who is refused or invalid stands in its place and stops nobody": {
			board(t), []*gang.Request{named("a", 10), wrong, nil, nameless, named("b", 2)}, []string{
				"0 unschedulable: insufficient slots, 9 of 10 (proven)",
				`1 request.Gather[0].Layer "room": unknown layer: not one of block, rack, node`,
				"2 request: missing",
				"3 running member  -0: a running member needs a gang and a name",
				"4 n1 n1",
			},
		},
		"one gang twice: what the first request placed runs for the second": {
			board(t), []*gang.Request{a, named("b", 1), again, a}, []string{
				"0 n1 n1", "1 n0", "2 n2",
				"3 request.Members[0].Name \"a-0\": the member runs already",
			},
		},
		"those who wait for one member share what it gives back": {
			leaving(t, 4), []*gang.Request{named("a", 1), named("b", 3), named("c", 1)}, []string{
				"0 n0 after old-0", "1 n0 n0 n0 after old-0", "2 unschedulable: insufficient slots, 0 of 1 (proven)",
			},
		},
		"what is left of a node goes to the first who left": {
			leaving(t, 2, 2), []*gang.Request{named("a", 3), named("b", 1)}, []string{"0 n0 n0 n0 after old-0 after old-1", "1 n0 after old-0"},
		},
		"what is free beside the leaving is taken first": {
			leaving(t, 2), []*gang.Request{named("a", 3), named("b", 1), named("c", 1)}, []string{
				"0 n0 n0 n0 after old-0", "1 n0 after old-0", "2 unschedulable: insufficient slots, 0 of 1 (proven)",
			},
		},
		"a new member of the name of one that leaves": {
			leaving(t, 2), []*gang.Request{named("old", 1), named("b", 3)}, []string{"0 n0 after old-0", "1 n0 n0 n0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, tc.spec)
			before := stateOf(c)
			next, planned := placement.Batch(c, tc.queue)
			require.Equal(t, tc.want, told(planned))
			require.Equal(t, before, stateOf(c))
			for i, p := range planned {
				require.Same(t, tc.queue[p.Index], p.Request)
				require.Equal(t, p.Err == nil, p.Result != nil)
				if p.Err != nil && !strings.Contains(p.Err.Error(), "unschedulable") {
					requireInvalid(t, p.Err)
				}
				after := append(planned, placement.Planned{Cluster: next})[i+1].Cluster
				require.Equal(t, p.Err != nil, p.Cluster == after, "only a plan changes the snapshot")
			}
		})
	}
}

// Without a cluster nothing can be planned, and that is said of every gang.
func TestBatchWithoutCluster(t *testing.T) {
	next, planned := placement.Batch(nil, []*gang.Request{job(1), nil})
	require.Nil(t, next)
	require.Len(t, planned, 2)
	for _, p := range planned {
		requireInvalid(t, p.Err)
	}
}

// What a leaving member keeps in the snapshot is what the plan leaves of it; resources that the node does not bound
// stay. When it has left, all that the plans do not use is free.
func TestBatchKeepsWhatIsLeftOfLeavingMembers(t *testing.T) {
	spec := leaving(t, 3)
	spec.Running[0].Resources[muster.Pods] = 1
	next, planned := placement.Batch(newCluster(t, spec), []*gang.Request{named("a", 2)})
	require.Equal(t, []string{"0 n0 n0 after old-0"}, told(planned))
	var old cluster.Running
	for m := range next.Running() {
		if m.Leaving {
			old = m
		}
	}
	want := spec.Running[0]
	want.Resources = muster.Resources{"gpu": 2, muster.Pods: 1}
	require.Equal(t, want, old)
	next, err := next.Release("old")
	require.NoError(t, err)
	free, _ := next.Free("n0")
	require.Equal(t, gpus(2), free)
}

// A leaving member keeps nothing of what its node has too little of anyway.
func TestBatchOnAnOverCommittedNode(t *testing.T) {
	spec := leaving(t, 4)
	spec.Nodes[0].Allocatable[muster.CPU] = 1000
	spec.Running[0].Resources[muster.CPU] = 500
	spec.Running = append(spec.Running, cluster.Running{Gang: "x", Member: "x-0", Node: "n0", Resources: muster.Resources{muster.CPU: 2000}})
	next, planned := placement.Batch(newCluster(t, spec), []*gang.Request{named("a", 1), named("b", 3)})
	require.Equal(t, []string{"0 n0 after old-0", "1 n0 n0 n0 after old-0"}, told(planned))
	free, _ := next.Free("n0")
	require.Equal(t, muster.Resources{"gpu": 0, muster.CPU: -1000}, free)
}

// drawQueue draws a cluster and gangs for it, most of them of other names, some with a member that runs or leaves.
// Multiples are left to the tests of Plan.
func drawQueue(t *rapid.T) (cluster.Spec, []*gang.Request) {
	spec, req := drawInput(t)
	for i := range req.Gather {
		req.Gather[i].Multiple = 0
	}
	req.Gather = slices.DeleteFunc(req.Gather, func(r gang.Rule) bool { return r.Strength == "" })
	var queue []*gang.Request
	for i := range rapid.IntRange(1, 6).Draw(t, "gangs") {
		next := *rapid.SampledFrom(further(req)).Draw(t, "request")
		switch what := rapid.IntRange(0, 7).Draw(t, "name"); {
		case what == 7 && len(spec.Running) > 0:
			r := rapid.SampledFrom(spec.Running).Draw(t, "namesake")
			next = gang.Request{Name: r.Gang, Shape: req.Shape, Members: []gang.Member{{Name: r.Member}, {Name: "a"}}}
		case what > 1:
			next.Name = fmt.Sprint("ns/queued-", i)
		}
		queue = append(queue, &next)
	}
	return spec, queue
}

// A queue is planned as by Plan on each snapshot, and a host for which everybody who leaves is gone in time can apply
// all plans in their order.
func TestBatchCanBeApplied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, queue := drawQueue(t)
		c := newCluster(t, spec)
		before := stateOf(c)
		next, planned := placement.Batch(c, queue)
		require.Len(t, planned, len(queue))
		host := c
		for i, p := range planned {
			require.Equal(t, i, p.Index)
			require.Equal(t, plan(p.Cluster, p.Request), answerOf(p.Result, p.Err))
			if p.Err != nil {
				continue
			}
			var err error
			host, err = withoutLeaving(t, host, p.Result).Apply(p.Result)
			require.NoError(t, err)
		}
		require.Equal(t, before, stateOf(c))
		require.Equal(t, stateOf(withoutLeaving(t, host, nil)), stateOf(withoutLeaving(t, next, nil)))
	})
}

// withoutLeaving takes the members away that a plan waits for; without a plan all that leave.
func withoutLeaving(t require.TestingT, c *placement.Cluster, res *placement.Result) *placement.Cluster {
	var d cluster.Delta
	for m := range c.Running() {
		away := res == nil || slices.ContainsFunc(res.WaitsFor, func(w placement.Waited) bool { return w.MemberRef == refOf(m) })
		if m.Leaving && away {
			d.Remove = append(d.Remove, refOf(m))
		}
	}
	next, err := c.Update(d)
	require.NoError(t, err)
	return next
}

// Gangs of one shape count the nodes once: the index goes along from snapshot to snapshot, past plans that wait too, and
// later plans look only at what has changed.
func TestBatchKeepsTheIndex(t *testing.T) {
	const nodes, gangs = 200, 100
	spec := cluster.Spec{}
	for i := range nodes {
		name := fmt.Sprint("n", i)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(4)})
		spec.Running = append(spec.Running, cluster.Running{Gang: "old", Member: name, Node: name, Resources: gpus(2), Leaving: true})
	}
	asked, waits := 0, 0
	queue := make([]*gang.Request, gangs)
	for i := range queue {
		queue[i] = named(fmt.Sprint("job-", i), 1)
		if i%2 > 0 {
			queue[i].Shape.Resources = gpus(3) // must wait
			continue
		}
		queue[i].Class, queue[i].Eligible = "any", func(string) bool { asked++; return true }
	}
	_, planned := placement.Batch(newCluster(t, spec), queue)
	for _, p := range planned {
		require.NoError(t, p.Err)
		waits += len(p.Result.WaitsFor)
	}
	require.Equal(t, gangs/2, waits)
	require.LessOrEqual(t, asked, nodes+2*gangs, "every node at first, then what plans have changed since")
}

// One snapshot serves many queues at once.
func TestBatchesAreConcurrent(t *testing.T) {
	c := newCluster(t, board(t))
	queue := []*gang.Request{named("a", 4), named("b", 6), named("c", 3)}
	_, planned := placement.Batch(c, queue)
	want := told(planned)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, planned := placement.Batch(c, queue)
			assert.Equal(t, want, told(planned))
		})
	}
	all.Wait()
}
