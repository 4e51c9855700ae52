package room

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Nodes that did not change are looked at again only where devices weigh otherwise.
func TestSpoilsAreKeptWithTheWeights(t *testing.T) {
	node := func(i int, cpu int64) cluster.Node {
		return cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{"gpu": 4, muster.CPU: cpu}}
	}
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{node(0, 8000), node(1, 8000), node(2, 8000), node(3, 8000)}})
	require.NoError(t, err)
	c, err = c.Update(cluster.Delta{RemoveNodes: []string{"n-3"}})
	require.NoError(t, err)
	shape := gang.Shape{Resources: muster.Resources{"gpu": 1, muster.CPU: 3000}}
	slotsOn := func(c *snapshot.Snapshot) Slots {
		r := roomOf(t, c, shape)
		r.Model.Room = r.Nodes()
		return Slots{r, true}
	}
	// after is what an index of the next snapshot knows, if all nodes before it spoiled what none of them does.
	after := func(n cluster.Node) snapshot.Spoils {
		s := *slotsOn(c).index()
		require.False(t, s.Spoils.Mixed)
		s.Spoils.Same = [2]int64{-1, -1}
		next, err := c.Update(cluster.Delta{SetNodes: []cluster.Node{n}})
		require.NoError(t, err)
		id, _ := next.Lineage.ID(n.Name)
		return slotsOn(next).after(&s, []int32{id}).Spoils
	}
	require.True(t, after(node(3, 8000)).Mixed, "an equal node alone is compared with what was known")
	require.False(t, after(cluster.Node{Name: "n-3", Allocatable: muster.Resources{"gpu": 2, muster.CPU: 1000}}).Mixed, "all are compared anew")
}
