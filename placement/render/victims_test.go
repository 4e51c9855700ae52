package render

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/preempt"
)

// evicting is a plan on racks: two members come, one of them where a victim leaves; another victim leaves for a quota, and
// a third one, which holds one device of two, leaves no room for a member of two.
func evicting(t *testing.T, each int64) Outcome {
	t.Helper()
	c, err := racks(t, 2).Update(cluster.Delta{Place: []cluster.Running{
		{Gang: "ns/low", Member: "low-0", Node: "node-1", Resources: muster.Resources{"gpu": 2}},
		{Gang: "ns/low", Member: "low-1", Node: "node-2", Resources: muster.Resources{"gpu": 2}},
		{Gang: "ns/half", Member: "half", Node: "node-3", Resources: muster.Resources{"gpu": 1}},
		{Gang: "ns/rest", Member: "rest", Node: "node-3", Resources: muster.Resources{"gpu": 1}},
	}})
	require.NoError(t, err)
	req := &gang.Request{Name: "ns/job", Priority: 10, Shape: gang.Shape{Resources: muster.Resources{"gpu": each}}}
	victim := func(gang, member, node string) placement.Victim {
		return placement.Victim{MemberRef: cluster.MemberRef{Gang: gang, Member: member}, Node: node, Priority: 1}
	}
	res := &placement.Result{
		Gang: "ns/job", Tree: "default", Proven: true, Layer: "block", Tier: 2, Domain: []string{"b0"}, Strategy: "block", StrategyNumber: 3,
		Assignments: []placement.Assignment{{Member: "job-0", Group: -1, Node: "node-1"}, {Member: "job-1", Rank: 1, Group: -1, Node: "node-5"}},
		Victims:     []placement.Victim{victim("ns/half", "half", "node-3"), victim("ns/low", "low-0", "node-1"), victim("ns/low", "low-1", "node-2")},
		Preemption: &placement.Preemption{Cost: preempt.Cost{
			Budgets: 1, HighestPriority: 1, BelowMin: muster.Resources{"cpu": 1500, "gpu": 2}, GangsEnded: 1, Members: 3, PrioritySum: 3, Unknown: 2, LostWork: 60,
		}, LowerBound: preempt.Cost{HighestPriority: -1, Members: 1, PrioritySum: -1}},
	}
	res.Victims[0].OverMin, res.Victims[0].Quota = "gpu", "team-b"
	return Outcome{Gang: "ns/job", Request: req, Cluster: c, Result: res}
}

func TestVictimsAreDrawnAndListed(t *testing.T) {
	const costs = `cost: 1 member against a budget, highest priority 1, 2 gpu below minima, 1500m CPU below minima, 1 gang ended, 3 members, priorities 3 in sum, 2 of unknown start, lost work 60`
	o := evicting(t, 2)
	require.Equal(t, `ns/job: placed, 2 members in block b0, strategy 3, evicts 3 members
  b0
    r0  x A - -
    r1  ~ A . .
  A job-[0-1] -> node-[1,5]
  evicts ns/half on node-3: quota team-b uses more than its min of gpu
  evicts ns/low-[0-1] on node-[1-2], of ns/low: priority 1 is below 10
  `+costs+` (not proven; no less than: highest priority -1, 1 member, priorities -1 in sum)
`, text(t, o))
	o = evicting(t, 1)
	o.Result.Preemption.Proven = true
	require.Contains(t, text(t, o), "r0  xx A- -- -x\n    r1  ~~ A. .. ..\n", "one slot of each node that a victim leaves")
	require.Contains(t, text(t, o), costs+" (proven to be the least)\n")
	require.NotContains(t, written(t, o), `"proven":false`)
	o.Result.Proven = false
	require.Contains(t, text(t, o), "evicts 3 members, not proven to be the best\n")
	require.Contains(t, written(t, o), `"domain":"b0","proven":false,`)
	o.Request = nil
	require.Contains(t, text(t, o), " on node-[1-2], of ns/low: priority 1 is lower\n")
}

func TestManyVictimsAreCut(t *testing.T) {
	o := evicting(t, 2)
	o.Result.Victims = make([]placement.Victim, maxVictimsListed+2)
	for i := range o.Result.Victims {
		o.Result.Victims[i].MemberRef = cluster.MemberRef{Gang: fmt.Sprint("g-", i), Member: "m"}
	}
	require.Contains(t, text(t, o), "  evicts m on , of g-15: priority 0 is below 10\n  and 2 more\n  cost:")
}

func TestVictimsInJSON(t *testing.T) {
	o := evicting(t, 2)
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []Outcome{o}))
	require.Contains(t, b.String(), `"victims":[{"pod":"ns/half","gang":"ns/half","node":"node-3"},{"pod":"ns/low-0","gang":"ns/low","node":"node-1"},`+
		`{"pod":"ns/low-1","gang":"ns/low","node":"node-2"}],"preemption":{"cost":{"budgets":1,"highestPriority":1,"belowMin":{"cpu":1500,"gpu":2},`+
		`"gangsEnded":1,"members":3,"prioritySum":3,"unknown":2,"lostWork":60},"lowerBound":{"budgets":0,"highestPriority":-1,"gangsEnded":0,"members":1,`+
		`"prioritySum":-1,"unknown":0,"lostWork":0},"proven":false},"ignored":{}}`)
}
