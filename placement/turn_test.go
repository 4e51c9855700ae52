package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// inQueue makes gangs of one device a member start together.
func inQueue(together string, members map[string]int, names ...string) (queue []*gang.Request) {
	for _, name := range names {
		req := named(name, members[name])
		req.Together = together
		queue = append(queue, req)
	}
	return queue
}

// On the board nine devices are free: b alone has no place, so a, which has one, waits for it and leaves its own to p.
func TestQueueOfGangsTogether(t *testing.T) {
	c := newCluster(t, board(t))
	queue := inQueue("t", map[string]int{"a": 2, "b": 10}, "a", "b")
	queue = slices.Insert(queue, 1, named("p", 8))
	next, planned := placement.Batch(c, queue)
	require.Equal(t, []string{
		"0 unschedulable: together with b, which cannot start",
		"2 unschedulable: insufficient slots, 9 of 10 (proven)",
	}, told(planned)[:2])
	require.Equal(t, 1, planned[2].Index)
	require.NoError(t, planned[2].Err)
	require.NotSame(t, c, next)
	var why *placement.Unschedulable
	require.ErrorAs(t, planned[0].Err, &why)
	require.Equal(t, &placement.Unschedulable{
		Gang: "a", Refuser: placement.RefuserRule, Rule: "together with b", Together: []string{"b"}, Wanted: 2, Proven: true,
	}, why)
	require.Empty(t, why.Nodes())
	require.Empty(t, why.InTheWay().Members)

	// Alone in the queue a gang is planned as if it started by itself, but by the rules for all.
	queue = queue[:1]
	_, planned = placement.Batch(c, queue)
	require.Equal(t, answerOf(placement.Plan(c, queue[0])), answerOf(planned[0].Result, planned[0].Err))
	queue[0].GatherTogether = must("node")
	_, planned = placement.Batch(c, queue)
	require.Zero(t, planned[0].Result.Tier)
	queue[0].Members = append(queue[0].Members, named("more", 4).Members...)
	_, planned = placement.Batch(c, queue)
	require.ErrorContains(t, planned[0].Err, "MustGather node")

	// Without a cluster, and twice the same gang.
	_, planned = placement.Batch(nil, inQueue("t", map[string]int{"a": 1, "b": 1}, "a", "b"))
	for _, p := range planned {
		requireInvalid(t, p.Err)
	}
	_, planned = placement.Batch(c, inQueue("t", map[string]int{"a": 1}, "a", "a"))
	for _, p := range planned {
		require.ErrorContains(t, p.Err, `requests[1].Name "a": duplicate name`)
	}
}

// A gang that is alone where it runs, and does not say so, starts together with nobody: in one plan the others would be no company to it.
func TestTogetherBesideAGangThatIsAlone(t *testing.T) {
	spec := board(t)
	spec.Running = append(spec.Running, cluster.Running{
		Gang: "a", Member: "runs", Node: "n1", Resources: muster.Resources{"gpu": 1}, Alone: "rack", MinMember: -1,
	})
	queue := inQueue("t", map[string]int{"a": 1, "b": 1}, "a", "b")
	_, err := placement.Together(newCluster(t, spec), nil, queue...)
	require.ErrorIs(t, err, muster.ErrNotSupported)
	require.ErrorContains(t, err, `requests[0].Name "a"`)
	_, err = placement.Together(newCluster(t, spec), nil, queue[0])
	require.NoError(t, err)
	queue[0].Limits = []gang.Limit{{Layer: "rack", Kind: gang.Alone}}
	_, err = placement.Together(newCluster(t, spec), nil, queue...)
	require.NotErrorIs(t, err, muster.ErrNotSupported)
}

// drawTogether draws a queue in which some gangs start together, most of them in what they must agree in.
func drawTogether(t *rapid.T) (cluster.Spec, []*gang.Request) {
	spec, queue := drawQueue(t)
	for i, req := range queue {
		if i > 0 && rapid.IntRange(0, 2).Draw(t, "alike") > 0 {
			some := *queue[i-1]
			some.Name = fmt.Sprint("ns/more-", i)
			if rapid.Bool().Draw(t, "fewer") && len(some.Groups)+len(some.Parts) == 0 {
				some.Members, some.MinMember, some.Total, some.PP, some.DP = some.Members[:(len(some.Members)+1)/2], 0, 0, 0, 0
			}
			req = &some
			queue[i] = req
		}
		req.Together = rapid.SampledFrom([]string{"", "t", "t", "u"}).Draw(t, "together")
		for k := range spec.Running {
			if r := &spec.Running[k]; r.Gang == req.Name && req.Together != "" {
				r.Alone = "" // which is not supported: TestTogetherBesideAGangThatIsAlone
			}
		}
		if req.GatherTogether = nil; req.Together != "" && rapid.IntRange(0, 3).Draw(t, "rule") == 0 {
			req.GatherTogether = req.Gather
		}
	}
	return spec, queue
}

