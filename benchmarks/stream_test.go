package benchmarks_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// snapshots is how many snapshots of one fill the benchmarks draw from.
const snapshots = 256

// fill says how a cluster is filled: `frag70` and `clean97` are percentages of taken slots, `empty` has a single unit
// taken, `gather3` is made for strategy 3.
type fill struct {
	nodes int
	name  string
	slots int
}

// fleet makes the cluster.
func (f fill) fleet(tb testing.TB) *benchmarks.Fleet {
	tb.Helper()
	shape, err := benchmarks.ShapeOf(f.nodes)
	require.NoError(tb, err)
	shape.Slots = f.slots
	if f.name == "empty" {
		return benchmarks.Clean(shape, 1, 0)
	}
	kind := strings.TrimRight(f.name, "0123456789")
	n, err := strconv.Atoi(f.name[len(kind):])
	require.NoError(tb, err)
	switch kind {
	case "frag":
		return benchmarks.Fragmented(shape, 1, n)
	case "clean":
		return benchmarks.Clean(shape, 1, n)
	case "gather":
		return benchmarks.Gathered(shape, 1, n)
	}
	tb.Fatalf("no fill %q", f.name)
	return nil
}

// stream holds snapshots of one fill, each derived from the one before.
type stream struct {
	fleet    *benchmarks.Fleet
	snapshot []*placement.Cluster
	warm     []*gang.Request // planned on every snapshot
	asked    map[string]bool // benchmarks that drew from these snapshots
}

// current is the stream that the last benchmark used; the next one of the same fill goes on with it.
var current struct {
	fill
	*stream
}

func streamOf(b *testing.B, f fill) *stream {
	b.Helper()
	if current.fill != f {
		current.stream = nil // before the next one is made: each has many snapshots
		s := &stream{fleet: f.fleet(b), snapshot: make([]*placement.Cluster, snapshots), asked: map[string]bool{}}
		s.derive(b)
		current.fill, current.stream = f, s
	}
	return current.stream
}

// derive replaces all snapshots by new ones, as warm as the old ones.
func (s *stream) derive(b *testing.B) {
	b.Helper()
	clear(s.asked)
	for i := range s.snapshot {
		c, err := s.fleet.Next()
		require.NoError(b, err)
		s.snapshot[i] = c
		for _, r := range s.warm {
			plan(b, c, r)
		}
	}
}

// warmUp plans a request on every snapshot, those to come included.
func (s *stream) warmUp(b *testing.B, r *gang.Request) {
	b.Helper()
	if slices.ContainsFunc(s.warm, func(w *gang.Request) bool { return w.Name == r.Name }) {
		return
	}
	s.warm = append(s.warm, r)
	for _, c := range s.snapshot {
		plan(b, c, r)
	}
}

// plan returns nil if the request is unschedulable.
func plan(b *testing.B, c *placement.Cluster, r *gang.Request) *placement.Result {
	b.Helper()
	res, err := placement.Plan(c, r)
	if err != nil && !errors.Is(err, placement.ErrUnschedulable) {
		b.Fatal(err)
	}
	return res
}

// draw goes through all pairs of a snapshot and a request in random order. After the last pair the stream derives new
// snapshots, outside the measured time, so that no pair is ever planned twice.
type draw struct {
	stream   *stream
	requests []*gang.Request
	pairs    []int
	next     int
}

func newDraw(b *testing.B, s *stream, requests []*gang.Request) *draw {
	b.Helper()
	if s.asked[b.Name()] { // -count
		s.derive(b)
	}
	s.asked[b.Name()] = true
	rng := rand.New(rand.NewPCG(2, uint64(len(requests))))
	return &draw{stream: s, requests: requests, pairs: rng.Perm(len(s.snapshot) * len(requests))}
}

func (d *draw) pair(b *testing.B) (*placement.Cluster, *gang.Request) {
	if d.next == len(d.pairs) {
		b.StopTimer()
		d.stream.derive(b)
		d.next = 0
		b.StartTimer()
	}
	p := d.pairs[d.next]
	d.next++
	return d.stream.snapshot[p/len(d.requests)], d.requests[p%len(d.requests)]
}

// sum adds up what the plans of a benchmark answered: it keeps them from being optimised away and is reported.
type sum struct {
	plans, members, tiers, placed int
}

func (s *sum) add(r *gang.Request, res *placement.Result) {
	s.plans++
	s.members += len(r.Members)
	if res != nil {
		s.placed++
		s.tiers += res.Tier
	}
}

// report gives the means over all plans.
func (s *sum) report(b *testing.B, nodes int) {
	b.ReportMetric(float64(nodes), "nodes")
	b.ReportMetric(float64(s.members)/float64(s.plans), "members")
	if s.placed > 0 {
		b.ReportMetric(float64(s.tiers)/float64(s.placed), "tier")
	}
}

// scanned has the time of the plain pass by the name of the fill, in nanoseconds.
var scanned = map[fill]float64{}

// perOp is the time of one iteration in nanoseconds.
func perOp(b *testing.B) float64 { return float64(b.Elapsed().Nanoseconds()) / float64(b.N) }

// reportRatio says how many times slower the plain pass of the same run was.
func reportRatio(b *testing.B, f fill) {
	if scan, ok := scanned[f]; ok {
		b.ReportMetric(scan/perOp(b), "x-scan")
	}
}

// scan measures the plain pass over the nodes of eight snapshots, more than caches hold of a large cluster.
func scan(b *testing.B, f fill, members int) {
	s := streamOf(b, f)
	columns := make([]*benchmarks.Columns, 8)
	for i := range columns {
		columns[i] = benchmarks.ColumnsOf(s.fleet.Shape, s.snapshot[i].Nodes(), s.snapshot[i].Running())
	}
	ask, tiers, passes := s.fleet.Shape.Amounts(), 0, 0
	b.ReportAllocs()
	for b.Loop() {
		tiers += columns[passes%len(columns)].Scan(int64(members), ask)
		passes++
	}
	scanned[f] = perOp(b)
	b.ReportMetric(float64(f.nodes), "nodes")
	b.ReportMetric(float64(members), "members")
	b.ReportMetric(float64(tiers)/float64(passes), "tier")
}
