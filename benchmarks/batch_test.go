package benchmarks_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// queueOf is a queue of gangs of one to so many members; of those that eight divides, some are in groups of eight.
func queueOf(shape benchmarks.Shape, gangs, largest int) []*gang.Request {
	queue := make([]*gang.Request, gangs)
	for i := range queue {
		n := 1 + i*i*7919%largest
		req := &gang.Request{Name: "queue/gang-" + strconv.Itoa(i), Shape: gang.Shape{Resources: shape.Member()}}
		for m := range n {
			req.Members = append(req.Members, gang.Member{Name: "pod-" + strconv.Itoa(m)})
		}
		if i%8 == 0 && n%8 == 0 {
			req.PP = 8
		}
		queue[i] = req
	}
	return queue
}

// BenchmarkBatch plans a queue of 10,000 gangs at 10,240 nodes of eight slots, 30 % of which are taken, on one core and on
// two: gangs of up to eight members, all of which are placed, and of up to 64, most of which are refused.
func BenchmarkBatch(b *testing.B) {
	const nodes, gangs = 10240, 10000
	shape, err := benchmarks.ShapeOf(nodes, 3)
	require.NoError(b, err)
	shape.Slots = 8
	c, err := benchmarks.Fragmented(shape, 1, 30).Next()
	require.NoError(b, err)
	for _, largest := range []int{8, 64} {
		queue := queueOf(shape, gangs, largest)
		name := fmt.Sprintf("nodes=%d/gangs=%d/largest=%d/cores=", nodes, gangs, largest)
		for _, cores := range []int{1, 2} {
			b.Run(name+strconv.Itoa(cores), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				placed := 0
				b.ReportAllocs()
				for b.Loop() {
					_, planned := placement.Batch(c, queue)
					placed = 0
					for i := range planned {
						if planned[i].Err == nil {
							placed++
						}
					}
				}
				measured[b.Name()] = perOp(b)
				b.ReportMetric(float64(placed), "placed")
				if cores > 1 {
					compare(b, "BenchmarkBatch/"+name+"1", "x-core")
					b.ReportMetric(1.6, "x-core-goal")
				}
			})
		}
	}
}
