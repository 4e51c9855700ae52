package manifest

import (
	"math"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// class is what a PriorityClass says, or a pod that took it from there.
type class struct {
	priority int64
	never    bool // whoever has it preempts nobody
}

// priorities are the PriorityClasses of the input.
type priorities struct {
	byName    map[string]class
	global    class // of pods without one
	hasGlobal bool

	workload map[string]int64 // of Kueue, by name
}

// systemClasses exist in every Kubernetes cluster.
var systemClasses = map[string]class{
	"system-cluster-critical": {priority: 2_000_000_000}, "system-node-critical": {priority: 2_000_001_000},
}

func (p *priorities) readPriorityClass(o *object.Object) {
	if p.byName == nil {
		p.byName = map[string]class{}
	}
	c := class{never: neverPreempts(o.Root.Get("preemptionPolicy"), false)}
	var ok bool
	if c.priority, ok = o.Root.Get("value").Number(); !ok {
		return
	}
	p.byName[o.Name] = c
	if o.Root.Get("globalDefault").Flag() && (!p.hasGlobal || c.priority < p.global.priority) {
		p.global, p.hasGlobal = c, true // of several the lowest, as in Kubernetes
	}
}

// neverPreempts reads a preemptionPolicy.
func neverPreempts(f object.Field, otherwise bool) bool {
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

func (p *priorities) lookup(name string) (class, bool) {
	if c, ok := p.byName[name]; ok {
		return c, true
	}
	c, ok := systemClasses[name]
	return c, ok
}

// resolve is what a number and the name of a class say together; ok is false if neither is given. The number counts: the API
// server took it from the class, which then need not be in the input. Without a number, an unknown class is a defect.
func (p *priorities) resolve(number *int64, name object.Field) (c class, ok bool) {
	c, known := p.lookup(name.Text())
	switch {
	case number != nil:
		c.priority = *number
	case name.Text() == "":
		return c, false
	case !known:
		name.Fail("unknown PriorityClass")
	}
	return c, true
}

// classOf is what a member says: its number, its class, else the default of all pods. Templates beside which the gang has a
// priority of its own may name a class that is not known.
func (p *priorities) classOf(m *member, own bool) class {
	name := m.spec.class.Text()
	c, _ := p.lookup(name)
	if !own || m.obj != nil {
		c, _ = p.resolve(m.spec.priority, m.spec.class)
	}
	if name == "" && m.spec.priority == nil {
		c = p.global
	}
	c.never = neverPreempts(m.spec.policy, c.never)
	return c
}

// rank gives every member the priority of the gang if that has one of its own, else what the member says, and decides whether the
// gang may preempt: not if one of those that wait may not. The gang's priority is the lowest of its members that stay.
func (p *priorities) rank(d *draft, members []*member) {
	own, fixed := p.resolve(d.priority, d.class)
	d.never = own.never
	lowest, found := own.priority, fixed
	for _, m := range members {
		c := p.classOf(m, fixed)
		m.priority = c.priority
		if fixed {
			m.priority = own.priority
		}
		if !m.leaving && (!found || m.priority < lowest) {
			lowest, found = m.priority, true
		}
		d.never = d.never || m.node == "" && (c.never || m.spec.patient)
	}
	if d.policy.Present() {
		d.never = neverPreempts(d.policy, false)
	}
	d.result.Request.Priority = lowest
}

// readWorkloadClass reads a class of Kueue, which counts for a gang but not for its pods.
func (p *priorities) readWorkloadClass(o *object.Object) {
	if p.workload == nil {
		p.workload = map[string]int64{}
	}
	if n, ok := o.Root.Get("value").Number(); ok {
		p.workload[o.Name] = n
	}
}

// workloadClass is the priority of the class that a field names, nil if it names none.
func (p *priorities) workloadClass(f object.Field) *int64 {
	if f.Text() == "" {
		return nil
	}
	n, known := p.workload[f.Text()]
	if !known {
		f.Fail("unknown WorkloadPriorityClass")
	}
	return &n
}

// ofWorkload gives a gang the priority of its Workload, with its boost: the number, else that of the class of Kueue that it
// names.
func (p *priorities) ofWorkload(d *draft, o *object.Object) {
	spec := o.Root.Sub("spec")
	n, stated := spec.Get("priority").Number()
	class := object.Field{Of: o}
	if ref := spec.Sub("priorityClassRef"); ref.Get("kind").Text() == "WorkloadPriorityClass" {
		class = ref.Get("name")
	} else if spec.Get("priorityClassSource").Text() == "kueue.x-k8s.io/workloadpriorityclass" {
		class = spec.Get("priorityClassName")
		d.class = object.Field{Of: o}
	}
	if c := p.workloadClass(class); c != nil && !stated {
		n = *c
	}
	if f := o.Annotation("kueue.x-k8s.io/priority-boost"); f.Present() {
		boost, _ := f.Count(f.Text(), math.MinInt32)
		n += int64(boost)
	}
	d.priority = &n
}
