package trees

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Again takes over which keys were asked for, where topologies are read once more.
func (in *Trees) Again(before *Trees) { in.asked = before.asked }

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
