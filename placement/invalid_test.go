package placement_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Clusters that make no sense are refused with every defect by name.
func TestInvalidClusters(t *testing.T) {
	tree := newTree(t, topology.Spec{Nodes: []string{"n0"}})
	for _, tc := range []struct {
		want  string
		spoil func(*cluster.Spec)
	}{
		{"cluster.Nodes: a cluster needs a node", func(s *cluster.Spec) { *s = cluster.Spec{} }},
		{"cluster.Nodes: a cluster needs a node", func(s *cluster.Spec) { s.Nodes = nil }},
		{"cluster.Nodes[1].Name: a node has no name", func(s *cluster.Spec) { s.Nodes[1].Name = "" }},
		{"node n0: duplicate name", func(s *cluster.Spec) { s.Nodes[1].Name = "n0" }},
		{`node n1.Allocatable.gpu "-1": negative amount`, func(s *cluster.Spec) { s.Nodes[1].Allocatable = gpus(-1) }},
		{"node n1.Allocatable: a resource has no name", func(s *cluster.Spec) { s.Nodes[1].Allocatable = muster.Resources{"": 1} }},
		{"cluster.Trees[0].Tree: missing", func(s *cluster.Spec) { s.Trees[0].Tree = nil }},
		{"cluster.Trees[0]: the tree has no nodes", func(s *cluster.Spec) { s.Trees[0].Tree = newTree(t, topology.Spec{}) }},
		{`cluster.Trees[1].Name "a": duplicate name`, func(s *cluster.Spec) {
			s.Trees = []cluster.NamedTree{{Name: "a", Tree: tree}, {Name: "a", Tree: tree}}
		}},
		{`cluster.KeptShapes "-1": negative`, func(s *cluster.Spec) { s.KeptShapes = -1 }},
		{`cluster.KeptSizes "-1": negative`, func(s *cluster.Spec) { s.KeptSizes = -1 }},
		{"running member x : a running member needs a gang and a name", func(s *cluster.Spec) { s.Running[0].Member = "" }},
		{"running member  x-0: a running member needs a gang and a name", func(s *cluster.Spec) { s.Running[0].Gang = "" }},
		{`running member x x-0.Resources.gpu "-1": negative amount`, func(s *cluster.Spec) { s.Running[0].Resources = gpus(-1) }},
		{`running member x "x-0": duplicate name`, func(s *cluster.Spec) { s.Running = append(s.Running, s.Running[0]) }},
		{`running member x x-1.Resources.gpu "1": the sum on node n0 overflows`, func(s *cluster.Spec) {
			s.Running[0].Resources = gpus(math.MaxInt64)
			s.Running = append(s.Running, cluster.Running{Gang: "x", Member: "x-1", Node: "n0", Resources: gpus(1)})
		}},
		{"node n0: duplicate name\nnode n3.Allocatable.gpu \"-2\": negative amount", func(s *cluster.Spec) {
			s.Nodes[1].Name, s.Nodes[3].Allocatable = "n0", gpus(-2)
		}},
	} {
		spec := board(t)
		tc.spoil(&spec)
		c, err := placement.NewCluster(spec)
		require.EqualError(t, err, tc.want)
		require.Nil(t, c)
		requireInvalid(t, err)
	}
}

func requireInvalid(t require.TestingT, err error) {
	var invalid *muster.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.NotErrorIs(t, err, placement.ErrUnschedulable)
}

func must(layer string) []gang.Rule {
	return []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
}

