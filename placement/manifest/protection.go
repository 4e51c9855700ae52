package manifest

import (
	"cmp"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// Who may be evicted, by every system's own word. A source that protects wins over one that permits.

// kaiPinned is the priority from which a gang of KAI is not preemptible unless it says otherwise.
const kaiPinned = 100

// protect decides who of a gang may be evicted once priorities are known. Volcano's word is the pod's, else its PodGroup's,
// else its Job's; KAI's the PodGroup's, else the pod's.
func (d *draft) protect(members []*member.Member) {
	var kai, volcano []priorities.Verdict
	for _, o := range []*object.Object{d.obj, d.jobObject(), d.top} {
		if o == nil {
			continue
		}
		if o.Group == quotas.KAI {
			kai = append(kai, priorities.Preemptibility(o.Root.Sub("spec").Get("preemptibility")))
		}
		kai = append(kai, priorities.Preemptibility(o.Label("kai.scheduler/preemptibility")))
		if o.Group == quotas.Volcano || o.Group == "batch.volcano.sh" {
			volcano = append(volcano, priorities.Preemptable(o.Root.Sub("metadata")))
		}
	}
	for _, m := range members {
		said := cmp.Or(append(kai, m.Spec.Preemptibility)...)
		m.Pinned = m.Spec.Pinned || said == priorities.MustStay ||
			said == priorities.Unsaid && d.obj != nil && d.obj.Group == quotas.KAI && d.result.Request.Priority >= kaiPinned
		if cmp.Or(m.Spec.Preemptable, cmp.Or(volcano...)) == priorities.MustStay {
			m.Unevictable = true
		}
	}
}

// jobObject is the object of the job behind a PodGroup, nil if there is none.
func (d *draft) jobObject() *object.Object {
	if d.job == nil {
		return nil
	}
	return d.job.obj
}
