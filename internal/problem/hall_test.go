// On which cluster do the examples ask?

package problem_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// hall has two rows of two racks of two nodes, a1 to d2, with four devices each, and a node outside. Two feeds, of the nodes 1 and 2 of each
// rack, are another topology.
func hall(t *testing.T) cluster.Spec {
	t.Helper()
	spec, feeds := cluster.Spec{}, make([]topology.Domain, 2)
	var rows []topology.Domain
	for i, rack := range []string{"a", "b", "c", "d"} {
		if i%2 == 0 {
			rows = append(rows, topology.Domain{Name: fmt.Sprint("row-", i/2), Tier: 2})
		}
		d := topology.Domain{Name: "rack-" + rack, Tier: 1}
		for k := range feeds {
			name := fmt.Sprint(rack, k+1)
			d.Nodes, feeds[k].Nodes = append(d.Nodes, name), append(feeds[k].Nodes, name)
			feeds[k].Name, feeds[k].Tier = fmt.Sprint("feed-", k+1), 1
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
		}
		rows[i/2].Children = append(rows[i/2].Children, d)
	}
	spec.Nodes = append(spec.Nodes, cluster.Node{Name: "outside", Allocatable: muster.Resources{"gpu": 4}})
	for name, s := range map[string]topology.Spec{
		"default": {Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "row", Tier: 2}}, Roots: rows},
		"feeds":   {Layers: []topology.Layer{{Name: "feed", Tier: 1}}, Roots: feeds},
	} {
		tree, err := topology.New(s)
		require.NoError(t, err)
		named := cluster.NamedTree{Name: name, Tree: tree}
		if name == "default" {
			spec.Trees = append([]cluster.NamedTree{named}, spec.Trees...)
		} else {
			spec.Trees = append(spec.Trees, named)
		}
	}
	return spec
}

// runs is a running member with a device.
func runs(gang, member, node string) cluster.Running {
	return cluster.Running{Gang: gang, Member: member, Node: node, Resources: muster.Resources{"gpu": 1}}
}

// request asks for members m0, m1, ... of one device each.
func request(members int, with func(req *gang.Request)) *gang.Request {
	req := &gang.Request{Name: "g", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m", i)})
	}
	if with != nil {
		with(req)
	}
	return req
}

// ask asks on a cluster.
func ask(t *testing.T, spec cluster.Spec, req *gang.Request, team problem.Team) (*problem.Problem, error) {
	t.Helper()
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return problem.New(c, req, team, bounds.Search{})
}

// ready is the problem of a request in the hall, where some members run.
func ready(t *testing.T, req *gang.Request, running ...cluster.Running) *problem.Problem {
	t.Helper()
	spec := hall(t)
	spec.Running = running
	p, err := ask(t, spec, req, nil)
	require.NoError(t, err)
	p.Model.Admitted = len(p.Model.Pending)
	p.Ready()
	return p
}

// at is the position of a node.
func at(p *problem.Problem, node string) int32 {
	id, _ := p.Snapshot.Lineage.ID(node)
	return p.Model.View.At(id)
}

// domain is the domain of a tier with a node.
func domain(p *problem.Problem, node string, tier int32) layout.Vertex {
	return p.Model.View.DomainAt(at(p, node), tier)
}

func must(layer string) gang.Rule { return gang.Rule{Layer: layer, Strength: gang.MustGather} }

func multiple(layer string, of int) gang.Rule { return gang.Rule{Layer: layer, Multiple: of} }

// shape is one for so many devices.
func shape(devices int64) *gang.Shape {
	return &gang.Shape{Resources: muster.Resources{"gpu": devices}}
}
