package benchmarks_test

import (
	"fmt"
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

// BenchmarkExplain explains why gangs of 64 to 95, or some 64, are refused, each on a snapshot of its own on which the shape was planned, one of the
// snapshots before having been explained: some that must gather in
// a leaf, of whose nodes 97 % are taken and 2 % of the others cordoned; and some that need blocks of a crowd, where priorities do not suffice.
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
			on := make([]*placement.Cluster, len(s.snapshot))
			for i, c := range s.snapshot {
				before := cordoned(b, c, 50)
				placement.Explain(before, requests[0], placement.ExplainOptions{})
				on[i] = cordoned(b, before, nodes/2+49) // one more
				_, _ = placement.Plan(on[i], requests[0])
			}
			measureExplain(b, nodes, func(i int) (*placement.Cluster, *gang.Request) { return on[i%len(on)], requests[i%len(requests)] })
		})
		b.Run(fmt.Sprintf("nodes=%d/gang=64/within=block", nodes), func(b *testing.B) {
			percent := map[int]int{10240: 85, 102400: 95}[nodes]
			rounds, _, err := benchmarks.Crowd{Nodes: nodes, Percent: percent, Seed: 1, Together: 8}.Rounds(8, 64, 8, "leaf", 5)
			require.NoError(b, err)
			on := make([]*placement.Cluster, len(rounds))
			for i := range rounds {
				placement.Explain(rounds[i].Before, rounds[i].Request, placement.ExplainOptions{})
				on[i], err = rounds[i].Cluster()
				require.NoError(b, err)
				_, _ = placement.Plan(on[i], rounds[i].Request)
			}
			measureExplain(b, nodes, func(i int) (*placement.Cluster, *gang.Request) { return on[i%len(on)], rounds[i%len(rounds)].Request })
		})
	}
}

// cordoned is a cluster in which one of so many nodes is out of service.
func cordoned(b *testing.B, c *placement.Cluster, every int) *placement.Cluster {
	var d cluster.Delta
	i := 0
	for n := range c.Nodes() {
		if i++; i%every == 0 {
			n.Cordoned = true
			d.SetNodes = append(d.SetNodes, n)
		}
	}
	c, err := c.Update(d)
	require.NoError(b, err)
	return c
}

func measureExplain(b *testing.B, nodes int, next func(i int) (*placement.Cluster, *gang.Request)) {
	plans, kinds, i := 0, map[explain.Kind]bool{}, 0
	b.ReportAllocs()
	for b.Loop() {
		c, req := next(i)
		e := placement.Explain(c, req, placement.ExplainOptions{})
		for _, r := range e.Relaxations {
			kinds[r.Kind] = true
		}
		plans, i = plans+e.Plans, i+1
	}
	b.ReportMetric(float64(plans)/float64(i), "plans")
	b.ReportMetric(float64(len(kinds)), "kinds")
	goal(b, explainGoals[nodes])
}
