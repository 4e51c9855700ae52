package nodes

import (
	"maps"
	"reflect"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Again takes over what was read of objects that are read once more.
func (all *Zones) Again(before *Zones) {
	all.read, all.nodes.read = before.read, before.nodes.read
}

// Forget what was read of an object.
func (all *Zones) Forget(o *object.Object) {
	delete(all.read, o)
	delete(all.nodes.read, o)
}

// Replace reads a node and its zones again, nil where there are none. Not ok: more than this node changes, since it comes, goes or has
// other labels, or its zones have no node. Seen says whether a pod on it may be read otherwise now.
func (all *Zones) Replace(name string, node, zones *object.Object) (seen, ok bool) {
	old := all.nodes.ByName[name]
	if old == nil || node == nil {
		return false, false
	}
	n, sound := all.nodes.node(node)
	if !sound || !maps.Equal(n.Labels, old.Labels) || !sameNames(n.Allocatable, old.Allocatable) {
		return false, false
	}
	before := all.zoned[name]
	delete(all.zoned, name)
	if zones != nil {
		all.ReadZones(zones)
	}
	all.place(&n)
	seen = n.NotReady != old.NotReady || !sameZones(n.NUMA, old.NUMA) || (before == nil) != (zones == nil) ||
		zones != nil && (len(zones.Errors) > 0) != (len(before.obj.Errors) > 0)
	*old = n
	return seen, true
}

// sameNames says whether a node reports the same resources.
func sameNames(a, b muster.Resources) bool {
	return maps.EqualFunc(a, b, func(_, _ int64) bool { return true })
}

func sameZones(a, b *cluster.NUMA) bool { return reflect.DeepEqual(a, b) }

// CountedNode is a node of the list as [Zones.Counted] has it; nil if there is none.
func (all *Zones) CountedNode(name string, held Held) *cluster.Node {
	n := all.nodes.ByName[name]
	if n == nil {
		return nil
	}
	out := *n
	out.NUMA = all.counted(n, held[name])
	out.Cordoned = out.Cordoned || held.isClosed(name)
	return &out
}

// Calls are the names by which pods and assignments ask for a node: its own and that of its host.
func (all *Nodes) Calls(name string) []string {
	out := []string{object.NodeName(name), object.HostName(name)}
	if n := all.ByName[name]; n != nil {
		out = append(out, object.HostName(n.Labels[HostnameLabel]))
	}
	return out
}
