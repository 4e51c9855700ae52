package victims

import (
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// slotsOfRoles returns a function that bounds the members that fit on a node without some candidates, so that the search for victims has a
// bound.
func (e *evicting) slotsOfRoles(room func(id int32, extra []int64, zones *numa.Occupancy) int64) func(pos int32, gone []int32) int64 {
	return func(pos int32, gone []int32) int64 {
		id := e.p.View.Node(pos)
		return room(id, e.givenBack(id, gone), e.zonesWithout(id, gone))
	}
}

// zonesWithout are the zones of a node without some of its candidates.
func (e *evicting) zonesWithout(id int32, gone []int32) *numa.Occupancy {
	zones := e.p.Zones().StateOf(id, e.p.Counting().LeavingReleased()[id])
	for _, i := range gone {
		zones = snapshot.Without(zones, e.members[i])
	}
	return zones
}

// refusalOfRoles returns a function that says why a node takes no member whatever is free there, empty if it takes some role.
func (e *evicting) refusalOfRoles() func(id int32) string {
	roles := e.p.OfRoles()
	return func(id int32) string {
		return problem.CauseForAll(roles, func(one *problem.Problem) string { return one.Counting().Refusal(id) })
	}
}
