package layout

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// naive is a domain or a node of a tree that is written with pointers.
type naive struct {
	name     string // empty: the root, or a domain that the tree does not know
	tier     int32
	node     int32 // the cluster's id, of a domain -1
	above    *naive
	children []*naive
}

func (n *naive) add(child *naive) *naive {
	child.above, n.children = n, append(n.children, child)
	return child
}

// upwards is n and all above it, the root last.
func (n *naive) upwards() (out []*naive) {
	for ; n != nil; n = n.above {
		out = append(out, n)
	}
	return out
}

// below is n and all below it, depth first.
func (n *naive) below() []*naive {
	out := []*naive{n}
	for _, child := range n.children {
		out = append(out, child.below()...)
	}
	return out
}

// nodes are the nodes below n in the order of paths.
func (n *naive) nodes() []*naive {
	return slices.DeleteFunc(n.below(), func(x *naive) bool { return x.node < 0 })
}

// laid is a tree beside its view.
type laid struct {
	view  *View
	all   []*naive // by vertex
	nodes []*naive // by position
	at    map[*naive]Vertex
	tiers []int32 // in use, ascending
	names []string
}

// drawLaid draws a topology and a cluster: with and without switch layers, empty domains, skipped tiers, layers that no
// domain is in, nodes outside, ids in the order of the tree or in another one.
func drawLaid(t *rapid.T) *laid {
	var spec topology.Spec
	var names []string
	fresh := func(most int) (out []string) {
		for range rapid.IntRange(0, most).Draw(t, "nodes") {
			out = append(out, fmt.Sprint("n-", (40009*len(names)+3)%100003)) // names of their own, in no order
			names = append(names, out[len(out)-1])
		}
		return out
	}
	l := &laid{at: map[*naive]Vertex{}, tiers: []int32{0}}
	for tier := range rapid.IntRange(0, 3).Draw(t, "named layers") {
		spec.Layers = append(spec.Layers, topology.Layer{Name: fmt.Sprint("layer-", tier), Tier: 2*tier + 1})
		l.tiers = append(l.tiers, int32(2*tier+1))
	}
	var domains func(upTo int) []topology.Domain
	domains = func(upTo int) (out []topology.Domain) {
		for i := range rapid.IntRange(0, 3).Draw(t, "domains") {
			d := topology.Domain{Name: fmt.Sprint("d-", (7*i+9)%11), Tier: rapid.IntRange(1, upTo).Draw(t, "tier")}
			l.tiers = append(l.tiers, int32(d.Tier))
			if d.Tier > 1 && rapid.IntRange(0, 3).Draw(t, "leaf") > 0 {
				d.Children = domains(d.Tier - 1)
			} else {
				d.Nodes = fresh(3)
			}
			out = append(out, d)
		}
		return out
	}
	if rapid.IntRange(0, 9).Draw(t, "bare") == 0 {
		spec.Nodes = fresh(4)
	} else {
		spec.Roots = domains(rapid.SampledFrom([]int{1, 2, 4, 400}).Draw(t, "tiers"))
	}
	inTree := len(names)
	fresh(3) // outside
	tree, err := topology.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	l.tiers = append(l.tiers, int32(tree.RootTier()))
	slices.Sort(l.tiers)
	l.tiers = slices.Compact(l.tiers)
	root := rootOf(spec, int32(tree.RootTier()), names[inTree:])
	l.number(root)
	ids := map[string]int32{}
	l.names = make([]string, len(names))
	first := rapid.Bool().Draw(t, "the first tree")
	if first {
		for i, n := range l.nodes {
			l.names[i] = n.name
		}
	} else {
		copy(l.names, rapid.Permutation(names).Draw(t, "ids"))
	}
	for id, name := range l.names {
		ids[name] = int32(id)
	}
	for _, n := range l.nodes {
		n.node = ids[n.name]
	}
	var order []int32
	if !first {
		order = make([]int32, tree.NumNodes())
		for n := range order {
			order[n] = ids[tree.NodeName(topology.NodeID(n))]
		}
	}
	l.view = New("tree", tree, l.names, order)
	return l
}

// rootOf writes a topology with pointers.
func rootOf(spec topology.Spec, rootTier int32, outside []string) *naive {
	root := &naive{tier: rootTier, node: -1}
	hold := func(n *naive, names []string) {
		for _, name := range slices.SortedFunc(slices.Values(names), muster.CompareNatural) {
			n.add(&naive{name: name})
		}
	}
	var put func(n *naive, list []topology.Domain)
	put = func(n *naive, list []topology.Domain) {
		byName := func(a, b topology.Domain) int { return muster.CompareNatural(a.Name, b.Name) }
		for _, d := range slices.SortedFunc(slices.Values(list), byName) {
			child := n.add(&naive{name: d.Name, tier: int32(d.Tier), node: -1})
			put(child, d.Children)
			hold(child, d.Nodes)
		}
	}
	if put(root, spec.Roots); len(spec.Nodes) > 0 {
		hold(root.add(&naive{tier: rootTier, node: -1}), spec.Nodes)
	}
	hold(root.add(&naive{tier: rootTier, node: -1}), outside)
	return root
}

// number gives vertices their ids: domains level by level, then nodes in the order of paths.
func (l *laid) number(root *naive) {
	l.all = []*naive{root}
	for i := 0; i < len(l.all); i++ {
		l.all = append(l.all, slices.DeleteFunc(slices.Clone(l.all[i].children), func(x *naive) bool { return x.node >= 0 })...)
	}
	l.nodes = root.nodes()
	l.all = append(l.all, l.nodes...)
	for v, n := range l.all {
		l.at[n] = Vertex(v)
	}
}

// vertices are the ids of some vertices.
func (l *laid) vertices(list []*naive) []Vertex {
	out := make([]Vertex, len(list))
	for i, n := range list {
		out[i] = l.at[n]
	}
	return out
}

// domainsOf are the highest vertices of a tier or lower, depth first.
func (l *laid) domainsOf(tier int32) []*naive {
	return slices.DeleteFunc(l.all[0].below(), func(n *naive) bool { return n.tier > tier || n.above != nil && n.above.tier <= tier })
}
