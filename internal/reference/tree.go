package reference

import (
	"math/big"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/topology"
)

// vertex is a domain or a node of the request's tree.
type vertex struct {
	path     []string
	tier     int
	order    int // place in depth-first order
	outside  bool
	parent   *vertex
	children []*vertex
	node     *cluster.Node // nil for domains

	own, key int   // members below that run: of the gang, with the affinity key
	score    int64 // host score of a node for one member
	fits     int   // members that a node can take, multiples aside

	waste *big.Rat // of a node: what is free of its devices, and what the next unit spoils of them
	zones int      // of a node, that the next member of an aligned gang would get
	rates []int64  // NUMA score of a node, by the number of new members

	// The numbers of new members that fit below: low, low+step, ..., high; none if high < low.
	step, low, high int
}

// takes holds if exactly m new members fit below v.
func (v *vertex) takes(m int) bool {
	return v.low <= m && m <= v.high && (m+v.own)%v.step == 0
}

// build makes the vertices of the tree: its domains, its nodes as far as the cluster has them, and last below the root
// one vertex for all nodes outside the tree. That one has the root's tier, since it is no domain to gather in; and so has the
// one for all nodes of a tree without layers.
func build(tree *topology.Tree, nodes []cluster.Node) *vertex {
	root := &vertex{tier: 1}
	left := map[string]*cluster.Node{}
	for i := range nodes {
		left[nodes[i].Name] = &nodes[i]
	}
	if tree != nil {
		root.tier = tree.RootTier()
		if first, last := tree.Children(topology.Root); first == last && tree.NumNodes() > 0 {
			whole := &vertex{tier: root.tier, parent: root}
			root.children = append(root.children, whole)
			addDomains(whole, tree, topology.Root, left)
		} else {
			addDomains(root, tree, topology.Root, left)
		}
	}
	if len(left) > 0 {
		out := &vertex{tier: root.tier, outside: true, parent: root}
		for i := range nodes {
			if left[nodes[i].Name] != nil {
				out.children = append(out.children, &vertex{
					path: []string{nodes[i].Name}, outside: true, parent: out, node: &nodes[i],
				})
			}
		}
		sortChildren(out)
		root.children = append(root.children, out)
	}
	return root
}

func addDomains(v *vertex, tree *topology.Tree, d topology.DomainID, left map[string]*cluster.Node) {
	first, last := tree.Children(d)
	for c := first; c < last; c++ {
		child := &vertex{path: tree.Path(c), tier: tree.Tier(c), parent: v}
		v.children = append(v.children, child)
		addDomains(child, tree, c, left)
	}
	if first == last {
		firstNode, lastNode := tree.Nodes(d)
		for n := firstNode; n < lastNode; n++ {
			name := tree.NodeName(n)
			if node := left[name]; node != nil {
				path := append(slices.Clone(v.path), name)
				v.children = append(v.children, &vertex{path: path, parent: v, node: node})
				delete(left, name)
			}
		}
	}
	sortChildren(v)
}

// sortChildren puts the children in the order of paths.
func sortChildren(v *vertex) {
	slices.SortFunc(v.children, func(a, b *vertex) int { return muster.ComparePaths(a.path, b.path) })
}

// all lists the vertices depth first and numbers them.
func all(root *vertex) []*vertex {
	var out []*vertex
	var walk func(v *vertex)
	walk = func(v *vertex) {
		v.order = len(out)
		out = append(out, v)
		for _, c := range v.children {
			walk(c)
		}
	}
	walk(root)
	return out
}

// under lists the domains of tier t: the maximal vertices below v, or v itself, of at most this tier.
func under(v *vertex, t int) []*vertex {
	if v.tier <= t {
		return []*vertex{v}
	}
	var out []*vertex
	for _, c := range v.children {
		out = append(out, under(c, t)...)
	}
	return out
}

// smallest is the smallest domain or node that holds all these nodes.
func smallest(root *vertex, nodes []*vertex) *vertex {
	v := nodes[0]
	for slices.ContainsFunc(nodes, func(n *vertex) bool { return !above(v, n) }) {
		v = v.parent
	}
	if v.outside && v.node == nil {
		return root
	}
	return v
}

func above(v, n *vertex) bool {
	for ; n != nil; n = n.parent {
		if n == v {
			return true
		}
	}
	return false
}
