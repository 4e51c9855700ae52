package benchmarks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// preemptCase is a gang that must gather in one domain of a crowd and finds no room. Rows are named like those of plans.
type preemptCase struct {
	benchmarks.Crowd
	within   string
	domain   int // nodes of it
	members  int
	devices  int64
	priority int64
	no       bool
	cold     bool // no search for victims went before
}

// layers of a crowd by what is written in the rows.
var crowdLayers = map[string]string{"rack": "unit", "block": "leaf", "spine": "spine"}

func preemptCases() []preemptCase {
	var cases []preemptCase
	for _, nodes := range []int{10240, 102400} {
		alone := benchmarks.Crowd{Nodes: nodes, Percent: 85, Seed: 1}
		if nodes > 10240 {
			alone.Percent = 95 // among so many racks one would have room
		}
		gangs := alone
		gangs.Together = 8
		for _, crowd := range []benchmarks.Crowd{alone, gangs} {
			cases = append(
				cases,
				preemptCase{Crowd: crowd, within: "rack", domain: 16, members: 64, devices: 1, priority: 100},
				preemptCase{Crowd: crowd, within: "block", domain: 128, members: 64, devices: 8, priority: 100},
				preemptCase{Crowd: crowd, within: "spine", domain: 1024, members: 64, devices: 8, priority: 100},
				preemptCase{Crowd: crowd, within: "spine", domain: 1024, members: 512, devices: 8, priority: 100},
			)
		}
		cases = append(
			cases,
			preemptCase{Crowd: alone, within: "block", domain: 128, members: 64, devices: 8, priority: 5, no: true},
			preemptCase{Crowd: alone, within: "rack", domain: 16, members: 64, devices: 1, priority: 100, cold: true},
		)
	}
	return cases
}

func (c preemptCase) name() string {
	name := fmt.Sprintf("nodes=%d/gang=%d/within=%s", c.Nodes, c.members, c.within)
	if c.Together > 0 {
		name += "/victims=gangs"
	}
	if c.no {
		name += "/state=no"
	}
	if c.cold {
		name += "/state=cold"
	}
	return name
}

// BenchmarkPreempt plans gangs that need victims, each on a snapshot of its own: members have moved since the one that was searched before, unless none
// was. Beside it stands how many a search node by node takes; where those
// are gangs, how many gangs end, and how many at least.
func BenchmarkPreempt(b *testing.B) {
	const n = 8
	for _, c := range preemptCases() {
		b.Run(c.name(), func(b *testing.B) {
			rounds, spec, err := c.Rounds(n, c.members, c.devices, crowdLayers[c.within], c.priority)
			require.NoError(b, err)
			for i := 0; i < n && !c.cold; i++ {
				_, _ = placement.Plan(rounds[i].Before, rounds[i].Request)
			}
			results, at := make([]*placement.Result, n), 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				cluster, err := rounds[at%n].Cluster()
				require.NoError(b, err)
				b.StartTimer()
				results[at%n], err = placement.Plan(cluster, rounds[at%n].Request)
				if c.no {
					require.ErrorIs(b, err, placement.ErrUnschedulable)
				} else {
					require.NoError(b, err)
				}
				at++
			}
			b.StopTimer()
			c.report(b, results[:min(at, n)], rounds, spec)
			switch {
			case c.Nodes < 102400 || c.Together > 0 || c.cold:
			case c.no:
				goal(b, 100*time.Microsecond)
			case c.within != "spine":
				goal(b, 2*time.Millisecond)
			}
		})
	}
}

// report tells the means over the rounds that were planned.
func (c preemptCase) report(b *testing.B, results []*placement.Result, rounds []benchmarks.Round, spec cluster.Spec) {
	if c.no {
		return
	}
	sums := map[string]float64{}
	for i, res := range results {
		sums["victims"] += float64(len(res.Victims))
		if res.Preemption == nil {
			res.Preemption = &placement.Preemption{}
		}
		if c.Together > 0 {
			sums["ended"] += float64(res.Preemption.Cost.GangsEnded)
			sums["bound"] += float64(res.Preemption.LowerBound.GangsEnded)
		}
		if c.Nodes == 10240 {
			spec.Running = rounds[i].Running
			greedy, ok := benchmarks.NewGreedy(spec, len(rounds[i].Request.Members), c.devices).Best(c.domain)
			require.True(b, ok)
			sums["greedy"] += float64(greedy.Members)
			if c.Together > 0 {
				sums["greedy-ended"] += float64(greedy.GangsEnded)
			}
			if evicted(res).Compare(greedy) > 0 {
				sums["dearer"]++
			}
		}
	}
	if c.Together > 0 && c.within == "block" {
		b.ReportMetric(sums["bound"]/sums["ended"], "bound/ended")
		b.ReportMetric(0.8, "bound/ended-goal")
	}
	for unit, sum := range sums {
		b.ReportMetric(sum/float64(len(results)), unit)
	}
}

func evicted(res *placement.Result) benchmarks.Evicted {
	cost := &res.Preemption.Cost
	return benchmarks.Evicted{HighestPriority: cost.HighestPriority, GangsEnded: cost.GangsEnded, Members: cost.Members, PrioritySum: cost.PrioritySum}
}

// A plan never takes dearer victims than a search node by node.
func TestNoDearerThanGreedy(t *testing.T) {
	for seed := range uint64(6) {
		for _, together := range []int{0, 2, 4, 16} {
			crowd := benchmarks.Crowd{Nodes: 1024, Percent: 90, Together: together, Seed: seed}
			spec, err := crowd.Spec()
			require.NoError(t, err)
			cluster, err := placement.NewCluster(spec)
			require.NoError(t, err)
			for _, c := range []preemptCase{
				{within: "rack", domain: 16, members: 64, devices: 1},
				{within: "rack", domain: 16, members: 8, devices: 8},
				{within: "block", domain: 128, members: 32, devices: 8},
				{within: "spine", domain: 1024, members: 64, devices: 8},
			} {
				res, err := placement.Plan(cluster, crowd.Preemptor(c.members, c.devices, crowdLayers[c.within], 100))
				require.NoError(t, err)
				if len(res.Victims) == 0 {
					continue
				}
				greedy, ok := benchmarks.NewGreedy(spec, c.members, c.devices).Best(c.domain)
				require.True(t, ok)
				require.LessOrEqual(t, evicted(res).Compare(greedy), 0, "seed %d, gangs of %d, %d in a %s: %+v, node by node %+v",
					seed, together, c.members, c.within, evicted(res), greedy)
			}
		}
	}
}

// The search is worth its budget: with twenty times as much it saves no tenth of the gangs that end, nor of the victims; and
// it knows that not much can be saved.
func TestBudgetOfSteps(t *testing.T) {
	crowd := benchmarks.Crowd{Nodes: 1024, Percent: 85, Together: 8, Seed: 1}
	spec, err := crowd.Spec()
	require.NoError(t, err)
	cluster, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := crowd.Preemptor(64, 8, "leaf", 100)
	res, err := placement.Plan(cluster, req)
	require.NoError(t, err)
	req.Preempt.Steps = 20 * 5_000
	more, err := placement.Plan(cluster, req)
	require.NoError(t, err)
	require.LessOrEqual(t, 10*len(res.Victims), 11*len(more.Victims))
	require.LessOrEqual(t, 10*res.Preemption.Cost.GangsEnded, 11*more.Preemption.Cost.GangsEnded)
	require.LessOrEqual(t, 8*res.Preemption.Cost.GangsEnded, 10*res.Preemption.LowerBound.GangsEnded)
}
