// How many units fit on a node once some of its candidates are gone?

package victims

import (
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// slotsWithout counts the units of one shape that fit at a position without some of its candidates, zones included.
// These are asked only where amounts leave room: to count them costs more.
func (e *victimSearch) slotsWithout(pos int32, gone []int32) int64 {
	id := e.p.Model.View.Node(pos)
	room := e.p.Room.Slots().Room(id, e.givenBack(id, gone))
	if room > 0 && e.p.Room.Zones().BindsOn(e.p.Snapshot.FlagsOf(id)) {
		room = min(room, e.p.Room.Zones().CountZones(e.p.Room.Zones().NeedsOn(id), e.zonesWithout(id, gone)).Slots)
	}
	return room
}

// givenBack sums the amounts that leaving members and some candidates give back on a node, by resource. The slice is
// new.
func (e *victimSearch) givenBack(id int32, gone []int32) []int64 {
	amounts := make([]int64, len(e.p.Snapshot.Lineage.Resources))
	copy(amounts, e.p.Room.Slots().LeavingReleased()[id].Amounts)
	for _, i := range gone {
		for r, amount := range e.members[i].Class.Holds {
			amounts[r] += amount
		}
	}
	return amounts
}

// slotsOfRoles returns a function that bounds the number of members, of all roles together, that fit at a position
// without some of its candidates. It may be too high, never too low: so the search for victims leaves nothing out.
func (e *victimSearch) slotsOfRoles(room func(id int32, extra []int64, zones *numa.Occupancy) int64) func(pos int32, gone []int32) int64 {
	return func(pos int32, gone []int32) int64 {
		id := e.p.Model.View.Node(pos)
		return room(id, e.givenBack(id, gone), e.zonesWithout(id, gone))
	}
}

// zonesWithout are the zones of a node without leaving members and some of its candidates; no zones if none are
// known.
func (e *victimSearch) zonesWithout(id int32, gone []int32) *numa.Occupancy {
	zones := e.p.Room.Zones().StateOf(id, e.p.Room.Slots().LeavingReleased()[id])
	for _, i := range gone {
		zones = snapshot.Without(zones, e.members[i])
	}
	return zones
}

// refusalOfRoles returns a function that says why a node takes no member whatever is free there; empty if it takes at
// least one role.
func (e *victimSearch) refusalOfRoles() func(id int32) string {
	roles := e.p.OfRoles()
	return func(id int32) string {
		return problem.CauseForAll(roles, func(one *problem.Problem) string { return one.Room.Slots().RefusalForGood(id) })
	}
}
