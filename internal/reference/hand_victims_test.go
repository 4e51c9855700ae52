package reference

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// runs reads members such as `a-0 n1 priority=1 gpu=2`: gang a's first member, on n1. What is not told is 0, devices are 1, the minimum -1.
func runs(t *testing.T, lines ...string) []cluster.Running {
	var out []cluster.Running
	for _, line := range lines {
		words := strings.Fields(line)
		name, _, _ := strings.Cut(words[0], "-")
		r := cluster.Running{Gang: name, Member: words[0], Node: words[1], Resources: muster.Resources{"gpu": 1}, MinMember: -1}
		for _, word := range words[2:] {
			key, value, _ := strings.Cut(word, "=")
			n, _ := strconv.ParseInt(value, 10, 64)
			switch key {
			case "priority":
				r.Priority = n
			case "min":
				r.MinMember = int(n)
			case "start":
				r.Started = n
			case "gpu", "cpu":
				r.Resources[key] = n
			case "quota":
				r.Quota = value
			case "budget":
				r.Budgets = append(r.Budgets, value)
			case "leaving":
				r.Leaving = true
			case "pinned":
				r.NonPreemptible = true
			case "unevictable":
				r.Unevictable = true
			case "alone":
				r.Alone = value
			case "tolerated":
				r.Tolerated = true
			default:
				require.Fail(t, "unknown word", word)
			}
		}
		out = append(out, r)
	}
	return out
}

// team is a quota of devices, without a max where that is negative.
func team(name, parent string, least, most int64) quota.Spec {
	q := quota.Spec{Name: name, Parent: parent, Min: muster.Resources{"gpu": least}}
	if most >= 0 {
		q.Max = muster.Resources{"gpu": most}
	}
	return q
}

