package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
	"github.com/muster-sched/muster/simulate/streams"
)

// BenchmarkSimulate plays streams of gangs of 1 to 128 nodes, which must gather as far as they can: 500 on 1,024 nodes, at a load of 0.85, and 3,000 on 10,240 at 0.95. `us/gang`
// is what one costs from its arrival to its end, goal 600 at 10,240 nodes; `events/cpu-s` how many gangs come and end in a second of a processor, the collector's work included, goal 5,000 there; `mean_s` and
// `longest_s` are how long gangs wait.
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
			before := used()
			for b.Loop() {
				report, err = simulate.Run(row.Options)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*row.jobs), "us/gang")
			if cpu := used() - before; cpu > 0 {
				b.ReportMetric(float64(2*b.N*row.jobs)/cpu.Seconds(), "events/cpu-s")
			}
			b.ReportMetric(float64(report.Waited.Mean), "mean_s")
			b.ReportMetric(float64(report.Waited.Max), "longest_s")
		})
	}
}

// BenchmarkPlacers asks each placer for a gang of 64 whole nodes, which must gather in a pod of 128, and for a lone pod of 2 devices, at 10,240 nodes.
func BenchmarkPlacers(b *testing.B) {
	spec := pods(b, 40)
	for i := range spec.Nodes { // of ten nodes one is empty, and the others have 0 to 3 devices left; of every other pod half are empty
		if taken := int64(8 - i%4); i%10 > 0 && (i/128%2 > 0 || i%2 > 0) {
			spec.Running = append(spec.Running, cluster.Running{Gang: fmt.Sprint("other-", i), Member: "m", Node: spec.Nodes[i].Name, Resources: muster.Resources{"nvidia.com/gpu": taken}})
		}
	}
	c, err := placement.NewCluster(spec)
	require.NoError(b, err)
	lone := sized("lone", 1)
	lone.Shape.Resources = muster.Resources{"nvidia.com/gpu": 2}
	for _, e := range placers.All() {
		for _, req := range []*gang.Request{sized("gang", 64), lone} {
			b.Run("nodes=10240/by="+e.Name+"/of="+req.Name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					place, err := e.Placer.Place(c, req)
					require.NoError(b, err)
					require.NotNil(b, place)
				}
			})
		}
	}
}
