// Package nodes answers: which nodes are there, with which zones? It reads Nodes and NodeResourceTopologies, and what running pods
// have of the zones.
package nodes

import (
	"maps"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// Nodes are the nodes of the input.
type Nodes struct {
	amounts amounts.Amounts

	List       []cluster.Node // as the input has them
	ByName     map[string]*cluster.Node
	ByHostname map[string]string // names by the hostname label

	read    map[*object.Object]cluster.Node // of objects without defects
	reports map[string]bool                 // resources
}

// Reports says whether a node says how much of a resource it has. Known once the nodes are indexed.
func (all *Nodes) Reports(resource string) bool { return all.reports[resource] }

// ReportAlike says whether nodes report what others do.
func (all *Nodes) ReportAlike(other *Nodes) bool { return maps.Equal(all.reports, other.reports) }

// New has no nodes yet.
func New(in amounts.Amounts) Nodes {
	return Nodes{amounts: in, read: map[*object.Object]cluster.Node{}}
}

// HostnameLabel tells the name of a node's host.
const HostnameLabel = "kubernetes.io/hostname"

// ReadNode reads a Node; one with defects is none.
func (all *Nodes) ReadNode(o *object.Object) {
	if n, ok := all.node(o); ok {
		all.List = append(all.List, n)
	}
}

// node reads a Node, once; not ok: it has defects.
func (all *Nodes) node(o *object.Object) (n cluster.Node, ok bool) {
	if n, ok = all.read[o]; ok {
		return n, true
	}
	spec, status := o.Root.Sub("spec"), o.Root.Sub("status")
	n = cluster.Node{
		Name: o.Name, Labels: o.Labels, Cordoned: spec.Get("unschedulable").Flag(),
		Allocatable: all.amounts.Resources(status.Get("allocatable")), NotReady: notReady(status),
	}
	for t := range spec.Get("taints").All() {
		t = t.Mapping()
		taint := gang.Taint{Key: t.Get("key").Required(), Value: t.Get("value").Text(), Effect: gang.Effect(t.Get("effect").Required())}
		CheckEffect(t.Get("effect"), taint.Effect)
		n.Taints = append(n.Taints, taint)
	}
	if policy, ok := object.OneOf(o.Label(policyLabel), "policy", koordinatorPolicies); ok {
		n.NUMA = &cluster.NUMA{Policy: policy}
	}
	if len(o.Errors) > 0 {
		return n, false
	}
	all.read[o] = n
	return n, true
}

// notReady is true if a condition Ready says anything but True. Without that condition a node is ready.
func notReady(status object.Field) bool {
	for c := range status.Get("conditions").All() {
		c = c.Mapping()
		if c.Get("type").Text() == "Ready" {
			return c.Get("status").Required() != "True"
		}
	}
	return false
}

// CheckEffect notes an effect of a taint or toleration that is not known.
func CheckEffect(f object.Field, e gang.Effect) {
	switch e {
	case gang.NoSchedule, gang.PreferNoSchedule, gang.NoExecute, "":
	default:
		f.Fail("must be NoSchedule, PreferNoSchedule or NoExecute")
	}
}

// Index finds the nodes by their names, and returns what trees are built from.
func (all *Nodes) Index() []topology.LabeledNode {
	all.ByName = make(map[string]*cluster.Node, len(all.List))
	all.ByHostname = make(map[string]string, len(all.List))
	all.reports = map[string]bool{}
	labeled := make([]topology.LabeledNode, 0, len(all.List))
	for i := range all.List {
		n := &all.List[i]
		if all.ByName[n.Name] != nil {
			continue // noted as a duplicate
		}
		all.ByName[n.Name] = n
		for name := range n.Allocatable {
			all.reports[name] = true
		}
		host := n.Labels[HostnameLabel]
		if host == "" {
			host = n.Name
		}
		if old, ok := all.ByHostname[host]; !ok || muster.CompareNatural(n.Name, old) < 0 {
			all.ByHostname[host] = n.Name
		}
		labeled = append(labeled, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
	}
	return labeled
}
