// Package nodes answers: which nodes are there, with which zones? It reads Nodes and NodeResourceTopologies, and what running pods
// have of the zones.
package nodes

import (
	"cmp"
	"slices"

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

	List   []*cluster.Node // as the input has them
	ByName map[string]*cluster.Node

	read    map[*object.Object]cluster.Node // of objects without defects
	hosts   map[string][]string             // nodes by the hostname label
	reports map[string]int                  // of how many nodes, by resource
}

// Reports says whether a node says how much of a resource it has. Known once the nodes are indexed.
func (all *Nodes) Reports(resource string) bool { return all.reports[resource] > 0 }

// OfHost is the node of a host, of several the first in natural order.
func (all *Nodes) OfHost(host string) (name string, ok bool) {
	names := all.hosts[host]
	if len(names) == 0 {
		return "", false
	}
	return slices.MinFunc(names, muster.CompareNatural), true
}

// New has no nodes yet.
func New(in amounts.Amounts) Nodes {
	return Nodes{amounts: in, read: map[*object.Object]cluster.Node{}}
}

// HostnameLabel tells the name of a node's host.
const HostnameLabel = "kubernetes.io/hostname"

// ReadNode reads a Node; one with defects is none.
func (all *Nodes) ReadNode(o *object.Object) {
	if n, ok := all.node(o); ok {
		all.List = append(all.List, &n)
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

// Index finds the nodes by their names.
func (all *Nodes) Index() {
	all.ByName, all.hosts, all.reports = make(map[string]*cluster.Node, len(all.List)), make(map[string][]string, len(all.List)), map[string]int{}
	for _, n := range all.List {
		if all.ByName[n.Name] == nil { // else noted as a duplicate
			all.ByName[n.Name] = n
			all.count(n, 1)
		}
	}
}

// count enters a node by its host and its resources, or takes it out.
func (all *Nodes) count(n *cluster.Node, by int) {
	for name := range n.Allocatable {
		all.reports[name] += by
	}
	host := hostOf(n)
	if by > 0 {
		all.hosts[host] = append(all.hosts[host], n.Name)
		return
	}
	all.hosts[host] = slices.DeleteFunc(all.hosts[host], func(name string) bool { return name == n.Name })
	if len(all.hosts[host]) == 0 {
		delete(all.hosts, host)
	}
}

func hostOf(n *cluster.Node) string { return cmp.Or(n.Labels[HostnameLabel], n.Name) }

// Labeled are the nodes as trees are built from them. O(n).
func (all *Nodes) Labeled() []topology.LabeledNode {
	labeled := make([]topology.LabeledNode, 0, len(all.List))
	for _, n := range all.List {
		if all.ByName[n.Name] == n {
			labeled = append(labeled, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
		}
	}
	return labeled
}
