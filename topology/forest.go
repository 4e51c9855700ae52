package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// vertex is a domain of a source that names its domains and says who is below whom by name.
type vertex struct {
	name     string
	tier     int
	children []string // child domains; repeats count once
	nodes    []string // nodes directly below, known or not; repeats count once
	noTier   bool     // the tier could not be read, which is reported already
}

// forest checks such a source and nests it. Its defects name the domain as the source calls it: kind and name.
type forest struct {
	kind     string
	vertices []vertex
	index    map[string]int // of the first vertex with the name
	parent   []int          // by vertex, -1 for none
	defects  *defects
}

// newForest checks everything about the vertices and their relations. The vertices are the forest's, and are sorted.
// O(n log n) for n names in all.
func newForest(kind string, vertices []vertex, d *defects) *forest {
	f := &forest{kind: kind, vertices: vertices, index: map[string]int{}, defects: d}
	slices.SortFunc(vertices, compareVertices)
	for i, v := range vertices {
		if v.name == "" {
			d.add(kind, "", "a domain has no name")
		}
		if _, ok := f.index[v.name]; ok {
			d.add(f.field(v.name), "", "duplicate name")
			continue
		}
		f.index[v.name] = i
	}
	for i := range vertices {
		vertices[i].children = sortedNames(vertices[i].children)
		vertices[i].nodes = sortedNames(vertices[i].nodes)
		if nodes := vertices[i].nodes; len(nodes) > 0 && nodes[0] == "" { // the empty name is the first
			d.add(f.field(vertices[i].name), "", "a node has no name")
		}
	}
	f.checkTiers()
	f.checkParents()
	f.checkCycles()
	f.checkNodes()
	return f
}

// compareVertices orders by name; twins (a duplicate name) in any order but the input's, those without a tier last.
func compareVertices(a, b vertex) int {
	switch order := cmp.Or(muster.CompareNatural(a.name, b.name), cmp.Compare(a.tier, b.tier)); {
	case order != 0 || a.noTier == b.noTier:
		return order
	case a.noTier:
		return 1
	default:
		return -1
	}
}

func (f *forest) field(name string) string { return f.kind + " " + name }

func (f *forest) checkTiers() {
	for _, v := range f.vertices {
		if why := badTier(v.tier); why != "" && !v.noTier {
			f.defects.add(f.field(v.name), fmt.Sprint(v.tier), why)
		}
		for _, child := range v.children {
			c, ok := f.index[child]
			if !ok {
				f.defects.add(f.field(v.name), child, "unknown child")
				continue
			}
			if t := f.vertices[c].tier; t >= v.tier && !v.noTier && !f.vertices[c].noTier {
				f.defects.add(f.field(v.name), fmt.Sprint(v.tier),
					fmt.Sprintf("tier is not above that of its child %s, %d", child, t))
			}
		}
	}
}

// checkParents notes each vertex's parent. Twins are one parent.
func (f *forest) checkParents() {
	parents := make([][]string, len(f.vertices))
	f.parent = make([]int, len(f.vertices))
	for i := range f.parent {
		f.parent[i] = -1
	}
	for _, v := range f.vertices {
		for _, child := range v.children {
			if c, ok := f.index[child]; ok {
				parents[c] = append(parents[c], v.name)
				f.parent[c] = f.index[v.name]
			}
		}
	}
	for c, names := range parents {
		names = slices.Compact(names) // vertices are sorted, so the names are
		if len(names) > 1 {
			f.defects.add(f.field(f.vertices[c].name), "", "two parents: "+strings.Join(names, ", "))
		}
	}
}

// checkCycles walks down from every vertex, depth first without recursion (a crafted source may be deep), and reports
// every cycle that shares no vertex with one reported before. O(vertices + children).
func (f *forest) checkCycles() {
	const (
		white = iota
		onPath
		done
	)
	state := make([]int, len(f.vertices))
	below := f.below()
	next := make([]int, len(f.vertices)) // the child to visit next
	reported := make([]bool, len(f.vertices))
	for start := range f.vertices {
		if state[start] != white {
			continue
		}
		state[start] = onPath
		for path := []int{start}; len(path) > 0; {
			v := path[len(path)-1]
			if next[v] == len(below[v]) {
				state[v], path = done, path[:len(path)-1]
				continue
			}
			c := below[v][next[v]]
			next[v]++
			switch {
			case state[c] == done || reported[c]:
			case state[c] == onPath:
				f.reportCycle(path[slices.Index(path, c):], reported)
			default:
				state[c], path = onPath, append(path, c)
			}
		}
	}
}

// below lists the children of every vertex in order. Twins are one vertex, the first: whichever of them closes a cycle.
func (f *forest) below() [][]int {
	below := make([][]int, len(f.vertices))
	for _, v := range f.vertices {
		i := f.index[v.name]
		for _, child := range v.children {
			if c, ok := f.index[child]; ok {
				below[i] = append(below[i], c)
			}
		}
	}
	for _, children := range below {
		slices.Sort(children)
	}
	return below
}

// reportCycle names the cycle from its first vertex in natural order, wherever the walk entered it.
func (f *forest) reportCycle(cycle []int, reported []bool) {
	first := slices.Index(cycle, slices.Min(cycle)) // vertices are sorted, so positions compare as names
	var names []string
	for i := range cycle {
		v := cycle[(first+i)%len(cycle)]
		reported[v] = true
		names = append(names, f.vertices[v].name)
	}
	names = append(names, names[0])
	f.defects.add(f.field(names[0]), "", "cycle: "+strings.Join(names, " -> "))
}

// checkNodes refuses a node below two vertices. It does not ask whether the node exists: a source that is wrong must
// not become right because a machine is down.
func (f *forest) checkNodes() {
	const mostTold = 1000 // who has more is not helped by them
	found := 0
	leaf := map[string]string{}
	for _, v := range f.vertices {
		for _, n := range v.nodes {
			other, ok := leaf[n]
			if !ok {
				leaf[n] = v.name
			} else if other != v.name && found < mostTold {
				found++
				f.defects.add(f.field(v.name), n, "node in two leaves, the other is "+f.field(other))
			}
		}
	}
}

// roots nests the vertices of a forest without defects; known says which nodes exist. Children have lower tiers, so
// from the lowest tier up every domain is complete before its parent takes it.
func (f *forest) roots(known func(node string) bool) []Domain {
	order := make([]int, len(f.vertices))
	domains := make([]Domain, len(f.vertices))
	for i, v := range f.vertices {
		order[i] = i
		domains[i] = Domain{Name: v.name, Tier: v.tier}
		for _, n := range v.nodes {
			if known(n) {
				domains[i].Nodes = append(domains[i].Nodes, n)
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(f.vertices[a].tier, f.vertices[b].tier), a-b) })
	var roots []Domain
	for _, i := range order {
		if p := f.parent[i]; p >= 0 {
			domains[p].Children = append(domains[p].Children, domains[i])
		} else {
			roots = append(roots, domains[i])
		}
	}
	return roots
}

// leftOver lists what is in all and not in the vertices, and what is in the vertices and not in all.
func (f *forest) leftOver(all []string, index nameIndex) (outside, absent []string) {
	placed := make([]bool, len(all))
	for _, v := range f.vertices {
		for _, n := range v.nodes {
			if i, ok := index.find(all, n); ok {
				placed[i] = true
			} else {
				absent = append(absent, n)
			}
		}
	}
	for i, n := range all {
		if !placed[i] {
			outside = append(outside, n)
		}
	}
	return outside, absent
}
