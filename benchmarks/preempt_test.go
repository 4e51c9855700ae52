package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/placement"
)

// preemptCase is a gang that finds no room in a crowd. Its rows are named like those of plans.
type preemptCase struct {
	benchmarks.Crowd
	within   string
	members  int
	devices  int64
	priority int64
	layer    string
	steps    int
	no       bool
}

func preemptCases() []preemptCase {
	var cases []preemptCase
	for _, nodes := range []int{10240, 102400} {
		crowd := benchmarks.Crowd{Nodes: nodes, Percent: 85, Seed: 1}
		cases = append(cases,
			preemptCase{Crowd: crowd, within: "rack", members: 64, devices: 1, priority: 100, layer: "unit"},
			preemptCase{Crowd: crowd, within: "block", members: 64, devices: 8, priority: 100, layer: "leaf"},
			preemptCase{Crowd: crowd, within: "spine", members: 64, devices: 8, priority: 100, layer: "spine"},
			preemptCase{Crowd: crowd, within: "spine", members: 512, devices: 8, priority: 100, layer: "spine"},
			preemptCase{Crowd: crowd, within: "block/no", members: 64, devices: 8, priority: 5, layer: "leaf", no: true},
		)
		crowd.Together = 8
		cases = append(cases,
			preemptCase{Crowd: crowd, within: "rack/gangs", members: 64, devices: 1, priority: 100, layer: "unit"},
			preemptCase{Crowd: crowd, within: "block/gangs", members: 64, devices: 8, priority: 100, layer: "leaf"},
		)
	}
	return cases
}

// BenchmarkPreempt plans gangs that need victims.
func BenchmarkPreempt(b *testing.B) {
	for _, c := range preemptCases() {
		b.Run(fmt.Sprintf("nodes=%d/gang=%d/within=%s", c.Nodes, c.members, c.within), func(b *testing.B) {
			spec, err := c.Spec()
			require.NoError(b, err)
			cluster, err := placement.NewCluster(spec)
			require.NoError(b, err)
			req := c.Preemptor(c.members, c.devices, c.layer, c.priority)
			req.Preempt.Steps = c.steps
			var res *placement.Result
			b.ReportAllocs()
			for b.Loop() {
				res, err = placement.Plan(cluster, req)
			}
			if c.no {
				require.ErrorIs(b, err, placement.ErrUnschedulable)
				return
			}
			require.NoError(b, err)
			b.ReportMetric(float64(len(res.Victims)), "victims")
			b.ReportMetric(float64(res.Preemption.LowerBound.Members), "bound")
		})
	}
}
