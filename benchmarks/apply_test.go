package benchmarks_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// applyCase is one row: what Apply puts on a snapshot, and what was planned there before.
type applyCase struct {
	fill
	// scattered puts every member into a unit of its own.
	scattered bool
	// sizes of groups that were planned on the snapshot, all of one shape; 0 stands for one.
	sizes int
	// then plans the next gang on the new snapshot.
	then bool
}

func (c applyCase) name() string {
	name := fmt.Sprintf("nodes=%d/gang=64%s", c.nodes, c.segments())
	if c.scattered {
		name += "/scattered"
	}
	if c.sizes != 0 {
		name += "/P=" + strconv.Itoa(c.sizes)
	}
	if c.then {
		name += "/then=plan"
	}
	return name
}

// applyCases come without and with the plan that follows; the plain copy of a fill stands before them.
func applyCases() []applyCase {
	var cases []applyCase
	for _, nodes := range []int{1024, 10240, 102400, million} {
		cases = append(cases, applyCase{fill: fragmented(nodes)})
		if nodes == 102400 {
			cases = append(cases, applyCase{fill: fragmented(nodes), scattered: true}, applyCase{fill: fragmented(nodes), sizes: 4})
		}
	}
	return append(cases, applyCase{fill: fill{nodes: 10240, name: "frag70", slots: 1, layers: 1}})
}

// BenchmarkApply applies plans of 33 to 96 members, each to the snapshot it was made from, on which one shape and one
// size of groups were planned. The row `then=plan` also plans the next gang on the new snapshot, in such groups, which
// pays for whatever Apply put off.
func BenchmarkApply(b *testing.B) {
	last := fill{}
	for _, c := range applyCases() {
		if c.nodes == million && testing.Short() {
			continue
		}
		if c.fill != last {
			b.Run(c.copyName(), c.copy)
			last = c.fill
		}
		b.Run(c.name(), c.apply)
		c.then = true
		b.Run(c.name(), c.apply)
	}
}

// applied is a plan and its snapshot.
type applied struct {
	snapshot *placement.Cluster
	request  *gang.Request
	result   *placement.Result
}

// applications plans one gang on every snapshot.
func (c applyCase) applications(b *testing.B, s *stream) []applied {
	b.Helper()
	sizes := sizesAround(64)
	out := make([]applied, len(s.snapshot))
	for i, snapshot := range s.snapshot {
		r := request(s.fleet.Shape, sizes[i*37%len(sizes)], 0)
		r.Name += "-applied"
		if c.scattered { // without a class, so that the snapshot keeps nothing of it
			r.Eligible = func(node string) bool { return number(node)%32 == i%32 }
		}
		res := plan(b, snapshot, r)
		require.NotNil(b, res)
		if c.scattered {
			units := map[int]bool{}
			for _, a := range res.Assignments {
				units[number(a.Node)/32] = true
			}
			require.Len(b, units, len(r.Members))
		}
		out[i] = applied{snapshot, r, res}
	}
	return out
}

// number is the node's place in the tree.
func number(node string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(node, "node-"))
	return n
}

func (c applyCase) apply(b *testing.B) {
	s := streamOf(b, c.fill)
	var warm, following []*gang.Request
	for _, group := range []int{8, 4, 6, 16}[:max(1, c.sizes)] {
		warm = append(warm, request(s.fleet.Shape, 128, group))
	}
	s.warmUp(b, warm...)
	todo, total := c.applications(b, s), sum{}
	for size := range 8 { // of other names, and small enough that they fit beside the first
		r := request(s.fleet.Shape, 16+size, 8)
		r.Name += "-next"
		following = append(following, r)
	}
	b.ReportAllocs()
	for b.Loop() {
		a := todo[total.plans%len(todo)]
		next, err := a.snapshot.Apply(a.result)
		if err != nil {
			b.Fatal(err)
		}
		if c.then && plan(b, next, following[total.plans%len(following)]) == nil {
			b.Fatal("no plan after Apply")
		}
		total.add(a.request, a.result)
	}
	total.report(b, c.nodes)
	measured[b.Name()] = perOp(b)
	compare(b, "BenchmarkApply/"+c.copyName(), "x-copy")
	if c.sizes > 1 {
		one := c
		one.sizes = 0
		b.ReportMetric(perOp(b)/measured["BenchmarkApply/"+one.name()], "x-one-P")
	}
}

func (c applyCase) copyName() string {
	return fmt.Sprintf("nodes=%d/gang=64/state=copy%s", c.nodes, c.segments())
}

// copy is the plain reference: it copies flat columns and takes the members off.
func (c applyCase) copy(b *testing.B) {
	s := streamOf(b, c.fill)
	todo, total := c.applications(b, s), sum{}
	columns, ask := s.fleet.Columns(), s.fleet.Shape.Amounts()
	var nodes [][]int32
	for _, a := range todo {
		var on []int32
		for _, m := range a.result.Assignments {
			on = append(on, int32(number(m.Node)))
		}
		nodes = append(nodes, on)
	}
	b.ReportAllocs()
	for b.Loop() {
		i := total.plans % len(todo)
		sink += int64(columns.Copy().Take(nodes[i], ask))
		total.add(todo[i].request, todo[i].result)
	}
	measured[b.Name()] = perOp(b)
	total.report(b, c.nodes)
}
