package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// teams are two quotas below an organisation, and one beside it.
func teams(t require.TestingT) *quota.Tree {
	tree, err := quota.New([]quota.Spec{
		{Name: "org", Min: gpus(6), Max: gpus(100)},
		{Name: "team", Parent: "org", Min: gpus(4), Max: gpus(100)},
		{Name: "other", Parent: "org", Min: gpus(2), Max: gpus(100)},
		{Name: "guests", Max: gpus(4)},
	})
	require.NoError(t, err)
	return tree
}

// hosts are so many nodes of one GPU.
func hosts(n int) []cluster.Node {
	nodes := make([]cluster.Node, n)
	for i := range nodes {
		nodes[i] = cluster.Node{Name: fmt.Sprintf("n%d", i), Allocatable: gpus(1)}
	}
	return nodes
}

func teamJob(name, quota string, members int) *gang.Request {
	req := job(members)
	req.Name, req.Quota = name, quota
	return req
}

func running(gang, quota string, node int) cluster.Running {
	return cluster.Running{Gang: gang, Member: fmt.Sprintf("m%d", node), Node: fmt.Sprintf("n%d", node), Resources: gpus(1), Quota: quota, MinMember: -1}
}

func TestQuotaRefuses(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: hosts(8), Quotas: teams(t), Running: []cluster.Running{running("g", "guests", 0), running("x", "", 1)}})
	require.Equal(t, gpus(7), c.Quotas().Total(), "what is in no quota is not divided")
	var why *placement.Unschedulable
	_, err := placement.Plan(c, teamJob("a", "guests", 4))
	require.ErrorAs(t, err, &why)
	require.Equal(t, placement.RefuserQuota, why.Refuser)
	require.Equal(t, &quota.Refusal{
		Quota: "guests", Path: []string{"guests"}, Rule: quota.RuleLimit,
		Short: []quota.Shortage{{Resource: "gpu", Limit: 4, Used: 1, Asked: 4, By: 1}},
	}, why.RefusedBy)
	require.EqualError(t, err, "unschedulable: quota guests limit, 3 of 4 (proven); gpu: 1 used + 4 asked, 1 above 4")

	elastic := teamJob("a", "guests", 4)
	elastic.MinMember = 2
	res := mustPlan(t, c, elastic)
	require.Len(t, res.Assignments, 3, "as many as the quota admits")
	grouped := inGroups(teamJob("a", "guests", 4), 2)
	grouped.MinMember = 2
	require.Len(t, mustPlan(t, c, grouped).Assignments, 2, "whole groups")
	grouped = inGroups(teamJob("a", "guests", 8), 4)
	grouped.MinMember = 3
	_, err = placement.Plan(c, grouped)
	require.EqualError(t, err, "unschedulable: quota guests limit, 0 of 3 (proven); gpu: 1 used + 4 asked, 1 above 4", "three would do, a whole group does not")

	applied, err := c.Apply(res)
	require.NoError(t, err)
	used, _, _ := applied.Quotas().Usage("guests")
	require.Equal(t, gpus(4), used)
	second := mustPlan(t, c, teamJob("b", "guests", 2))
	_, err = applied.Apply(second)
	require.EqualError(t, err, "conflict: member b job-0: quota guests refuses by its limit (gpu by 2)")

	pinned := teamJob("p", "guests", 1)
	pinned.Members[0].NonPreemptible = true
	_, err = placement.Plan(c, pinned)
	require.ErrorAs(t, err, &why)
	require.Equal(t, quota.RuleMin, why.RefusedBy.Rule)
	pinned.Quota = "team"
	require.NotNil(t, mustPlan(t, c, pinned))
}

