package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// queueNames are where a member of the gang may name its Queue, in the order in which they count: its owners, the topmost first, then the
// pod, then the gang's object.
func (d *draft) queueNames(m *member.Member) []quotas.Queue {
	names := slices.Concat(d.above, m.Spec.Queues, d.queues)
	if d.job != nil {
		names = append(names, d.job.queues...)
	}
	return names
}

// joinQuota finds the quotas of the members of a gang, which must be one: who waits follows who runs, and later ranks the first one.
func joinQuota(q *quotas.All, d *draft, members []*member.Member) {
	var first string
	var leader *member.Member
	for _, runs := range []bool{true, false} {
		for _, m := range members {
			if runs != (m.Node != "") {
				continue
			}
			in, ok := q.Of(quotas.Place{Label: m.Spec.Quota, Queues: d.queueNames(m), Waits: m.Node == ""})
			m.Quota = in
			switch {
			case !ok || m.Leaving:
			case leader == nil:
				leader, first = m, in
			case in != first:
				m.Spec.Quota.Fail(fmt.Sprintf("the members of a gang are in one quota: this one is in %s, %s in %s",
					cmp.Or(m.Quota, "none"), leader.Name, cmp.Or(leader.Quota, "none")))
			}
		}
	}
	if leader != nil {
		d.quota = leader.Quota
	}
}
