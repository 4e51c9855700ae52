// Package priorities answers: how important is a pod, may it preempt others, and does its own system let it be evicted? It reads the PriorityClasses of Kubernetes, and those of Kueue.
package priorities

import (
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Class is what a PriorityClass says, or a pod that took it from there.
type Class struct {
	Priority int64
	Never    bool // whoever has it preempts nobody
}

// All are the PriorityClasses of the input. The zero value has none but those of the system.
type All struct {
	byName    map[string]Class
	Global    Class // of pods without one
	hasGlobal bool

	workload map[string]int64 // of Kueue, by name
}

// systemClasses exist in every Kubernetes cluster.
var systemClasses = map[string]Class{
	"system-cluster-critical": {Priority: 2_000_000_000}, "system-node-critical": {Priority: 2_000_001_000},
}

// Read reads a PriorityClass.
func (p *All) Read(o *object.Object) {
	if p.byName == nil {
		p.byName = map[string]Class{}
	}
	c := Class{Never: Never(o.Root.Get("preemptionPolicy"), false)}
	var ok bool
	if c.Priority, ok = o.Root.Get("value").Number(); !ok {
		return
	}
	p.byName[o.Name] = c
	if o.Root.Get("globalDefault").Flag() && (!p.hasGlobal || c.Priority < p.Global.Priority) {
		p.Global, p.hasGlobal = c, true // of several the lowest, as in Kubernetes
	}
}

// Never reads a preemptionPolicy.
func Never(f object.Field, otherwise bool) bool {
	switch f.Text() {
	case "Never":
		return true
	case "PreemptLowerPriority":
		return false
	case "":
	default:
		f.Fail("must be Never or PreemptLowerPriority")
	}
	return otherwise
}

// Lookup is the class of a name, and whether there is one.
func (p *All) Lookup(name string) (Class, bool) {
	if c, ok := p.byName[name]; ok {
		return c, true
	}
	c, ok := systemClasses[name]
	return c, ok
}

// Resolve is what a number and the name of a class say together; ok is false if neither is given. The number counts: the API
// server took it from the class, which then need not be in the input. Without a number, an unknown class is a defect.
func (p *All) Resolve(number *int64, name object.Field) (c Class, ok bool) {
	c, known := p.Lookup(name.Text())
	switch {
	case number != nil:
		c.Priority = *number
	case name.Text() == "":
		return c, false
	case !known:
		name.Fail("unknown PriorityClass")
	}
	return c, true
}

// ReadOfWorkloads reads a class of Kueue, which counts for a gang but not for its pods.
func (p *All) ReadOfWorkloads(o *object.Object) {
	if p.workload == nil {
		p.workload = map[string]int64{}
	}
	if n, ok := o.Root.Get("value").Number(); ok {
		p.workload[o.Name] = n
	}
}

// OfWorkload is the priority of the class that a field names, nil if it names none.
func (p *All) OfWorkload(f object.Field) *int64 {
	if f.Text() == "" {
		return nil
	}
	n, known := p.workload[f.Text()]
	if !known {
		f.Fail("unknown WorkloadPriorityClass")
	}
	return &n
}