// Sets of victims that were found on paper. The gang has priority 10.
var victimsByHand = []struct {
	name    string
	nodes   string
	running []string
	quotas  []quota.Spec
	budgets []cluster.Budget
	members int
	size    int64
	change  func(*gang.Request)
	want    string // the best sets, members joined; empty: nobody may leave
}{
	{
		name: "only who has a lower priority", nodes: "n1=1 n2=1 n3=1", members: 1,
		running: []string{"a-0 n1 priority=10", "b-0 n2 priority=9", "c-0 n3 priority=11"}, want: "b-0",
	},
	{
		name: "nobody who is protected, leaves, or is of the gang", nodes: "n1=1 n2=1 n3=1 n4=1", members: 1,
		running: []string{"a-0 n1 pinned", "b-0 n2 unevictable", "c-0 n3 leaving gpu=2", "job-9 n4"},
		change:  func(r *gang.Request) { r.Exclude = []string{"n3"} },
	},
	{
		name: "four of the lowest class rather than one of the middle", nodes: "n1=4 n2=4", members: 1, size: 4,
		running: []string{"a-0 n1 priority=2 gpu=4", "b-0 n2", "b-1 n2", "b-2 n2", "b-3 n2"}, want: "b-0 b-1 b-2 b-3",
	},
	{
		name: "of equal classes the fewer members, then the smaller sum", nodes: "n1=2 n2=2 n3=3", members: 1, size: 2,
		running: []string{
			"a-0 n1 priority=5", "b-0 n1 priority=3", "c-0 n2 priority=5", "d-0 n2 priority=1",
			"e-0 n3 priority=5", "f-0 n3", "g-0 n3", // two of n3 do, the cheaper ones
		},
		want: "f-0 g-0",
	},
	{
		name: "the surplus of a gang, not a gang that would end", nodes: "n1=2 n2=2 n3=2", members: 1, size: 2,
		running: []string{"a-0 n1 min=2", "a-1 n1 min=2", "b-0 n2 min=2", "b-1 n2 min=2", "b-2 n3 min=2", "b-3 n3 min=2"},
		want:    "b-0 b-1, b-2 b-3",
	},
	{
		name: "a gang leaves whole, wherever its members are", nodes: "n1=1 n2=1 n3=1", members: 1,
		running: []string{"a-0 n1 min=2", "a-1 n2 min=2", "b-0 n3 pinned"}, want: "a-0 a-1",
	},
	{
		name: "not even whole, if one of its members may not leave", nodes: "n1=1 n2=1", members: 1,
		running: []string{"a-0 n1 min=2", "a-1 n2 min=2 pinned"},
	},
	{
		name: "a gang below its minimum leaves whole; who leaves already does not count", nodes: "n1=1 n2=1 n3=1", members: 2,
		running: []string{"a-0 n1 min=3", "a-1 n2 min=3", "a-2 n3 min=3 leaving"}, want: "a-0 a-1",
	},
	{
		name: "a higher class before a budget that is broken", nodes: "n1=1 n2=1", members: 1, budgets: []cluster.Budget{{Name: "x"}},
		running: []string{"a-0 n1 budget=x", "b-0 n2 priority=3"}, want: "b-0",
	},
	{
		name: "a budget that allows one is broken by the second", nodes: "n1=1 n2=1 n3=1", members: 2, budgets: []cluster.Budget{{Name: "x", Allowed: 1}},
		running: []string{"a-0 n1 budget=x", "a-1 n2 budget=x", "b-0 n3 priority=3"}, want: "a-0 b-0, a-1 b-0",
	},
	{
		name: "the tighter place, then the last start", nodes: "n1=2 n2=1 n3=1", members: 2,
		running: []string{"a-0 n1 start=5", "a-1 n1 start=4", "b-0 n2 start=9", "b-1 n3 start=9"}, want: "a-0 a-1",
	},
	{
		name: "the last start", nodes: "n1=1 n2=1 n3=1", members: 1,
		running: []string{"a-0 n1 start=5", "b-0 n2 start=9", "c-0 n3"}, want: "b-0",
	},
	{
		name: "the last start before the place, if the request says so", nodes: "n1=2 n2=1 n3=1", members: 2,
		running: []string{"a-0 n1 start=5", "a-1 n1 start=4", "b-0 n2 start=9", "b-1 n3 start=9"},
		change:  func(r *gang.Request) { r.Preempt.Order = []gang.Cost{gang.CostLostWork} }, want: "b-0 b-1",
	},
	{
		name: "members beyond the minimum cost nobody", nodes: "n1=1 n2=1 n3=1", members: 3,
		running: []string{"a-0 n1", "b-0 n2", "c-0 n3 priority=1"},
		change:  func(r *gang.Request) { r.MinMember = 2 }, want: "a-0 b-0",
	},
	{
		name: "what was lent is taken back, whatever the priority", nodes: "n1=2 n2=2", members: 2,
		quotas:  []quota.Spec{team("mine", "", 2, 4), team("other", "", 2, 4)},
		running: []string{"a-0 n1 quota=other priority=20", "a-1 n1 quota=other priority=20", "b-0 n2 quota=other priority=20", "b-1 n2 quota=other priority=20"},
		want:    "a-0 a-1, b-0 b-1",
	},
	{
		name: "no more than what is beyond the min, before each leaves", nodes: "n1=3", members: 2,
		quotas:  []quota.Spec{team("mine", "", 2, 4), team("other", "", 2, 4)},
		running: []string{"a-0 n1 quota=other", "b-0 n1 quota=other", "c-0 n1 quota=other"},
	},
	{
		name: "a gang that leaves whole is one that leaves", nodes: "n1=3", members: 3,
		quotas:  []quota.Spec{team("mine", "", 3, 4), team("other", "", 2, 4)},
		running: []string{"a-0 n1 quota=other min=3", "a-1 n1 quota=other min=3", "a-2 n1 quota=other min=3"}, want: "a-0 a-1 a-2",
	},
	{
		name: "the large one last: one order is enough", nodes: "n1=4", members: 4,
		quotas:  []quota.Spec{team("mine", "", 4, 4), team("other", "", 2, 4)},
		running: []string{"a-0 n1 quota=other gpu=3", "b-0 n1 quota=other gpu=1"}, want: "a-0 b-0",
	},
	{
		name: "who is beyond the own min pays for it alone", nodes: "n1=1 n2=1 n3=1", members: 1,
		quotas:  []quota.Spec{team("mine", "", 1, 4), team("other", "", 0, 4)},
		running: []string{"a-0 n1 quota=mine", "b-0 n2 quota=other", "c-0 n3 quota=mine priority=10"},
		// With a-0 gone the gang is still beyond its min of 1: c-0 stays.
		want: "a-0",
	},
	{
		name: "the path of the victim up to the common quota must be over its min", nodes: "n1=1 n2=1", members: 1,
		quotas: []quota.Spec{
			team("x", "", 1, 4), team("mine", "x", 1, 4), team("y", "", 1, 4), team("y1", "y", 0, 4), team("z", "", 0, 4), team("z1", "z", 0, 4),
		},
		running: []string{"a-0 n1 quota=y1", "b-0 n2 quota=z1"}, want: "b-0",
	},
	{
		name: "where the limit refuses, below the quota that refuses", nodes: "n1=1 n2=1 n3=1", members: 1,
		quotas:  []quota.Spec{team("mine", "", 0, 1), team("other", "", 0, 4)},
		running: []string{"a-0 n1 quota=mine priority=5", "b-0 n2 quota=other", "c-0 n3"},
		change:  func(r *gang.Request) { r.QuotaLimit = quota.Greedy }, want: "a-0",
	},
	{
		name: "least below the min", nodes: "n1=2 n2=2", members: 2,
		quotas: []quota.Spec{team("mine", "", 2, 4), team("other", "", 1, 4), team("third", "", 0, 4)},
		running: []string{
			"a-0 n1 quota=other min=2", "a-1 n1 quota=other min=2", "b-0 n2 quota=third", "b-1 n2 quota=third",
		},
		want: "b-0 b-1",
	},
	{
		name: "for a tier", nodes: "n1=2 n2=2", members: 2,
		running: []string{"a-0 n1"},
		change:  func(r *gang.Request) { r.Preempt.ForTier = "0"; r.Exclude = []string{"n2"} }, want: "a-0",
	},
	{
		name: "for a tier that cannot be had", nodes: "n1=2 n2=2", members: 3,
		running: []string{"a-0 n1", "b-0 n2", "b-1 n2"},
		change:  func(r *gang.Request) { r.Preempt.ForTier = "0" }, want: "b-0 b-1, a-0 b-0, a-0 b-1",
	},
	{
		name: "further members come to the same node, as far as it takes them", nodes: "n1=3", members: 3,
		running: []string{"a-0 n1 gpu=3"}, want: "a-0",
		change: func(r *gang.Request) {
			r.MinMember, r.Limits = 1, []gang.Limit{{Layer: "0", Kind: gang.Apart, Most: 2}}
		},
	},
	{
		name: "who closes the block, though others of its node started later", nodes: "n1=3 n2=2", members: 3,
		running: []string{"a-0 n1 alone=block start=2", "a-1 n1 start=5", "a-2 n1 start=3", "c-0 n2 gpu=2 start=1"}, want: "a-0 c-0",
	},
	{
		name: "all who close the block", nodes: "n1=4 n2=2", members: 4,
		running: []string{"a-0 n1 alone=block start=3", "b-0 n1 alone=block start=2", "d-0 n1 start=5", "d-1 n1 start=4", "c-0 n2 gpu=2 start=1"},
		want:    "a-0 b-0 c-0",
	},
	{
		name: "who is company, though others of its node that are tolerated started later", nodes: "n1=3 n2=2", members: 3,
		running: []string{"a-0 n1 start=2", "a-1 n1 tolerated start=5", "a-2 n1 tolerated start=3", "c-0 n2 tolerated gpu=2 start=1"},
		change:  func(r *gang.Request) { r.Limits = []gang.Limit{{Layer: "block", Kind: gang.Alone}} }, want: "a-0 c-0",
	},
}

