package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkWide plans gangs that are a third larger than what is free below any domain of a layer, on nodes of eight devices of which any number is
// taken, warm: where the span is a choice on every layer. The gang has at most so many members.
func BenchmarkWide(b *testing.B) {
	for _, shape := range []struct {
		name string
		fan  []int
	}{
		{"nodes=64", []int{2, 2, 4, 4}},
		{"nodes=256", []int{2, 2, 8, 8}},
		{"nodes=1024", []int{2, 2, 8, 32}},
		{"nodes=10240", []int{4, 5, 16, 32}},
		{"nodes=102400", []int{10, 10, 32, 32}},
	} {
		for _, full := range []int{50, 90} {
			w := wideOf(b, benchmarks.Shape{Fan: shape.fan, Slots: 8}, full)
			for layer, name := range []string{"unit", "leaf", "spine"} {
				name, members := fmt.Sprintf("%s/full=%d/above=%s", shape.name, full, name), w.most(layer)*4/3
				b.Run(name, func(b *testing.B) { w.bench(b, members, 0) })
				b.Run(name+"/group=8", func(b *testing.B) { w.bench(b, members, 8) })
				b.Run(name+"/group=all", func(b *testing.B) { w.bench(b, members, members) })
			}
		}
	}
}

// wide is a cluster with nodes of which some devices are free, by node.
type wide struct {
	shape benchmarks.Shape
	free  []int
	c     *placement.Cluster
}

// wideOf draws how many devices are free on each node: none of so many nodes in a hundred, of the others any number.
func wideOf(b *testing.B, shape benchmarks.Shape, full int) *wide {
	w := &wide{shape: shape}
	rng := rand.New(rand.NewPCG(1, uint64(full)))
	for range shape.NumNodes() {
		free := 0
		if rng.IntN(100) >= full {
			free = 1 + rng.IntN(8)
		}
		w.free = append(w.free, free)
	}
	var err error
	w.c, err = placement.NewCluster(withFree(b, shape, w.free).spec)
	require.NoError(b, err)
	return w
}

// most is the most devices that are free below a domain of a layer, 0 being the lowest.
func (w *wide) most(layer int) (most int) {
	width := len(w.free) / w.shape.NumDomains(1+layer)
	for i := 0; i < len(w.free); i += width {
		sum := 0
		for _, n := range w.free[i : i+width] {
			sum += n
		}
		most = max(most, sum)
	}
	return most
}

func (w *wide) bench(b *testing.B, members, group int) {
	if group > 0 {
		members -= members % group
	}
	if members == 0 || members > 2048 {
		b.Skip("not so many members")
	}
	req := jobOf(members, 1)
	if group > 0 {
		req.Groups = []gang.Groups{{Size: group}}
	}
	res, err := placement.Plan(w.c, req)
	if err != nil {
		b.Skip(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := placement.Plan(w.c, req); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(members), "members")
	b.ReportMetric(float64(res.Tier), "tier")
	for _, s := range res.Span {
		b.ReportMetric(float64(s.Domains), s.Layer+"s")
	}
}
