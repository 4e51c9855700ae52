package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// queueNames are where a member of the gang may name its Queue, in the order in which they count: its owners, the topmost first, then the
// pod, then the gang's object.
func (d *draft) queueNames(m *member) []quotas.Queue {
	names := slices.Concat(d.above, m.spec.queues, d.queues)
	if d.job != nil {
		names = append(names, d.job.queues...)
	}
	return names
}

// joinQuota finds the quotas of the members of a gang, which must be one: who waits follows who runs, and later ranks the first one.
func joinQuota(q *quotas.All, d *draft, members []*member) {
	var first string
	var leader *member
	for _, runs := range []bool{true, false} {
		for _, m := range members {
			if runs != (m.node != "") {
				continue
			}
			in, ok := q.Of(quotas.Place{Label: m.spec.quota, Queues: d.queueNames(m), Waits: m.node == ""})
			m.quota = in
			switch {
			case !ok || m.leaving:
			case leader == nil:
				leader, first = m, in
			case in != first:
				m.spec.quota.Fail(fmt.Sprintf("the members of a gang are in one quota: this one is in %s, %s in %s",
					cmp.Or(m.quota, "none"), leader.name, cmp.Or(leader.quota, "none")))
			}
		}
	}
	if leader != nil {
		d.quota = leader.quota
	}
}

// addDemand adds what waits in some quotas.
func addDemand(to, more map[string]muster.Resources) map[string]muster.Resources {
	for name, asks := range more {
		if to == nil {
			to = map[string]muster.Resources{}
		}
		if to[name] == nil {
			to[name] = muster.Resources{}
		}
		to[name].Add(asks)
	}
	return to
}
