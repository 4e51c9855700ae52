// What a node has room for without some candidates.

package victims

import (
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// slotsWithout is the slots of a node without some of its candidates.
func (e *victimSearch) slotsWithout(pos int32, gone []int32) int64 {
	id := e.p.View.Node(pos)
	room := e.p.Slots().Room(id, e.givenBack(id, gone))
	if room > 0 && e.p.Zones().BindsOn(e.p.Snapshot.FlagsOf(id)) {
		room = min(room, e.p.Zones().CountZones(e.p.Zones().NeedsOn(id), e.zonesWithout(id, gone)).Slots)
	}
	return room
}

// givenBack is what leaving members and candidates give back on a node, by resource.
func (e *victimSearch) givenBack(id int32, gone []int32) []int64 {
	amounts := make([]int64, len(e.p.Snapshot.Lineage.Resources))
	copy(amounts, e.p.Slots().LeavingReleased()[id].Amounts)
	for _, i := range gone {
		for r, amount := range e.members[i].Class.Holds {
			amounts[r] += amount
		}
	}
	return amounts
}

// slotsOfRoles returns a function that bounds the members that fit on a node without some candidates, so that the search for victims has a
// bound.
func (e *victimSearch) slotsOfRoles(room func(id int32, extra []int64, zones *numa.Occupancy) int64) func(pos int32, gone []int32) int64 {
	return func(pos int32, gone []int32) int64 {
		id := e.p.View.Node(pos)
		return room(id, e.givenBack(id, gone), e.zonesWithout(id, gone))
	}
}

// zonesWithout are the zones of a node without some of its candidates.
func (e *victimSearch) zonesWithout(id int32, gone []int32) *numa.Occupancy {
	zones := e.p.Zones().StateOf(id, e.p.Slots().LeavingReleased()[id])
	for _, i := range gone {
		zones = snapshot.Without(zones, e.members[i])
	}
	return zones
}

// refusalOfRoles returns a function that says why a node takes no member whatever is free there, empty if it takes some role.
func (e *victimSearch) refusalOfRoles() func(id int32) string {
	roles := e.p.OfRoles()
	return func(id int32) string {
		return problem.CauseForAll(roles, func(one *problem.Problem) string { return one.Slots().Refusal(id) })
	}
}
