package benchmarks_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
)

// planCase is one row. Its name leaves out what is the default: frag70, one slot a node, no groups.
type planCase struct {
	fill
	gang  int
	state string
	group int
}

func (c planCase) name() string {
	name := fmt.Sprintf("nodes=%d/gang=%d/state=%s", c.nodes, c.gang, c.state)
	if c.fill.name != "frag70" {
		name += "/fill=" + c.fill.name
	}
	if c.slots != 1 {
		name += "/slots=" + strconv.Itoa(c.slots)
	}
	if c.group != 0 {
		name += "/group=" + strconv.Itoa(c.group)
	}
	return name
}

// planCases lists the rows; the scan of a fill comes before the rows that are compared with it.
func planCases() []planCase {
	var cases []planCase
	add := func(f fill, gang, group int, states ...string) {
		for _, s := range states {
			cases = append(cases, planCase{f, gang, s, group})
		}
	}
	for _, nodes := range []int{1024, 10240, 102400} {
		f := fill{nodes, "frag70", 1}
		add(f, 64, 0, "scan", "warm", "no", "cold")
		add(f, 64, 8, "warm", "cold")
	}
	f := fill{102400, "frag70", 1}
	add(f, 64, 32, "no")
	add(f, 1024, 0, "warm")
	add(f, 1024, 8, "warm")
	for _, f := range []fill{{102400, "empty", 1}, {102400, "clean97", 1}, {102400, "frag97", 1}, {102400, "frag70", 8}} {
		add(f, 64, 0, "scan", "warm", "cold")
		add(f, 64, 8, "warm")
	}
	return cases
}

// BenchmarkPlan plans one gang on a snapshot. What the states mean is said in README.md.
func BenchmarkPlan(b *testing.B) {
	for _, c := range planCases() {
		b.Run(c.name(), func(b *testing.B) {
			switch c.state {
			case "scan":
				scan(b, c.fill, c.gang)
			case "cold":
				c.cold(b)
			default:
				c.warm(b)
			}
		})
	}
}

// warm plans gangs of the same shape as one that was planned on the snapshot before, of another size.
func (c planCase) warm(b *testing.B) {
	s := streamOf(b, c.fill)
	var requests []*gang.Request
	for _, group := range groupsAround(c.group) {
		s.warmUp(b, request(s.fleet.Shape, 2*c.gang, group))
		for _, size := range sizesAround(c.gang) {
			r := request(s.fleet.Shape, max(size, group), group)
			if c.state == "no" {
				c.refuse(r)
			}
			requests = append(requests, r)
		}
	}
	d, total := newDraw(b, s, requests), sum{}
	b.ReportAllocs()
	for b.Loop() {
		snapshot, r := d.pair(b)
		total.add(r, plan(b, snapshot, r))
	}
	require.Equal(b, c.state == "no", total.placed == 0, "%d of %d placed", total.placed, total.plans)
	total.report(b, c.nodes)
	reportRatio(b, c.fill)
}

// refuse adds rules that no domain of the fill can fulfil, although the free slots of every leaf suffice.
func (c planCase) refuse(r *gang.Request) {
	if c.group == 0 {
		r.Gather = []gang.Rule{{Layer: "unit", Strategy: gang.MustGather}}
		return
	}
	r.Gather = []gang.Rule{{Layer: "spine", Strategy: gang.MustGather}}
	r.Groups[0].Gather = []gang.Rule{{Layer: "unit", Strategy: gang.MustGather}}
}

// shapes counts the shapes that were ever asked for, so that each cold plan has one of its own.
var shapes int64

// cold plans gangs of a shape that no snapshot has seen.
func (c planCase) cold(b *testing.B) {
	s := streamOf(b, c.fill)
	sizes := sizesAround(c.gang)
	var requests []*gang.Request
	total := sum{}
	b.ReportAllocs()
	for b.Loop() {
		i := total.plans % 1024
		if i == 0 {
			b.StopTimer()
			requests = requests[:0]
			for k := range 1024 {
				r := request(s.fleet.Shape, sizes[k*37%len(sizes)], c.group)
				shapes++
				r.Shape.Resources[muster.Memory] -= shapes
				requests = append(requests, r)
			}
			b.StartTimer()
		}
		total.add(requests[i], plan(b, s.snapshot[total.plans*101%snapshots], requests[i]))
	}
	total.report(b, c.nodes)
	reportRatio(b, c.fill)
}

// sizesAround lists 64 sizes between half of n and one and a half of it.
func sizesAround(n int) []int {
	sizes := make([]int, 64)
	for i := range sizes {
		sizes[i] = n/2 + (i+1)*n/64
	}
	return sizes
}

// groupsAround lists three sizes of groups, 0 alone for no groups.
func groupsAround(n int) []int {
	if n == 0 {
		return []int{0}
	}
	return []int{n - 2, n, n + 2}
}

// workers are the members of every request.
var workers = func() []gang.Member {
	all := make([]gang.Member, 4096)
	for i := range all {
		all[i].Name = "worker-" + strconv.Itoa(i)
	}
	return all
}()

// request asks for a gang of new members, in groups unless their size is 0.
func request(shape benchmarks.Shape, members, group int) *gang.Request {
	r := &gang.Request{
		Name:    fmt.Sprintf("bench/gang-%d-%d", members, group),
		Members: workers[:members:members],
		Shape:   gang.Shape{Resources: shape.Member()},
	}
	if group > 0 {
		r.Groups = []gang.Groups{{Size: group}}
	}
	return r
}
