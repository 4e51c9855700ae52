// What does a cluster look like to a rule: how many members does each node and each domain take?

package placers

import (
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

// mostSlots is as how many members a node counts at most, so that sums over all nodes do not overflow.
const mostSlots = 1 << 32

// board is a cluster for one gang. Its vertices are the domains of a topology, by their ids, and after them the nodes, in the order of paths; those outside the topology, if
// they are used, come last and lie right below the root.
type board struct {
	tree  *topology.Tree
	names []string // by node
	// kinds are the resources that members ask for, then cpu and memory if they do not; pods are none of them.
	kinds []string
	asks  []int64 // of one member, by kind
	asked int     // kinds of which a member asks for something; they come first
	// free and have are what nodes have left, and have in all, by node and kind: nothing on nodes that are not in service.
	free, have []int64
	slots      []int64 // by vertex: how many members it takes
}

// share are members on a node.
type share struct {
	node  int
	count int64
}

// survey reads a cluster for a gang of one shape, with the nodes outside its topology or without. O(nodes * resources).
func survey(c *placement.Cluster, req *gang.Request, outside bool) (*board, error) {
	tree, err := treeOf(c, req)
	if err != nil {
		return nil, err
	}
	b, shape := &board{tree: tree}, shapeOf(req, 0)
	b.look(shape.Resources)
	nodes := make([]cluster.Node, tree.NumNodes()) // by node; one without a name is not in the cluster
	outside = outside || len(nodes) == 0
	var others []cluster.Node
	for n := range c.Nodes() {
		if at, in := tree.Node(n.Name); in {
			nodes[at] = n
		} else if outside {
			others = append(others, n)
		}
	}
	slices.SortFunc(others, func(x, y cluster.Node) int { return muster.CompareNatural(x.Name, y.Name) })
	nodes = slices.Concat(nodes, others)
	b.names = make([]string, len(nodes))
	b.free, b.have = make([]int64, len(nodes)*len(b.kinds)), make([]int64, len(nodes)*len(b.kinds))
	b.slots = make([]int64, tree.Len()+len(nodes))
	for i := range nodes {
		if nodes[i].Name != "" {
			b.slots[b.vertex(i)] = b.fill(c, i, &nodes[i], shape)
		}
	}
	b.sumSlots()
	return b, nil
}

// treeOf is the topology that a request names.
func treeOf(c *placement.Cluster, req *gang.Request) (*topology.Tree, error) {
	name := req.Tree
	if trees := c.Trees(); name == "" {
		switch len(trees) {
		case 0:
			return nil, nil
		case 1:
			return trees[0].Tree, nil
		}
		name = "default"
	}
	named, ok := c.Tree(name)
	if !ok {
		return nil, muster.Invalid("request.Tree", req.Tree, "unknown topology")
	}
	return named.Tree, nil
}

// look says which resources are looked at.
func (b *board) look(resources muster.Resources) {
	for _, name := range resources.Names() {
		if amount := resources[name]; amount > 0 && name != muster.Pods {
			b.kinds, b.asks = append(b.kinds, name), append(b.asks, amount)
		}
	}
	b.asked = len(b.kinds)
	for _, name := range []string{muster.CPU, muster.Memory} {
		if !slices.Contains(b.kinds, name) {
			b.kinds, b.asks = append(b.kinds, name), append(b.asks, 0)
		}
	}
}

// fill brings a node in, and says how many members it takes.
func (b *board) fill(c *placement.Cluster, at int, n *cluster.Node, shape *gang.Shape) int64 {
	b.names[at] = n.Name
	if n.Cordoned || n.NotReady {
		return 0
	}
	free, _ := c.Free(n.Name)
	slots := int64(mostSlots)
	for k, name := range b.kinds {
		i := at*len(b.kinds) + k
		b.have[i], b.free[i] = n.Allocatable[name], max(free[name], 0)
		if b.asks[k] > 0 {
			slots = min(slots, b.free[i]/b.asks[k])
		}
	}
	if pods, bounded := free[muster.Pods]; bounded && shape.Resources[muster.Pods] > 0 {
		slots = min(slots, max(pods, 0)/shape.Resources[muster.Pods])
	}
	if !shape.Selects(n.Name, n.Labels) || !gang.Tolerates(n.Taints, shape.Tolerations) {
		return 0
	}
	return slots
}

// sumSlots sums up what domains take.
func (b *board) sumSlots() {
	clear(b.slots[:b.tree.Len()])
	for i := range b.names {
		b.slots[b.leaf(i)] += b.slots[b.vertex(i)]
	}
	for d := b.tree.Len() - 1; d > 0; d-- { // parents come first
		b.slots[b.tree.Parent(topology.DomainID(d))] += b.slots[d]
	}
}

// sum is what domains have of amounts by node and kind, by domain and kind.
func (b *board) sum(amounts []int64) []int64 {
	k := len(b.kinds)
	sums := make([]int64, b.tree.Len()*k)
	for i := range b.names {
		addTo(sums[b.leaf(i)*k:], amounts[i*k:(i+1)*k])
	}
	for d := b.tree.Len() - 1; d > 0; d-- {
		addTo(sums[int(b.tree.Parent(topology.DomainID(d)))*k:], sums[d*k:(d+1)*k])
	}
	return sums
}

// addTo adds amounts; sums end at the largest amount.
func addTo(sums, amounts []int64) {
	for i, a := range amounts {
		if sums[i] += a; sums[i] < 0 {
			sums[i] = 1<<63 - 1
		}
	}
}

func (b *board) vertex(node int) int { return b.tree.Len() + node }

// node is the node that a vertex is; negative: a domain.
func (b *board) node(v int) int { return v - b.tree.Len() }

// leaf is the domain right above a node.
func (b *board) leaf(node int) int {
	if node >= b.tree.NumNodes() {
		return int(topology.Root)
	}
	return int(b.tree.Leaf(topology.NodeID(node)))
}

// parent is the domain above a vertex; -1: none.
func (b *board) parent(v int) int {
	if i := b.node(v); i >= 0 {
		return b.leaf(i)
	}
	return int(b.tree.Parent(topology.DomainID(v)))
}

// tier of a vertex.
func (b *board) tier(v int) int {
	if b.node(v) >= 0 {
		return 0
	}
	return b.tree.Tier(topology.DomainID(v))
}

// nodes are those below a vertex, or the node that it is: an interval.
func (b *board) nodes(v int) (first, end int) {
	if i := b.node(v); i >= 0 {
		return i, i + 1
	}
	if topology.DomainID(v) == topology.Root {
		return 0, len(b.names)
	}
	n, last := b.tree.Nodes(topology.DomainID(v))
	return int(n), int(last)
}

// children are the vertices right below a domain: an interval. Nodes outside the topology are not among them where it has domains.
func (b *board) children(v int) (first, end int) {
	if c, last := b.tree.Children(topology.DomainID(v)); c < last {
		return int(c), int(last)
	}
	n, last := b.nodes(v)
	return b.vertex(n), b.vertex(last)
}

// below adds the vertices right below a vertex that take somebody; nothing below a node.
func (b *board) below(v int, to []int) []int {
	if b.node(v) >= 0 {
		return to
	}
	first, end := b.children(v)
	for x := first; x < end; x++ {
		if b.slots[x] > 0 {
			to = append(to, x)
		}
	}
	return to
}

// inside are the nodes of a vertex that take somebody, in the order of paths.
func (b *board) inside(v int) (out []int) {
	first, end := b.nodes(v)
	for i := first; i < end; i++ {
		if b.slots[b.vertex(i)] > 0 {
			out = append(out, i)
		}
	}
	return out
}

// at are the vertices of a tier that take at least so many.
func (b *board) at(tier int, least int64) (out []int) {
	first, end := 0, b.tree.Len()
	if tier == 0 {
		first, end = end, len(b.slots)
	}
	for v := first; v < end; v++ {
		if b.slots[v] >= least && b.tier(v) == tier {
			out = append(out, v)
		}
	}
	return out
}

// tiers are those of nodes, of layers and of the root, the lowest first.
func (b *board) tiers() []int {
	out := []int{0}
	for _, l := range b.tree.Layers() {
		out = append(out, l.Tier)
	}
	return append(out, b.tree.RootTier())
}

// fillUp puts members on nodes in their order, as many as each takes. Nil: they take too few.
func (b *board) fillUp(nodes []int, members int64) (out []share) {
	for _, i := range nodes {
		if members == 0 {
			break
		}
		if n := min(members, b.slots[b.vertex(i)]); n > 0 {
			out, members = append(out, share{i, n}), members-n
		}
	}
	if members > 0 {
		return nil
	}
	return out
}

// rule finds a place for so many members; nil: there is none.
type rule func(b *board, g gathering, members int64) []share

// place asks a rule. order says in which order the members go to the places that it gives.
func place(c *placement.Cluster, req *gang.Request, can, outside bool, order func(*gang.Request) []int, find rule) (*simulate.Place, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	if !can {
		return nil, nil
	}
	b, err := survey(c, req, outside)
	if err != nil {
		return nil, err
	}
	g, err := gathers(b.tree, req)
	if err != nil {
		return nil, err
	}
	shares := find(b, g, int64(len(req.Members)))
	if shares == nil {
		return nil, nil
	}
	members, out := order(req), &simulate.Place{Nodes: make([]string, len(req.Members))}
	for _, s := range shares {
		for range s.count {
			out.Nodes[members[0]], members = b.names[s.node], members[1:]
		}
	}
	return out, nil
}

// parts says how many of so many equal parts of a whole an amount is, rounded down; all of them where it is more. Nothing has no parts.
func parts(amount, whole int64, of uint64) uint64 {
	if whole <= 0 || amount <= 0 {
		return 0
	}
	if amount >= whole {
		return of
	}
	hi, lo := bits.Mul64(uint64(amount), of)
	out, _ := bits.Div64(hi, lo, uint64(whole)) // hi < whole, because amount < whole
	return out
}
