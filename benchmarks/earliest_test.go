package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// filledUntil is a cluster whose nodes are taken whole, by so many gangs of neighbors on 1 to 8 nodes each, that end one after the other.
func filledUntil(b *testing.B, nodes, gangs int) *placement.Cluster {
	b.Helper()
	spec, err := benchmarks.Crowd{Nodes: nodes, Seed: 1}.Spec()
	require.NoError(b, err)
	spec.Running = nil
	rng := rand.New(rand.NewPCG(2, 0))
	for n, g := 0, 0; g < gangs; g++ {
		size := min(1<<rng.IntN(4), nodes-n-(gangs-g-1)) // each that follows has a node at least
		if g == gangs-1 {
			size = nodes - n
		}
		end := 1 + rng.Int64N(1_000_000)
		for range size {
			spec.Running = append(spec.Running, cluster.Running{
				Gang: fmt.Sprintf("gang-%d", g), Member: fmt.Sprintf("pod-%d", n), Node: spec.Nodes[n].Name, Resources: muster.Resources{"nvidia.com/gpu": 8}, End: end,
			})
			n++
		}
	}
	c, err := placement.NewCluster(spec)
	require.NoError(b, err)
	return c
}

// BenchmarkEarliest asks when gangs have a place that must gather in a leaf of 128 nodes, or may lie anywhere, on a cluster that is full.
func BenchmarkEarliest(b *testing.B) {
	for _, size := range []struct {
		nodes, gangs int
		goal         time.Duration
	}{{1024, 300, time.Millisecond}, {10240, 3000, 10 * time.Millisecond}} {
		c := filledUntil(b, size.nodes, size.gangs)
		for _, members := range []int{8, 64} {
			for _, rule := range []string{"leaf", ""} {
				b.Run(fmt.Sprintf("nodes=%d/running=%d/gang=%d/must=%s", size.nodes, size.gangs, members, rule), func(b *testing.B) {
					req := request(benchmarks.Shape{Slots: 1}, members, 0)
					req.Shape.Resources = muster.Resources{"nvidia.com/gpu": 8}
					if rule != "" {
						req.Gather = []gang.Rule{{Layer: rule, Strength: gang.MustGather}}
					}
					var start *placement.Start
					for b.Loop() {
						var err error
						start, err = placement.Earliest(c, req, placement.EarliestOptions{})
						require.NoError(b, err)
					}
					require.True(b, start.Proven && start.At > 0)
					b.ReportMetric(float64(len(start.WaitsFor)), "gangs")
					goal(b, size.goal)
				})
			}
		}
	}
}

// BenchmarkDisciplines plans a queue of gangs of 1 to 64 nodes by each discipline, on a cluster that is full and whose gangs end; half of those that wait end as well.
func BenchmarkDisciplines(b *testing.B) {
	c := filledUntil(b, 1024, 300)
	rng := rand.New(rand.NewPCG(3, 0))
	var requests []*gang.Request
	for i := range 100 {
		req := request(benchmarks.Shape{Slots: 1}, 1<<rng.IntN(7), 0)
		req.Name, req.Shape.Resources = fmt.Sprintf("waits-%d", i), muster.Resources{"nvidia.com/gpu": 8}
		if i%2 == 0 {
			req.End = 1 + rng.Int64N(200_000)
		}
		requests = append(requests, req)
	}
	for _, row := range []struct {
		by    queue.Discipline
		queue int
		goal  time.Duration
	}{{queue.Strict, 32, 0}, {queue.NextThatFits, 32, 0}, {queue.EASY, 32, 0}, {queue.Conservative, 32, 0}, {queue.Conservative, 100, time.Second}} {
		b.Run(fmt.Sprintf("nodes=1024/running=300/queue=%d/by=%s", row.queue, row.by), func(b *testing.B) {
			for b.Loop() {
				placement.BatchBy(c, requests[:row.queue], placement.BatchOptions{Discipline: row.by})
			}
			if row.goal > 0 {
				goal(b, row.goal)
			}
		})
	}
}
