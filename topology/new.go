package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// Domain is one domain of a [Spec]: it holds either child domains or nodes, never both; empty is valid.
type Domain struct {
	Name     string
	Tier     int
	Children []Domain
	Nodes    []string
}

// Spec is a topology as plain data.
type Spec struct {
	// Layers gives names to tiers. A tier that a domain uses needs no entry; then its layer has no name. Tier 0 names
	// the node layer.
	Layers []Layer
	// Roots are the domains below the nameless root.
	Roots []Domain
	// Outside and Absent are only reported by the tree's methods of these names.
	Outside, Absent []string
}

// New builds a tree. Children and nodes are put in natural order, whatever order they come in; the arguments are
// copied. All defects are reported, joined, each an [muster.InvalidError] that names the domain: a tier below 1 or not
// above its children's, siblings of one name, an empty name, child domains and nodes in one domain, a node in two
// domains, a layer named twice. O(n log n).
func New(spec Spec) (*Tree, error) {
	b := &builder{leaf: map[string]string{}}
	b.layers(spec.Layers)
	roots := b.sorted(spec.Roots, nil, maxTier)
	if b.defects.err() == nil {
		b.build(roots)
	}
	if err := b.defects.err(); err != nil {
		return nil, err
	}
	t := &b.tree
	t.outside, t.absent = sortedNames(spec.Outside), sortedNames(spec.Absent)
	t.byName = make([]NodeID, len(t.nodes))
	for i := range t.byName {
		t.byName[i] = NodeID(i)
	}
	slices.SortFunc(t.byName, func(a, b NodeID) int { return strings.Compare(t.nodes[a], t.nodes[b]) })
	return t, nil
}

// maxTier bounds tiers, so that the root's tier and sums of tiers stay far from overflow.
const maxTier = 1 << 20

type builder struct {
	tree    Tree
	names   map[int]string // layer name by tier
	leaf    map[string]string
	defects defects
}

func (b *builder) layers(layers []Layer) {
	b.names = map[int]string{}
	seen := map[string]bool{}
	for _, l := range layers {
		if l.Tier < 0 || l.Tier >= maxTier {
			b.defects.add("layer "+l.Name, fmt.Sprint(l.Tier), "tier out of range")
		}
		if old, ok := b.names[l.Tier]; ok && old != l.Name {
			b.defects.add("layer "+l.Name, fmt.Sprint(l.Tier), "tier has the name "+old+" already")
		}
		if l.Name != "" && seen[l.Name] {
			b.defects.add("layer "+l.Name, "", "duplicate name")
		}
		seen[l.Name] = true
		b.names[l.Tier] = l.Name
	}
}

// sorted checks the children of one domain and returns a copy of the whole subtree in natural order.
func (b *builder) sorted(children []Domain, path []string, parentTier int) []Domain {
	out := slices.Clone(children)
	slices.SortStableFunc(out, func(x, y Domain) int { return muster.CompareNatural(x.Name, y.Name) })
	for i := range out {
		d := &out[i]
		here := append(slices.Clip(path), d.Name)
		field := "domain " + strings.Join(here, "/")
		switch {
		case d.Name == "":
			b.defects.add(field, "", "a domain has no name")
		case i > 0 && out[i-1].Name == d.Name:
			b.defects.add(field, "", "duplicate name")
		}
		if d.Tier < 1 {
			b.defects.add(field, fmt.Sprint(d.Tier), "tier is below 1")
		}
		if d.Tier >= parentTier {
			b.defects.add(field, fmt.Sprint(d.Tier), "tier is not below its parent's tier")
		}
		if len(d.Children) > 0 && len(d.Nodes) > 0 {
			b.defects.add(field, "", "mixed members: child domains and nodes in one domain")
		}
		d.Children = b.sorted(d.Children, here, d.Tier)
		d.Nodes = sortedNames(d.Nodes)
		b.claim(d.Nodes, field)
	}
	return out
}

// claim notes that the nodes lie in this domain, which must be the only one.
func (b *builder) claim(nodes []string, field string) {
	for _, n := range nodes {
		if other, ok := b.leaf[n]; ok {
			b.defects.add(field, n, "node in two leaves, the other is "+other)
		}
		b.leaf[n] = field
	}
}

// build lays the checked domains out level by level. A level is visited in the order of its parents, so nodes met
// depth-first need a pass of their own.
func (b *builder) build(roots []Domain) {
	t := &b.tree
	t.domains = []domain{{parent: NoDomain}}
	level, parents := [][]Domain{roots}, []DomainID{Root}
	var leaves [][]string // nodes by domain
	leaves = append(leaves, nil)
	for len(level) > 0 {
		var next [][]Domain
		var nextParents []DomainID
		for i, children := range level {
			first := DomainID(len(t.domains))
			t.domains[parents[i]].firstChild = first
			t.domains[parents[i]].lastChild = first + DomainID(len(children))
			for _, c := range children {
				next, nextParents = append(next, c.Children), append(nextParents, DomainID(len(t.domains)))
				t.domains = append(t.domains, domain{name: c.Name, parent: parents[i], tier: int32(c.Tier)})
				leaves = append(leaves, c.Nodes)
			}
		}
		level, parents = next, nextParents
	}
	b.placeNodes(Root, leaves)
	b.nameLayers()
}

func (b *builder) placeNodes(d DomainID, leaves [][]string) {
	t := &b.tree
	t.domains[d].firstNode = NodeID(len(t.nodes))
	for _, n := range leaves[d] {
		t.nodes, t.leafOf = append(t.nodes, n), append(t.leafOf, d)
	}
	first, last := t.Children(d)
	for c := first; c < last; c++ {
		b.placeNodes(c, leaves)
	}
	t.domains[d].lastNode = NodeID(len(t.nodes))
}

// nameLayers collects the tiers in use and puts the root above them.
func (b *builder) nameLayers() {
	t := &b.tree
	tiers := map[int]bool{}
	for tier := range b.names {
		tiers[tier] = true
	}
	for _, d := range t.domains[1:] {
		tiers[int(d.tier)] = true
	}
	delete(tiers, 0)
	t.nodeLayer = b.names[0]
	for tier := range tiers {
		t.layers = append(t.layers, Layer{Name: b.names[tier], Tier: tier})
	}
	slices.SortFunc(t.layers, func(x, y Layer) int { return x.Tier - y.Tier })
	t.domains[Root].tier = 1
	if n := len(t.layers); n > 0 {
		t.domains[Root].tier = int32(t.layers[n-1].Tier) + 1
	}
}

func sortedNames(names []string) []string {
	out := slices.Clone(names)
	slices.SortFunc(out, muster.CompareNatural)
	return slices.Compact(out)
}
