package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
)

// HyperNode is a domain in the form of Volcano's object.
type HyperNode struct {
	// Name is unique among all HyperNodes.
	Name string
	// Tier is taken as written, at least 1; tiers may be skipped.
	Tier int
	// TierName is the name of the layer; it may be empty. One name means one tier, and one tier has one name.
	TierName string
	// Members are the nodes of a leaf or the children of any other HyperNode, never both. There is at least one.
	Members []Selector
}

// Selector chooses members of a [HyperNode]. Exactly one of ExactName, Regex and Labels is set; children are chosen by
// ExactName only.
type Selector struct {
	// Kind says whether nodes or HyperNodes are chosen.
	Kind MemberKind
	// ExactName is the name of a node or HyperNode.
	ExactName string
	// Regex is a Go regular expression over node names. It is not anchored: `node-1` matches `node-10`.
	Regex string
	// Labels chooses nodes by their labels.
	Labels *LabelSelector
}

// MemberKind says what a [Selector] chooses.
type MemberKind string

// The kinds of members.
const (
	NodeMember      MemberKind = "Node"
	HyperNodeMember MemberKind = "HyperNode"
)

// FromHyperNodes builds a tree from Volcano's HyperNodes and the nodes that they choose from. A HyperNode that chooses
// no node is an empty domain. Nodes that no leaf chooses are listed by [Tree.Outside], nodes that a leaf names and the
// input lacks by [Tree.Absent].
//
// All defects are reported, joined in natural order of names whatever the order of the input, each an
// [muster.InvalidError] with the field `HyperNode <name>` and a reason with one of these words: cycle, two parents,
// node in two leaves, mixed members, unknown child, tier, selector, regex, no members, duplicate name. Nodes without a
// name and nodes of one name are refused too.
// So are more than [MaxLayers] tiers, and selectors that take more steps than docs/limits.md allows.
//
// O((hypers + nodes) log nodes + matches), where a label selector looks only at nodes with one of its required labels and
// a regular expression that begins with ^ and a literal only at nodes that begin so; any other one looks at all nodes, and
// reads those that have its longest literal. The arguments are neither changed nor kept.
func FromHyperNodes(hypers []HyperNode, nodes []LabeledNode) (*Tree, error) {
	var d defects
	m := newMatcher(nodes, &d)
	byName := slices.Clone(hypers) // so that the order does not show in who spends the steps of selectors
	slices.SortStableFunc(byName, func(a, b HyperNode) int { return muster.CompareNatural(a.Name, b.Name) })
	vertices := make([]vertex, len(byName))
	for i, h := range byName {
		vertices[i] = m.read(h)
	}
	f := newForest("HyperNode", vertices, &d)
	layers := hyperLayers(hypers, &d)
	if err := d.err(); err != nil {
		return nil, err
	}
	outside, absent := f.leftOver(m.names, m.index)
	return New(Spec{Layers: layers, Roots: f.roots(m.known), Outside: outside, Absent: absent})
}

// hyperLayers reads the layers' names. Of two that disagree the later one in natural order of names is at fault.
func hyperLayers(hypers []HyperNode, d *defects) []Layer {
	hypers = slices.Clone(hypers)
	slices.SortFunc(hypers, func(a, b HyperNode) int {
		return cmp.Or(muster.CompareNatural(a.Name, b.Name),
			cmp.Compare(a.Tier, b.Tier), muster.CompareNatural(a.TierName, b.TierName)) // twins: any order but the input's
	})
	byName, byTier := map[string]HyperNode{}, map[int]HyperNode{}
	var layers []Layer
	for _, h := range hypers {
		if h.TierName == "" {
			continue
		}
		named, nameKnown := byName[h.TierName]
		tiered, tierKnown := byTier[h.Tier]
		if nameKnown && named.Tier != h.Tier {
			d.add("HyperNode "+h.Name, h.TierName, fmt.Sprintf("tier name of tier %d, of tier %d at HyperNode %s", h.Tier, named.Tier, named.Name))
		}
		if tierKnown && tiered.TierName != h.TierName {
			d.add("HyperNode "+h.Name, h.TierName, fmt.Sprintf("tier %d has the name %s at HyperNode %s", h.Tier, tiered.TierName, tiered.Name))
		}
		if !nameKnown {
			byName[h.TierName] = h
			layers = append(layers, Layer{Name: h.TierName, Tier: h.Tier})
		}
		if !tierKnown {
			byTier[h.Tier] = h
		}
	}
	return layers
}

// read checks the members of one HyperNode and finds its nodes.
func (m *matcher) read(h HyperNode) vertex {
	v := vertex{name: h.Name, tier: h.Tier}
	field := "HyperNode " + h.Name
	if len(h.Members) == 0 {
		m.defects.add(field, "", "no members")
	}
	var hasNodes, hasChildren bool
	for _, s := range h.Members {
		set := 0
		for _, is := range []bool{s.ExactName != "", s.Regex != "", s.Labels != nil} {
			if is {
				set++
			}
		}
		hasNodes = hasNodes || s.Kind == NodeMember
		hasChildren = hasChildren || s.Kind == HyperNodeMember
		switch {
		case s.Kind != NodeMember && s.Kind != HyperNodeMember:
			m.defects.add(field, string(s.Kind), "selector of an unknown kind, not Node or HyperNode")
		case set == 0:
			m.defects.add(field, "", "empty selector")
		case set > 1:
			m.defects.add(field, "", "selector with more than one of exact name, regex and labels")
		case s.Kind == NodeMember:
			v.nodes = append(v.nodes, m.choose(field, s)...)
		case s.ExactName == "":
			m.defects.add(field, s.Regex, "selector of HyperNodes by regex or labels: only nodes are chosen so")
		default:
			v.children = append(v.children, s.ExactName)
		}
	}
	if hasNodes && hasChildren {
		m.defects.add(field, "", "mixed members: nodes and HyperNodes")
	}
	return v
}
