package manifest

import (
	"math"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
)

// classOf is what a member says: its number, its class, else the default of all pods. Templates beside which the gang has a
// priority of its own may name a class that is not known.
func classOf(p *priorities.All, m *member.Member, own bool) priorities.Class {
	name := m.Spec.Class.Text()
	c, _ := p.Lookup(name)
	if !own || m.Obj != nil {
		c, _ = p.Resolve(m.Spec.Priority, m.Spec.Class)
	}
	if name == "" && m.Spec.Priority == nil {
		c = p.Global()
	}
	c.Never = priorities.Never(m.Spec.Policy, c.Never)
	return c
}

// rank gives every member the priority of the gang if that has one of its own, else what the member says, and decides whether the
// gang may preempt: not if one of those that wait may not. The gang's priority is the lowest of its members that stay.
func rank(p *priorities.All, d *draft, members []*member.Member) {
	own, fixed := p.Resolve(d.priority, d.class)
	d.never = own.Never
	lowest, found := own.Priority, fixed
	for _, m := range members {
		c := classOf(p, m, fixed)
		m.Priority = c.Priority
		if fixed {
			m.Priority = own.Priority
		}
		if !m.Leaving && (!found || m.Priority < lowest) {
			lowest, found = m.Priority, true
		}
		d.never = d.never || m.Node == "" && (c.Never || m.Spec.Patient)
	}
	if d.policy.Present() {
		d.never = priorities.Never(d.policy, false)
	}
	d.result.Request.Priority = lowest
}

// priorityOfWorkload gives a gang the priority of its Workload, with its boost: the number, else that of the class of Kueue that it
// names.
func priorityOfWorkload(p *priorities.All, d *draft, o *object.Object) {
	spec := o.Root.Sub("spec")
	n, stated := spec.Get("priority").Number()
	class := object.Field{Of: o}
	if ref := spec.Sub("priorityClassRef"); ref.Get("kind").Text() == "WorkloadPriorityClass" {
		class = ref.Get("name")
	} else if spec.Get("priorityClassSource").Text() == "kueue.x-k8s.io/workloadpriorityclass" {
		class = spec.Get("priorityClassName")
		d.class = object.Field{Of: o}
	}
	if c := p.OfWorkload(class); c != nil && !stated {
		n = *c
	}
	if f := o.Annotation("kueue.x-k8s.io/priority-boost"); f.Present() {
		boost, _ := f.Count(f.Text(), math.MinInt32)
		n += int64(boost)
	}
	d.priority = &n
}
