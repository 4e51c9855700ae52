package topology

import (
	"hash/fnv"
	"slices"

	"github.com/muster-sched/muster"
)

// Difference is what changed from one tree to another one. Lists are in natural order of paths, or names of nodes.
type Difference struct {
	// Added are domains that only the new tree has, Removed those that only the old one has.
	Added, Removed []Place
	// Renamed are domains of the same nodes and tier that have another path; those below a renamed one are not told as long as their
	// own names stay.
	Renamed []Renaming
	// Moved are nodes of both trees that are in another domain.
	Moved []Move
	// AddedNodes and RemovedNodes are those that only one of the trees has.
	AddedNodes, RemovedNodes []string
	// Layers says whether layers have other names or tiers.
	Layers bool
}

// Place is a domain.
type Place struct {
	Path []string
	Tier int
}

// Renaming is a domain under two paths.
type Renaming struct{ Old, New []string }

// Move is a node in two domains; a path is empty where the node is below no domain.
type Move struct {
	Node     string
	From, To []string
}

// IsEmpty says whether nothing changed.
func (d *Difference) IsEmpty() bool {
	return !d.Layers && len(d.Added)+len(d.Removed)+len(d.Renamed)+len(d.Moved)+len(d.AddedNodes)+len(d.RemovedNodes) == 0
}

// Diff compares two trees. Domains of one path are the same; so are, else, domains of one tier with the same nodes, which then are
// renamed or hang elsewhere. O(nodes log nodes) in both trees; the slices are the caller's.
func Diff(before, after *Tree) Difference {
	m := &matching{before: before.orEmpty(), after: after.orEmpty()}
	m.olds, m.news = m.before.sums(), m.after.sums()
	m.new, m.old = make([]DomainID, len(m.before.domains)), make([]DomainID, len(m.after.domains))
	for _, list := range [][]DomainID{m.new, m.old} {
		for i := range list {
			list[i] = NoDomain
		}
	}
	m.match(Root, Root)
	m.matchByNodes()
	d := Difference{Layers: !slices.Equal(m.before.layers, m.after.layers) || m.before.nodeLayer != m.after.nodeLayer}
	m.domains(&d)
	m.nodes(&d)
	return d
}

// matching finds which domains of two trees are the same.
type matching struct {
	before, after *Tree
	olds, news    []uint64   // fingerprints of nodes, by domain
	new           []DomainID // of the old domains
	old           []DomainID // of the new ones
}

// sums are fingerprints of the nodes of each domain, in whichever order.
func (t *Tree) sums() []uint64 {
	upTo := make([]uint64, len(t.nodes)+1)
	h := fnv.New64a()
	for i, name := range t.nodes {
		h.Reset()
		_, _ = h.Write([]byte(name))
		upTo[i+1] = upTo[i] + h.Sum64()
	}
	out := make([]uint64, len(t.domains))
	for i := range t.domains {
		d := &t.domains[i]
		out[i] = upTo[d.lastNode] - upTo[d.firstNode]
	}
	return out
}

// match takes two domains for the same, and those below them that have one name.
func (m *matching) match(old, now DomainID) {
	m.new[old], m.old[now] = now, old
	a, aEnd := m.before.Children(old)
	b, bEnd := m.after.Children(now)
	for a < aEnd && b < bEnd { // both in natural order of names
		switch c := muster.CompareNatural(m.before.domains[a].name, m.after.domains[b].name); {
		case c < 0:
			a++
		case c > 0:
			b++
		default:
			if m.before.domains[a].tier == m.after.domains[b].tier && m.old[b] == NoDomain && m.new[a] == NoDomain {
				m.match(a, b)
			}
			a, b = a+1, b+1
		}
	}
}

// matchByNodes takes domains for the same that have the same nodes, the widest first.
func (m *matching) matchByNodes() {
	type key struct {
		sum  uint64
		tier int32
	}
	left := map[key][]DomainID{}
	for d := range m.after.domains {
		if at := &m.after.domains[d]; m.old[d] == NoDomain && at.lastNode > at.firstNode {
			k := key{m.news[d], at.tier}
			left[k] = append(left[k], DomainID(d))
		}
	}
	for d := range m.before.domains {
		at := &m.before.domains[d]
		if m.new[d] != NoDomain || at.lastNode == at.firstNode {
			continue
		}
		for _, other := range left[key{m.olds[d], at.tier}] {
			if m.old[other] == NoDomain && m.sameNodes(DomainID(d), other) {
				m.match(DomainID(d), other)
				break
			}
		}
	}
}

func (m *matching) sameNodes(old, now DomainID) bool {
	a, b := m.before.domains[old], m.after.domains[now]
	if a.lastNode-a.firstNode != b.lastNode-b.firstNode {
		return false
	}
	for _, name := range m.before.nodes[a.firstNode:a.lastNode] {
		if n, ok := m.after.Node(name); !ok || n < b.firstNode || n >= b.lastNode {
			return false
		}
	}
	return true
}

// domains tells which domains came, went or are called otherwise.
func (m *matching) domains(d *Difference) {
	for old := range m.new {
		now, up := m.new[old], m.before.domains[old].parent
		switch {
		case DomainID(old) == Root:
		case now == NoDomain:
			d.Removed = append(d.Removed, Place{m.before.Path(DomainID(old)), int(m.before.domains[old].tier)})
		case m.before.domains[old].name != m.after.domains[now].name || m.new[up] != m.after.domains[now].parent:
			d.Renamed = append(d.Renamed, Renaming{m.before.Path(DomainID(old)), m.after.Path(now)})
		}
	}
	for now, old := range m.old {
		if old == NoDomain {
			d.Added = append(d.Added, Place{m.after.Path(DomainID(now)), int(m.after.domains[now].tier)})
		}
	}
	byPath := func(a, b Place) int { return muster.ComparePaths(a.Path, b.Path) }
	slices.SortFunc(d.Added, byPath)
	slices.SortFunc(d.Removed, byPath)
	slices.SortFunc(d.Renamed, func(a, b Renaming) int { return muster.ComparePaths(a.Old, b.Old) })
}

// nodes tells which nodes came, went or are elsewhere.
func (m *matching) nodes(d *Difference) {
	for n, name := range m.before.nodes {
		now, ok := m.after.Node(name)
		if !ok {
			d.RemovedNodes = append(d.RemovedNodes, name)
			continue
		}
		if from, to := m.before.leafOf[n], m.after.leafOf[now]; m.new[from] != to {
			d.Moved = append(d.Moved, Move{name, m.before.Path(from), m.after.Path(to)})
		}
	}
	for _, name := range m.after.nodes {
		if _, ok := m.before.Node(name); !ok {
			d.AddedNodes = append(d.AddedNodes, name)
		}
	}
	slices.SortFunc(d.RemovedNodes, muster.CompareNatural)
	slices.SortFunc(d.AddedNodes, muster.CompareNatural)
	slices.SortFunc(d.Moved, func(a, b Move) int { return muster.CompareNatural(a.Node, b.Node) })
}
