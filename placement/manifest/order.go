package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// sortQueue puts gangs in the order in which they are planned: priority, creation, UID, name. UIDs are compared only
// among gangs of one priority and creation of which all have one, so that the order is total.
func sortQueue(gangs []*draft) {
	class := func(a, b *draft) int {
		return cmp.Or(cmp.Compare(b.result.Request.Priority, a.result.Request.Priority), a.created.Compare(b.created))
	}
	slices.SortFunc(gangs, func(a, b *draft) int { return cmp.Or(class(a, b), muster.CompareNatural(a.name, b.name)) })
	for from := 0; from < len(gangs); {
		to := from + 1
		for to < len(gangs) && class(gangs[from], gangs[to]) == 0 {
			to++
		}
		tied := gangs[from:to]
		if !slices.ContainsFunc(tied, func(d *draft) bool { return d.uid == "" }) {
			slices.SortStableFunc(tied, func(a, b *draft) int { return strings.Compare(a.uid, b.uid) })
		}
		from = to
	}
}
