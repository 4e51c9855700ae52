package topology

import (
	"slices"

	"github.com/muster-sched/muster"
)

// Moved is the tree that [FromLabels] makes, with the same layers, of the nodes of t, which it has made, and of one more node, or of one that has other
// labels now. It is not ok where a domain comes or goes, or the node lacks a layer that must not be missing: then the tree is to be made anew.
// t stays as it is. O(nodes), to copy what is in order.
func (t *Tree) Moved(cfg LabelLayers, node LabeledNode) (moved *Tree, ok bool) {
	t = t.orEmpty()
	r, path, to := &labelReader{cfg: cfg}, make([]string, len(cfg.Layers)), NoDomain
	if r.values(node, path) {
		if to, ok = t.Find(path...); !ok || t.domains[to].firstChild < t.domains[to].lastChild {
			return nil, false
		}
	}
	if len(r.defects) > 0 || node.Name == "" {
		return nil, false
	}
	n, in := t.Node(node.Name)
	if in && t.leafOf[n] == to {
		return t, true
	}
	next, ok := t.Without(node.Name)
	switch {
	case !ok || to != NoDomain && 2*(len(next.nodes)+1) > len(next.byName.slots): // the table of names is to grow
		return nil, false
	case to != NoDomain:
		next.enter(node.Name, to)
	default:
		at, _ := place(next.outside, node.Name)
		next.outside = slices.Insert(slices.Clone(next.outside), at, node.Name)
	}
	return next, true
}

// Without is a copy of the tree without a node, wherever that is. It is not ok where the node is the only one of its domain, or named by the tree
// and not known. t stays as it is. O(nodes), to copy what is in order.
func (t *Tree) Without(node string) (rest *Tree, ok bool) {
	t = t.orEmpty()
	next := *t
	if _, absent := place(t.absent, node); absent {
		return nil, false
	}
	if i, outside := place(t.outside, node); outside {
		next.outside = slices.Delete(slices.Clone(t.outside), i, i+1)
	}
	n, in := t.Node(node)
	if !in {
		return &next, true
	}
	leaf := t.leafOf[n]
	if t.domains[leaf].lastNode-t.domains[leaf].firstNode == 1 {
		return nil, false
	}
	next.domains = slices.Clone(t.domains)
	for d := range next.domains {
		row := &next.domains[d]
		if row.firstNode > n {
			row.firstNode--
		}
		if row.lastNode > n {
			row.lastNode--
		}
	}
	next.byName = t.byName.without(t.nodes, int(n))
	next.nodes, next.leafOf = slices.Concat(t.nodes[:n], t.nodes[n+1:]), slices.Concat(t.leafOf[:n], t.leafOf[n+1:])
	return &next, true
}

// enter puts a node into a domain of a copy, which shares its arrays.
func (t *Tree) enter(node string, leaf DomainID) {
	row := t.domains[leaf]
	i, _ := place(t.nodes[row.firstNode:row.lastNode], node)
	n := row.firstNode + NodeID(i)
	t.domains = slices.Clone(t.domains)
	above := []DomainID{leaf}
	for d := t.domains[leaf].parent; d != NoDomain; d = t.domains[d].parent {
		above = append(above, d)
	}
	for d := range t.domains {
		switch row := &t.domains[d]; {
		case slices.Contains(above, DomainID(d)):
			row.lastNode++
		case row.firstNode >= n: // none of the tree is empty
			row.firstNode, row.lastNode = row.firstNode+1, row.lastNode+1
		}
	}
	t.nodes = slices.Concat(t.nodes[:n], []string{node}, t.nodes[n:])
	t.leafOf = slices.Concat(t.leafOf[:n], []DomainID{leaf}, t.leafOf[n:])
	t.byName = t.byName.with(t.nodes, int(n))
}

// place is where a name stands among others in natural order, or would stand.
func place(names []string, name string) (at int, there bool) {
	return slices.BinarySearchFunc(names, name, muster.CompareNatural)
}
