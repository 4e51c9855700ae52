package benchmarks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkMaxFit asks on snapshots on which the shape was planned how large a gang fits in each layer: three of switches, the node and the whole
// topology. `group=8`: and how many groups of 8, each within a unit. `state=victims`: and if all left that may.
func BenchmarkMaxFit(b *testing.B) {
	for _, nodes := range []int{10240, 102400} {
		for _, group := range []int{0, 8} {
			for _, evicts := range []bool{false, true} {
				name := fmt.Sprintf("nodes=%d", nodes)
				if group > 0 {
					name += fmt.Sprintf("/group=%d", group)
				}
				if evicts {
					name += "/state=victims"
				}
				b.Run(name, func(b *testing.B) { measureMaxFit(b, nodes, group, evicts) })
			}
		}
	}
}

func measureMaxFit(b *testing.B, nodes, group int, evicts bool) {
	s := streamOf(b, fragmented(nodes))
	s.warmUp(b, request(s.fleet.Shape, 64, group))
	q := placement.FitQuestion{Shape: gang.Shape{Resources: s.fleet.Shape.Member()}, NeverPreempts: !evicts, Priority: 1}
	if group > 0 {
		q.Group = gang.Groups{Size: group, Gather: []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}}
	}
	layers, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		fits, err := placement.MaxFit(s.snapshot[i%len(s.snapshot)], q)
		if err != nil {
			b.Fatal(err)
		}
		layers, i = len(fits), i+1
	}
	require.Positive(b, layers)
	b.ReportMetric(float64(layers), "layers")
	if !evicts {
		goal(b, time.Duration(2*layers)*time.Microsecond)
	}
}
