package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// keyed is a refusal and a plan in a cluster whose layers have long keys.
func keyed(t *testing.T) (refused, placed Outcome) {
	t.Helper()
	layers := topology.LabelLayers{}
	for _, key := range []string{"cloud.example.com/zone", "net.example.com/block", "net.example.com/rack"} {
		layers.Layers = append(layers.Layers, topology.LabelLayer{Keys: []string{key}})
	}
	spec := cluster.Spec{}
	var labeled []topology.LabeledNode
	for i, name := range []string{"n0", "n1", "n2", "n3"} {
		n := cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 1}, Labels: map[string]string{
			"cloud.example.com/zone": "z", "net.example.com/block": "b", "net.example.com/rack": []string{"r0", "r0", "r1", "r1"}[i],
		}}
		spec.Nodes, labeled = append(spec.Nodes, n), append(labeled, topology.LabeledNode{Name: name, Labels: n.Labels})
	}
	tree, err := topology.FromLabels(layers, labeled)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	plan := func(strength gang.Strength) Outcome {
		req := &gang.Request{Name: "ns/job", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Groups: []gang.Groups{{Size: 1}}}
		req.Gather = []gang.Rule{{Layer: "net.example.com/rack", Strength: strength}}
		for _, name := range []string{"a-0", "a-1", "a-2"} {
			req.Members = append(req.Members, gang.Member{Name: name})
		}
		e := placement.Explain(c, req, placement.ExplainOptions{})
		return Outcome{Gang: req.Name, Request: req, Cluster: c, Result: e.Plan, Err: e.Err, Explanation: e}
	}
	return plan(gang.MustGather), plan(gang.PreferGather)
}

// Layers have their short names in all that people read, and their keys in all that programs read.
func TestLayersAreShortForPeople(t *testing.T) {
	refused, placed := keyed(t)
	require.Error(t, refused.Err)
	require.NoError(t, placed.Err)
	require.Contains(t, text(t, placed), "ns/job: placed, 3 members in block z/b, strategy 2 (block/node), span rack=2\n")
	told := text(t, refused)
	refused.Explanation.Relaxations = append(refused.Explanation.Relaxations, explain.Relaxation{
		Change: explain.Change{Kind: explain.KindMultiple, From: "net.example.com/block", Multiple: 2},
		And:    []explain.Change{{Kind: explain.KindLayer, From: "net.example.com/rack", To: "net.example.com/block"}},
	})
	told += toldOf(t, &refused)
	require.Contains(t, told, "unschedulable: MustGather rack, 2 of 3 in rack z/b/r0 (proven)\n")
	require.Contains(t, told, "it needs 3 members in one rack, and at most 2 fit.\n")
	require.Contains(t, told, "in one block instead of one rack, it would start in block z/b.\n")
	require.NotContains(t, told, "example.com")
	require.NotContains(t, drawn(t, nil, refused, placed), "example.com")
	require.Contains(t, drawn(t, nil, placed), "zone &gt; block &gt; rack &gt; node")
	require.Contains(t, written(t, placed), `"strategy":"net.example.com/block/node"`)
	require.Contains(t, written(t, refused), `"rule":"MustGather net.example.com/rack"`)
	require.Equal(t, "net.example.com/block", placed.Result.Layer, "what is drawn stays")
}
