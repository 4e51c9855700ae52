package placement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// fullNodes are four nodes of five devices, on each of which five members of one device run.
func fullNodes() cluster.Spec {
	var spec cluster.Spec
	for n := range 4 {
		node := cluster.Node{Name: fmt.Sprint("n", n), Allocatable: gpus(5)}
		for i := range 5 {
			spec.Running = append(spec.Running, cluster.Running{
				Gang: fmt.Sprintf("low-%d-%d", n, i), Member: "m", Node: node.Name, Resources: gpus(1), MinMember: -1,
			})
		}
		spec.Nodes = append(spec.Nodes, node)
	}
	return spec
}

// asking is a gang of so many members of so many devices each.
func asking(name string, priority int64, members int, devices int64) *gang.Request {
	r := &gang.Request{Name: name, Priority: priority, Shape: gang.Shape{Resources: gpus(devices)}}
	for i := range members {
		r.Members = append(r.Members, gang.Member{Name: fmt.Sprint(name, "-", i)})
	}
	return r
}

// Twenty victims leave one after the other. Nobody takes the room of those who are gone, and once the last is gone the gang runs.
func TestHoldWhileVictimsLeave(t *testing.T) {
	c, high := newCluster(t, fullNodes()), asking("high", 5, 4, 5)
	res := mustPlan(t, c, high)
	require.Len(t, res.Victims, 20)
	d := cluster.Delta{Holds: map[string][]cluster.Hold{"high": res.Holds()}}
	for _, v := range res.Victims {
		d.Leaving = append(d.Leaving, v.MemberRef)
	}
	c, err := c.Update(d)
	require.NoError(t, err)
	require.Equal(t, res.Holds(), c.Holds())
	require.Empty(t, c.Notices())

	for i, v := range res.Victims {
		free, _ := c.Free(v.Node)
		require.Equal(t, gpus(0), free, "what is left of the victims and what is held is never more than there is")
		for name, priority := range map[string]int64{"same": 5, "lower": 0} {
			_, err := placement.Plan(c, asking(name, priority, 1, 1))
			require.ErrorIs(t, err, placement.ErrUnschedulable, name)
		}
		again := mustPlan(t, c, high)
		require.Empty(t, again.Victims, "whoever is to leave does")
		require.Len(t, again.WaitsFor, 20-i)
		_, err = c.Apply(again)
		requireConflict(t, err)
		c, err = c.Update(cluster.Delta{Observed: true, Remove: []cluster.MemberRef{v.MemberRef}})
		require.NoError(t, err)
	}
	now := mustPlan(t, c, high)
	require.False(t, now.Waits())
	c, err = c.Apply(now)
	require.NoError(t, err)
	require.Empty(t, c.Holds())
	require.Len(t, slices.Collect(c.Running()), 4)
}

// A gang of a higher priority takes what is held, and with a part of a gang's place all of it goes; others keep theirs.
func TestHoldsAreTaken(t *testing.T) {
	spec := fullNodes()
	spec.Running = nil
	hold := func(gang string, priority int64, node string, devices int64) cluster.Hold {
		return cluster.Hold{Gang: gang, Member: "on-" + node, Node: node, Resources: gpus(devices), Priority: priority}
	}
	spec.Holds = []cluster.Hold{
		hold("two", 2, "n0", 5), hold("two", 2, "n1", 5), hold("one", 1, "n2", 5), hold("one", 1, "n3", 3), hold("three", 3, "n3", 2),
	}
	c := newCluster(t, spec)
	_, err := placement.Plan(c, asking("same", 1, 1, 1))
	require.ErrorContains(t, err, "0 of 1 (proven)")
	res := mustPlan(t, c, asking("above", 2, 1, 5))
	require.Equal(t, "n2", res.Assignments[0].Node, "the least that is held for others")
	require.Empty(t, res.Victims)
	next, err := c.Apply(res)
	require.NoError(t, err)
	require.Equal(t, []cluster.Hold{hold("three", 3, "n3", 2), hold("two", 2, "n0", 5), hold("two", 2, "n1", 5)}, next.Holds())
	// Beside what is held nothing ends.
	res = mustPlan(t, next, asking("beside", 2, 1, 3))
	next, err = next.Apply(res)
	require.NoError(t, err)
	require.Len(t, next.Holds(), 3)
	// Who counts most takes all.
	res = mustPlan(t, next, asking("all", 9, 2, 5))
	next, err = next.Apply(res)
	require.NoError(t, err)
	require.Equal(t, []cluster.Hold{hold("three", 3, "n3", 2)}, next.Holds())
	// Another hold takes likewise, but not from its equals.
	_, err = c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{"other": {hold("other", 2, "n0", 1)}}})
	require.EqualError(t, err, "conflict: node n0, member other on-n0: over-committed (gpu by 1)")
	next, err = c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{"other": {hold("other", 2, "n3", 3)}}})
	require.NoError(t, err)
	require.Equal(t, []string{"other", "three", "two", "two"}, gangsHeldFor(next))
}

