package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkApply applies plans of 33 to 96 members, each to the snapshot it was made from. The row `then=plan` also
// plans the next gang on the new snapshot, which pays for whatever Apply put off.
func BenchmarkApply(b *testing.B) {
	for _, nodes := range []int{1024, 10240, 102400} {
		f := fill{nodes, "frag70", 1}
		name := fmt.Sprintf("nodes=%d/gang=64", nodes)
		b.Run(name+"/state=copy", func(b *testing.B) { applyPlain(b, f) })
		b.Run(name, func(b *testing.B) { apply(b, f, nil) })
		b.Run(name+"/then=plan", func(b *testing.B) {
			apply(b, f, func(c *placement.Cluster, r *gang.Request) *placement.Result { return plan(b, c, r) })
		})
	}
}

// applied is a plan and its snapshot.
type applied struct {
	snapshot *placement.Cluster
	request  *gang.Request
	result   *placement.Result
}

// applications plans one gang on every snapshot.
func applications(b *testing.B, s *stream) []applied {
	b.Helper()
	sizes := sizesAround(64)
	out := make([]applied, snapshots)
	for i, c := range s.snapshot {
		r := request(s.fleet.Shape, sizes[i*37%len(sizes)], 0)
		r.Name += "-applied"
		res := plan(b, c, r)
		require.NotNil(b, res)
		out[i] = applied{c, r, res}
	}
	return out
}

func apply(b *testing.B, f fill, then func(*placement.Cluster, *gang.Request) *placement.Result) {
	s := streamOf(b, f)
	todo, total := applications(b, s), sum{}
	var following []*gang.Request // of other names, and small enough that they fit beside the first
	for size := range 8 {
		r := request(s.fleet.Shape, 16+size, 0)
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
		if then != nil {
			if then(next, following[total.plans%len(following)]) == nil {
				b.Fatal("no plan after Apply")
			}
		}
		total.add(a.request, a.result)
	}
	total.report(b, f.nodes)
	b.ReportMetric(copied[f]/perOp(b), "x-copy")
}

// copied has the time of the plain reference, in nanoseconds.
var copied = map[fill]float64{}

// applyPlain copies flat columns and takes the members off.
func applyPlain(b *testing.B, f fill) {
	s := streamOf(b, f)
	todo, total := applications(b, s), sum{}
	columns := benchmarks.ColumnsOf(s.fleet.Shape, s.snapshot[0].Nodes(), s.snapshot[0].Running())
	index := map[string]int{}
	for n := range s.snapshot[0].Nodes() {
		index[n.Name] = len(index)
	}
	var nodes [][]int
	for _, a := range todo {
		var on []int
		for _, m := range a.result.Assignments {
			on = append(on, index[m.Node])
		}
		nodes = append(nodes, on)
	}
	ask := s.fleet.Shape.Amounts()
	b.ReportAllocs()
	for b.Loop() {
		i := total.plans % len(todo)
		_ = columns.Take(nodes[i], ask)
		total.add(todo[i].request, todo[i].result)
	}
	copied[f] = perOp(b)
	total.report(b, f.nodes)
}
