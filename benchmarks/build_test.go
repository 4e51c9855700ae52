package benchmarks_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkBuild builds tree and cluster from plain data, 70 % of the nodes with a running member. B/node is by how
// much the heap grows for the cluster, tree-B/node for the tree; the names and labels of the input are the host's.
func BenchmarkBuild(b *testing.B) {
	forget()
	for _, nodes := range []int{1024, 10240, 102400, million} {
		f := fragmented(nodes)
		name := fmt.Sprintf("nodes=%d", nodes)
		if nodes == million {
			if !testing.Short() {
				b.Run(name, func(b *testing.B) { build(b, f) })
			}
			break
		}
		b.Run(name+"/state=scan", func(b *testing.B) { buildPlain(b, f) })
		b.Run(name+"/part=tree", func(b *testing.B) { buildTree(b, f) })
		b.Run(name, func(b *testing.B) { build(b, f) })
	}
}

func build(b *testing.B, f fill) {
	fleet := f.fleet(b)
	spec, err := fleet.Spec()
	require.NoError(b, err)
	domains := fleet.Shape.Domains()
	var c *placement.Cluster
	b.ReportAllocs()
	for b.Loop() {
		spec.Trees[0].Tree = nil
		tree, err := fleet.Shape.Tree(domains)
		if err != nil {
			b.Fatal(err)
		}
		spec.Trees[0].Tree = tree
		if c, err = placement.NewCluster(spec); err != nil {
			b.Fatal(err)
		}
	}
	withCluster := heap()
	runtime.KeepAlive(c)
	withTree := heap()
	runtime.KeepAlive(spec.Trees[0].Tree)
	spec.Trees[0].Tree = nil
	before := heap()
	runtime.KeepAlive(domains)
	runtime.KeepAlive(spec)
	b.ReportMetric(float64(f.nodes), "nodes")
	b.ReportMetric(float64(len(spec.Running)), "members")
	b.ReportMetric((withTree-before)/float64(f.nodes), "tree-B/node")
	b.ReportMetric((withCluster-withTree)/float64(f.nodes), "B/node")
	compare(b, b.Name()+"/state=scan", "x-scan")
}

func buildTree(b *testing.B, f fill) {
	fleet := f.fleet(b)
	domains := fleet.Shape.Domains()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fleet.Shape.Tree(domains); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.nodes), "nodes")
}

// buildPlain only lays the same input out in flat columns: it knows neither domains nor which member runs where.
func buildPlain(b *testing.B, f fill) {
	fleet := f.fleet(b)
	nodes, running := fleet.Shape.NodeList(), fleet.Running()
	b.ReportAllocs()
	for b.Loop() {
		_ = benchmarks.ColumnsOf(fleet.Shape, slices.Values(nodes), slices.Values(running))
	}
	measured[b.Name()] = perOp(b)
	b.ReportMetric(float64(f.nodes), "nodes")
	b.ReportMetric(float64(len(running)), "members")
}
