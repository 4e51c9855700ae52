package manifest

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/budgets"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// outcome is what a reading found.
type outcome struct {
	gangs     []*draft
	waiting   []Gang
	running   []cluster.Running
	holds     []cluster.Hold
	standings []standing
	demand    map[string]muster.Resources // by quota
	bound     budgets.Counts              // by budget
	queues    map[string]bool             // that are named, and those above them
	keys      map[string]bool             // that no topology has
	held      nodes.Held
	apart     bool                      // pods keep others away
	unknown   map[object.UnknownKey]int // objects, by what of them is not known
	empty     []string
	owners    map[string][]string // see Input.Owners
	ending    []string
	notices   []string
	// fatal are defects that fail the whole input, spared those that do not.
	fatal, spared []object.Located
}
