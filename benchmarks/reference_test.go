package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-sched/muster/benchmarks"
)

// scanned has the time of the plain pass by fill, in nanoseconds.
var scanned = map[fill]float64{}

// reportRatio says how many times slower the plain pass of the same run was.
func reportRatio(b *testing.B, f fill) {
	if scan, ok := scanned[f]; ok {
		b.ReportMetric(scan/perOp(b), "x-scan")
	}
}

// columnsOf lays out several clusters of a fill, together more than the caches of a core hold of a large one.
func columnsOf(b *testing.B, f fill) []*benchmarks.Columns {
	b.Helper()
	columns := make([]*benchmarks.Columns, 8)
	if f.nodes == million {
		columns = columns[:2]
	}
	for i := range columns {
		columns[i] = f.seeded(b, uint64(i)).Columns()
	}
	return columns
}

// scan measures the plain pass over the nodes of some clusters.
func scan(b *testing.B, f fill, members int) {
	columns, tiers, passes := columnsOf(b, f), 0, 0
	ask := columns[0].Shape.Amounts()
	b.ReportAllocs()
	for b.Loop() {
		tiers += columns[passes%len(columns)].Scan(int64(members), ask)
		passes++
	}
	scanned[f] = perOp(b)
	b.ReportMetric(float64(f.nodes), "nodes")
	b.ReportMetric(float64(members), "members")
	b.ReportMetric(float64(tiers)/float64(passes), "tier")
	b.ReportMetric(float64(columns[0].Bytes()), "B-read")
}

// BenchmarkLimit measures what the machine allows: how fast memory is read in order and one cache line at a time, and
// what it costs to touch each node that a gang of 64 changes once, in the flat columns that a scan reads.
func BenchmarkLimit(b *testing.B) {
	b.Run("read=stream", readStream)
	b.Run("read=line", func(b *testing.B) { readLines(b, false) })
	b.Run("read=chain", func(b *testing.B) { readLines(b, true) })
	for _, nodes := range []int{1024, 10240, 102400} {
		b.Run(fmt.Sprintf("nodes=%d/gang=64", nodes), func(b *testing.B) { touch(b, nodes) })
	}
}

// memory is far more than the caches hold.
const memory = 256 << 20

// sink keeps what is read from being optimised away.
var sink int64

func readStream(b *testing.B) {
	all := make([]int64, memory/8)
	for i := range all {
		all[i] = int64(i)
	}
	for b.Loop() {
		var s, t, u, v int64 // four sums, so that additions do not wait for each other
		for i := 0; i+8 <= len(all); i += 8 {
			line := (*[8]int64)(all[i:])
			s += line[0] + line[4]
			t += line[1] + line[5]
			u += line[2] + line[6]
			v += line[3] + line[7]
		}
		sink += s + t + u + v
	}
	b.ReportMetric(memory/perOp(b), "GB/s")
}

// readLines reads cache lines in random order. Chained, the place of a line depends on the line before, so that one
// waits for the other.
func readLines(b *testing.B, chained bool) {
	all := make([]uint64, memory/8)
	for i := range all {
		all[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	const reads = 4096
	state, s := uint64(1), uint64(0)
	for b.Loop() {
		for range reads {
			state = state*6364136223846793005 + 1442695040888963407
			if chained {
				state += s
			}
			s += all[state>>32%(memory/64)*8]
		}
	}
	sink += int64(s)
	b.ReportMetric(perOp(b)/reads, "ns/line")
}

// touch takes 64 members off random nodes of one snapshot after another, and gives them back when all had theirs.
func touch(b *testing.B, nodes int) {
	columns, rng := columnsOf(b, fragmented(nodes)), rand.New(rand.NewPCG(3, 0))
	ask := columns[0].Shape.Amounts()
	draws := make([][]int32, 1024)
	for i := range draws {
		for range 64 {
			draws[i] = append(draws[i], int32(rng.IntN(nodes)))
		}
	}
	back := benchmarks.Amounts{}
	for r := range ask {
		back[r] = -ask[r]
	}
	step := 0
	b.ReportAllocs()
	for b.Loop() {
		take := ask
		if step/len(draws)%2 == 1 {
			take = back
		}
		sink += int64(columns[step%len(columns)].Take(draws[step%len(draws)], take))
		step++
	}
	b.ReportMetric(float64(nodes), "nodes")
	b.ReportMetric(64, "members")
	b.ReportMetric(perOp(b)/64, "ns/node")
}
