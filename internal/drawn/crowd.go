// Package drawn answers: what may a cluster look like? It draws clusters in which members of many gangs run, for the
// random tests of packages that cannot see each other.
package drawn

import (
	"fmt"
	"strconv"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/topology"
)

// Running draws a member of a few gangs, whose members differ in priority, or a plain pod; tied: perhaps one on whom others depend.
func Running(t *rapid.T, id, nodes int, tied bool) cluster.Running {
	r := cluster.Running{
		Member: "pod-" + strconv.Itoa(id), Node: "node-" + strconv.Itoa(rapid.IntRange(0, nodes-1).Draw(t, "node")),
		Resources: muster.Resources{"gpu": rapid.Int64Range(1, 2).Draw(t, "gpus")}, Started: rapid.Int64Range(0, 3).Draw(t, "started"),
		Priority: rapid.Int64Range(0, 2).Draw(t, "priority"),
	}
	r.Gang = r.Member
	if of := rapid.IntRange(0, 6).Draw(t, "gang"); of < 3 {
		r.Gang, r.MinMember = "gang-"+strconv.Itoa(of), -1
	}
	switch what := rapid.IntRange(0, 12).Draw(t, "what"); {
	case what == 0 && tied:
		r.MinMember = 1
	case what == 1 && tied:
		r.Budgets = []string{"budget"}
	case what == 2:
		r.Unevictable = true
	case what == 3:
		r.NonPreemptible = true
	case what == 4:
		r.Leaving = true
	case what == 5 && tied:
		r.MinMember = 0
	}
	return r
}

// Crowd draws a cluster of three layers.
func Crowd(t *rapid.T, nodes int, tied bool) cluster.Spec {
	var spec cluster.Spec
	roots := []topology.Domain{}
	for n := range nodes {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: "node-" + strconv.Itoa(n), Allocatable: muster.Resources{"gpu": 8}})
		if n%12 == 0 {
			roots = append(roots, topology.Domain{Name: fmt.Sprint("block-", n), Tier: 2})
		}
		block := &roots[len(roots)-1]
		if n%4 == 0 {
			block.Children = append(block.Children, topology.Domain{Name: fmt.Sprint("rack-", n), Tier: 1})
		}
		rack := &block.Children[len(block.Children)-1]
		rack.Nodes = append(rack.Nodes, spec.Nodes[n].Name)
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "block", Tier: 2}}, Roots: roots})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	for id := range rapid.IntRange(0, 6*nodes).Draw(t, "members") {
		spec.Running = append(spec.Running, Running(t, id, nodes, tied))
	}
	return spec
}
