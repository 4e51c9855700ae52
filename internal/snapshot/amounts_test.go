package snapshot

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// However many resources there are, each has its place in natural order once, and what nobody has has none.
func TestResourcesHaveTheirPlaces(t *testing.T) {
	for _, n := range []int{0, 1, fewResources - 1, fewResources, fewResources + 1, 200} {
		var spec cluster.Spec
		for i := range 3 {
			node := cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{}}
			for k := i; k < n; k++ {
				node.Allocatable[fmt.Sprint("r", k)] = int64(k + 1)
			}
			spec.Nodes = append(spec.Nodes, node)
		}
		s, err := New(spec)
		require.NoError(t, err)
		l := s.Lineage
		require.Len(t, l.Resources, n+1)
		require.True(t, slices.IsSortedFunc(l.Resources, muster.CompareNatural))
		for i, name := range l.Resources {
			require.Equal(t, i, l.resource(name))
			require.Equal(t, i, l.withTrees(nil).resource(name))
		}
		require.Equal(t, -1, l.resource("none"))
		require.Equal(t, n > fewResources-1, l.resourceIDs != nil)
		for i := range spec.Nodes {
			free, _ := s.FreeOn(spec.Nodes[i].Name)
			for name, amount := range free {
				require.Equal(t, spec.Nodes[i].Allocatable[name], amount)
			}
		}
	}
}
