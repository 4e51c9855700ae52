// Package priorities answers: how important is a pod, may it preempt others, and does its own system let it be evicted? It reads the PriorityClasses of Kubernetes, and those of Kueue.
package priorities

import (
	"maps"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Class is what a PriorityClass says, or a pod that took it from there.
type Class struct {
	Priority int64
	Never    bool // whoever has it preempts nobody
}

// All are the PriorityClasses of the input. The zero value has none but those of the system.
type All struct {
	byName   map[string]Class
	global   Class            // of pods without one
	globals  map[string]bool  // that are the default
	workload map[string]int64 // of Kueue, by name
	asks     *object.Names    // nil: nobody wants to know
}

// For is for a reading that tells which classes it asks for.
func (p All) For(names *object.Names) *All {
	p.asks = names
	return &p
}

// systemClasses exist in every Kubernetes cluster.
var systemClasses = map[string]Class{
	"system-cluster-critical": {Priority: 2_000_000_000}, "system-node-critical": {Priority: 2_000_001_000},
}

// Read reads a PriorityClass.
func (p *All) Read(o *object.Object) {
	if p.byName == nil {
		p.byName, p.globals = map[string]Class{}, map[string]bool{}
	}
	c := Class{Never: Never(o.Root.Get("preemptionPolicy"), false)}
	var ok bool
	if c.Priority, ok = o.Root.Get("value").Number(); !ok {
		return
	}
	p.byName[o.Name] = c
	if o.Root.Get("globalDefault").Flag() {
		p.globals[o.Name] = true
		p.findGlobal()
	}
}

// findGlobal finds the class of pods without one: of several the lowest, as in Kubernetes, which preempts if one of these does.
func (p *All) findGlobal() {
	p.global = Class{}
	found := false
	for name := range p.globals {
		c := p.byName[name]
		if !found || c.Priority < p.global.Priority {
			p.global, found = c, true
		} else if c.Priority == p.global.Priority {
			p.global.Never = p.global.Never && c.Never
		}
	}
}

// Replace reads a class again, of pods or of Kueue, nil where there is none, and tells the names that mean something else now. O(classes).
func (p *All) Replace(kind, name string, o *object.Object) (names []string) {
	before := All{byName: maps.Clone(p.byName), global: p.global, workload: maps.Clone(p.workload)}
	switch {
	case kind != "PriorityClass":
		if delete(p.workload, name); o != nil {
			p.ReadOfWorkloads(o)
		}
	default:
		delete(p.byName, name)
		if delete(p.globals, name); o != nil {
			p.Read(o)
		}
		p.findGlobal()
	}
	return p.Otherwise(&before, kind, name)
}

// Otherwise tells which names, of a class and of the default, meant something else before.
func (p *All) Otherwise(before *All, kind, name string) (names []string) {
	if kind != "PriorityClass" {
		was, had := before.workload[name]
		if is, has := p.workload[name]; had != has || was != is {
			names = append(names, object.WorkloadClassName(name))
		}
		return names
	}
	was, had := before.Lookup(name)
	if is, has := p.Lookup(name); had != has || was != is {
		names = append(names, object.ClassName(name))
	}
	if before.global != p.global {
		names = append(names, object.ClassName(""))
	}
	return names
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
	if name != "" {
		p.asks.Ask(object.ClassName(name))
	}
	if c, ok := p.byName[name]; ok {
		return c, true
	}
	c, ok := systemClasses[name]
	return c, ok
}

// Global is the class of pods without one.
func (p *All) Global() Class {
	p.asks.Ask(object.ClassName(""))
	return p.global
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
	p.asks.Ask(object.WorkloadClassName(f.Text()))
	n, known := p.workload[f.Text()]
	if !known {
		f.Fail("unknown WorkloadPriorityClass")
	}
	return &n
}
