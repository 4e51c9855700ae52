package benchmarks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
)

// The fills are what they are named after, in every snapshot, and the flat columns hold the same as the snapshots.
func TestFillsAreWhatTheyAreNamedAfter(t *testing.T) {
	for _, c := range []struct {
		fill
		percent float64 // of the slots are taken
		partly  bool    // units are partly taken
	}{
		{fill{nodes: 1024, name: "empty", slots: 1}, 3.125, false},
		{fill{nodes: 1024, name: "empty", slots: 8, kinds: 4}, 0.8, true},
		{fill{nodes: 1024, name: "frag70", slots: 1}, 70, true},
		{fill{nodes: 1024, name: "frag70", slots: 8}, 70, true},
		{fill{nodes: 1024, name: "frag70", slots: 8, kinds: 4}, 70, true},
		{fill{nodes: 10240, name: "frag97", slots: 2}, 97, true},
		{fill{nodes: 10240, name: "frag70", slots: 1, layers: 1}, 70, true},
		{fill{nodes: 10240, name: "clean70", slots: 4}, 70, false},
		{fill{nodes: 10240, name: "clean97", slots: 1}, 97, false},
	} {
		t.Run(fmt.Sprintf("nodes=%d%s", c.nodes, c.segments()), func(t *testing.T) {
			fleet := c.fleet(t)
			for range 4 {
				cluster, err := fleet.Next()
				require.NoError(t, err)
				require.Equal(t, benchmarks.ColumnsOf(fleet.Shape, cluster.Nodes(), cluster.Running()), fleet.Columns())
				require.Len(t, slices.Compact(slices.Sorted(func(yield func(string) bool) {
					for m := range cluster.Running() {
						if !yield(m.Gang) {
							return
						}
					}
				})), len(fleet.Gangs()))

				all, free := make([]int64, c.nodes/32), make([]int64, c.nodes/32)
				var slots, open int64
				for n := range cluster.Nodes() {
					left, _ := cluster.Free(n.Name)
					ask, unit := fleet.Shape.Member()["nvidia.com/gpu"], number(n.Name)/32
					all[unit] += n.Allocatable["nvidia.com/gpu"] / ask
					free[unit] += left["nvidia.com/gpu"] / ask
					slots, open = slots+n.Allocatable["nvidia.com/gpu"]/ask, open+left["nvidia.com/gpu"]/ask
				}
				require.EqualValues(t, fleet.NumSlots(), slots)
				require.EqualValues(t, fleet.FreeSlots(), open)
				require.InDelta(t, c.percent, 100*float64(slots-open)/float64(slots), 0.5)
				partly := 0
				for u := range free {
					if free[u] > 0 && free[u] < all[u] {
						partly++
					}
				}
				require.Equal(t, c.partly, partly > 0)
			}
		})
	}
}

// Every kind of node is there about as often, whatever the fill.
func TestKindsOfNodes(t *testing.T) {
	fleet := fill{nodes: 10240, name: "frag70", slots: 8, kinds: 4}.fleet(t)
	count := map[int]int{}
	for i, n := range fleet.Shape.NodeList() {
		require.EqualValues(t, fleet.Shape.SlotsOf(i), n.Allocatable["nvidia.com/gpu"])
		count[fleet.Shape.SlotsOf(i)]++
	}
	require.Len(t, count, 4)
	for _, slots := range []int{1, 2, 4, 8} {
		require.InDelta(t, 2560, count[slots], 256)
	}
}

// The networks have the nodes and layers that they are asked for, and nodes in the order of the tree.
func TestNetworks(t *testing.T) {
	for _, c := range []struct{ nodes, layers int }{{1024, 3}, {10240, 1}, {10240, 3}, {102400, 2}, {102400, 3}, {102400, 4}, {102400, 5}} {
		shape, err := benchmarks.ShapeOf(c.nodes, c.layers)
		require.NoError(t, err)
		tree, err := shape.Tree(shape.Domains())
		require.NoError(t, err)
		require.Equal(t, c.nodes, tree.NumNodes())
		require.Len(t, tree.Layers(), c.layers)
		require.Equal(t, "node-77", tree.NodeName(77))
	}
	shape, err := benchmarks.ShapeOf(million, 3)
	require.NoError(t, err)
	require.Equal(t, million, shape.NumNodes())
	_, err = benchmarks.ShapeOf(1000, 3)
	require.Error(t, err)
}

// The plain pass and the planner agree on the tier of gangs without groups.
func TestScanFindsTheTier(t *testing.T) {
	for _, f := range []fill{
		fragmented(1024),
		{nodes: 1024, name: "frag97", slots: 1},
		{nodes: 1024, name: "frag70", slots: 8, kinds: 4},
		{nodes: 10240, name: "frag70", slots: 1, layers: 1},
	} {
		fleet := f.fleet(t)
		c, err := fleet.Next()
		require.NoError(t, err)
		columns := fleet.Columns()
		for _, members := range []int{1, 8, 20, 100, 200} {
			if members > fleet.FreeSlots() {
				continue
			}
			r := request(fleet.Shape, members, 0)
			res, err := planned(c, r)
			require.NoError(t, err)
			require.NotNil(t, res)
			if res.Tier == 0 { // the pass sums domains only
				res.Tier = 1
			}
			require.Equal(t, res.Tier, columns.Scan(int64(members), fleet.Shape.Amounts()), "%d members on %+v", members, f)
		}
	}
}
