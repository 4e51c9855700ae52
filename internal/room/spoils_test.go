// Is what an index knows of waste what its nodes say one by one?

package room

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
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

// Pages of nodes say what their nodes say one by one, for amounts of any size.
func TestSpoilsOfPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount, small := rapid.Int64Range(0, 4), rapid.Bool().Draw(t, "small")
		if !small {
			amount = rapid.OneOf(amount, rapid.SampledFrom([]int64{1 << 20, 1 << 40, 1<<59 - 55, 1 << 61, math.MaxInt64}))
		}
		amounts := rapid.Custom(func(t *rapid.T) muster.Resources {
			return muster.Resources{"gpu": amount.Draw(t, "gpu"), "fpga": amount.Draw(t, "fpga"), muster.CPU: amount.Draw(t, "cpu")}
		})
		sorts := rapid.SliceOfN(amounts, 1, 3).Draw(t, "sorts of nodes")
		spec := cluster.Spec{}
		for i := range 3 * cow.PageSize {
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: sorts[0]})
		}
		for range rapid.IntRange(0, 80).Draw(t, "other nodes") {
			spec.Nodes[rapid.IntRange(0, len(spec.Nodes)-1).Draw(t, "node")].Allocatable = rapid.SampledFrom(sorts).Draw(t, "sort")
		}
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		r := roomOf(t, c, gang.Shape{Resources: rapid.Custom(func(t *rapid.T) muster.Resources {
			asks := amounts.Draw(t, "asks")
			for _, kind := range []string{"gpu", "fpga", muster.CPU} {
				if rapid.Bool().Draw(t, "without "+kind) {
					delete(asks, kind)
				}
			}
			return asks
		}).Draw(t, "shape")})
		r.Model.Room = r.Nodes()
		k := Slots{r, true}
		ix := k.index()
		if ix == nil {
			return
		}
		all := snapshot.Spoils{By: k.r.wastes().weights()} // one by one
		for id := range int32(3 * cow.PageSize) {
			k.spoilsOn(&all, id, ix.Index.Slots.At(id), nil)
		}
		require.Equal(t, all, ix.Spoils)
		require.Equal(t, all, k.spoilsAll(&ix.Index, nil))
		for first := int32(0); first < 3*cow.PageSize; first += cow.PageSize {
			s := snapshot.Spoils{By: k.r.wastes().weights()}
			page := k.pageOfSpoils(first, ix.Index.Slots.From(first))
			for i, n := range page.slots {
				k.spoilsOn(&s, first+int32(i), n, nil)
			}
			if page.spoils(s.Same) {
				require.False(t, s.Mixed)
			} else if small {
				require.True(t, s.Mixed)
			}
		}
	})
}