func TestBadQuotas(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: hosts(2), Quotas: teams(t)})
	for name, message := range map[string]string{
		"nobody": `request.Quota "nobody": unknown quota`,
		"org":    `request.Quota "org": members can only be in a quota without children`,
	} {
		_, err := placement.Plan(c, teamJob("a", name, 1))
		require.EqualError(t, err, message)
	}
	bad := teamJob("a", "team", 1)
	bad.QuotaLimit = "all"
	_, err := placement.Plan(c, bad)
	require.EqualError(t, err, `request.QuotaLimit "all": unknown limit`)
	_, err = placement.Plan(newCluster(t, cluster.Spec{Nodes: hosts(2)}), teamJob("a", "team", 1))
	require.EqualError(t, err, `request.Quota "team": unknown quota`)
	_, err = placement.NewCluster(cluster.Spec{Nodes: hosts(1), Total: gpus(1)})
	require.EqualError(t, err, "cluster.Quotas: missing, while their total or demand is given")
	_, err = placement.NewCluster(cluster.Spec{Nodes: hosts(1), Quotas: teams(t), Demand: map[string]muster.Resources{"org": gpus(1)}})
	require.EqualError(t, err, `quota org.demand.gpu "1": members can only be in a quota without children`)
	_, err = c.Update(cluster.Delta{Place: []cluster.Running{running("g", "nobody", 0)}})
	require.EqualError(t, err, `running member g m0.Quota "nobody": unknown quota`)
}

// The queue of the quota contract: ten devices, quotas a and b with a minimum of 2 each, b0 runs three in b.
func TestThreePasses(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "a", Min: gpus(2), Max: gpus(10)}, {Name: "b", Min: gpus(2), Max: gpus(10)}})
	require.NoError(t, err)
	c := newCluster(t, cluster.Spec{Nodes: hosts(10), Quotas: tree, Running: []cluster.Running{
		running("b0", "b", 0), running("b0", "b", 1), running("b0", "b", 2),
	}})
	queue := []*gang.Request{teamJob("a0", "a", 2), teamJob("a1", "a", 5), teamJob("b1", "b", 3)}
	last, planned := placement.Batch(c, queue)
	var got []string
	for _, p := range planned {
		verdict := "placed"
		if p.Err != nil {
			verdict = p.Err.Error()
		}
		got = append(got, fmt.Sprintf("%s %s %s", p.Request.Name, p.Pass, verdict))
	}
	require.Equal(t, []string{
		"a0 fair placed",
		"b1 fair unschedulable: quota b limit, 2 of 3 (proven); gpu: 3 used + 3 asked, 1 above 5",
		"a1 borrow placed",
	}, got)
	used, _, demand := last.Quotas().Usage("a")
	require.Equal(t, gpus(7), used)
	require.Equal(t, gpus(0), demand)
	require.Empty(t, queue[1].QuotaLimit, "requests stay as they are")

	once := teamJob("a1", "a", 6)
	once.QuotaLimit = quota.Fair
	_, planned = placement.Batch(c, []*gang.Request{teamJob("a0", "a", 2), once, teamJob("b1", "b", 3)})
	require.ErrorIs(t, planned[1].Err, placement.ErrUnschedulable, "a limit of its own, be it the fair one, is one pass")

	// b0 leaves for b1 if that has a higher priority, in the last pass: nobody leaves for what idle capacity can give.
	queue[2].Priority = 1
	last, planned = placement.Batch(c, queue)
	require.Equal(t, []int{0, 1, 2}, []int{planned[0].Index, planned[1].Index, planned[2].Index})
	require.Equal(t, []quota.Limit{quota.Fair, quota.Borrow, quota.Fair}, []quota.Limit{planned[0].Pass, planned[1].Pass, planned[2].Pass})
	require.Empty(t, planned[1].Result.Victims)
	require.Len(t, planned[2].Result.Victims, 3, "two more may be used in b, but no node is free")
	used, _, _ = last.Quotas().Usage("b")
	require.Equal(t, gpus(3), used)

	// Where its quota admits a gang, its victims leave in the first pass.
	full := newCluster(t, cluster.Spec{Nodes: hosts(3), Quotas: tree, Running: []cluster.Running{
		running("b0", "b", 0), running("b0", "b", 1), running("x", "", 2),
	}})
	above := teamJob("a0", "a", 1)
	above.Priority = 1
	_, planned = placement.Batch(full, []*gang.Request{above})
	require.NoError(t, planned[0].Err)
	require.Equal(t, quota.Fair, planned[0].Pass)
	require.Equal(t, "x", planned[0].Result.Victims[0].Gang, "b is within its minimum")

	greedy := teamJob("a1", "a", 5)
	greedy.QuotaLimit = quota.Greedy
	_, planned = placement.Batch(c, []*gang.Request{greedy})
	require.Equal(t, quota.Greedy, planned[0].Pass)
	require.NoError(t, planned[0].Err)
}