// The reference finds them, and the planner one of them.
func TestVictimsByHand(t *testing.T) {
	for _, tc := range victimsByHand {
		t.Run(tc.name, func(t *testing.T) {
			in := Input{Spec: specOf(t, "block spine", "s0/b0: "+tc.nodes), Request: job(tc.members)}
			in.Spec.Running, in.Spec.Budgets = runs(t, tc.running...), tc.budgets
			in.Request.Priority, in.Request.Shape.Resources["gpu"] = 10, max(1, tc.size)
			if tc.quotas != nil {
				tree, err := quota.New(tc.quotas)
				require.NoError(t, err)
				in.Spec.Quotas, in.Spec.Total, in.Request.Quota = tree, muster.Resources{"gpu": 20}, "mine"
			}
			if tc.change != nil {
				tc.change(&in.Request)
			}
			best, err := SolveBest(in)
			require.NoError(t, err)
			require.False(t, best.Answer.Placed)
			var got []string
			if best.Victims != nil {
				for _, set := range best.Victims.Sets {
					got = append(got, memberNames(set))
				}
			}
			assert.ElementsMatch(t, strings.Split(tc.want, ", "), append(got, "")[:max(1, len(got))])
			_, err = preemptionAgrees(in, false)
			require.NoError(t, err)
		})
	}
}

