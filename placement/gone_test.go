package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// Where no node has room a refusal names the first as the best one: never one that is gone, in whatever way the snapshot came about.
func TestRefusalsNameNodesThatAreThere(t *testing.T) {
	var spec cluster.Spec
	for _, name := range []string{"n1", "n2", "n3"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{muster.CPU: 1000}})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	c, err = c.Update(cluster.Delta{RemoveNodes: []string{"n1"}})
	require.NoError(t, err)
	one, two := gang.Shape{Resources: muster.Resources{"gpu": 1}}, gang.Shape{Resources: muster.Resources{"gpu": 2}}
	for name, req := range map[string]*gang.Request{
		"one shape":   {Name: "g", Shape: one, Members: []gang.Member{{Name: "a"}}},
		"two shapes":  {Name: "g", Members: []gang.Member{{Name: "a", Shape: &one}, {Name: "b", Shape: &two}}},
		"in a domain": {Name: "g", Shape: one, Members: []gang.Member{{Name: "a"}}, Gather: []gang.Rule{{Layer: "0", Strength: gang.PreferGather}}},
	} {
		_, err := placement.Plan(c, req)
		var why *placement.Unschedulable
		require.ErrorAs(t, err, &why, name)
		require.NotEmpty(t, why.Tiers, name)
		require.Equal(t, []string{"n2"}, why.Tiers[0].Domain, name)
	}
}
