package benchmarks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// BenchmarkSimulate plays streams of gangs of 1 to 128 nodes, which must gather as far as they can: 500 on 1,024 nodes, at a load of 0.85, and 3,000 on 10,240 at 0.95. `us/gang`
// is what one costs from its arrival to its end, goal 600 at 10,240 nodes; `mean_s` and `longest_s` are how long gangs wait.
func BenchmarkSimulate(b *testing.B) {
	for _, row := range []struct {
		name       string
		jobs, pods int
		load       int64
		simulate.Options
	}{
		{"nodes=1024/load=850/strict", 500, 4, 850, simulate.Options{Discipline: queue.Strict}},
		{"nodes=1024/load=850/next-that-fits", 500, 4, 850, simulate.Options{Discipline: queue.NextThatFits}},
		{"nodes=1024/load=850/easy", 500, 4, 850, simulate.Options{Discipline: queue.EASY}},
		{"nodes=1024/load=850/next-that-fits/moves", 500, 4, 850, simulate.Options{Moves: &simulate.Moves{Pause: 60}}},
		{"nodes=10240/load=950/next-that-fits", 3000, 40, 950, simulate.Options{Discipline: queue.NextThatFits}},
	} {
		b.Run(row.name, func(b *testing.B) {
			spec := pods(b, row.pods)
			c, err := placement.NewCluster(spec)
			require.NoError(b, err)
			row.Cluster = c
			row.Jobs = streams.Generated{
				Seed: 1, Jobs: row.jobs, Members: 128, Shape: gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 8}}, Runs: 7200, Load: row.load, Slots: int64(len(spec.Nodes)),
				Checkpoint: 1800, Gather: func(members int) []gang.Rule { return sized("", members).Gather },
			}.Stream()
			var report *simulate.Report
			b.ReportAllocs()
			for b.Loop() {
				report, err = simulate.Run(row.Options)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*row.jobs), "us/gang")
			b.ReportMetric(float64(report.Waited.Mean), "mean_s")
			b.ReportMetric(float64(report.Waited.Max), "longest_s")
		})
	}
}
