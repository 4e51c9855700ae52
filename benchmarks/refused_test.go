package benchmarks_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// refusedGang is a gang that is refused on a snapshot on which it was planned.
type refusedGang struct {
	cluster *placement.Cluster
	request *gang.Request
}

// refusedGangs are the first n of the sequence that are refused.
func refusedGangs(tb testing.TB, n int) (out []refusedGang) {
	tb.Helper()
	for seed := uint64(1); len(out) < n; seed++ {
		spec, req, err := benchmarks.Refused(seed)
		require.NoError(tb, err)
		c, err := placement.NewCluster(spec)
		require.NoError(tb, err)
		if _, err := placement.Plan(c, req); errors.Is(err, placement.ErrUnschedulable) {
			out = append(out, refusedGang{c, req})
		}
	}
	return out
}

// refusedGoal is for the explanation of one such gang.
const refusedGoal = 250 * time.Millisecond

// BenchmarkExplainRefused explains each of 100 gangs drawn by chance that are refused at 256 to 512 nodes. `over` is how many took longer than
// the goal, `worst-ms` what the slowest one took.
func BenchmarkExplainRefused(b *testing.B) {
	gangs := refusedGangs(b, 100)
	worst := make([]time.Duration, len(gangs))
	for b.Loop() {
		for i := range gangs {
			g := &gangs[i]
			start := time.Now()
			placement.Explain(g.cluster, g.request, placement.ExplainOptions{})
			if took := time.Since(start); worst[i] == 0 || took < worst[i] {
				worst[i] = took
			}
		}
	}
	over := 0
	for _, took := range worst {
		if took > refusedGoal {
			over++
		}
	}
	b.ReportMetric(float64(over), "over")
	b.ReportMetric(float64(slices.Max(worst).Milliseconds()), "worst-ms")
}

// BenchmarkExplainResources explains a gang of three shapes that is refused, where nodes and members have so many resources.
func BenchmarkExplainResources(b *testing.B) {
	for _, n := range []int{20, 2000} {
		b.Run(fmt.Sprintf("nodes=256/resources=%d", n), func(b *testing.B) {
			all := func(amount int64) muster.Resources {
				out := muster.Resources{}
				for r := range n {
					out[fmt.Sprint("resource-", r)] = amount
				}
				return out
			}
			var spec cluster.Spec
			for i := range 256 {
				name := fmt.Sprint("node-", i)
				spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: all(8), Cordoned: i%10 == 0})
				spec.Running = append(spec.Running, cluster.Running{Gang: name, Member: "pod", Node: name, Priority: int64(i % 3), Resources: all(5)})
			}
			c, err := placement.NewCluster(spec)
			require.NoError(b, err)
			req, shapes := &gang.Request{Name: "job", Priority: 2}, []*gang.Shape{{Resources: all(4)}, {Resources: all(5)}, {Resources: all(6)}}
			for i := range 300 {
				req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i), Shape: shapes[i%3]})
			}
			plans := 0
			for b.Loop() {
				e := placement.Explain(c, req, placement.ExplainOptions{})
				require.Equal(b, placement.VerdictRefused, e.Verdict)
				plans = e.Plans
			}
			b.ReportMetric(float64(plans), "plans")
		})
	}
}