// Requests that make no sense in the cluster are invalid; those that it has no room for are not.
func TestInvalidRequests(t *testing.T) {
	spec := board(t)
	spec.Trees = append(spec.Trees, cluster.NamedTree{Name: "net", Tree: spec.Trees[0].Tree}, cluster.NamedTree{Name: "feeds", Tree: spec.Trees[0].Tree})
	spec.Trees = append(spec.Trees, racks(t, "rows", map[string][]string{"row": {"n0", "n2"}}))
	c := newCluster(t, spec)
	ofParts := gang.Limit{Layer: "block", Kind: gang.Apart, Most: 1, OfParts: true} // a layer that rows lacks
	inRows := []gang.Part{{Name: "p", Members: []string{"job-0"}, Tree: "rows"}, {Name: "q", Members: []string{"job-1"}}}
	for _, tc := range []struct {
		want  string
		spoil func(*gang.Request)
	}{
		{"request.Members: no members to place", func(r *gang.Request) { *r = gang.Request{Tree: "net"} }},
		{"request.Tree: unknown topology", func(r *gang.Request) { r.Tree = "" }},
		{`request.Tree "other": unknown topology`, func(r *gang.Request) { r.Tree = "other" }},
		{`request.Gather[0].Layer "room": unknown layer: not one of block, rack, node`, func(r *gang.Request) { r.Gather = must("room") }},
		{`request.Gather[0].Layer "-1": unknown layer: not one of block, rack, node`, func(r *gang.Request) { r.Gather = must("-1") }},
		{`request.Groups[0].Gather[0].Layer "room": unknown layer: not one of block, rack, node`, func(r *gang.Request) {
			r.Groups = []gang.Groups{{Size: 2, Gather: must("room")}}
		}},
		{`request.Parts[0].Tree "other": unknown topology`, func(r *gang.Request) { r.Parts = []gang.Part{{Name: "p", Tree: "other"}} }},
		{`request.Parts[0].Gather "feeds": not supported: multiples in another topology than the gang's`, func(r *gang.Request) {
			r.Parts = []gang.Part{{Name: "p", Tree: "feeds", Gather: []gang.Rule{{Layer: "rack", Multiple: 2}}}}
		}},
		{`request.Limits "Apart block at most 1 for parts": not supported: this limit in another topology than the gang's`, func(r *gang.Request) {
			r.Parts, r.Limits = inRows, []gang.Limit{ofParts}
		}},
		{`request.Limits "Apart block at most 1 for parts": not supported: this limit in another topology than the gang's`, func(r *gang.Request) {
			r.Parts, r.Limits = inRows, []gang.Limit{ofParts}
			r.Limits[0].Preferred = true
		}},
		{`request.MinMember "5": above the total of 4`, func(r *gang.Request) { r.MinMember, r.Total = 5, 4 }},
		{`request.MinMember "-1": negative`, func(r *gang.Request) { r.MinMember = -1 }},
		{`request.DP "3": 4 members in pipelines of 2 are 2 groups`, func(r *gang.Request) { r.PP, r.DP = 2, 3 }},
		{`request.Members[1].Name "x-0": the member runs already`, func(r *gang.Request) { r.Name, r.Members[1].Name = "x", "x-0" }},
		{`request.Members[1].Name "job-0": duplicate name, of request.Members[0] too`, func(r *gang.Request) { r.Members[1].Name = "job-0" }},
		{`request.Policy "Best": unknown policy`, func(r *gang.Request) { r.Policy = "Best" }},
		{`request.Shape.Resources.gpu "-1": negative amount`, func(r *gang.Request) { r.Shape.Resources = gpus(-1) }},
		{`request.Groups[0].Size "2": multiple 3 inside the group's bound does not divide the group`, func(r *gang.Request) {
			r.Groups, r.Gather = []gang.Groups{{Size: 2}}, []gang.Rule{{Layer: "rack", Multiple: 3}}
		}},
	} {
		req := job(4)
		req.Tree = "net"
		tc.spoil(req)
		_, err := placement.Plan(c, req)
		require.EqualError(t, err, tc.want)
		requireInvalid(t, err)
		n := 0
		for res, err := range placement.Candidates(c, req) {
			require.EqualError(t, err, tc.want)
			require.Nil(t, res)
			n++
		}
		require.Equal(t, 1, n)
	}
}

// Fewer members than MinMember is a refusal, not a defect; names that no node has exclude nothing.
func TestRequestsThatOnlyLookInvalid(t *testing.T) {
	c := newCluster(t, board(t))
	req := job(2)
	req.MinMember = 3
	_, err := placement.Plan(c, req)
	require.EqualError(t, err, "unschedulable: minMember, 2 of 3 members are known (proven)")
	req.MinMember, req.Exclude = 2, []string{"n7", ""}
	require.Len(t, mustPlan(t, c, req).Assignments, 2)
	req.Gather = must("7") // above all layers: the highest
	require.Len(t, mustPlan(t, c, req).Assignments, 2)
	req.Shape.Resources = muster.Resources{"tpu": 1}
	var why *placement.Unschedulable
	_, err = placement.Plan(c, req)
	require.ErrorAs(t, err, &why)
	require.Equal(t, []placement.CauseCount{{Cause: "resource:tpu", Nodes: 5}}, why.Nodes().Rejected)
}
