package nodes

import (
	"reflect"
	"slices"

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

// Change is what is otherwise, where a node was read again.
type Change struct {
	Seen    bool            // a pod on it may be read otherwise
	Moved   bool            // it came, or went
	Labels  map[string]bool // that it has no longer, or had not
	Reports []string        // resources that nodes report now and none did, or the other way round
}

// Replace reads a node and its zones again, nil where there are none. Not ok: all nodes are to be read, since it has defects, or zones are left
// without a node. Nothing has changed then. O(log n) beside the node, and what a copy of the list costs where it comes or goes.
func (all *Zones) Replace(name string, node, zones *object.Object) (change Change, ok bool) {
	old, before := all.nodes.ByName[name], all.zoned[name]
	if (old == nil || node == nil) && (zones != nil || before != nil) {
		return change, false
	}
	n := cluster.Node{}
	if node != nil {
		if n, ok = all.nodes.node(node); !ok {
			return change, false
		}
	}
	if delete(all.zoned, name); zones != nil {
		all.ReadZones(zones)
	}
	reported := map[string]bool{}
	for _, of := range []*cluster.Node{old, &n} {
		if of != nil {
			for resource := range of.Allocatable {
				reported[resource] = all.nodes.Reports(resource)
			}
		}
	}
	if old != nil {
		all.nodes.count(old, -1)
	}
	switch {
	case old == nil && node == nil:
	case node == nil:
		change.Moved, change.Labels = true, otherLabels(old.Labels, nil)
		all.nodes.leave(name)
	case old == nil:
		all.place(&n)
		change.Moved, change.Labels = true, otherLabels(nil, n.Labels)
		all.nodes.enter(&n)
	default:
		all.place(&n)
		change.Seen = n.NotReady != old.NotReady || !sameZones(n.NUMA, old.NUMA) || (before == nil) != (zones == nil) ||
			zones != nil && (len(zones.Errors) > 0) != (len(before.obj.Errors) > 0) || hostOf(&n) != hostOf(old)
		change.Labels = otherLabels(old.Labels, n.Labels)
		*old = n
		all.nodes.count(old, 1)
	}
	for resource, was := range reported {
		if was != all.nodes.Reports(resource) {
			change.Reports = append(change.Reports, resource)
		}
	}
	return change, true
}

// enter adds a node to the list, which is in natural order where nodes come one by one.
func (all *Nodes) enter(n *cluster.Node) {
	at, _ := slices.BinarySearchFunc(all.List, n.Name, compareName)
	all.List, all.ByName[n.Name] = slices.Insert(all.List, at, n), n
	all.count(n, 1)
}

// leave takes a node off the list.
func (all *Nodes) leave(name string) {
	if at, found := slices.BinarySearchFunc(all.List, name, compareName); found {
		all.List = slices.Delete(all.List, at, at+1)
	}
	delete(all.ByName, name)
}

func compareName(n *cluster.Node, name string) int { return muster.CompareNatural(n.Name, name) }

// otherLabels are the keys that two nodes have different values of.
func otherLabels(a, b map[string]string) map[string]bool {
	var out map[string]bool
	differ := func(a, b map[string]string) {
		for key, value := range a {
			if other, is := b[key]; !is || other != value {
				if out == nil {
					out = map[string]bool{}
				}
				out[key] = true
			}
		}
	}
	differ(a, b)
	differ(b, a)
	return out
}

// ReportOtherwise are the resources that nodes report and others do not, or the other way round.
func (all *Nodes) ReportOtherwise(other *Nodes) (resources []string) {
	for _, of := range [][2]*Nodes{{all, other}, {other, all}} {
		for resource, n := range of[0].reports {
			if n > 0 && !of[1].Reports(resource) {
				resources = append(resources, resource)
			}
		}
	}
	return resources
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
		out = append(out, object.HostName(hostOf(n)))
	}
	return out
}
