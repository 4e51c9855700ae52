package numa_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// policies that place members on zones.
var policies = []numa.Policy{numa.BestEffort, numa.Restricted, numa.SingleNUMANode}

// server is a machine of 128 CPUs, 1 TiB and 8 devices in n zones, each a little less used than the one before, with
// distances as of two sockets.
func server(tb testing.TB, n int) (*numa.Zones, *numa.Occupancy) {
	tb.Helper()
	var zones []numa.Zone
	var state numa.State
	for i := range n {
		z := numa.Zone{ID: i, Distances: map[int]int64{}, Allocatable: muster.Resources{
			muster.CPU: 128_000 / int64(n), muster.Memory: 1 << 40 / int64(n), "nvidia.com/gpu": max(1, 8/int64(n)),
		}}
		for j := range n {
			switch {
			case i == j:
				z.Distances[j] = 10
			case i*2/n == j*2/n:
				z.Distances[j] = 12
			default:
				z.Distances[j] = 32
			}
		}
		zones = append(zones, z)
		state.Zones = append(state.Zones, numa.Occupied{ID: i, Used: muster.Resources{
			muster.CPU: int64(n-i) * 250, muster.Memory: int64(n-i) << 28,
		}})
	}
	t, err := numa.NewZones(zones)
	require.NoError(tb, err)
	node, err := t.Occupancy(state)
	require.NoError(tb, err)
	return t, node
}

// half is a member that needs half the zones of a server, one under SingleNUMANode.
func half(tb testing.TB, t *numa.Zones, policy numa.Policy) *numa.Need {
	tb.Helper()
	n := int64(t.Len())
	parts := max(1, n/2)
	if policy == numa.SingleNUMANode {
		parts = 1
	}
	q, err := t.Need(numa.Member{Policy: policy, Resources: muster.Resources{
		muster.CPU: 96_000 / n * parts, muster.Memory: 1 << 38 / n * parts, "nvidia.com/gpu": max(1, 8/n) * parts,
	}}, "")
	require.NoError(tb, err)
	return q
}

// eachServer runs a benchmark on nodes of one to sixteen zones, under each policy.
func eachServer(b *testing.B, run func(b *testing.B, n int, policy numa.Policy)) {
	for _, n := range []int{1, 2, 4, 8, 16} {
		for _, policy := range policies {
			b.Run(fmt.Sprintf("zones=%d/policy=%s", n, policy), func(b *testing.B) {
				b.ReportAllocs()
				run(b, n, policy)
			})
		}
	}
}

func BenchmarkFit(b *testing.B) {
	eachServer(b, func(b *testing.B, n int, policy numa.Policy) {
		t, node := server(b, n)
		q := half(b, t, policy)
		require.True(b, q.Fit(node).Fits)
		for b.Loop() {
			q.Fit(node)
		}
	})
}

// BenchmarkSlots counts members under each policy; wide ones need two zones each, under Restricted.
func BenchmarkSlots(b *testing.B) {
	eachServer(b, func(b *testing.B, n int, policy numa.Policy) {
		t, node := server(b, n)
		q := wide(b, t, policy)
		require.True(b, n > 8 || q.Slots(node).Proven())
		for b.Loop() {
			q.Slots(node)
		}
	})
}

// wide is a member of one and a half zones of a server, of half a zone under SingleNUMANode.
func wide(tb testing.TB, t *numa.Zones, policy numa.Policy) *numa.Need {
	tb.Helper()
	n := int64(t.Len())
	halves := int64(3)
	if policy == numa.SingleNUMANode || n == 1 {
		halves = 1
	}
	q, err := t.Need(numa.Member{Policy: policy, Resources: muster.Resources{
		muster.CPU: 60_000 / n * halves, muster.Memory: 1 << 38 / n * halves, "nvidia.com/gpu": 1,
	}}, "")
	require.NoError(tb, err)
	return q
}

// BenchmarkScore rates a mask that was found.
func BenchmarkScore(b *testing.B) {
	t, node := server(b, 8)
	q := half(b, t, numa.BestEffort)
	fit := q.Fit(node)
	b.ReportAllocs()
	for b.Loop() {
		q.Score(node, fit)
	}
}

// BenchmarkMerge merges the hints of four providers on eight zones: each offers every mask that has two of its four
// zones, and prefers the pairs. No two of them prefer the same.
func BenchmarkMerge(b *testing.B) {
	t, _ := server(b, 8)
	for _, kind := range []string{"agree", "differ"} {
		var lists [][]numa.Hint
		for l := range 4 {
			has := numa.Mask(0x33 << l & 0xff)
			if kind == "agree" {
				has = 0xff
			}
			var list []numa.Hint
			for m := numa.Mask(1); m < 256; m++ {
				if w := (m & has).Width(); w >= 2 {
					list = append(list, numa.Hint{Mask: m, Preferred: m.Width() == 2})
				}
			}
			lists = append(lists, list)
		}
		for _, policy := range append([]numa.Policy{""}, policies...) {
			b.Run(fmt.Sprintf("zones=8/hints=%s/policy=%s", kind, policy), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := t.Merge(policy, lists, true); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