func memberNames(set []cluster.MemberRef) string {
	var names []string
	for _, ref := range set {
		names = append(names, ref.Member)
	}
	return strings.Join(names, " ")
}

// The costs of one set, by hand.
func TestVictimCostByHand(t *testing.T) {
	tree, err := quota.New([]quota.Spec{team("mine", "", 2, 8), team("other", "", 3, 8)})
	require.NoError(t, err)
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=2 n2=3"), Request: job(5)}
	in.Spec.Quotas, in.Spec.Budgets = tree, []cluster.Budget{{Name: "x", Allowed: 1}}
	in.Spec.Running = runs(
		t,
		"b-0 n1 priority=3 quota=mine start=7 budget=x", "b-10 n1 priority=4 quota=mine start=4 budget=x",
		"a-0 n2 priority=-1 quota=other gpu=3 min=1 budget=x",
	)
	in.Request.Priority, in.Request.Quota = 10, "mine"
	in.Request.QuotaLimit, in.Request.MinMember = quota.Greedy, 2
	found, err := SolveVictims(in)
	require.NoError(t, err)
	require.Equal(t, "b-0 b-10", memberNames(found.Sets[0]))
	// b has priority 3, its lowest member's; the draws.Second member in the order of names breaks the budget; mine keeps 2 of 2 with the gang.
	assert.Equal(t, "{1 3 map[] 0 2 6 0 3}", fmt.Sprint(found.Cost))
	assert.Equal(t, []int{0, 0}, found.Strategy, "two members on n1")
}

// The comparison sees victims that are not the best ones, and costs that are not true.
func TestVictimsDifferenceIsSeen(t *testing.T) {
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=1 n2=1 n3=1"), Request: job(1)}
	in.Spec.Running = runs(t, "a-0 n1 priority=1", "b-0 n2 priority=2", "c-0 n3 priority=20")
	in.Request.Priority = 10
	best, err := SolveBest(in)
	require.NoError(t, err)
	plan := func(node string, priority int64, gone ...string) *placement.Result {
		cost := preempt.Cost{HighestPriority: priority, Members: len(gone), PrioritySum: priority, Unknown: len(gone)}
		res := &placement.Result{
			Assignments: []placement.Assignment{{Member: "job-0", Group: -1, Node: node}},
			Preemption:  &placement.Preemption{Cost: cost, LowerBound: cost, Proven: true},
		}
		for _, name := range gone {
			res.Victims = append(res.Victims, placement.Victim{MemberRef: cluster.MemberRef{Gang: name[:1], Member: name}})
		}
		return res
	}
	require.NoError(t, best.CheckVictims(plan("n1", 1, "a-0")))
	require.ErrorContains(t, best.CheckVictims(plan("n2", 2, "b-0")), "are not the best")
	require.ErrorContains(t, best.CheckVictims(plan("n2", 2, "a-0", "b-0")), "are not the best")
	require.ErrorContains(t, best.CheckVictims(plan("n3", 20, "c-0")), "illegal victims")
	require.ErrorContains(t, best.CheckVictims(plan("n2", 1, "a-0")), "the best plan is {job-0 0 -1 n1}")

	unproven := plan("n2", 2, "b-0")
	unproven.Preemption.Proven = false
	require.ErrorContains(t, best.CheckVictims(unproven), "the lower bound")
	unproven.Preemption.LowerBound = best.Victims.Cost
	require.NoError(t, best.CheckVictims(unproven))
	more := plan("n2", 2, "a-0", "b-0")
	more.Preemption.Proven, more.Preemption.LowerBound = false, best.Victims.Cost
	require.ErrorContains(t, best.CheckVictims(more), "can be spared")
}
