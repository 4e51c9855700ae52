package topology_test

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/topology"
)

// Which nodes are behind one switch, and how far apart are two nodes?
func Example() {
	node := func(name, block, rack string) topology.LabeledNode {
		return topology.LabeledNode{Name: name, Labels: map[string]string{"block": block, "rack": rack}}
	}
	tree, err := topology.FromLabels(topology.LabelLayers{
		Layers: []topology.LabelLayer{{Name: "block", Keys: []string{"block"}}, {Name: "rack", Keys: []string{"rack"}}},
	}, []topology.LabeledNode{
		node("node-10", "b1", "r1"), node("node-9", "b1", "r1"), node("node-3", "b1", "r2"), node("node-4", "b2", "r1"),
		node("node-5", "b2", ""), // no rack: outside the tree
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for d := range tree.All() {
		first, last := tree.Nodes(d)
		fmt.Printf("tier %d %q: %d nodes\n", tree.Tier(d), strings.Join(tree.Path(d), "/"), last-first)
	}
	a, _ := tree.Node("node-9")
	b, _ := tree.Node("node-3")
	fmt.Println("node-9 and node-3 meet in", tree.Path(tree.LCA(a, b)), "after", tree.Distance(a, b), "hops")
	fmt.Println("outside:", tree.Outside())
	// Output:
	// tier 3 "": 4 nodes
	// tier 2 "b1": 3 nodes
	// tier 1 "b1/r1": 2 nodes
	// tier 1 "b1/r2": 1 nodes
	// tier 2 "b2": 1 nodes
	// tier 1 "b2/r1": 1 nodes
	// node-9 and node-3 meet in [b1] after 4 hops
	// outside: [node-5]
}

// What is wrong with a source is reported at once, in natural order.
func ExampleFromHyperNodes() {
	rack := func(name string, nodes ...string) topology.HyperNode {
		h := topology.HyperNode{Name: name, Tier: 1}
		for _, n := range nodes {
			h.Members = append(h.Members, topology.Selector{Kind: topology.NodeMember, ExactName: n})
		}
		return h
	}
	_, err := topology.FromHyperNodes([]topology.HyperNode{rack("rack-10"), rack("rack-9", "n1", "n2"), rack("rack-8", "n2")},
		[]topology.LabeledNode{{Name: "n1"}, {Name: "n2"}})
	fmt.Println(err)
	// Output:
	// HyperNode rack-9 "n2": node in two leaves, the other is HyperNode rack-8
	// HyperNode rack-10: no members
}

func ExampleFromJSON() {
	tree, err := topology.FromJSON([]byte(`[
		{"layer": 2, "name": "s2", "children": ["s0", "s1"]},
		{"layer": 1, "name": "s0", "parents": ["s2"], "children": ["node0", "node1"]},
		{"layer": 1, "name": "s1", "parents": ["s2"], "children": ["node2"]}
	]`), []string{"node0", "node1", "node2"})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := tree.Node("node2")
	fmt.Println(tree.Path(tree.Leaf(n)))
	// Output: [s2 s1]
}