func gangsHeldFor(c *placement.Cluster) (names []string) {
	for _, h := range c.Holds() {
		names = append(names, h.Gang)
	}
	return names
}

// A hold counts in its quota, but not for its own gang; who takes from it takes its share.
func TestHoldsCountInQuotas(t *testing.T) {
	spec := cluster.Spec{Nodes: hosts(8), Quotas: teams(t)}
	for i := range 3 {
		spec.Holds = append(spec.Holds, cluster.Hold{
			Gang: "held", Member: fmt.Sprint("held-", i), Node: spec.Nodes[i].Name, Resources: gpus(1), Quota: "guests", Priority: 1,
		})
	}
	c := newCluster(t, spec)
	used, _, _ := c.Quotas().Usage("guests")
	require.Equal(t, int64(3), used["gpu"])
	of := func(name string, priority int64, members int) *gang.Request {
		r := asking(name, priority, members, 1)
		r.Quota = "guests"
		return r
	}
	_, err := placement.Plan(c, of("other", 1, 2))
	require.ErrorContains(t, err, "quota guests")
	res := mustPlan(t, c, of("held", 1, 4))
	next, err := c.Apply(res)
	require.NoError(t, err)
	require.Empty(t, next.Holds())
	used, _, _ = next.Quotas().Usage("guests")
	require.Equal(t, int64(4), used["gpu"])
	next, err = c.Apply(mustPlan(t, c, of("above", 2, 2)))
	require.NoError(t, err)
	require.Empty(t, next.Holds(), "the quota has no share left for it")
	more := cluster.Hold{Gang: "more", Member: "m-0", Node: spec.Nodes[4].Name, Resources: gpus(1), Quota: "guests", Priority: 1}
	other := more
	other.Member, other.Node = "m-1", spec.Nodes[5].Name
	next, err = c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{"more": {more, other}}})
	require.NoError(t, err, "a hold is not measured against its quota: its plan was")
	used, _, _ = next.Quotas().Usage("guests")
	require.Equal(t, int64(5), used["gpu"])
}

// What is wrong with holds is refused, or left out of what was seen; and they end with their node, and with what they wait for.
func TestHoldsEnd(t *testing.T) {
	spec := fullNodes()
	spec.Running = spec.Running[:1] // on n0
	c := newCluster(t, spec)
	set := func(observed bool, holds ...cluster.Hold) cluster.Delta {
		return cluster.Delta{Observed: observed, Holds: map[string][]cluster.Hold{"g": holds}}
	}
	good := cluster.Hold{Gang: "g", Member: "a", Node: "n1", Resources: gpus(2)}
	for want, h := range map[string]cluster.Hold{
		`conflict: node n9, member g b: the node is not in the cluster`: {Gang: "g", Member: "b", Node: "n9"},
		`hold g b.Resources.gpu "-1": negative amount`:                  {Gang: "g", Member: "b", Node: "n1", Resources: gpus(-1)},
		`hold g b.Quota "q": unknown quota`:                             {Gang: "g", Member: "b", Node: "n1", Quota: "q"},
		`cluster.Holds[1].Gang "x": is listed for g`:                    {Gang: "x", Member: "b", Node: "n1"},
		`hold g a: duplicate name`:                                      {Gang: "g", Member: "a", Node: "n1"},
		`hold g : a running member needs a gang and a name`:             {Gang: "g", Node: "n1"},
		`conflict: node n0, member g b: over-committed (gpu by 1)`:      {Gang: "g", Member: "b", Node: "n0", Resources: gpus(5)},
	} {
		_, err := c.Update(set(false, good, h))
		require.EqualError(t, err, want)
		next, err := c.Update(set(true, good, h))
		require.NoError(t, err, want)
		require.Contains(t, next.Holds(), good)
		if h.Node != "n0" { // there is too little room, which may be
			require.Len(t, next.LeftOut(), 1, want)
			require.EqualError(t, next.LeftOut()[0], want)
		}
	}
	_, err := c.Update(cluster.Delta{Place: []cluster.Running{{Gang: "held for\x00x", Member: "m", Node: "n1"}}})
	require.ErrorContains(t, err, "a gang cannot be called so")

	held, err := c.Update(set(false, good, cluster.Hold{Gang: "g", Member: "b", Node: "n2", Resources: gpus(1)}))
	require.NoError(t, err)
	free, _ := held.Free("n1")
	require.Equal(t, gpus(3), free)
	require.Empty(t, held.RunningOn("n1"))
	for _, observed := range []bool{false, true} {
		next, err := held.Update(cluster.Delta{Observed: observed, RemoveNodes: []string{"n1"}})
		require.NoError(t, err)
		require.Empty(t, next.LeftOut())
		require.Len(t, next.Holds(), 1)
		next, err = held.Update(cluster.Delta{Observed: observed, Place: []cluster.Running{{Gang: "g", Member: "a", Node: "n3", Resources: gpus(2)}}})
		require.NoError(t, err)
		require.Len(t, next.Holds(), 1)
		next, err = held.Update(cluster.Delta{Observed: observed, Holds: map[string][]cluster.Hold{"g": nil, "nobody": nil}})
		require.NoError(t, err)
		require.Equal(t, stateOf(c), stateOf(next))
	}
	_, err = held.Update(cluster.Delta{Place: []cluster.Running{{Gang: "x", Member: "m", Node: "n1", Resources: gpus(4)}}})
	requireConflict(t, err)
}

