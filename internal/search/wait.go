// Does it help to wait for leaving members?

package search

import (
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
)

// Awaits says whether members are leaving that the gang may wait for. What a node takes once they are gone a host does not say.
func Awaits(p *problem.Problem) bool {
	return !p.Request.IgnoreLeaving && p.Request.Slots == nil && len(p.Snapshot.Leaving) > 0
}

// Wait plans the least number of members with the leaving ones counted as gone, then all further ones that fit into the
// same domain now. Nil if that does not help.
//
// order: waiting.1
func Wait(p *problem.Problem) *outcome.Outcome {
	if !Awaits(p) {
		return nil
	}
	if groups := p.Parts.Groups; groups != nil {
		next := groups.WithLeavingGone()
		if o := (equal{next}).LeastAndMore(); o != nil || next.ProvenBest() {
			return o
		}
	}
	return For(p.WithLeavingGone()).LeastAndMore()
}
