package validity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/topology"
)

// Network is the tree of one request, seen from its nodes.
type Network struct {
	tree     *topology.Tree // nil: every node lies outside
	name     string
	chains   map[string][]Place // by node: itself, the domains above it, the root
	rootTier int
}

// Place is a domain or a node.
type Place struct {
	// ID is the path; it identifies the place.
	ID   string
	Path []string
	Tier int
	// Outside holds for nodes that the tree has no place for.
	Outside bool
}

// NewNetwork picks the request's tree: the named one, else the only one, else the one named `default`. The second
// result is false if there is no such tree.
func NewNetwork(spec *cluster.Spec, req *gang.Request) (*Network, bool) {
	named, ok := PickTree(spec, req)
	if !ok {
		return nil, false
	}
	n := &Network{tree: named.Tree, name: named.Name, rootTier: 1, chains: map[string][]Place{}}
	if n.tree != nil {
		n.rootTier = n.tree.RootTier()
	}
	for i := range spec.Nodes {
		name := spec.Nodes[i].Name
		n.chains[name] = n.chain(name)
	}
	return n, true
}

// PickTree is the tree that a request is planned in; without any, one that is nil.
func PickTree(spec *cluster.Spec, req *gang.Request) (cluster.NamedTree, bool) {
	if req.Tree == "" && len(spec.Trees) <= 1 {
		return append(slices.Clone(spec.Trees), cluster.NamedTree{})[0], true
	}
	want := req.Tree
	if want == "" {
		want = "default"
	}
	i := slices.IndexFunc(spec.Trees, func(t cluster.NamedTree) bool { return t.Name == want })
	if i < 0 {
		return cluster.NamedTree{}, false
	}
	return spec.Trees[i], true
}

func (n *Network) chain(node string) []Place {
	root := Place{Tier: n.rootTier}
	if n.tree == nil {
		return []Place{newPlace([]string{node}, 0, true), root}
	}
	id, ok := n.tree.Node(node)
	if !ok {
		return []Place{newPlace([]string{node}, 0, true), root}
	}
	leaf := n.tree.Leaf(id)
	chain := []Place{newPlace(append(n.tree.Path(leaf), node), 0, false)}
	for d := leaf; d != topology.Root; d = n.tree.Parent(d) {
		chain = append(chain, newPlace(n.tree.Path(d), n.tree.Tier(d), false))
	}
	return append(chain, root)
}

func newPlace(path []string, tier int, outside bool) Place {
	kind := "in/"
	if outside {
		kind = "out/"
	}
	return Place{ID: kind + strconv.Itoa(tier) + "/" + strings.Join(path, "/"), Path: path, Tier: tier, Outside: outside}
}

// Smallest is the smallest place that holds all the nodes.
func (n *Network) Smallest(nodes []string) Place {
	for _, p := range n.chains[nodes[0]] {
		if !slices.ContainsFunc(nodes, func(node string) bool { return !n.below(node, p) }) {
			return p
		}
	}
	return Place{Tier: n.rootTier}
}

func (n *Network) below(node string, p Place) bool {
	return slices.ContainsFunc(n.chains[node], func(q Place) bool { return q.ID == p.ID })
}

// Maximal is the largest place of at most this tier that holds the node.
func (n *Network) Maximal(node string, tier int) Place {
	chain := n.chains[node]
	best := chain[0]
	for _, p := range chain {
		if p.Tier <= tier {
			best = p
		}
	}
	return best
}

// Layers are the switch layers, lowest first.
func (n *Network) Layers() []topology.Layer {
	if n.tree == nil {
		return nil
	}
	return n.tree.Layers()
}

// RootTier is the tier of the nameless root.
func (n *Network) RootTier() int { return n.rootTier }

// LayerName is what results call the layer of this tier: `node` for tier 0, whatever its name, else its name, the tier's
// number for layers without one, empty for the root.
func (n *Network) LayerName(tier int) string {
	if tier == 0 {
		return "node"
	}
	name := ""
	if n.tree != nil {
		name = n.tree.LayerName(tier)
	}
	if tier == n.rootTier || name != "" {
		return name
	}
	return strconv.Itoa(tier)
}

// TierOf resolves the layer of a rule: a name, `node` where no layer has this name, or a tier in decimal digits.
func (n *Network) TierOf(layer string) (int, bool) {
	if n.tree != nil {
		if l, ok := n.tree.Layer(layer); ok {
			return l.Tier, true
		}
	}
	if layer == "node" && (n.tree == nil || n.tree.NodeLayer() == "") {
		return 0, true
	}
	tier, err := strconv.Atoi(layer) // a number bounds the tier, whether or not a layer has it
	return tier, err == nil && tier >= 0
}

// Must is the lowest tier that the rules bind to, the root's if none does; the second result says whether one does.
func (n *Network) Must(rules []gang.Rule) (int, bool) {
	must, hard := n.rootTier, false
	for _, r := range rules {
		if tier, ok := n.TierOf(r.Layer); ok && r.Strength == gang.MustGather {
			must, hard = min(must, tier, n.rootTier-1), true // the root satisfies no rule
		}
	}
	return must, hard
}
