package placement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
)

// What members hold is added up node by node, in whichever order they lie there.
func TestNeedsOf(t *testing.T) {
	c, err := NewCluster(cluster.Spec{Nodes: []cluster.Node{{Name: "a", Allocatable: muster.Resources{"gpu": 8}}, {Name: "b"}}})
	require.NoError(t, err)
	r := &Result{holds: []muster.Resources{{"gpu": 1}, {"gpu": 3}}, roles: map[string]int{"m-4": 1}}
	for i, node := range []string{"b", "a", "a", "b", "a"} {
		r.Assignments = append(r.Assignments, Assignment{Member: "m-" + string(rune('0'+i)), Node: node, Rank: i})
	}
	require.Equal(t, []ends.Need{{Node: 0, Sum: []int64{5, 0}}, {Node: 1, Sum: []int64{2, 0}}}, needsOf(c.snapshot, r))
	r.Assignments = r.Assignments[1:3]
	require.Equal(t, []ends.Need{{Node: 0, Sum: []int64{2, 0}}}, needsOf(c.snapshot, r))
}
