package topology

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
)

// Domain is one domain of a [Spec]: it holds either child domains or nodes, never both; empty is valid.
type Domain struct {
	// Name is unique among the domain's siblings.
	Name string
	// Tier is at least 1, and above that of every child; tiers may be skipped.
	Tier int
	// Children are the domains directly below.
	Children []Domain
	// Nodes are the names of the nodes directly below.
	Nodes []string
}

// Spec is a topology as plain data.
type Spec struct {
	// Layers gives names to tiers. A tier that a domain uses needs no entry; then its layer has no name. Tier 0 names
	// the node layer.
	Layers []Layer
	// Roots are the domains below the nameless root.
	Roots []Domain
	// Nodes are directly below the nameless root: a topology that has no switch layer. It excludes Roots.
	Nodes []string
	// Outside and Absent are only reported by the tree's methods of these names.
	Outside, Absent []string
}

// New builds a tree. Children and nodes are put in natural order, whatever order they come in; the arguments are
// copied. All defects are reported, joined, each an [muster.InvalidError] that names the domain: a tier below 1 or not
// above its children's, siblings of one name, an empty name, child domains and nodes in one domain, a node in two
// domains, a layer named twice. A node that one domain lists twice counts once. A tree of more than [MaxLayers] is
// refused before anything else of its domains is looked at. O(n log n).
func New(spec Spec) (*Tree, error) {
	b := &builder{}
	b.layers(spec.Layers)
	b.layOut(spec.Roots, spec.Nodes)
	b.nameLayers()
	if !checkCount(max(len(b.tree.layers), b.depth), &b.defects) {
		return nil, b.defects.err()
	}
	b.placeNodes()
	b.checkDomains()
	b.indexNodes()
	if err := b.defects.err(); err != nil {
		return nil, err
	}
	t := &b.tree
	t.outside, t.absent = slices.Clone(sortedNames(spec.Outside)), slices.Clone(sortedNames(spec.Absent))
	return t, nil
}

// MaxLayers is the largest number of switch layers of a tree: tiers in use or named, but for that of the nodes. Networks
// have three to five. Plans take time and memory by domains times layers, so that more would only be a way to stop a
// scheduler.
const MaxLayers = 64

// checkCount refuses more layers than a tree may have.
func checkCount(layers int, d *defects) bool {
	if layers > MaxLayers {
		d.add("layers", strconv.Itoa(layers), fmt.Sprintf("a topology has at most %d layers", MaxLayers))
	}
	return layers <= MaxLayers
}

// maxTier bounds tiers, so that the root's tier and sums of tiers stay far from overflow.
const maxTier = 1 << 20

// builder lays a tree out first and checks it afterwards: what is flat and sorted can be checked in one pass, and a
// domain's path is only spelt out where a defect names it.
type builder struct {
	tree    Tree
	names   map[int]string // layer name by tier
	direct  [][]string     // nodes directly below each domain, sorted, each once
	depth   int            // levels of domains below the root
	defects defects
}

func (b *builder) layers(layers []Layer) {
	layers = slices.Clone(layers)
	slices.SortFunc(layers, func(x, y Layer) int {
		return cmp.Or(cmp.Compare(x.Tier, y.Tier), muster.CompareNatural(x.Name, y.Name))
	})
	b.names = map[int]string{}
	tiers := map[string]int{}
	for _, l := range layers {
		field, value := "layer "+l.Name, fmt.Sprint(l.Tier)
		if l.Tier < 0 || l.Tier >= maxTier {
			b.defects.add(field, value, "tier out of range")
		}
		if old, ok := b.names[l.Tier]; ok && old != l.Name {
			b.defects.add(field, value, "tier has the name "+old+" already")
		}
		if old, ok := tiers[l.Name]; ok && l.Name != "" {
			b.defects.add(field, value, fmt.Sprintf("duplicate name: it is the layer of tier %d", old))
		}
		tiers[l.Name] = l.Tier
		b.names[l.Tier] = l.Name
	}
}

// layOut gives every domain its row, level by level from the root, children in natural order.
func (b *builder) layOut(roots []Domain, nodes []string) {
	t := &b.tree
	t.domains = []domain{{parent: NoDomain}}
	b.direct = [][]string{sortedNames(nodes)}
	children := [][]Domain{roots} // by domain; the domains of a level are appended while the level above is read
	for d, level := 0, 1; d < len(children); d++ {
		if d == level { // the first domain of a level; the next level begins behind all that are known now
			b.depth, level = b.depth+1, len(children)
		}
		sorted := sortedDomains(children[d])
		children[d] = nil
		t.domains[d].firstChild = DomainID(len(t.domains))
		for _, c := range sorted {
			t.domains = append(t.domains, domain{name: c.Name, parent: DomainID(d), tier: clampTier(c.Tier)})
			b.direct = append(b.direct, sortedNames(c.Nodes))
			children = append(children, c.Children)
		}
		t.domains[d].lastChild = DomainID(len(t.domains))
	}
}

