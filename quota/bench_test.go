package quota_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

var benchTotal = muster.Resources{muster.CPU: 12_800_000, muster.Memory: 1 << 50, "nvidia.com/gpu": 800_000}

// benchTree has so many quotas, each inner one with up to fan children: leaves lie log(n) deep. Fan 0: all at the top.
func benchTree(tb testing.TB, n, fan int) (*quota.Tree, []string) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 0))
	amounts := func(percent int64) muster.Resources {
		r := muster.Resources{}
		for name, total := range benchTotal {
			r[name] = total / int64(n) * percent / 100 * (1 + rng.Int64N(9))
		}
		return r
	}
	specs := make([]quota.Spec, n)
	for i := range specs {
		specs[i] = quota.Spec{Name: fmt.Sprintf("q-%d", i), Max: amounts(400), Weight: amounts(100)}
		if fan > 0 && i >= fan {
			specs[i].Parent = fmt.Sprintf("q-%d", i/fan-1)
		}
	}
	for i := n - 1; i >= 0; i-- { // minima of leaves, added up
		if fan == 0 || (i+1)*fan >= n {
			specs[i].Min = amounts(20)
			for name, most := range specs[i].Max {
				specs[i].Min[name] = min(specs[i].Min[name], most)
			}
		}
		if fan == 0 || i < fan {
			continue
		}
		up := &specs[i/fan-1]
		if up.Min == nil {
			up.Min = muster.Resources{}
		}
		for name, amount := range specs[i].Min {
			up.Min[name] += amount
			up.Max[name] = max(up.Max[name], 2*up.Min[name])
		}
	}
	tree, err := quota.New(specs)
	require.NoError(tb, err)
	var leaves []string
	for _, name := range tree.Quotas() {
		if tree.IsLeaf(name) {
			leaves = append(leaves, name)
		}
	}
	return tree, leaves
}

// benchState is half used, and more is asked for than there is.
func benchState(tb testing.TB, tree *quota.Tree, leaves []string) *quota.State {
	tb.Helper()
	s, err := tree.State(benchTotal)
	require.NoError(tb, err)
	rng := rand.New(rand.NewPCG(2, 0))
	for _, leaf := range leaves {
		used, demand := muster.Resources{}, muster.Resources{}
		for name, total := range benchTotal {
			used[name] = total / int64(len(leaves)) * rng.Int64N(100) / 100
			demand[name] = total / int64(len(leaves)) * rng.Int64N(300) / 100
		}
		s, err = s.Use(leaf, used, nil)
		require.NoError(tb, err)
		s, err = s.WithDemand(leaf, demand)
		require.NoError(tb, err)
	}
	return s
}

var benchShapes = []struct{ quotas, fan int }{{2000, 12}, {2000, 0}, {20000, 12}}

// BenchmarkShare works out the shares of all quotas: after the total changed, so that none is known, or (changed=1) after the demand of
// one leaf changed; changed=1/one asks for the share of that leaf alone, as Admit does.
func BenchmarkShare(b *testing.B) {
	for _, shape := range benchShapes {
		name := fmt.Sprintf("quotas=%d", shape.quotas)
		if shape.fan == 0 {
			name += "/flat"
		}
		tree, leaves := benchTree(b, shape.quotas, shape.fan)
		s := benchState(b, tree, leaves)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			less := muster.Resources{}
			for name, amount := range benchTotal {
				less[name] = amount / 10 * 9
			}
			totals := []muster.Resources{benchTotal, less}
			for i := 0; b.Loop(); i++ {
				fresh, err := s.WithTotal(totals[i%2])
				if err != nil {
					b.Fatal(err)
				}
				fresh.Shares(nil)
			}
		})
		b.Run(name+"/changed=1", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				changed := demandMore(b, s, leaves, i)
				changed.Shares(nil)
			}
		})
		b.Run(name+"/changed=1/one", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				changed := demandMore(b, s, leaves, i)
				if changed.Share(leaves[i*17%len(leaves)]) == nil {
					b.Fatal("no share")
				}
			}
		})
	}
}

func demandMore(b *testing.B, s *quota.State, leaves []string, i int) *quota.State {
	b.Helper()
	changed, err := s.WithDemand(leaves[i*17%len(leaves)], muster.Resources{"nvidia.com/gpu": int64(i % 1000)})
	if err != nil {
		b.Fatal(err)
	}
	return changed
}

// BenchmarkAdmit asks for leaves five deep.
func BenchmarkAdmit(b *testing.B) {
	tree, leaves := benchTree(b, 2000, 4)
	s := benchState(b, tree, leaves)
	asks := make([]quota.Ask, 256)
	for i := range asks {
		asks[i] = quota.Ask{Quota: leaves[i*7%len(leaves)], Request: gpus(int64(i % 3))}
	}
	for _, limit := range []quota.Limit{quota.Fair, quota.Borrow, quota.Greedy} {
		b.Run(fmt.Sprintf("depth=5/limit=%s", limit), func(b *testing.B) {
			b.ReportAllocs()
			refused := 0
			for i := 0; b.Loop(); i++ {
				refusal, err := s.Admit(asks[i%len(asks)], limit)
				if err != nil {
					b.Fatal(err)
				}
				if refusal != nil {
					refused++
				}
			}
			b.ReportMetric(100*float64(refused)/float64(b.N), "refused-%")
		})
	}
}

// BenchmarkReclaims asks whether 64 members of so many quotas, in departments of eight, may leave; they may.
func BenchmarkReclaims(b *testing.B) {
	each := func(n int64) muster.Resources {
		return muster.Resources{muster.CPU: 8 * n, muster.Memory: n << 30, "nvidia.com/gpu": n}
	}
	specs := []quota.Spec{{Name: "own", Min: each(64)}}
	for i := range 64 {
		up := fmt.Sprintf("department-%d", i/8)
		if i%8 == 0 {
			specs = append(specs, quota.Spec{Name: up, Min: each(80)})
		}
		specs = append(specs, quota.Spec{Name: fmt.Sprintf("team-%d", i), Parent: up, Min: each(10)})
	}
	tree, err := quota.New(specs)
	require.NoError(b, err)
	s, err := tree.State(each(1000))
	require.NoError(b, err)
	for i := range 64 {
		s, err = s.Use(fmt.Sprintf("team-%d", i), each(80), nil)
		require.NoError(b, err)
	}
	ask := quota.Ask{Quota: "own", Request: each(64)}
	for _, quotas := range []int{1, 4, 64} {
		evictions := make([]quota.Eviction, 64)
		for i := range evictions {
			evictions[i] = quota.Eviction{Quota: fmt.Sprintf("team-%d", i%quotas), Held: each(1)}
		}
		b.Run(fmt.Sprintf("evictions=64/quotas=%d", quotas), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := s.Reclaims(ask, evictions); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkQuotas is by how much the heap grows for a tree with its state and shares, beside the specs, which are the host's.
func BenchmarkQuotas(b *testing.B) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first, leaves := benchTree(b, 20000, 12)
	var specs []quota.Spec
	for _, name := range first.Quotas() {
		spec, _ := first.Spec(name)
		specs = append(specs, spec)
	}
	for range b.N {
		before := heap()
		tree, err := quota.New(specs)
		require.NoError(b, err)
		s := benchState(b, tree, leaves)
		s.Shares(nil)
		after := heap()
		runtime.KeepAlive(s)
		b.ReportMetric(float64(after-before)/20000/float64(len(benchTotal)), "B/quota-resource")
	}
	runtime.KeepAlive(leaves)
	runtime.KeepAlive(first)
}
