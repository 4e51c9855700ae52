package placement_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

func ref(gang, member string) cluster.MemberRef {
	return cluster.MemberRef{Gang: gang, Member: member}
}

func gpus(n int64) muster.Resources { return muster.Resources{"gpu": n} }

// Of two plans made from one snapshot the second is refused where it collides with the first, or with what changed since.
func TestSecondPlanConflicts(t *testing.T) {
	c := newCluster(t, board(t))
	first, same := mustPlan(t, c, job(2)), mustPlan(t, c, job(2))
	other := job(2)
	other.Name = "other"
	second := mustPlan(t, c, other)
	require.Equal(t, first.Domain, second.Domain)

	applied, err := c.Apply(first)
	require.NoError(t, err)
	node := first.Assignments[0].Node
	_, err = applied.Apply(second)
	require.Equal(t, &cluster.ConflictError{
		Node: node, Gang: "other", Member: "job-0", Resource: "gpu", By: 1, Reason: "over-committed",
	}, err)
	require.EqualError(t, err, "conflict: node "+node+", member other job-0: over-committed (gpu by 1)")

	_, err = applied.Apply(same)
	require.EqualError(t, err, "conflict: node "+node+", member job job-0: the member runs already")

	without, err := c.Update(cluster.Delta{RemoveNodes: []string{node}})
	require.NoError(t, err)
	_, err = without.Apply(first)
	require.EqualError(t, err, "conflict: node "+node+", member job job-0: the node is not in the cluster")

	free, err := applied.Release("job")
	require.NoError(t, err)
	_, err = free.Apply(second)
	require.NoError(t, err)
}

// A plan that waits is refused while any of those that it waits for is there; others of their names do not matter.
func TestApplyWaits(t *testing.T) {
	spec := board(t)
	spec.Nodes, spec.Running = spec.Nodes[:1], nil
	holds := muster.Resources{"gpu": 1, muster.Pods: 1} // the node does not bound pods
	for _, name := range []string{"y-0", "y-1"} {
		spec.Running = append(spec.Running, cluster.Running{Gang: "y", Member: name, Node: "n0", Resources: holds, Leaving: true})
	}
	c := newCluster(t, spec)
	req := job(2)
	req.Shape.Resources = holds
	res := mustPlan(t, c, req)
	require.Len(t, res.WaitsFor, 2)
	require.True(t, res.Waits())
	_, err := c.Apply(res)
	require.EqualError(t, err, "conflict: node n0, member y y-0: the plan waits for this member to be gone")
	c, err = c.Release("y", "y-0")
	require.NoError(t, err)
	_, err = c.Apply(res)
	require.EqualError(t, err, "conflict: node n0, member y y-1: the plan waits for this member to be gone")

	c, err = c.Release("y", "y-1")
	require.NoError(t, err)
	back := cluster.Running{Gang: "y", Member: "y-1", Node: "n1", Resources: gpus(1), Leaving: true}
	c, err = c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n1", Allocatable: gpus(1)}}, Place: []cluster.Running{back}})
	require.NoError(t, err)
	_, err = c.Apply(res)
	require.NoError(t, err, "a member of the same name leaves another node")
}

