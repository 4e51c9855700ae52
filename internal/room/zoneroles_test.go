// Which members of several roles do zones take together, and which shares do they get, by trying all orders of roles?

package room_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// byShape counts members by role, those of twins in the first role of their shape.
func (a *asked) byShape(members []int) front.Vector {
	of := make(front.Vector, len(a.Shapes))
	for _, i := range members {
		of[slices.Index(a.Shapes, a.Shapes[a.Model.RoleOf[i]])]++
	}
	return of
}

// everybody lists the pending members.
func (a *asked) everybody() (members []int) {
	for i := range a.Model.RoleOf {
		members = append(members, i)
	}
	return members
}

// late says whether members of a role may not come into zones after another: they only prefer to keep apart, the other must, and just
// one of both is under SingleNUMANode.
func (a *asked) late(needs []*numa.Need, role, other int) bool {
	prefers := func(r int) bool {
		return a.Shapes[r].ZoneMember(a.spec.NUMAExclusive).Exclusive == numa.Preferred
	}
	single := func(r int) bool { return needs[r].Policy() == numa.SingleNUMANode }
	return prefers(role) && !prefers(other) && single(role) != single(other)
}

// together puts counts of roles into zones in some order, and returns the shares by role; nil if they find no room that way. Roles without
// zones only have their amounts compared.
func (a *asked) together(needs []*numa.Need, state *numa.Occupancy, order []int, counts front.Vector) [][]numa.Placed {
	shares := make([][]numa.Placed, len(counts))
	for r, need := range needs {
		if !need.Zoned() && int64(counts[r]) > need.Slots(state).Slots {
			return nil
		}
	}
	for i, r := range order {
		if slices.ContainsFunc(order[i+1:], func(o int) bool { return a.late(needs, o, r) }) {
			return nil
		}
		placed := needs[r].Split(state, int(counts[r]))
		if placed == nil {
			return nil
		}
		next, err := state.Add(placed...)
		if err != nil {
			return nil
		}
		state, shares[r] = next, placed
	}
	return shares
}

// takesInZones are the shares of counts of roles in the first order in which they find room; nil: in none.
func (a *asked) takesInZones(needs []*numa.Need, state *numa.Occupancy, counts front.Vector) (shares [][]numa.Placed) {
	var roles []int
	for r, n := range counts {
		if n > 0 && needs[r].Zoned() {
			roles = append(roles, r)
		}
	}
	orders(roles, nil, func(order []int) bool {
		shares = a.together(needs, state, order, counts)
		return shares == nil
	})
	return shares
}

// orders yields the orders of some roles, the first one first, until yield is false.
func orders(roles, before []int, yield func(order []int) bool) bool {
	if len(roles) == 0 {
		return yield(before)
	}
	for i, r := range roles {
		rest := slices.Delete(slices.Clone(roles), i, i+1)
		if !orders(rest, append(slices.Clone(before), r), yield) {
			return false
		}
	}
	return true
}

// vectors yields all counts up to some, the most of the first role first.
func vectors(most front.Vector) (all []front.Vector) {
	all = []front.Vector{{}}
	for _, n := range most {
		var longer []front.Vector
		for _, v := range all {
			for k := n; k >= 0; k-- {
				longer = append(longer, append(slices.Clone(v), k))
			}
		}
		all = longer
	}
	return all
}

// largest are the counts, up to those of all members, that zones take and of which none is within another, the most of the first role first.
func (a *asked) largest(needs []*numa.Need, state *numa.Occupancy) (fit front.Front) {
	for _, v := range vectors(a.byShape(a.everybody())) {
		if !slices.ContainsFunc(fit, v.Within) && a.takesInZones(needs, state, v) != nil {
			fit = append(fit, v)
		}
	}
	return fit
}

// Zones take counts of roles if these come into them in some order, or within larger counts that do.
func TestZonesTakeRolesTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRoles(t, 5)
		for id, name := range a.Snapshot.Lineage.Names {
			if a.node(name) == nil {
				continue
			}
			state, steps := a.zones(t, name), room.AllZoneSteps
			fit := a.Zones().ZoneFit(int32(id), a.Zones().StateOf(int32(id), a.Slots().LeavingReleased()[int32(id)]), &steps)
			if state == nil {
				require.Nil(t, fit, "zones bind nobody on %s", name)
				continue
			}
			require.Equal(t, a.largest(a.needs(t, name), state), fit.Most, "node %s", name)
			for r, need := range a.needs(t, name) {
				require.Equal(t, int32(min(need.Slots(state).Bound, int64(a.byShape(a.everybody())[r]))), fit.Bound[r])
			}
		}
	})
}

// placeRoles draws nodes for members of roles, on which they have room once the leaving members are gone. Members behind the first one that
// has no room there are left out.
func placeRoles(t *rapid.T, a *asked) (positions []int32, on map[string][]int) {
	on = map[string][]int{}
	for i := range a.Model.RoleOf {
		first, n := rapid.Int32Range(0, a.Model.View.Nodes-1).Draw(t, "position"), a.Model.View.Nodes
		pos, name := first, a.name(first)
		for ; pos < first+n && !a.haveRoom(t, name, append(slices.Clone(on[name]), i)); name = a.name(pos % n) {
			pos++
		}
		if pos == first+n {
			break
		}
		pos %= n
		positions, on[name] = append(positions, pos), append(on[name], i)
	}
	for a.keep(len(positions)); len(positions) > 0; a.keep(len(positions)) { // counts may have room only beside members that are left out
		last := a.name(positions[len(positions)-1])
		full := func(name string) bool { return !a.haveRoom(t, name, on[name]) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(on)), full) {
			break
		}
		positions, on[last] = positions[:len(positions)-1], on[last][:len(on[last])-1]
	}
	return positions, on
}

