package benchmarks_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// together plans warm gangs in several goroutines, all on one snapshot at a time: they take requests off one list, in
// chunks, that goes through the snapshots one after another.
func (c planCase) together(b *testing.B) {
	s := streamOf(b, c.fill)
	requests := c.warmed(b, s)
	s.fresh(b)
	total, done := sum{}, 0
	b.ReportAllocs()
	b.ResetTimer()
	for done < b.N {
		if done > 0 {
			b.StopTimer()
			s.derive(b)
			b.StartTimer()
		}
		n := min(b.N-done, len(requests)*len(s.snapshot))
		require.NoError(b, share(c.goroutines, n, s.snapshot, requests, &total))
		done += n
	}
	b.StopTimer()
	require.Equal(b, b.N, total.placed)
	total.report(b, c.nodes)
	measured[b.Name()] = perOp(b)
	b.ReportMetric(1e9/perOp(b), "plans/s")
	if c.goroutines > 1 {
		alone := c
		alone.goroutines = 1
		compare(b, "BenchmarkPlan/"+alone.name(), "x-goroutine")
	}
}

// share makes the first n plans of the list in so many goroutines.
func share(goroutines, n int, snapshots []*placement.Cluster, requests []*gang.Request, total *sum) error {
	const chunk = 16 // divides the number of requests, so that a chunk is on one snapshot
	var next atomic.Int64
	work := func() (mine sum, err error) {
		for {
			first := int(next.Add(chunk)) - chunk
			if first >= n {
				return mine, nil
			}
			c := snapshots[first/len(requests)]
			for i := first; i < min(n, first+chunk); i++ {
				r := requests[i%len(requests)]
				res, err := planned(c, r)
				if err != nil {
					return mine, err
				}
				mine.add(r, res)
			}
		}
	}
	sums, errs := make([]sum, goroutines), make([]error, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() { sums[g], errs[g] = work() })
	}
	wg.Wait()
	for _, s := range sums {
		total.plans += s.plans
		total.members += s.members
		total.tiers += s.tiers
		total.placed += s.placed
	}
	return errors.Join(errs...)
}

// Nothing is planned twice and nothing is left out, however many share the work.
func TestShareMakesEveryPlanOnce(t *testing.T) {
	fleet := fragmented(1024).fleet(t)
	c, err := fleet.Next()
	require.NoError(t, err)
	next, err := fleet.Next()
	require.NoError(t, err)
	var requests []*gang.Request
	for size := range 32 {
		requests = append(requests, request(fleet.Shape, size+1, 0))
	}
	want := sum{}
	require.NoError(t, share(1, 50, []*placement.Cluster{c, next}, requests, &want))
	require.Equal(t, 50, want.plans)
	require.Equal(t, 32*33/2+18*19/2, want.members)
	for _, goroutines := range []int{2, 3, 8} {
		t.Run(fmt.Sprint(goroutines), func(t *testing.T) {
			got := sum{}
			require.NoError(t, share(goroutines, 50, []*placement.Cluster{c, next}, requests, &got))
			require.Equal(t, want, got)
		})
	}
}
