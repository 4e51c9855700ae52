package member

import (
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// ReadProtection reads what the metadata of a pod or template say of eviction.
func (p *Spec) ReadProtection(meta object.Field) {
	labels := meta.Sub("labels")
	p.Pinned = !labels.Get(quotas.Prefix + "preemptible").Truth(true)
	for _, key := range []string{quotas.Prefix + "can-preempt", quotas.Prefix + "can-preempible"} {
		p.Patient = !labels.Get(key).Truth(true) || p.Patient
	}
	p.Patient = priorities.Never(labels.Get(nodes.SchedulingPrefix+"preemption-policy"), false) || p.Patient
	p.Unevictable = labels.Get(nodes.SchedulingPrefix + "disable-preemptible").Truth(false)
	p.Preemptable = priorities.Preemptable(meta)
	p.Preemptibility = priorities.Preemptibility(labels.Get("kai.scheduler/preemptibility"))
}
