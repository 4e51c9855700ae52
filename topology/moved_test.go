package topology_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// However nodes come, go and get other labels one by one, the tree is the one that FromLabels makes of them, with every name where it is.
func TestMovedIsTheTreeOfTheLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := topology.LabelLayers{NodeLayer: "host"}
		for l := range rapid.IntRange(0, 3).Draw(t, "layers") {
			cfg.Layers = append(cfg.Layers, topology.LabelLayer{Name: fmt.Sprint("layer-", l), Keys: []string{fmt.Sprint("a-", l), fmt.Sprint("b-", l)}})
		}
		node := func() topology.LabeledNode {
			n := topology.LabeledNode{Name: fmt.Sprint("n", rapid.IntRange(0, 40).Draw(t, "node")), Labels: map[string]string{}}
			for l := range cfg.Layers {
				n.Labels[fmt.Sprint(rapid.SampledFrom([]string{"a-", "b-"}).Draw(t, "key"), l)] = rapid.SampledFrom([]string{"x-9", "x-10", "y", "y", ""}).Draw(t, "value")
			}
			return n
		}
		nodes := map[string]topology.LabeledNode{}
		for range rapid.IntRange(0, 30).Draw(t, "nodes") {
			n := node()
			nodes[n.Name] = n
		}
		fresh := func() *topology.Tree {
			var list []topology.LabeledNode
			for _, n := range nodes {
				list = append(list, n)
			}
			slices.SortFunc(list, func(a, b topology.LabeledNode) int { return muster.CompareNatural(a.Name, b.Name) })
			tree, err := topology.FromLabels(cfg, list)
			require.NoError(t, err)
			return tree
		}
		tree := fresh()
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			before, text := tree, draw(tree)
			var next *topology.Tree
			var ok bool
			if n := node(); rapid.IntRange(0, 2).Draw(t, "goes") == 0 {
				delete(nodes, n.Name)
				next, ok = tree.Without(n.Name)
			} else {
				nodes[n.Name] = n
				next, ok = tree.Moved(cfg, n)
			}
			want := fresh()
			if !ok {
				next = want
			}
			require.Equal(t, draw(want), draw(next))
			require.True(t, want.Equal(next))
			for i := range next.NumNodes() {
				at, found := next.Node(next.NodeName(topology.NodeID(i)))
				require.True(t, found)
				require.Equal(t, topology.NodeID(i), at)
			}
			for i := range 41 {
				_, is := want.Node(fmt.Sprint("n", i))
				_, found := next.Node(fmt.Sprint("n", i))
				require.Equal(t, is, found, i)
			}
			require.Equal(t, text, draw(before), "the tree before has changed")
			tree = next
		}
	})
}

// A tree is made anew only where domains come or go.
func TestMovedRefuses(t *testing.T) {
	cfg := topology.LabelLayers{Layers: zoneRack.Layers, RefuseMissing: true}
	tree, err := topology.FromLabels(cfg, labeled("n1 zone=z rack=r\nn2 zone=z rack=r\nn3 zone=z rack=s"))
	require.NoError(t, err)
	for node, ok := range map[string]bool{
		"n4 zone=z rack=r": true, "n1 zone=z rack=s": true, "n1 zone=z rack=r": true,
		"n4 zone=z rack=new": false, "n4 zone=new rack=r": false, "n3 zone=z rack=r": false, "n4 zone=z": false, "n1 rack=r": false,
	} {
		_, is := tree.Moved(cfg, labeled(node)[0])
		require.Equal(t, ok, is, node)
	}
	_, is := tree.Without("n3")
	require.False(t, is, "the last of its rack")
	same, is := tree.Without("nobody")
	require.True(t, is)
	require.True(t, same.Equal(tree))
	_, is = tree.Moved(cfg, topology.LabeledNode{})
	require.False(t, is)
	var none *topology.Tree
	_, is = none.Moved(cfg, labeled("n zone=z rack=r")[0])
	require.False(t, is)
	_, is = none.Without("n")
	require.True(t, is)
}