// Whatever happens to a cluster, every quota uses what its members hold that are not leaving, and there is to divide what nodes
// have without members in no quota.
func TestQuotasFollowTheCluster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := cluster.Spec{Nodes: hosts(6), Quotas: teams(t), Demand: map[string]muster.Resources{"team": gpus(3)}}
		if rapid.Bool().Draw(t, "total") {
			spec.Total = gpus(9)
		}
		c, err := placement.NewCluster(spec)
		require.NoError(t, err)
		leaf := rapid.SampledFrom([]string{"team", "other", "guests", ""})
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			next, err := changeSomehow(t, c, i, leaf)
			if err == nil {
				c = next
			}
			checkQuotas(t, c, spec.Total)
		}
		if demand := c.Quotas(); demand != nil {
			_, _, told := demand.Usage("other")
			require.Equal(t, gpus(0), told)
		}
	})
}

// changeSomehow changes the cluster somehow.
func changeSomehow(t *rapid.T, c *placement.Cluster, i int, leaf *rapid.Generator[string]) (*placement.Cluster, error) {
	var refs []cluster.MemberRef
	for m := range c.Running() {
		refs = append(refs, cluster.MemberRef{Gang: m.Gang, Member: m.Member})
	}
	some := func() []cluster.MemberRef {
		return refs[:rapid.IntRange(0, len(refs)).Draw(t, "some")]
	}
	node := rapid.IntRange(0, 5).Draw(t, "node")
	switch rapid.IntRange(0, 6).Draw(t, "step") {
	case 0:
		return c.Update(cluster.Delta{Remove: some()})
	case 1:
		return c.Update(cluster.Delta{Leaving: some()})
	case 2:
		r := running(fmt.Sprint("r", i), leaf.Draw(t, "quota"), node)
		r.NonPreemptible, r.Leaving = rapid.Bool().Draw(t, "pinned"), rapid.Bool().Draw(t, "leaving")
		return c.Update(cluster.Delta{Place: []cluster.Running{r}})
	case 3:
		return c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: fmt.Sprint("n", node), Allocatable: gpus(2)}}})
	case 4:
		return c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: fmt.Sprint("new", i), Allocatable: gpus(1)}}})
	case 5:
		return c.Update(cluster.Delta{RemoveNodes: []string{fmt.Sprint("n", node)}})
	}
	req := teamJob(fmt.Sprint("g", i), leaf.Draw(t, "quota"), rapid.IntRange(1, 3).Draw(t, "members"))
	res, err := placement.Plan(c, req)
	if err != nil {
		return nil, err
	}
	return c.Apply(res)
}

func checkQuotas(t *rapid.T, c *placement.Cluster, total muster.Resources) {
	used, pinned := map[string]int64{}, map[string]int64{}
	divided := int64(0)
	for n := range c.Nodes() {
		divided += n.Allocatable["gpu"]
	}
	for m := range c.Running() {
		switch {
		case m.Leaving:
		case m.Quota == "":
			divided -= m.Resources["gpu"]
		default:
			for _, name := range []string{m.Quota, map[string]string{"team": "org", "other": "org"}[m.Quota]} {
				used[name] += m.Resources["gpu"]
				if m.NonPreemptible {
					pinned[name] += m.Resources["gpu"]
				}
			}
		}
	}
	for _, name := range c.Quotas().Quotas() {
		u, p, _ := c.Quotas().Usage(name)
		require.Equal(t, used[name], u["gpu"], name)
		require.Equal(t, pinned[name], p["gpu"], name)
	}
	if total != nil {
		divided = total["gpu"]
	}
	require.Equal(t, gpus(divided), c.Quotas().Total())
}

// A gang that makes no sense asks for nothing: it takes nothing away from the others of the queue.
func TestBatchCountsNoNegativeDemand(t *testing.T) {
	c := newCluster(t, cluster.Spec{Nodes: hosts(8), Quotas: teams(t)})
	bad := teamJob("bad", "other", 1)
	bad.Shape.Resources = gpus(-1)
	last, planned := placement.Batch(c, []*gang.Request{bad, teamJob("good", "team", 8)})
	require.ErrorContains(t, planned[0].Err, "negative amount")
	require.NoError(t, planned[1].Err)
	require.Equal(t, quota.Fair, planned[1].Pass)
	_, _, demand := last.Quotas().Usage("other")
	require.Equal(t, gpus(0), demand)
}
