package benchmarks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// explainGoals are for a gang of 64, by the number of nodes.
var explainGoals = map[int]time.Duration{10240: 5 * time.Millisecond, 102400: 50 * time.Millisecond}

// BenchmarkExplain explains why gangs of 64 to 95, or some 64, are refused, each on a snapshot of its own on which the shape was planned,
// the one before having been explained: some that must gather in a leaf, of whose nodes 97 % are taken and 2 % of the others cordoned; and
// some that need blocks of a crowd, where priorities do not suffice. These have no goal: a single plan with such victims takes longer.
func BenchmarkExplain(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		b.Run(fmt.Sprintf("nodes=%d/gang=64/within=leaf", nodes), func(b *testing.B) {
			s := streamOf(b, fill{nodes: nodes, name: "frag97", slots: 1})
			var requests []*gang.Request
			for i := range 32 {
				r := request(s.fleet.Shape, 64+i, 0)
				r.Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
				requests = append(requests, r)
			}
			s.warmUp(b, request(s.fleet.Shape, 128, 0))
			before, each := make([]*placement.Cluster, len(s.snapshot)), make([][]cluster.Node, len(s.snapshot))
			for i, c := range s.snapshot {
				each[i] = slices.Collect(c.Nodes())
				before[i] = cordoned(b, c, everyNth(each[i], 50))
				placement.Explain(before[i], requests[0], placement.ExplainOptions{})
			}
			measureExplain(b, func(i int) (*placement.Cluster, *gang.Request) {
				at := i % len(before)
				c := cordoned(b, before[at], each[at][i*7919%nodes:][:1])
				_, _ = placement.Plan(c, requests[0])
				return c, requests[i%len(requests)]
			})
			goal(b, explainGoals[nodes])
		})
		b.Run(fmt.Sprintf("nodes=%d/gang=64/within=block", nodes), func(b *testing.B) {
			percent := map[int]int{10240: 85, 102400: 95}[nodes]
			rounds, _, err := benchmarks.Crowd{Nodes: nodes, Percent: percent, Seed: 1, Together: 8}.Rounds(8, 64, 8, "leaf", 5)
			require.NoError(b, err)
			for i := range rounds {
				placement.Explain(rounds[i].Before, rounds[i].Request, placement.ExplainOptions{})
			}
			measureExplain(b, func(i int) (*placement.Cluster, *gang.Request) {
				r := &rounds[i%len(rounds)]
				c, err := r.Cluster()
				require.NoError(b, err)
				_, _ = placement.Plan(c, r.Request)
				return c, r.Request
			})
		})
	}
}

// everyNth lists one of so many nodes.
func everyNth(nodes []cluster.Node, n int) (out []cluster.Node) {
	for some := range slices.Chunk(nodes, n) {
		out = append(out, some[len(some)-1])
	}
	return out
}

// cordoned is a cluster in which some nodes are out of service.
func cordoned(b *testing.B, c *placement.Cluster, nodes []cluster.Node) *placement.Cluster {
	d := cluster.Delta{SetNodes: slices.Clone(nodes)}
	for i := range d.SetNodes {
		d.SetNodes[i].Cordoned = true
	}
	c, err := c.Update(d)
	require.NoError(b, err)
	return c
}

func measureExplain(b *testing.B, next func(i int) (*placement.Cluster, *gang.Request)) {
	plans, kinds, i := 0, map[explain.Kind]bool{}, 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		c, req := next(i)
		b.StartTimer()
		e := placement.Explain(c, req, placement.ExplainOptions{})
		for _, r := range e.Relaxations {
			kinds[r.Kind] = true
		}
		plans, i = plans+e.Plans, i+1
	}
	b.ReportMetric(float64(plans)/float64(i), "plans")
	b.ReportMetric(float64(len(kinds)), "kinds")
}
