// Where is more in use than there is?

package placement

import (
	"fmt"

	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/snapshot"
)

// excess tells of the nodes, and of the zones, of which members that run hold more than they have. O(nodes * resources).
func excess(c *snapshot.Snapshot) (notices []string) {
	note := func(id int32, amount int64, what string) {
		notices = append(notices, fmt.Sprintf("node %s: members hold %d more %s than it has", c.Lineage.Names[id], amount, what))
	}
	for id := range int32(len(c.Lineage.Names)) {
		held, state := holds.On(c, id), c.Zones.At(id)
		for r := range c.Free {
			free := c.Free[r].At(id)
			if held != nil {
				free = besideHeld(free, held[r])
			}
			if free < 0 {
				note(id, -free, c.Lineage.Resources[r])
			}
		}
		if state == nil {
			continue
		}
		for m := range snapshot.MembersOn(c, id) {
			if _, is := holds.For(m.Class.Gang); is {
				state = snapshot.Without(state, m)
			}
		}
		for _, e := range state.Excess() {
			note(id, e.Amount, fmt.Sprintf("%s of zone %d", e.Resource, e.Zone))
		}
	}
	return notices
}

// besideHeld is what is free of a resource where some of it is held: those who are still there may have it, and then it is 0.
func besideHeld(free, held int64) int64 {
	if free < 0 {
		free = min(0, free+held)
	}
	return free
}
