package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkStanding asks how a gang of 64 lies that runs, and how it could, on snapshots on which its shape was planned; `group=8`: in groups.
// Domains iterates over all domains of the topology.
func BenchmarkStanding(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		for _, group := range []int{0, 8} {
			name := fmt.Sprintf("nodes=%d", nodes)
			if group > 0 {
				name += fmt.Sprintf("/group=%d", group)
			}
			b.Run(name, func(b *testing.B) {
				s := streamOf(b, fragmented(nodes))
				req := request(s.fleet.Shape, 64, group)
				s.warmUp(b, req)
				on := make([]*placement.Cluster, len(s.snapshot))
				for i, c := range s.snapshot {
					res, err := placement.Plan(c, req)
					require.NoError(b, err)
					on[i], err = c.Apply(res)
					require.NoError(b, err)
				}
				i := 0
				b.ReportAllocs()
				for b.Loop() {
					g, err := placement.Standing(on[i%len(on)], req)
					if err != nil || g.Members != 64 {
						b.Fatal(g, err)
					}
					i++
				}
			})
		}
		b.Run(fmt.Sprintf("nodes=%d/Domains", nodes), func(b *testing.B) {
			s := streamOf(b, fragmented(nodes))
			s.warmUp(b, request(s.fleet.Shape, 64, 0))
			domains := 0
			b.ReportAllocs()
			for b.Loop() {
				all, err := s.snapshot[0].Domains("", &gang.Shape{Resources: s.fleet.Shape.Member()})
				if err != nil {
					b.Fatal(err)
				}
				domains = 0
				for range all {
					domains++
				}
			}
			b.ReportMetric(float64(domains), "domains")
		})
	}
}
