package search_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Where no node, or every node, is meant for others than the members, a plan makes no index beside that of the shape.
func TestOneIndexWhereNoNodeIsMeantForOthers(t *testing.T) {
	prefers := func(s *gang.Shape, key string) {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: key, Operator: gang.Exists}}}
		s.Preferred = []gang.Preference{{Weight: 1, Nodes: term}}
	}
	for name, tc := range map[string]struct {
		node   func(n *cluster.Node, odd bool)
		shape  func(s *gang.Shape)
		roles  bool
		spares bool
	}{
		"alike":                        {},
		"what every machine has":       {node: func(n *cluster.Node, odd bool) { n.Allocatable["hugepages-2Mi"] = of(odd) }},
		"all have devices":             {node: func(n *cluster.Node, _ bool) { n.Allocatable["gpu"] = 8 }},
		"all have one, some another":   {node: func(n *cluster.Node, odd bool) { n.Allocatable["gpu"] = 8; n.Allocatable["nic"] = of(odd) }},
		"some have devices":            {node: func(n *cluster.Node, odd bool) { n.Allocatable["gpu"] = of(odd) }, spares: true},
		"some have devices asked for":  {node: func(n *cluster.Node, odd bool) { n.Allocatable["gpu"] = of(odd) }, shape: func(s *gang.Shape) { s.Resources["gpu"] = 1 }},
		"some are tainted":             {node: soft, spares: true},
		"some are tainted, tolerated":  {node: soft, shape: func(s *gang.Shape) { s.Tolerations = []gang.Toleration{{Exists: true}} }},
		"some are preferred":           {shape: func(s *gang.Shape) { prefers(s, "odd") }, spares: true},
		"all are preferred":            {shape: func(s *gang.Shape) { prefers(s, "name") }},
		"none is preferred":            {shape: func(s *gang.Shape) { prefers(s, "none") }},
		"roles, none has a place":      {node: func(n *cluster.Node, _ bool) { n.Allocatable["gpu"] = 8 }, roles: true},
		"roles, one has another place": {node: func(n *cluster.Node, odd bool) { n.Allocatable["gpu"] = of(odd) }, roles: true, spares: true},
	} {
		spec := cluster.Spec{}
		for i := range 8 {
			n := cluster.Node{Name: strconv.Itoa(i), Allocatable: muster.Resources{muster.CPU: 4}, Labels: map[string]string{"name": ""}}
			if i%2 == 1 {
				n.Labels["odd"] = ""
			}
			if tc.node != nil {
				tc.node(&n, i%2 == 1)
			}
			spec.Nodes = append(spec.Nodes, n)
		}
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		req := &gang.Request{Name: "gang", Members: []gang.Member{{Name: "a"}, {Name: "b"}}, Shape: gang.Shape{Resources: muster.Resources{muster.CPU: 1}}}
		if tc.shape != nil {
			tc.shape(&req.Shape)
		}
		if tc.roles {
			req.Members[1].Shape = &gang.Shape{Resources: muster.Resources{muster.CPU: 2}}
		}
		p, err := search.New(c, req, nil, bounds.Search{})
		require.NoError(t, err)
		require.NotNil(t, search.For(p).Search(), name)
		p.Done()
		require.Equal(t, tc.spares, c.Caches.Spared.Kept(), name)
	}
}

// of is what a node has of a device that odd ones have.
func of(odd bool) int64 {
	if odd {
		return 8
	}
	return 0
}

func soft(n *cluster.Node, odd bool) {
	if odd {
		n.Taints = []gang.Taint{{Key: "spot", Effect: gang.PreferNoSchedule}}
	}
}
