// What does a policy change in the order?

package keys

import (
	"cmp"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
)

// Rules are what a policy asks for.
type Rules struct {
	Feature features.Set // its own; 0 of BestFit
	Roomy   bool         // more slots are better
	Even    bool         // children take units one after the other
	Share   bool         // sets.5 is compared
	Hosts   bool         // between nodes the host score comes in place of slots
}

// RulesOf are those of a policy.
func RulesOf(policy gang.Policy) Rules {
	switch policy {
	case gang.Spread:
		return Rules{Feature: features.Spread, Roomy: true, Even: true}
	case gang.Balanced:
		return Rules{Feature: features.Balanced, Even: true, Share: true}
	case gang.ByScore:
		return Rules{Feature: features.ByScore, Hosts: true}
	case gang.BestFit:
	}
	return Rules{}
}

// CompareSlots is below 0 if a place with a slots comes before one with b.
func (r Rules) CompareSlots(a, b int64) int {
	if r.Roomy {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}