// In a queue gangs that start together are planned as Together plans them, next to each other, all or none, on what the ones before left.
func TestQueueOfGangsTogetherIsAsTogether(t *testing.T) {
	placed, refused, waiting := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		spec, queue := drawTogether(t)
		c := newCluster(t, spec)
		next, planned := placement.Batch(c, queue)
		require.Len(t, planned, len(queue))
		host, last := c, -1
		for i := 0; i < len(planned); {
			p := planned[i]
			require.Greater(t, p.Index, last, "a turn is that of the first gang")
			last = p.Index
			var gangs []*gang.Request
			var gather []gang.Rule
			for _, req := range queue[p.Index:] {
				if req == p.Request || req.Together != "" && req.Together == p.Request.Together {
					gangs, gather = append(gangs, req), append(gather, req.GatherTogether...)
				}
			}
			seen := map[gang.Rule]bool{}
			gather = slices.DeleteFunc(gather, func(r gang.Rule) bool { was := seen[r]; seen[r] = true; return was })
			turn := planned[i : i+len(gangs)]
			i += len(gangs)
			for k, p := range turn {
				require.Same(t, gangs[k], p.Request)
				require.Same(t, turn[0].Cluster, p.Cluster)
			}
			if len(gangs) == 1 && len(gather) == 0 {
				require.Equal(t, plan(p.Cluster, p.Request), answerOf(p.Result, p.Err))
				host = applied(t, host, turn)
				continue
			}
			results, err := placement.Together(p.Cluster, gather, gangs...)
			for k, p := range turn {
				if err == nil {
					require.Equal(t, answerOf(results[k], nil), answerOf(p.Result, p.Err))
					placed++
				} else if alone := plan(p.Cluster, p.Request); len(gangs) > 1 && alone.Error != "" {
					require.Equal(t, alone, answerOf(p.Result, p.Err))
					refused++
				}
			}
			if err != nil {
				waiting += waitForRefused(t, turn, err)
			}
			host = applied(t, host, turn)
		}
		require.Equal(t, stateOf(withoutLeaving(t, host, nil)), stateOf(withoutLeaving(t, next, nil)))
	})
	require.True(t, min(placed, refused, waiting) > 0 || testing.Short(), "%d placed, %d refused, %d waiting", placed, refused, waiting)
}

// waitForRefused holds if those who could be placed wait for all who could not, or if nobody is to blame alone.
func waitForRefused(t require.TestingT, turn []placement.Planned, err error) (waiting int) {
	var refused []string
	for _, p := range turn {
		if _, err := placement.Plan(p.Cluster, p.Request); err != nil && len(turn) > 1 {
			refused = append(refused, p.Request.Name)
		}
	}
	for _, p := range turn {
		switch {
		case len(refused) == 0:
			require.Equal(t, err.Error(), p.Err.Error())
		case !slices.Contains(refused, p.Request.Name):
			var why *placement.Unschedulable
			require.ErrorAs(t, p.Err, &why)
			require.Equal(t, refused, why.Together)
			waiting++
		}
	}
	return waiting
}

// applied is the snapshot of a host that carries a turn out once those that it waits for are gone.
func applied(t require.TestingT, host *placement.Cluster, turn []placement.Planned) *placement.Cluster {
	var results []*placement.Result
	for _, p := range turn {
		if p.Result != nil {
			host = withoutLeaving(t, host, p.Result)
			results = append(results, p.Result)
		}
	}
	if len(results) == 0 {
		return host
	}
	require.Len(t, results, len(turn), "all or none")
	host, err := host.Apply(results...)
	require.NoError(t, err)
	return host
}

// What gangs that start together must agree in is not supported to differ, and that is an outcome, not a defect of any of them.
func TestQueueOfGangsThatDiffer(t *testing.T) {
	queue := inQueue("t", map[string]int{"a": 1, "b": 1}, "a", "b")
	queue[1].Policy = gang.Spread
	_, planned := placement.Batch(newCluster(t, board(t)), queue)
	for _, p := range planned {
		require.ErrorContains(t, p.Err, `requests[1].Policy "Spread": not supported`)
		require.NotErrorIs(t, p.Err, placement.ErrUnschedulable)
	}
}