// clampTier keeps a tier that is out of range out of range when it is narrowed.
func clampTier(tier int) int32 { return int32(max(math.MinInt32, min(tier, math.MaxInt32))) }

// placeNodes gives the nodes their ids, depth first. Sizes come from the bottom up and places from the top down; a
// parent's id is smaller than its children's, so both are plain loops.
func (b *builder) placeNodes() {
	t := &b.tree
	size := make([]NodeID, len(t.domains))
	for d := len(t.domains) - 1; d >= 0; d-- {
		size[d] += NodeID(len(b.direct[d]))
		if p := t.domains[d].parent; p != NoDomain {
			size[p] += size[d]
		}
	}
	t.nodes, t.leafOf = make([]string, size[Root]), make([]DomainID, size[Root])
	for d := range t.domains {
		row := &t.domains[d]
		row.lastNode = row.firstNode + size[d]
		next := row.firstNode
		for _, n := range b.direct[d] {
			t.nodes[next], t.leafOf[next] = n, DomainID(d)
			next++
		}
		for c := row.firstChild; c < row.lastChild; c++ {
			t.domains[c].firstNode = next
			next += size[c]
		}
	}
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
	slices.SortFunc(t.layers, func(x, y Layer) int { return cmp.Compare(x.Tier, y.Tier) })
	t.domains[Root].tier = 1
	if n := len(t.layers); n > 0 {
		t.domains[Root].tier = int32(t.layers[n-1].Tier) + 1
	}
}

func (b *builder) checkDomains() {
	t := &b.tree
	for i := range t.domains {
		d := DomainID(i)
		row := &t.domains[d]
		if len(b.direct[d]) > 0 && row.firstChild < row.lastChild {
			b.defects.add(b.field(d), "", "mixed members: child domains and nodes in one domain")
		}
		if len(b.direct[d]) > 0 && b.direct[d][0] == "" { // sorted: the empty name is the first
			b.defects.add(b.field(d), "", "a node has no name")
		}
		if d == Root {
			continue
		}
		if why := badTier(int(row.tier)); why != "" {
			b.defects.add(b.field(d), fmt.Sprint(row.tier), why)
		} else if row.parent != Root && row.tier >= t.domains[row.parent].tier {
			b.defects.add(b.field(d), fmt.Sprint(row.tier), fmt.Sprintf("tier is not below its parent's, %d", t.Tier(row.parent)))
		}
		switch {
		case row.name == "":
			b.defects.add(b.field(d), "", "a domain has no name")
		case d > t.domains[row.parent].firstChild && t.domains[d-1].name == row.name:
			b.defects.add(b.field(d), "", "duplicate name")
		}
	}
}

// badTier says what is wrong with the tier of a domain, empty if nothing is.
func badTier(tier int) string {
	switch {
	case tier < 1:
		return "tier is below 1"
	case tier >= maxTier:
		return "tier out of range"
	}
	return ""
}

// indexNodes makes nodes findable by name. A name has one place.
func (b *builder) indexNodes() {
	t := &b.tree
	t.byName = indexNames(t.nodes, func(first, second int) {
		b.defects.add(b.field(t.leafOf[second]), t.nodes[second], "node in two leaves, the other is "+b.field(t.leafOf[first]))
	})
}

func (b *builder) field(d DomainID) string {
	if d == Root {
		return "the root"
	}
	return "domain " + strings.Join(b.tree.Path(d), "/")
}

func sortedDomains(domains []Domain) []Domain {
	byName := func(x, y Domain) int { return muster.CompareNatural(x.Name, y.Name) }
	if slices.IsSortedFunc(domains, byName) {
		return domains
	}
	domains = slices.Clone(domains)
	slices.SortFunc(domains, byName)
	return domains
}

// sortedNames returns the names in natural order, each once. It returns its argument if that is so already; the
// argument is never changed.
func sortedNames(names []string) []string {
	for i := 1; i < len(names); i++ {
		if muster.CompareNatural(names[i-1], names[i]) >= 0 {
			names = slices.Clone(names)
			slices.SortFunc(names, muster.CompareNatural)
			return slices.Compact(names)
		}
	}
	return names
}
