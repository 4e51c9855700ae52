package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkGather plans a gang of three groups of eight on clusters where exactly one strategy of the gather search
// wins, and checks that each plan has it. The fill is made for this gang, so only the snapshot and the gang's name vary.
func BenchmarkGather(b *testing.B) {
	for strategy := 1; strategy <= 6; strategy++ {
		for _, nodes := range []int{1024, 10240, 102400} {
			f := fill{nodes: nodes, name: fmt.Sprintf("gather%d", strategy), slots: 1}
			name := fmt.Sprintf("strategy=%d/nodes=%d", strategy, nodes)
			b.Run(name+"/state=scan", func(b *testing.B) { scan(b, f, benchmarks.GatherMembers) })
			b.Run(name, func(b *testing.B) { gather(b, f, strategy) })
		}
	}
}

func gather(b *testing.B, f fill, strategy int) {
	s := streamOf(b, f)
	var requests []*gang.Request
	for i := range 64 {
		r := request(s.fleet.Shape, benchmarks.GatherMembers, benchmarks.GatherGroup)
		r.Name = fmt.Sprintf("bench/gang-%d", i)
		requests = append(requests, r)
	}
	s.warmUp(b, request(s.fleet.Shape, benchmarks.GatherMembers-1, benchmarks.GatherGroup))
	d, total := newDraw(b, s, requests), sum{}
	b.ReportAllocs()
	for b.Loop() {
		snapshot, r := d.pair(b)
		res := plan(b, snapshot, r)
		if res == nil || res.StrategyNumber != strategy {
			b.Fatalf("plan is %+v, not of strategy %d", res, strategy)
		}
		total.add(r, res)
	}
	total.report(b, f.nodes)
	reportRatio(b, f)
}

// The fills must hold for every snapshot, not only for those that a short benchmark happens to draw.
func TestGatheredClustersHaveOneBestStrategy(t *testing.T) {
	for strategy := 1; strategy <= 6; strategy++ {
		for _, nodes := range []int{1024, 10240} {
			t.Run(fmt.Sprintf("strategy=%d/nodes=%d", strategy, nodes), func(t *testing.T) {
				fleet := fill{nodes: nodes, name: fmt.Sprintf("gather%d", strategy), slots: 1}.fleet(t)
				r := request(fleet.Shape, benchmarks.GatherMembers, benchmarks.GatherGroup)
				for range 16 {
					c, err := fleet.Next()
					require.NoError(t, err)
					res, err := placement.Plan(c, r)
					require.NoError(t, err)
					require.Equal(t, strategy, res.StrategyNumber, "%s", res.Strategy)
				}
			})
		}
	}
}