// keep leaves out all members but the first ones.
func (a *asked) keep(n int) {
	a.Model.RoleOf, a.Model.Pending = a.Model.RoleOf[:n], a.Model.Pending[:n]
	a.ForgetFits()
}

// haveRoom says whether members of roles have room on a node: all amounts suffice, and zones take their counts or larger ones.
func (a *asked) haveRoom(t require.TestingT, name string, members []int) bool {
	sum := *a
	sum.Room = &room.Room{Model: a.Model, Snapshot: a.Snapshot, Request: a.Request, LeavingGone: a.LeavingGone}
	for _, i := range members {
		sum.Shapes = append(sum.Shapes, a.Shapes[a.Model.RoleOf[i]])
	}
	if sum.amounts(name) < 1 {
		return false
	}
	state := a.zones(t, name)
	return state == nil || a.largest(a.needs(t, name), state).Holds(a.byShape(members))
}

// Of members of several roles on a node, too, the fewest leaving ones are waited for.
func TestRolesWaitForTheFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRoles(t, 4)
		a.LeavingGone = true
		positions, on := placeRoles(t, a)
		var want []*snapshot.Member
		for name, members := range on {
			id, _ := a.Snapshot.Lineage.ID(name)
			leaving := slices.DeleteFunc(slices.Clone(a.Snapshot.Leaving), func(m *snapshot.Member) bool { return m.Node != id })
			want = append(want, fewest(leaving, func(gone []*snapshot.Member) bool {
				return a.without(gone...).haveRoom(t, name, members)
			})...)
		}
		slices.SortFunc(want, snapshot.CompareMembers)
		require.Equal(t, names(want), names(a.WaitsFor(positions, nil)))
	})
}

// Members of roles get the shares of the first order in which all find room, and those of one shape in the order of their ranks.
func TestRolesShareZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRoles(t, 5)
		a.LeavingGone = true
		positions, on := placeRoles(t, a)
		got, want := map[int]numa.Placed{}, map[int]numa.Placed{}
		a.Zones().ShareZones(positions, a.Snapshot.Leaving, func(i int, placed *numa.Placed) { got[i] = *placed })
		for name, members := range on {
			state := a.zones(t, name)
			if state == nil {
				continue
			}
			shares := a.shares(a.needs(t, name), state, a.byShape(members))
			for _, i := range members {
				of := slices.Index(a.Shapes, a.Shapes[a.Model.RoleOf[i]])
				if len(shares[of]) == 0 {
					continue
				}
				if len(shares[of][0].Shares) > 0 {
					want[i] = shares[of][0]
				}
				shares[of] = shares[of][1:]
			}
		}
		require.Equal(t, want, got)
	})
}

// shares are those of counts of roles: of the counts themselves, else within the first of the largest counts around them.
func (a *asked) shares(needs []*numa.Need, state *numa.Occupancy, counts front.Vector) [][]numa.Placed {
	if shares := a.takesInZones(needs, state, counts); shares != nil {
		return shares
	}
	for _, v := range a.largest(needs, state) {
		if counts.Within(v) {
			shares := a.takesInZones(needs, state, v)
			for r, n := range counts {
				shares[r] = shares[r][:min(int(n), len(shares[r]))]
			}
			return shares
		}
	}
	return nil
}

// What placed members take of zones is taken now, and what is beside them is what zones take together with them later.
func TestZonesThatAreTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRoles(t, 5)
		a.LeavingGone = true
		positions, on := placeRoles(t, a)
		a.LeavingGone = false
		held := map[int32]room.Reserved{}
		a.Zones().TakeZones(held, positions, a.Snapshot.Leaving)
		later := a.without(a.Snapshot.Leaving...)
		for id, name := range a.Snapshot.Lineage.Names {
			got, is := held[int32(id)]
			if len(on[name]) == 0 || a.zones(t, name) == nil {
				require.False(t, is, name)
				continue
			}
			counts, needs := a.byShape(on[name]), a.needs(t, name)
			state := later.zones(t, name)
			var placed []numa.Placed
			for _, of := range a.shares(needs, state, counts) {
				placed = append(placed, of...)
			}
			now, err := a.without().zones(t, name).Add(placed...)
			require.NoError(t, err)
			require.True(t, now.Equal(got.Zones), "the zones of %s", name)
			var beside front.Front
			for _, v := range a.largest(needs, state) {
				if counts.Within(v) {
					left := slices.Clone(v)
					for r := range left {
						left[r] -= counts[r]
					}
					beside = append(beside, left)
				}
			}
			for _, v := range vectors(a.byShape(a.everybody())) {
				require.Equal(t, beside.Holds(v), got.Beside.Holds(v), "%v beside %v", v, counts)
			}
		}
	})
}
