// Which nodes are meant for others, kept from snapshot to snapshot?

package room

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/snapshot"
)

// verdicts are a yes or no for each node that is present, and how often the answer is yes. They never change. The zero value knows
// no node.
type verdicts struct {
	of           cow.Column[verdict]
	yeses, nodes int
}

type verdict int8

const (
	absent verdict = iota
	no
	yes
)

// verdictsOn asks for all nodes. O(nodes).
func verdictsOn(c *snapshot.Snapshot, is func(id int32) bool) *verdicts {
	v := verdicts{of: cow.NewColumn[verdict](len(c.Lineage.Names))}
	for id := range int32(len(c.Lineage.Names)) {
		v.ask(c, id, is)
	}
	return &v
}

// after are the verdicts on a later snapshot, in which only these nodes changed. O(touched).
func (v *verdicts) after(c *snapshot.Snapshot, nodes []int32, is func(id int32) bool) *verdicts {
	next := &verdicts{v.of.Fork(), v.yeses, v.nodes}
	for _, id := range nodes {
		next.ask(c, id, is)
	}
	return next
}

func (v *verdicts) ask(c *snapshot.Snapshot, id int32, is func(id int32) bool) {
	old, answer := v.of.At(id), absent
	if c.FlagsOf(id)&snapshot.Present != 0 {
		if answer = no; is(id) {
			answer = yes
		}
	}
	if answer == old {
		return
	}
	v.nodes -= min(int(old), 1)
	v.nodes += min(int(answer), 1)
	v.yeses -= int(old / yes)
	v.yeses += int(answer / yes)
	v.of.Set(id, answer)
}
