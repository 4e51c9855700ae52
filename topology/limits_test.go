package topology_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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

// hostile are selectors that would take long, and the nodes that they are about: each is refused with the name of a HyperNode.
var hostile = map[string]struct {
	selector func(i int) topology.Selector
	hypers   int
	names    func(i int) string
	nodes    int
	want     string
}{
	"a long name": {
		func(int) topology.Selector { return topology.Selector{Regex: "(a*)*(a|aa)*b"} }, 1000,
		func(int) string { return strings.Repeat("a", 2_000_000) }, 1, "HyperNode h",
	},
	"many names": {
		func(int) topology.Selector { return topology.Selector{Regex: "(x?){50}x{50}y"} }, 100,
		func(i int) string { return fmt.Sprint(strings.Repeat("x", 250), "y", i) }, 5000, "HyperNode h0",
	},
	"nested repeats": {
		func(i int) topology.Selector {
			return topology.Selector{Regex: strings.Repeat(fmt.Sprintf("(x%d{10}){100}", i), 300)}
		}, 1000, func(i int) string { return fmt.Sprint("n", i) }, 1, "HyperNode h",
	},
	"folded ranges": {
		func(int) topology.Selector {
			return topology.Selector{Regex: "(?i)" + strings.Repeat(`[A-\x{1E942}]`, 200)}
		}, 2000,
		func(i int) string { return fmt.Sprint("n", i) }, 1, "HyperNode h",
	},
	"classes": {
		func(int) topology.Selector { return topology.Selector{Regex: strings.Repeat(`(?i:\pL)`, 500)} }, 2000,
		func(i int) string { return fmt.Sprint("n", i) }, 1, "HyperNode h",
	},
	"a long pattern": {
		func(int) topology.Selector { return topology.Selector{Regex: strings.Repeat("(a|b)*", 10_000)} }, 1,
		func(i int) string { return fmt.Sprint("n", i) }, 1, "regex of 60000 bytes, at most 4096 are read",
	},
	"all nodes of each": {
		func(int) topology.Selector { return topology.Selector{Regex: "n"} }, 3000,
		func(i int) string { return fmt.Sprint("n", i) }, 3000, "HyperNode h",
	},
	"labels that are absent": {
		func(int) topology.Selector {
			return topology.Selector{Labels: &topology.LabelSelector{MatchExpressions: []topology.LabelExpression{{Key: "x", Operator: "Exists"}}}}
		}, 20_000, func(i int) string { return fmt.Sprint("n", i) }, 20_000, "HyperNode h",
	},
	"values": {
		func(int) topology.Selector {
			many := make([]string, 2000)
			return topology.Selector{Labels: &topology.LabelSelector{MatchExpressions: []topology.LabelExpression{{Key: "x", Operator: "NotIn", Values: many}}}}
		}, 200, func(i int) string { return fmt.Sprint("n", i) }, 10_000, "HyperNode h",
	},
}

// What selectors take is bounded, in steps, whatever they and the names are like.
func TestSelectorsAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && c.hypers*c.nodes > 100_000 {
				t.Skip("takes all the steps")
			}
			nodes := make([]topology.LabeledNode, c.nodes)
			for i := range nodes {
				nodes[i] = topology.LabeledNode{Name: c.names(i), Labels: map[string]string{"x": "v"}}
				if name == "labels that are absent" {
					nodes[i].Labels = nil
				}
			}
			hypers := make([]topology.HyperNode, c.hypers)
			for i := range hypers {
				s := c.selector(i)
				s.Kind = topology.NodeMember
				hypers[i] = topology.HyperNode{Name: fmt.Sprint("h", i), Tier: 1, Members: []topology.Selector{s}}
			}
			begun := time.Now()
			_, err := topology.FromHyperNodes(hypers, nodes)
			t.Log(time.Since(begun).Round(time.Millisecond))
			require.ErrorContains(t, err, c.want)
			require.Less(t, len(err.Error()), 1<<20)
			slices.Reverse(hypers)
			slices.Reverse(nodes)
			_, again := topology.FromHyperNodes(hypers, nodes)
			require.Equal(t, err.Error(), again.Error(), "the order of the input shows")
		})
	}
}

// Ordinary selectors of a large cluster are far below the bound, anchored or not.
func TestOrdinarySelectorsAreRead(t *testing.T) {
	racks, each := 1000, 16
	if testing.Short() {
		racks = 250
	}
	var nodes []topology.LabeledNode
	for i := range racks * each {
		nodes = append(nodes, topology.LabeledNode{Name: fmt.Sprintf("gpu-rack%04d-node%02d.example.com", i/each, i%each)})
	}
	for _, form := range []string{"^gpu-rack%04d-", "rack%04d-", ".*rack%04d-.*", "^.*-rack%04d-node[0-9]+", "rack%04d-node(0[0-9]|1[0-5])\\.example\\.com$"} {
		hypers := make([]topology.HyperNode, racks)
		for i := range hypers {
			hypers[i] = topology.HyperNode{Name: fmt.Sprint("h", i), Tier: 1, Members: []topology.Selector{{Kind: topology.NodeMember, Regex: fmt.Sprintf(form, i)}}}
		}
		begun := time.Now()
		tree, err := topology.FromHyperNodes(hypers, nodes)
		t.Log(form, time.Since(begun).Round(time.Millisecond))
		require.NoError(t, err, form)
		require.Empty(t, tree.Outside())
	}
}
