package render

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// queueOf plans gangs of two members of one device each, one after the other.
func queueOf(t testing.TB, c *placement.Cluster, gangs int) (outcomes []Outcome) {
	t.Helper()
	var queue []*gang.Request
	for i := range gangs {
		req := &gang.Request{Name: fmt.Sprint("ns/g-", i), Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
		for k := range 2 {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("g-%d-%d", i, k)})
		}
		queue = append(queue, req)
	}
	_, planned := placement.Batch(c, queue)
	for _, p := range planned {
		req := queue[p.Index]
		outcomes = append(outcomes, Outcome{Gang: req.Name, Request: req, Cluster: p.Cluster, Result: p.Result, Err: p.Err})
	}
	return outcomes
}

// Where the nodes of a domain take more than a line, those stand in a brief plan that it touches or that its gang is on already.
func TestBriefLinesAreShort(t *testing.T) {
	spec := cluster.Spec{}
	for i := range 14 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{"gpu": 8}})
	}
	spec.Running = []cluster.Running{{Gang: "ns/job", Member: "job-9", Node: "n-3", Resources: muster.Resources{"gpu": 1}}}
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: oneRack(t, spec.Nodes)}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	o := planned(c, 9, 0)
	require.NoError(t, o.Err)
	var b strings.Builder
	writeBrief(&b, &o, nil)
	require.Equal(t, "  rack  AA...... =AAAAAAA and 12 nodes more\n", b.String())
}

// oneRack has all nodes in it.
func oneRack(t *testing.T, nodes []cluster.Node) *topology.Tree {
	t.Helper()
	rack := topology.Domain{Name: "rack", Tier: 1}
	for i := range nodes {
		rack.Nodes = append(rack.Nodes, nodes[i].Name)
	}
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{rack}, Layers: []topology.Layer{{Name: "rack", Tier: 1}}})
	require.NoError(t, err)
	return tree
}

// Of many plans the cluster is drawn once, and of each what it touches, cell by cell as if all were drawn.
func TestManyPlansAreDrawnInBrief(t *testing.T) {
	c := many(t, 30, 2, 10)
	outcomes := queueOf(t, c, 12) // of which two find no place
	all := text(t, outcomes...)
	require.True(t, strings.HasPrefix(all, "the cluster before the plans, a slot is 1 gpu; of each plan stands below what it touches\n  d0-0\n"), all)
	require.Equal(t, 1, strings.Count(all, "  d0-0\n"))
	require.Contains(t, all, "\n\nns/g-0: placed, 2 members in layer-1 d0-0/d1-0, strategy 1\n  d0-0/d1-0  x A A\n  A g-0-[0-1] -> node-[1-2]\n\nns/g-1")
	require.Contains(t, all, "\nns/g-10: unschedulable: insufficient slots, 0 of 2 (proven)\n  of 30 nodes without room: 30 have too little gpu\n")
	for i := range outcomes[:10] {
		o := &outcomes[i]
		d := newDrawing(o.Cluster, o)
		brief := &drawing{}
		brief.look(o, d.order)
		require.Equal(t, d.cells, brief.cells)
	}
}

// Large domains are drawn in part, nodes outside of all domains too, and many domains are counted.
func TestBriefPicturesAreShort(t *testing.T) {
	o := planned(many(t, 5000, 2), 100, 0)
	var b strings.Builder
	writeBrief(&b, &o, nil)
	require.Equal(t, "  d0-0  "+strings.Repeat("A ", 64)+"and 2436 nodes more\n", b.String())
	b.Reset()
	o = planned(many(t, 200), 3, 0)
	writeBrief(&b, &o, nil)
	require.Equal(t, "  (nodes)  A A A\n", b.String())
	b.Reset()
	o = planned(many(t, 200, 50), 100, 0)
	writeBrief(&b, &o, nil)
	require.Equal(t, domainsInBrief+1, strings.Count(b.String(), "\n"))
	require.True(t, strings.HasSuffix(b.String(), " domains more\n"), b.String())
	o = evicting(t, 2)
	b.Reset()
	writeBrief(&b, &o, nil)
	require.Equal(t, "  b0/r0  x A - -\n  b0/r1  ~ A . .\n", b.String())
}

// BenchmarkText draws a long queue on 200 nodes.
func BenchmarkText(b *testing.B) {
	spec := cluster.Spec{}
	for i := range 200 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: muster.Resources{"gpu": 40}})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(b, err)
	for _, gangs := range []int{8, 1000, 4000} {
		outcomes := queueOf(b, c, gangs)
		b.Run(fmt.Sprintf("nodes=200/gangs=%d", gangs), func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, Text(io.Discard, outcomes))
			}
		})
	}
}
