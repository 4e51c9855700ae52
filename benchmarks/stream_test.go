package benchmarks_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// numSnapshots is how many snapshots of one fill the benchmarks draw from: 256, or one for every iteration if
// -benchtime gives their number.
func numSnapshots() int {
	if n, ok := strings.CutSuffix(flag.Lookup("test.benchtime").Value.String(), "x"); ok {
		if n, err := strconv.Atoi(n); err == nil {
			return min(max(n, 2), 256)
		}
	}
	return 256
}

// million is the number of nodes of the rows that -short leaves out.
const million = 1024000

// fill says how a cluster is filled: `frag70` and `clean97` are percentages of taken slots, `empty` has 32 nodes
// taken, `gather3` is made for strategy 3. Layers of 0 are three; with kinds, nodes differ; with zones, members have a policy.
type fill struct {
	nodes  int
	name   string
	slots  int
	layers int
	kinds  int
	zones  int // of a node
	policy numa.Policy
	feeds  int  // of a second topology
	halves bool // every second node has no devices, members ask for none
}

// fragmented is the fill of all rows that name no other.
func fragmented(nodes int) fill { return fill{nodes: nodes, name: "frag70", slots: 1} }

// segments are what the name of a row says of the fill, beside the number of nodes.
func (f fill) segments() string {
	var s string
	if f.name != "frag70" {
		s += "/fill=" + f.name
	}
	if f.slots != 1 && f.kinds == 0 {
		s += "/slots=" + strconv.Itoa(f.slots)
	}
	if f.kinds != 0 {
		s += "/kinds=" + strconv.Itoa(f.kinds)
	}
	if f.zones != 0 {
		s += fmt.Sprintf("/zones=%d/policy=%s", f.zones, f.policy)
	}
	if f.feeds != 0 {
		s += "/feeds=" + strconv.Itoa(f.feeds)
	}
	if f.halves {
		s += "/devices=half"
	}
	if f.layers != 0 {
		s += "/layers=" + strconv.Itoa(f.layers)
	}
	return s
}

// fleet makes the cluster.
func (f fill) fleet(tb testing.TB) *benchmarks.Fleet { return f.seeded(tb, 1) }

func (f fill) seeded(tb testing.TB, seed uint64) *benchmarks.Fleet {
	tb.Helper()
	layers := f.layers
	if layers == 0 {
		layers = 3
	}
	shape, err := benchmarks.ShapeOf(f.nodes, layers)
	require.NoError(tb, err)
	shape.Slots, shape.Kinds, shape.Zones, shape.Policy, shape.Feeds = f.slots, f.kinds, f.zones, f.policy, f.feeds
	shape.Halves = f.halves
	kind, n := strings.TrimRight(f.name, "0123456789"), 0
	if kind != f.name {
		n, err = strconv.Atoi(f.name[len(kind):])
		require.NoError(tb, err)
	}
	switch {
	case kind == "frag" || kind == "empty" && f.kinds > 0:
		return benchmarks.Fragmented(shape, seed, n)
	case kind == "clean" || kind == "empty":
		return benchmarks.Clean(shape, seed, n)
	case kind == "gather":
		return benchmarks.Gathered(shape, seed, n)
	}
	tb.Fatalf("no fill %q", f.name)
	return nil
}

// stream holds snapshots of one fill, each derived from the one before.
type stream struct {
	fleet    *benchmarks.Fleet
	snapshot []*placement.Cluster
	// head is derived from the last snapshot. No row plans on it but to warm up, and the next snapshots are derived from
	// it, so that they know nothing of what was planned on the others.
	head  *placement.Cluster
	warm  []*gang.Request // planned on every snapshot
	asked map[string]bool // benchmarks that drew from these snapshots
}

// current is the stream that the last benchmark used; the next one of the same fill goes on with it.
var current struct {
	fill
	*stream
}

func streamOf(b *testing.B, f fill) *stream {
	b.Helper()
	if current.fill != f {
		forget() // before the next one is made: each has many snapshots
		s := &stream{fleet: f.fleet(b), snapshot: make([]*placement.Cluster, numSnapshots()), asked: map[string]bool{}}
		s.derive(b)
		current.fill, current.stream = f, s
	}
	return current.stream
}

// forget frees the stream that the last benchmark used.
func forget() { current.fill, current.stream = fill{}, nil }

// derive replaces all snapshots by new ones, as warm as the old ones.
func (s *stream) derive(b *testing.B) {
	b.Helper()
	clear(s.asked)
	for i := range s.snapshot {
		s.snapshot[i] = s.advance(b)
	}
	s.advance(b)
}

// advance derives the next snapshot and returns it.
func (s *stream) advance(b *testing.B) *placement.Cluster {
	b.Helper()
	c, err := s.fleet.Next()
	require.NoError(b, err)
	s.heat(b, c)
	s.head = c
	return c
}

// apart derives snapshots that no other benchmark plans on.
func (s *stream) apart(b *testing.B, n int) []*placement.Cluster {
	b.Helper()
	out := make([]*placement.Cluster, n)
	for i := range out {
		out[i] = s.advance(b)
	}
	s.advance(b)
	return out
}

// warmUp plans requests on every snapshot, and on those to come instead of what was planned on them so far.
func (s *stream) warmUp(b *testing.B, requests ...*gang.Request) {
	b.Helper()
	s.warm = requests
	for _, c := range s.snapshot {
		s.heat(b, c)
	}
	s.heat(b, s.head)
}

func (s *stream) heat(b *testing.B, c *placement.Cluster) {
	b.Helper()
	for _, r := range s.warm {
		plan(b, c, r)
	}
}

// plan returns nil if the request is proven to be unschedulable.
func plan(b *testing.B, c *placement.Cluster, r *gang.Request) *placement.Result {
	b.Helper()
	res, err := planned(c, r)
	if err != nil {
		b.Fatal(err)
	}
	return res
}

// planned is plan where the benchmark cannot end, and without the error of a refusal.
func planned(c *placement.Cluster, r *gang.Request) (*placement.Result, error) {
	res, err := placement.Plan(c, r)
	var refused *placement.Unschedulable
	if errors.As(err, &refused) && refused.Proven {
		return nil, nil // a refusal is an answer
	}
	return res, err
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
	s.fresh(b)
	rng := rand.New(rand.NewPCG(2, uint64(len(requests))))
	return &draw{stream: s, requests: requests, pairs: rng.Perm(len(s.snapshot) * len(requests))}
}

// fresh derives new snapshots if the benchmark has planned on these before, as with -count.
func (s *stream) fresh(b *testing.B) {
	b.Helper()
	if s.asked[b.Name()] {
		s.derive(b)
	}
	s.asked[b.Name()] = true
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

// perOp is the time of one iteration in nanoseconds.
func perOp(b *testing.B) float64 { return float64(b.Elapsed().Nanoseconds()) / float64(b.N) }

// measured has the time of rows that others are compared with, by name, in nanoseconds.
var measured = map[string]float64{}

// compare says how many times faster than another row of the same run this one is, if that ran.
func compare(b *testing.B, other, unit string) {
	if t, ok := measured[other]; ok {
		b.ReportMetric(t/perOp(b), unit)
	}
}
