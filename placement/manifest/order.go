package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// sortQueue puts gangs in the order in which they are planned: priority, creation, UID, name. UIDs are compared only
// among gangs of one priority and creation of which all have one, so that the order is total.
func sortQueue(gangs []queued) {
	class := func(a, b queued) int {
		return cmp.Or(cmp.Compare(b.gang.Request.Priority, a.gang.Request.Priority), a.created.Compare(b.created))
	}
	slices.SortFunc(gangs, func(a, b queued) int {
		return cmp.Or(class(a, b), muster.CompareNatural(a.gang.Request.Name, b.gang.Request.Name))
	})
	for from := 0; from < len(gangs); {
		to := from + 1
		for to < len(gangs) && class(gangs[from], gangs[to]) == 0 {
			to++
		}
		tied := gangs[from:to]
		if !slices.ContainsFunc(tied, func(q queued) bool { return q.uid == "" }) {
			slices.SortStableFunc(tied, func(a, b queued) int { return strings.Compare(a.uid, b.uid) })
		}
		from = to
	}
}
