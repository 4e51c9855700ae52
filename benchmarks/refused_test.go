package benchmarks_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
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
