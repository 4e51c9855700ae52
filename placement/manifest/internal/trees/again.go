package trees

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// Again takes over which keys were asked for, where topologies are read once more.
func (in *Trees) Again(before *Trees) { in.asked = before.asked }

// Lie says whether where nodes lie, and so a topology, depends on labels of some keys or, where nodes come or go, on which there are.
func (in *Trees) Lie(moved bool, keys map[string]bool) bool {
	if moved && (len(in.sources)+len(in.asked)+len(in.layers) > 0 || in.hyper != nil) || len(keys) > 0 && len(in.layers) > 0 {
		return true
	}
	for key := range keys {
		if in.asked[key] || in.selects(key) {
			return true
		}
		for _, of := range in.keys {
			if _, is := of[key]; is {
				return true
			}
		}
	}
	return false
}

// selects says whether HyperNodes select nodes by labels of a key.
func (in *Trees) selects(key string) bool {
	for _, h := range in.hypers {
		for _, m := range h.Members {
			if m.Labels == nil {
				continue
			}
			if _, is := m.Labels.MatchLabels[key]; is {
				return true
			}
			for _, e := range m.Labels.MatchExpressions {
				if e.Key == key {
					return true
				}
			}
		}
	}
	return false
}

// Follow moves nodes that are others, given their labels now, in the trees; not ok: some are to be built again, since a domain comes or goes, or they
// are not of labels alone. O(nodes) to copy what is in order.
func (in *Trees) Follow(names []string, labels func(node string) (of map[string]string, is bool)) (ok bool) {
	if in.broken || in.hyper != nil || len(in.layers)+len(in.asked) > 0 {
		return false
	}
	next := maps.Clone(in.byName)
	for i, s := range in.sources {
		if slices.ContainsFunc(in.sources[:i], func(other treeSource) bool { return other.name == s.name }) {
			continue // of Kueue and of KAI: one topology
		}
		if s.keys == nil {
			return false
		}
		tree := next[s.name]
		for _, name := range names {
			if of, is := labels(name); is {
				tree, ok = tree.Moved(s.cfg, topology.LabeledNode{Name: name, Labels: of})
			} else {
				tree, ok = tree.Without(name)
			}
			if !ok {
				return false
			}
		}
		if tree.NumNodes() == 0 { // which is a defect
			return false
		}
		next[s.name] = tree
	}
	in.byName, in.list, in.told = next, nil, nil
	in.listTrees()
	return true
}

// Rebuild builds the trees again, of nodes that are others; false: one cannot be used now, or could not before.
func (in *Trees) Rebuild() bool {
	if in.broken {
		return false
	}
	in.Build(in.nodes)
	return !in.broken
}

// Meaning is equal for topologies in which names of trees, layers and keys mean the same to gangs, wherever nodes lie.
func (in *Trees) Meaning() string {
	var b strings.Builder
	fmt.Fprintln(&b, in.broken, in.hyper != nil)
	for _, n := range in.list {
		fmt.Fprintf(&b, "%q %q %d %v\n", n.Name, n.Tree.NodeLayer(), n.Tree.RootTier(), n.Tree.Layers())
		for _, key := range object.SortedKeys(in.keys[n.Name]) {
			fmt.Fprintf(&b, "%q %q\n", key, in.keys[n.Name][key])
		}
	}
	for _, o := range in.objects.List {
		if treeKinds[o.Kind] && len(o.Errors) > 0 {
			fmt.Fprintln(&b, o.Title())
		}
	}
	for _, key := range object.SortedKeys(in.asked) {
		fmt.Fprintf(&b, "%q %v\n", key, in.makeTree(key))
	}
	return b.String()
}
