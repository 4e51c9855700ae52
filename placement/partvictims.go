package placement

import (
	"slices"

	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// slotsOfRoles returns a function that bounds the members that fit on a node without some candidates, so that the search for victims has a
// bound.
func (e *evicting) slotsOfRoles(room func(id int32, extra []int64, zones *numa.Occupancy) int64) func(pos int32, gone []int32) int64 {
	return func(pos int32, gone []int32) int64 {
		id := e.p.v.Node(pos)
		return room(id, e.givenBack(id, gone), e.zonesWithout(id, gone))
	}
}

// zonesWithout are the zones of a node without some of its candidates.
func (e *evicting) zonesWithout(id int32, gone []int32) *numa.Occupancy {
	zones := e.p.zones().stateOf(id, e.p.leavingGifts()[id])
	for _, i := range gone {
		zones = snapshot.Without(zones, e.members[i])
	}
	return zones
}

// refusalOfRoles returns a function that says why a node takes no member whatever is free there, empty if it takes some role.
func (e *evicting) refusalOfRoles() func(id int32) string {
	roles := e.p.ofRoles()
	return func(id int32) string {
		return causeForAll(roles, func(one *problem) string { return one.refusal(id) })
	}
}

// causeForAll is why a node takes no member of any role: the cause for the first one.
func causeForAll(roles []*problem, cause func(one *problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}
