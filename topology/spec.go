package topology

import "slices"

// Spec is the tree as plain data: [New] makes an equal one of it. It is the caller's. O(n).
func (t *Tree) Spec() Spec {
	t = t.orEmpty()
	s := Spec{Layers: slices.Clone(t.layers), Outside: slices.Clone(t.outside), Absent: slices.Clone(t.absent)}
	if t.nodeLayer != "" {
		s.Layers = append([]Layer{{Name: t.nodeLayer}}, s.Layers...)
	}
	root := t.spec(Root)
	s.Roots, s.Nodes = root.Children, root.Nodes
	return s
}

// spec is a domain with all below it.
func (t *Tree) spec(d DomainID) Domain {
	out := Domain{Name: t.Name(d), Tier: t.Tier(d)}
	first, last := t.Children(d)
	for c := first; c < last; c++ {
		out.Children = append(out.Children, t.spec(c))
	}
	if n, end := t.Nodes(d); first == last && n < end {
		out.Nodes = slices.Clone(t.nodes[n:end])
	}
	return out
}

// Grow adds nodes to the domain at a path, the empty path being the nameless root of a topology without domains. It is false, and
// adds nothing, if there is no such domain.
func (s *Spec) Grow(path, nodes []string) bool {
	at, below := &s.Nodes, s.Roots
	if len(path) == 0 && len(s.Roots) > 0 {
		return false
	}
	for _, name := range path {
		i := slices.IndexFunc(below, func(d Domain) bool { return d.Name == name })
		if i < 0 {
			return false
		}
		at, below = &below[i].Nodes, below[i].Children
	}
	if len(below) > 0 {
		return false
	}
	*at = append(*at, nodes...)
	return true
}
