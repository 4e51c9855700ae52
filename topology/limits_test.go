package topology_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/topology"
)

// chain is so many domains, each the only one in the one around it, with a node in the last; tier is by place from the
// outside.
func chain(layers int, tier func(i int) int) []topology.Domain {
	var below []topology.Domain
	for i := layers - 1; i >= 0; i-- {
		d := topology.Domain{Name: fmt.Sprint("d", i), Tier: tier(i), Children: below}
		if i == layers-1 {
			d.Nodes = []string{"n"}
		}
		below = []topology.Domain{d}
	}
	return below
}

// Every builder takes 64 layers and refuses one more, with one error and before it reads what a large input has.
func TestLayersAreBounded(t *testing.T) {
	builders := map[string]func(layers int) (*topology.Tree, error){
		"domains": func(n int) (*topology.Tree, error) {
			return topology.New(topology.Spec{Roots: chain(n, func(i int) int { return n - i })})
		},
		"side by side": func(n int) (*topology.Tree, error) {
			var spec topology.Spec
			for i := range n {
				spec.Roots = append(spec.Roots, topology.Domain{Name: fmt.Sprint(i), Tier: i + 1})
			}
			return topology.New(spec)
		},
		"names": func(n int) (*topology.Tree, error) {
			spec := topology.Spec{Layers: []topology.Layer{{Name: "node"}}, Nodes: []string{"n"}}
			for i := range n {
				spec.Layers = append(spec.Layers, topology.Layer{Name: fmt.Sprint("l", i), Tier: i + 1})
			}
			return topology.New(spec)
		},
		"labels": func(n int) (*topology.Tree, error) {
			var cfg topology.LabelLayers
			node := topology.LabeledNode{Name: "n", Labels: map[string]string{}}
			for i := range n {
				key := fmt.Sprint("l", i)
				cfg.Layers = append(cfg.Layers, topology.LabelLayer{Keys: []string{key}})
				node.Labels[key] = "x"
			}
			return topology.FromLabels(cfg, []topology.LabeledNode{node})
		},
		"HyperNodes": func(n int) (*topology.Tree, error) {
			var list []topology.HyperNode
			below := topology.Selector{Kind: topology.NodeMember, ExactName: "n"}
			for i := range n {
				list = append(list, topology.HyperNode{Name: fmt.Sprint("h", i), Tier: i + 1, Members: []topology.Selector{below}})
				below = topology.Selector{Kind: topology.HyperNodeMember, ExactName: fmt.Sprint("h", i)}
			}
			return topology.FromHyperNodes(list, []topology.LabeledNode{{Name: "n"}})
		},
		"JSON": func(n int) (*topology.Tree, error) {
			var list []map[string]any
			below := "n"
			for i := range n {
				list = append(list, map[string]any{"layer": i + 1, "name": fmt.Sprint("s", i), "children": []string{below}})
				below = fmt.Sprint("s", i)
			}
			data, err := json.Marshal(list)
			require.NoError(t, err)
			return topology.FromJSON(data, []string{"n"})
		},
	}
	for name, build := range builders {
		t.Run(name, func(t *testing.T) {
			tree, err := build(topology.MaxLayers)
			require.NoError(t, err)
			require.Len(t, tree.Layers(), topology.MaxLayers)
			for _, n := range []int{topology.MaxLayers + 1, 3000} {
				tree, err = build(n)
				require.Nil(t, tree)
				require.Equal(t, fmt.Sprintf("layers %q: a topology has at most 64 layers\n", fmt.Sprint(n)), refused(t, err))
			}
		})
	}
}

// Depth counts too where tiers are wrong: the path of each of so many domains would be told else.
func TestWrongTiersAreNoWayAroundTheBound(t *testing.T) {
	_, err := topology.New(topology.Spec{Roots: chain(20000, func(int) int { return 0 })})
	require.Equal(t, "layers \"20000\": a topology has at most 64 layers\n", refused(t, err))
	_, err = topology.New(topology.Spec{Roots: chain(topology.MaxLayers, func(int) int { return 1 })})
	require.ErrorContains(t, err, "tier is not below its parent's")
}