// Every way in which a change cannot be applied, with the place, the resource and the amount; the snapshot stays as it is.
func TestUpdateRefuses(t *testing.T) {
	place := func(members ...cluster.Running) cluster.Delta { return cluster.Delta{Place: members} }
	on := func(member, node string, r muster.Resources) cluster.Running {
		return cluster.Running{Gang: "g", Member: member, Node: node, Resources: r}
	}
	set := func(nodes ...cluster.Node) cluster.Delta { return cluster.Delta{SetNodes: nodes} }
	for _, tc := range []struct {
		want  string
		delta cluster.Delta
	}{
		{"conflict: member x nobody: the member does not run", cluster.Delta{Remove: []cluster.MemberRef{ref("x", "nobody")}}},
		{"conflict: member y x-0: the member does not run", cluster.Delta{Leaving: []cluster.MemberRef{ref("y", "x-0")}}},
		{"conflict: member x x-0: the member does not run", cluster.Delta{Remove: []cluster.MemberRef{ref("x", "x-0"), ref("x", "x-0")}}},
		{"conflict: member x x-0: the member does not run", cluster.Delta{
			Remove: []cluster.MemberRef{ref("x", "x-0")}, Leaving: []cluster.MemberRef{ref("x", "x-0")},
		}},
		{"conflict: gang y: no member of the gang runs", cluster.Delta{Minima: map[string]int{"y": 2}}},
		{"conflict: node n0, member x x-0: a member runs on the node", cluster.Delta{RemoveNodes: []string{"n0"}}},
		{"conflict: node n7: the node is not in the cluster", cluster.Delta{RemoveNodes: []string{"n7"}}},
		{"conflict: node n1: the node is not in the cluster", cluster.Delta{RemoveNodes: []string{"n1", "n1"}}},
		{"node n1: duplicate name", set(cluster.Node{Name: "n1"}, cluster.Node{Name: "n1"})},
		{"node new: duplicate name", set(cluster.Node{Name: "new"}, cluster.Node{Name: "new"})},
		{"the cluster cannot be changed: cluster.Nodes[5].Name: a node has no name", set(cluster.Node{})},
		{`node n1.Allocatable.gpu "-1": negative amount`, set(cluster.Node{Name: "n1", Allocatable: gpus(-1)})},
		{`the cluster cannot be changed: node new.Allocatable.gpu "-1": negative amount`, set(cluster.Node{Name: "new", Allocatable: gpus(-1)})},
		{"conflict: node n0, member g a: over-committed (gpu by 1)", place(on("a", "n0", gpus(2)))},
		{"conflict: node n1, member g c: over-committed (gpu by 1)", place(on("c", "n1", gpus(1)), on("b", "n1", gpus(1)), on("a", "n1", gpus(1)))},
		{"conflict: node n1, member g a: over-committed (a-1 by 5)", place(on("a", "n1", muster.Resources{"b": 1, "a-10": 1, "a-1": 5, "c": 1}))},
		{"conflict: node n1, member g a: over-committed (gpu by 9223372036854775805)", place(on("a", "n1", gpus(math.MaxInt64)))},
		{"conflict: node n7, member g a: the node is not in the cluster", place(on("a", "n7", nil))},
		{"conflict: node n2, member g a: the member runs already", place(on("a", "n2", nil), on("a", "n2", nil))},
		{"conflict: node n1, member x x-0: the member runs already", place(cluster.Running{Gang: "x", Member: "x-0", Node: "n1"})},
		{`running member g a.Resources.gpu "-1": negative amount`, place(on("a", "n1", gpus(-1)))},
		{"running member g : a running member needs a gang and a name", place(on("", "n1", nil))},
		{"conflict: node n1, member g b: over-committed (gpu by 2)", cluster.Delta{
			SetNodes: []cluster.Node{{Name: "n1"}}, Place: []cluster.Running{on("b", "n1", gpus(2))},
		}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			c := newCluster(t, board(t))
			before := stateOf(c)
			next, err := c.Update(tc.delta)
			require.EqualError(t, err, tc.want)
			require.Nil(t, next)
			require.Equal(t, before, stateOf(c))
		})
	}
	c := newCluster(t, board(t))
	_, err := c.Release("nobody")
	require.EqualError(t, err, "conflict: gang nobody: no member of the gang runs")
	_, err = c.Release("x", "x-1")
	require.EqualError(t, err, "conflict: member x x-1: the member does not run")
}

// Amounts up to the largest are what they are: none stands for something else, and sums that are no amount are refused.
func TestLargestAmounts(t *testing.T) {
	spec := board(t)
	spec.Nodes = []cluster.Node{{Name: "n0", Allocatable: gpus(math.MaxInt64)}}
	spec.Running = nil
	c := newCluster(t, spec)
	req := job(1)
	req.Shape.Resources = gpus(1 << 62)
	next, err := c.Apply(mustPlan(t, c, req))
	require.NoError(t, err)
	free, _ := next.Free("n0")
	require.Equal(t, gpus(math.MaxInt64-1<<62), free)

	next, err = next.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "new"}}})
	require.NoError(t, err)
	require.Contains(t, stateOf(next).Spec.Nodes, spec.Nodes[0], "read back as it was")
	next, err = next.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n0"}}})
	require.NoError(t, err, "less than what runs there is over-committed")
	next, err = next.Update(cluster.Delta{SetNodes: spec.Nodes})
	require.NoError(t, err)
	most := cluster.Running{Gang: "g", Member: "a", Node: "n0", Resources: gpus(math.MaxInt64 - 1<<62)}
	next, err = next.Update(cluster.Delta{Place: []cluster.Running{most}})
	require.NoError(t, err)

	spec = stateOf(next).Spec
	spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: "b", Node: "n0", Resources: gpus(1)})
	_, err = placement.NewCluster(spec)
	require.EqualError(t, err, `running member job job-0.Resources.gpu "4611686018427387904": the sum on node n0 overflows`)
}

