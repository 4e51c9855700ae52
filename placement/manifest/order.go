package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// sortQueue puts gangs in the order in which they are planned: priority, creation, UID, name. UIDs are compared only
// among gangs of one priority and creation of which all have one, so that the order is total.
func sortQueue(gangs []Gang) {
	class := func(a, b Gang) int {
		return cmp.Or(cmp.Compare(b.Request.Priority, a.Request.Priority), a.Created.Compare(b.Created))
	}
	slices.SortFunc(gangs, func(a, b Gang) int {
		return cmp.Or(class(a, b), muster.CompareNatural(a.Request.Name, b.Request.Name))
	})
	for from := 0; from < len(gangs); {
		to := from + 1
		for to < len(gangs) && class(gangs[from], gangs[to]) == 0 {
			to++
		}
		tied := gangs[from:to]
		if !slices.ContainsFunc(tied, func(q Gang) bool { return q.UID == "" }) {
			slices.SortStableFunc(tied, func(a, b Gang) int { return strings.Compare(a.UID, b.UID) })
		}
		from = to
	}
}
