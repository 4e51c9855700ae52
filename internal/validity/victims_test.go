package validity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// crowded is the board with two slots of n2 taken by v, whose third member runs outside, and one of n1 by w; the plan of pairs evicts
// two of v and waits for x.
func crowded(t *testing.T) (cluster.Spec, *gang.Request, *placement.Result) {
	spec := board(t)
	one := muster.Resources{"gpu": 1, muster.Pods: 1}
	for i, node := range []string{"n2", "n2", "n9"} {
		spec.Running = append(spec.Running, cluster.Running{
			Gang: "v", Member: []string{"v-9", "v-10", "v-1"}[i], Node: node, Resources: one, Priority: int64(i + 1), MinMember: 1, Started: int64(i + 5),
			Budgets: []string{"budget"},
		})
	}
	spec.Running = append(spec.Running, cluster.Running{Gang: "w", Member: "w-0", Node: "n1", Resources: one, Priority: 2, Started: 9})
	spec.Budgets = []cluster.Budget{{Name: "budget", Allowed: 1}}
	req, res := pairs()
	req.Priority = 3
	for i, name := range []string{"v-9", "v-10"} {
		res.Victims = append(res.Victims, placement.Victim{MemberRef: cluster.MemberRef{Gang: "v", Member: name}, Node: spec.Running[i+2].Node, Priority: 1})
	}
	// Both had the priority of v-9; w could leave too, and started at 9.
	res.Preemption = &placement.Preemption{Cost: preempt.Cost{Budgets: 1, HighestPriority: 1, Members: 2, PrioritySum: 2, LostWork: 7}}
	return spec, req, res
}

func TestCheckSeesDefectsOfVictims(t *testing.T) {
	spec, req, res := crowded(t)
	require.NoError(t, validity.Check(spec, req, res))
	type args struct {
		spec *cluster.Spec
		req  *gang.Request
		res  *placement.Result
	}
	for _, tc := range []struct {
		want  string
		spoil func(a args)
	}{
		{"n2: too little gpu", func(a args) { a.res.Victims = a.res.Victims[:1] }},
		{"evicts [{", func(a args) { a.req.NeverPreempts = true }},
		{"victim v v-9 is there twice or not in order", func(a args) { a.res.Victims[0], a.res.Victims[1] = a.res.Victims[1], a.res.Victims[0] }},
		{"victim v v-9 is there twice or not in order", func(a args) { a.res.Victims[1] = a.res.Victims[0] }},
		{"victim v v-8 does not run", func(a args) { a.res.Victims[0].Member = "v-8" }},
		{"v v-9 is leaving", func(a args) { a.spec.Running[2].Leaving = true }},
		{"v v-9 is not preemptible", func(a args) { a.spec.Running[2].NonPreemptible = true }},
		{"v v-9 is not evictable", func(a args) { a.spec.Running[2].Unevictable = true }},
		{"v v-9 has no lower priority", func(a args) { a.req.Priority = 1 }},
		{"is on n2, in quota \"\", of priority 1", func(a args) { a.res.Victims[0].Node = "n1" }},
		{"is on n2, in quota \"\", of priority 1", func(a args) { a.res.Victims[0].Priority = 2 }},
		{"is on n2, in quota \"\", of priority 1", func(a args) { a.res.Victims[0].Quota = "team" }},
		{"is in a quota over its min in \"gpu\", of []", func(a args) { a.res.Victims[0].OverMin = "gpu" }},
		{"v keeps 1 of at least 2 members", func(a args) { a.spec.Running[4].MinMember = 2 }},
		{"does not tell the cost", func(a args) { a.res.Preemption = nil }},
		{"the victims cost {Budgets:2", func(a args) { a.spec.Budgets[0].Allowed = -1 }},
		{"Unknown:1 LostWork:4}, not", func(a args) { a.spec.Running[3].Started = 0; a.spec.Running[2].Started = 5 }},
		{"is proven, and the lower bound is", func(a args) { a.res.Preemption.Proven = true }},
		{"of no victims", func(a args) { a.res.Victims = nil }},
	} {
		t.Run(tc.want, func(t *testing.T) {
			spec, req, res := crowded(t)
			tc.spoil(args{&spec, req, res})
			assert.ErrorContains(t, validity.Check(spec, req, res), tc.want)
		})
	}
}

// The plan of pairs reclaims two devices of v, in a quota beside its own.
func TestCheckSeesDefectsOfReclaiming(t *testing.T) {
	gpus := func(n int64) muster.Resources { return muster.Resources{"gpu": n} }
	for _, tc := range []struct {
		about                     string
		mine, dept, theirs, limit int64
		over                      string
		want                      string // empty: valid
	}{
		{"all within", 4, 1, 1, 9, "gpu", ""},
		{"the gang passes its min", 3, 1, 1, 9, "gpu", "passes the min of mine"},
		{"the department is at its min before the last", 4, 2, 1, 9, "gpu", "no order in which all quotas"},
		{"their quota is at its min before the last", 4, 2, 2, 9, "gpu", "no order in which all quotas"},
		{"not by its priority", 4, 1, 1, 9, "", `is in a quota over its min in "", of ["gpu"]`},
		{"the own limit is no matter of others", 3, 1, 1, 3, "gpu", "is not below mine, which refuses"},
	} {
		spec, req, res := crowded(t)
		tree, err := quota.New([]quota.Spec{
			{Name: "mine", Min: gpus(tc.mine), Max: gpus(tc.limit)},
			{Name: "dept", Min: gpus(tc.dept)},
			{Name: "theirs", Parent: "dept", Min: gpus(min(tc.theirs, tc.dept))},
		})
		require.NoError(t, err, tc.about)
		spec.Quotas, spec.Total = tree, gpus(20)
		for i := range spec.Running {
			if spec.Running[i].Gang == "v" {
				spec.Running[i].Quota = "theirs"
			}
		}
		spec.Running[4].Leaving = true // two of v use the quota
		req.Quota, req.Priority = "mine", 0
		for i := range res.Victims {
			res.Victims[i].Quota, res.Victims[i].OverMin = "theirs", tc.over
		}
		below := max(0, min(tc.theirs, tc.dept)-0)
		res.Preemption.Cost = preempt.Cost{
			Budgets: 1, HighestPriority: 1, BelowMin: gpus(below), GangsEnded: 1, Members: 2, PrioritySum: 2, LostWork: 1,
		}
		if err = validity.Check(spec, req, res); tc.want == "" {
			assert.NoError(t, err, tc.about)
		} else {
			assert.ErrorContains(t, err, tc.want, tc.about)
		}
	}
}