// That a node takes no pods is not the same as that it does not bound them, and pods count from when a node bounds them.
func TestPodsAreBoundedWhereNamed(t *testing.T) {
	spec := board(t)
	spec.Nodes = []cluster.Node{
		{Name: "n0", Allocatable: gpus(9)}, {Name: "n1", Allocatable: muster.Resources{"gpu": 9, muster.Pods: 0}},
	}
	spec.Running = nil
	c := newCluster(t, spec)
	require.Equal(t, spec.Nodes, stateOf(c).Spec.Nodes)
	req := job(3)
	req.Shape.Resources[muster.Pods] = 1
	c, err := c.Apply(mustPlan(t, c, req))
	require.NoError(t, err)
	require.Len(t, stateOf(c).Spec.Running, 3)
	c, err = c.Update(cluster.Delta{SetNodes: []cluster.Node{
		{Name: "n0", Allocatable: muster.Resources{"gpu": 9, muster.Pods: 4}}, {Name: "new"},
	}})
	require.NoError(t, err)
	free, _ := c.Free("n0")
	require.Equal(t, muster.Resources{"gpu": 6, muster.Pods: 1}, free)
	free, _ = c.Free("n1")
	require.Equal(t, muster.Resources{"gpu": 9, muster.Pods: 0}, free)
	_, ok := c.Free("n2")
	require.False(t, ok)
}

// Notices follow the nodes; a member that was not accepted stays noted.
func TestNoticesFollowTheSnapshot(t *testing.T) {
	spec := board(t)
	spec.Nodes = spec.Nodes[1:4]
	c := newCluster(t, spec)
	lost := "member x x-0 runs on absent node n0 and holds nothing"
	absent := func(node string) string { return "node " + node + ` of topology "" is not in the cluster` }
	require.Equal(t, []string{lost, absent("n0")}, c.Notices())
	c, err := c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "n0"}}, RemoveNodes: []string{"n2"}})
	require.NoError(t, err)
	require.Equal(t, []string{lost, absent("n2")}, c.Notices())
	c, err = c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "new"}}})
	require.NoError(t, err)
	require.Equal(t, []string{lost, absent("n2")}, c.Notices())
}

// A cluster may lose its last node; then nothing fits.
func TestLastNodeLeaves(t *testing.T) {
	spec := board(t)
	spec.Nodes, spec.Running = spec.Nodes[:1], nil
	c, err := newCluster(t, spec).Update(cluster.Delta{RemoveNodes: []string{"n0"}})
	require.NoError(t, err)
	require.Zero(t, c.Len())
	_, err = placement.Plan(c, job(1))
	require.ErrorIs(t, err, placement.ErrUnschedulable)
}

// A large gang is placed and released by one copy of each list.
func TestManyMembersOfOneGang(t *testing.T) {
	const members = 1024
	spec := board(t)
	spec.Nodes = append(spec.Nodes, cluster.Node{Name: "large", Allocatable: gpus(members)})
	c := newCluster(t, spec)
	d := cluster.Delta{}
	for i := range members {
		d.Place = append(d.Place, cluster.Running{Gang: "g", Member: fmt.Sprint("m-", i), Node: "large", Resources: gpus(1)})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	next, err := c.Update(d)
	require.NoError(t, err)
	_, err = next.Release("g")
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	// Member by member the lists alone would be copied: 4 * members^2 / 2 words.
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2*members*members), "bytes")
}

// Errors that no plan made say what they can.
func TestZeroValuesOfAnswers(t *testing.T) {
	require.Equal(t, placement.NodeCauses{}, (&placement.Unschedulable{}).Nodes())
	require.EqualError(t, &placement.Unschedulable{Wanted: 2}, "search ended, no plan so far: insufficient slots, 0 of 2")
	require.EqualError(t, &cluster.ConflictError{Reason: "r"}, "conflict: : r")
}

// aloneIn is the widest layer in which a gang must be alone, as written; of equal ones the first.
func aloneIn(c *placement.Cluster, req *gang.Request) string {
	layer, widest := "", -1
	limits := slices.Clone(req.Limits)
	for _, g := range req.Groups {
		limits = append(limits, g.Limits...)
	}
	tree, known := c.Tree(req.Tree)
	if !known { // it means the one that is called so
		tree, _ = c.Tree("default")
	}
	for _, l := range limits {
		tier, err := strconv.Atoi(l.Layer)
		if named, ok := tree.Tree.Layer(l.Layer); ok {
			tier, err = named.Tier, nil
		}
		tier = min(tier, tree.Tree.RootTier()-1)
		if err == nil && l.Kind == gang.Alone && !l.Preferred && tier > widest {
			layer, widest = l.Layer, tier
		}
	}
	return layer
}

// sumOverflows says whether what is held on some node is no int64. Members may hold as much on a node that has less
// than it had.
func sumOverflows(m model) bool {
	for name := range m.nodes {
		sums := muster.Resources{}
		for _, r := range m.on(name) {
			for resource, amount := range r.Resources {
				if _, named := m.nodes[name].Allocatable[resource]; !named && resource == muster.Pods {
					continue // not bounded
				}
				if sums[resource] += amount; sums[resource] < 0 {
					return true
				}
			}
		}
	}
	return false
}

func requireConflict(t require.TestingT, err error) {
	var conflict *cluster.ConflictError
	require.ErrorAs(t, err, &conflict)
}
