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

// BenchmarkSimulate plays streams of gangs of 1 to 128 nodes of 1,024, which must gather as far as they can, at a load of 0.85: `us/gang` is what one costs from its arrival to
// its end, `mean_s` and `longest_s` are how long gangs wait.
func BenchmarkSimulate(b *testing.B) {
	c, err := placement.NewCluster(pods(b))
	require.NoError(b, err)
	stream := streams.Generated{
		Seed: 1, Jobs: 500, Members: 128, Shape: gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 8}}, Runs: 7200, Load: 850, Slots: 1024, Checkpoint: 1800,
		Gather: func(members int) []gang.Rule { return sized("", members).Gather },
	}
	for _, row := range []struct {
		name string
		simulate.Options
	}{
		{"strict", simulate.Options{Discipline: queue.Strict}},
		{"next-that-fits", simulate.Options{Discipline: queue.NextThatFits}},
		{"easy", simulate.Options{Discipline: queue.EASY}},
		{"next-that-fits/moves", simulate.Options{Moves: &simulate.Moves{Pause: 60}}},
	} {
		b.Run("nodes=1024/load=850/"+row.name, func(b *testing.B) {
			row.Cluster, row.Jobs = c, stream.Stream()
			var report *simulate.Report
			b.ReportAllocs()
			for b.Loop() {
				var err error
				report, err = simulate.Run(row.Options)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*stream.Jobs), "us/gang")
			b.ReportMetric(float64(report.Waited.Mean), "mean_s")
			b.ReportMetric(float64(report.Waited.Max), "longest_s")
		})
	}
}
