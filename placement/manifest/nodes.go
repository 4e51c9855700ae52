package manifest

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// nodes are the nodes of the input.
type nodes struct {
	amounts amounts.Amounts
	notices *object.Notices

	list       []cluster.Node // as the input has them
	byName     map[string]*cluster.Node
	byHostname map[string]string // names by the hostname label
}

const hostnameLabel = "kubernetes.io/hostname"

func (all *nodes) readNode(o *object.Object) {
	spec, status := o.Root.Sub("spec"), o.Root.Sub("status")
	n := cluster.Node{
		Name: o.Name, Labels: o.Labels, Cordoned: spec.Get("unschedulable").Flag(),
		Allocatable: all.amounts.Resources(status.Get("allocatable")), NotReady: notReady(status),
	}
	for t := range spec.Get("taints").All() {
		t = t.Mapping()
		taint := gang.Taint{Key: t.Get("key").Required(), Value: t.Get("value").Text(), Effect: gang.Effect(t.Get("effect").Required())}
		checkEffect(t.Get("effect"), taint.Effect)
		n.Taints = append(n.Taints, taint)
	}
	if policy, ok := object.OneOf(o.Label(policyLabel), "policy", koordinatorPolicies); ok {
		n.NUMA = &cluster.NUMA{Policy: policy}
	}
	if len(o.Errors) == 0 {
		all.list = append(all.list, n)
	}
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

func checkEffect(f object.Field, e gang.Effect) {
	switch e {
	case gang.NoSchedule, gang.PreferNoSchedule, gang.NoExecute, "":
	default:
		f.Fail("must be NoSchedule, PreferNoSchedule or NoExecute")
	}
}

// index finds the nodes by their names, and returns what trees are built from.
func (all *nodes) index() []topology.LabeledNode {
	all.byName = make(map[string]*cluster.Node, len(all.list))
	all.byHostname = make(map[string]string, len(all.list))
	labeled := make([]topology.LabeledNode, 0, len(all.list))
	for i := range all.list {
		n := &all.list[i]
		if all.byName[n.Name] != nil {
			continue // noted as a duplicate
		}
		all.byName[n.Name] = n
		host := n.Labels[hostnameLabel]
		if host == "" {
			host = n.Name
		}
		if old, ok := all.byHostname[host]; !ok || muster.CompareNatural(n.Name, old) < 0 {
			all.byHostname[host] = n.Name
		}
		labeled = append(labeled, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
	}
	return labeled
}