// Snapshots with holds that come about by any changes equal the cluster that is built anew of what they show.
func TestHoldsFollowSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		var names []string
		for _, n := range spec.Nodes {
			names = append(names, n.Name)
		}
		c, reqs := newCluster(t, spec), further(req)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			of := *rapid.SampledFrom(reqs).Draw(t, "request")
			of.Priority, of.End = rapid.Int64Range(0, 2).Draw(t, "priority"), rapid.SampledFrom([]int64{0, 4, 6}).Draw(t, "end")
			res, err := placement.Plan(c, &of)
			if err == nil {
				require.NoError(t, validity.Check(described(c), &of, res))
			}
			switch step := rapid.IntRange(0, 3).Draw(t, "step"); {
			case step == 0 && err == nil:
				if next, err := c.Apply(res); err == nil {
					c = next
				}
			case step == 1 && err == nil:
				held, from := res.Holds(), rapid.SampledFrom([]int64{0, 4, 6}).Draw(t, "from")
				for i := range held {
					if held[i].From = from; from > 0 {
						held[i].End = from + 2
					}
				}
				d := cluster.Delta{Holds: map[string][]cluster.Hold{of.Name: held}}
				for _, v := range res.Victims {
					d.Leaving = append(d.Leaving, v.MemberRef)
				}
				next, err := c.Update(d)
				if err != nil { // beside those who leave, or beside what is held from the end of the plan on
					require.True(t, of.End != 0 || strings.Contains(err.Error(), "overflows"), "%v", err)
					continue
				}
				c = next
			default:
				d := drawDelta(t, newModel(described(c)), names)
				d.Observed = true
				if rapid.Bool().Draw(t, "drop") {
					d.Holds = map[string][]cluster.Hold{of.Name: nil}
				}
				next, err := c.Update(d)
				require.NoError(t, err)
				c = next
			}
			fresh := newCluster(t, described(c))
			again := *rapid.SampledFrom(reqs).Draw(t, "asked")
			again.Priority, again.End = of.Priority, of.End
			requireSame(t, fresh, c, []*gang.Request{&again}, "built anew, and changed")
		}
	})
}

// described is all of a cluster, to be built anew.
func described(c *placement.Cluster) cluster.Spec {
	var trees []string
	for _, t := range c.Trees() {
		trees = append(trees, t.Name)
	}
	spec := validity.Describe(c, trees...)
	spec.NUMAExclusive = c.NUMAExclusive()
	return spec
}

// What members hold beyond what there is of a node, or of a zone, is told; what is held for others is not.
func TestExcessIsTold(t *testing.T) {
	zone := numa.Zone{ID: 1, Allocatable: gpus(1)}
	node := cluster.Node{Name: "n", Allocatable: gpus(1), NUMA: &cluster.NUMA{Policy: numa.BestEffort, Zones: []numa.Zone{zone}}}
	held := &numa.Placed{Shares: []numa.Share{{Zone: 1, Resources: gpus(3)}}}
	spec := cluster.Spec{Nodes: []cluster.Node{node}, Running: []cluster.Running{
		{Gang: "g", Member: "m", Node: "n", Resources: gpus(3), NUMA: held}, {Gang: "z", Member: "m", Node: "absent"},
	}}
	absent, more := "member z m runs on absent node absent and holds nothing", "node n: members hold 2 more gpu than it has"
	require.Equal(t, []string{absent, more, "node n: members hold 2 more gpu of zone 1 than it has"}, newCluster(t, spec).Notices())
	spec.Running = spec.Running[:0]
	spec.Holds = []cluster.Hold{{Gang: "g", Member: "m", Node: "n", Resources: gpus(3), NUMA: held}, {Gang: "g", Member: "n", Node: "absent"}}
	c := newCluster(t, spec)
	require.Equal(t, []string{"conflict: node absent, member g n: the node is not in the cluster"}, c.Notices())
	free, _ := c.Free("n")
	require.Equal(t, gpus(0), free)
	spec.Holds[1].Node, spec.Holds[1].Quota = "n", "unknown"
	_, err := placement.NewCluster(spec)
	require.EqualError(t, err, `hold g n.Quota "unknown": unknown quota`)
}
