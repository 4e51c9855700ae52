package room

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Where a shape, or a node, lists much, it is judged by what is looked up; everything that is asked of nodes agrees with the shape itself.
func TestLongListsAreLookedUp(t *testing.T) {
	const many = 100
	spec := cluster.Spec{}
	for i := range 2 * many {
		n := cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{"cpu": 1}, Labels: map[string]string{"z": fmt.Sprint(i % 50)}}
		if i%3 == 0 {
			n.Taints = []gang.Taint{{Key: fmt.Sprint(i), Effect: gang.NoSchedule}}
		}
		spec.Nodes = append(spec.Nodes, n)
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	plain := gang.Shape{Resources: muster.Resources{"cpu": 1}}
	tolerant, choosy, picky := plain, plain, plain
	var values []string
	for i := range many {
		tolerant.Tolerations = append(tolerant.Tolerations, gang.Toleration{Key: fmt.Sprint(i), Exists: true})
		values = append(values, fmt.Sprint(2*i))
	}
	terms := []gang.NodeTerm{{Labels: []gang.Expression{{Key: "z", Operator: gang.In, Values: values}}}}
	choosy.Affinity, picky.Preferred = terms, []gang.Preference{{Weight: 1, Nodes: terms[0]}}
	for i, s := range []gang.Shape{plain, tolerant, choosy, picky} {
		p := roomOf(t, c, s)
		require.Equal(t, i > 0, p.Judges != nil)
		judged := 0
		for id := range int32(len(c.Lineage.Names)) {
			if p.Slots().RefusalForGood(id) == "" {
				judged++
			}
			require.Equal(t, gang.Tolerates(c.Static.ClassOf(id).Taints, s.Tolerations) && s.Selects(c.Lineage.Names[id], c.LabelsOf(id)), p.Slots().SuitsInService(id))
			require.Equal(t, s.MissesPreference(c.Lineage.Names[id], c.LabelsOf(id)), missesPreference(c, id, p.Judges, p.Shapes))
		}
		require.Equal(t, []int{133, 167, 66, 133}[i], judged)
	}
	spec.Nodes[0].Taints = slices.Repeat(spec.Nodes[0].Taints, many)
	c, err = snapshot.New(spec)
	require.NoError(t, err)
	require.NotNil(t, roomOf(t, c, plain).Judges)
}
