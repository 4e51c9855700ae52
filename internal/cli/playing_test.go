package cli

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkSweep plays eight streams, on one core and on two. `x-core` is by how much two are faster, goal 1.6.
func BenchmarkSweep(b *testing.B) {
	args := strings.Fields("-gangs 500 -sweep seed=1,2,3,4 -sweep load=70,85 -o csv")
	one := 0.0
	for _, cores := range []int{1, 2} {
		b.Run(fmt.Sprint("rows=8/cores=", cores), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			for b.Loop() {
				if status := Simulate(args, nil, io.Discard, io.Discard); status != ok {
					b.Fatal(status)
				}
			}
			per := b.Elapsed().Seconds() / float64(b.N)
			if cores == 1 {
				one = per
			} else if one > 0 {
				b.ReportMetric(one/per, "x-core")
				b.ReportMetric(1.6, "x-core-goal")
			}
		})
	}
}
