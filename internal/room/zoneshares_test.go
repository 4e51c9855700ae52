// Which shares of zones do units get, what are they worth, and is their number certain?

package room_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// Units on a node share its zones as these are once those are gone for whom the plan waits, and their members in rank order.
func TestUnitsShareZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawUnits(t)
		var waits []*snapshot.Member
		for _, m := range a.Snapshot.Leaving {
			if rapid.Bool().Draw(t, "waits for it") {
				waits = append(waits, m)
			}
		}
		later := a.without(waits...)
		var ofUnits, positions []int32 // of the units, in the order of ranks, and of their members
		for pos := range a.Model.View.Nodes {
			if most := later.takes(t, a.name(pos)); most > 0 {
				ofUnits = append(ofUnits, slices.Repeat([]int32{pos}, int(rapid.Int64Range(1, min(3, most)).Draw(t, "units")))...)
			}
		}
		if len(ofUnits) > 0 {
			ofUnits = rapid.Permutation(ofUnits).Draw(t, "ranks")
		}
		members := map[int32][]int{}
		for _, pos := range ofUnits {
			for range a.Shapes {
				members[pos] = append(members[pos], len(positions))
				positions = append(positions, pos)
			}
		}
		got, want := map[int]numa.Placed{}, map[int]numa.Placed{}
		a.Zones().ShareZones(positions, waits, func(i int, placed *numa.Placed) { got[i] = *placed })
		for pos, list := range members {
			state := later.zones(t, a.name(pos))
			if state == nil {
				continue
			}
			for k, one := range inZones(a.needs(t, a.name(pos)), state, int64(len(list)/len(a.Shapes))) {
				if len(one.Shares) > 0 {
					want[list[k]] = one
				}
			}
		}
		require.Equal(t, want, got)
	})
}

// What zones are worth is what the members of the units are, as they are split over them; the next member gets as many as fit it best.
func TestWorthOfZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawUnits(t)
		aligned := slices.ContainsFunc(a.Shapes, func(s *gang.Shape) bool { return s.NUMA.Policy != "" })
		a.Nodes().Table() // what leaving members give back is known with the slots
		least, units := int64(1), rapid.Int64Range(0, 3).Draw(t, "units")
		for pos := range a.Model.View.Nodes {
			x, name := a.Model.View.NodeVertex(pos), a.name(pos)
			if !aligned {
				require.Zero(t, a.Nodes().ZoneScore(x, units), name)
				continue
			}
			state, needs, score := a.zones(t, name), a.needs(t, name), int64(0)
			if !needs[0].Zoned() {
				least = 0
			}
			require.Equal(t, int64(needs[0].Fit(state).Mask.Width()), a.Nodes().Zones(x), name)
			placed := inZones(needs, state, units)
			for i := range placed {
				if len(needs) == 1 {
					score = needs[0].Rate(state, placed)
					break
				}
				need, one := needs[i%len(needs)], placed[i:i+1]
				score += need.Rate(state, one)
				next, err := state.Add(one...)
				require.NoError(t, err)
				state = next
			}
			require.Equal(t, score, a.Nodes().ZoneScore(x, units), "%d units on %s", units, name)
		}
		if aligned {
			require.Equal(t, least, a.Nodes().LeastZones(), "a member with zones gets one at least")
		}
	})
}

// No node with slots gives the next member fewer zones than the least, also where another room made the index, on an earlier snapshot.
func TestLeastZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawUnits(t)
		if rapid.Bool().Draw(t, "a node without zones") {
			spec := a.spec
			spec.Nodes = append(slices.Clone(spec.Nodes), cluster.Node{Name: "n-9", Allocatable: muster.Resources{draws.Device: 4, draws.Second: 4000}, NUMA: &cluster.NUMA{
				Zones: []numa.Zone{{Allocatable: muster.Resources{"memory": 1}}},
			}})
			a = newAsked(t, spec, a.Request, a.Shapes...)
		}
		if !a.ZoneState.Aligned {
			return
		}
		a.Nodes().Table()
		for range 2 {
			table, least := a.Nodes().Table(), a.Nodes().LeastZones()
			for pos := range a.Model.View.Nodes {
				if x := a.Model.View.NodeVertex(pos); table.At(x) > 0 {
					require.GreaterOrEqual(t, a.Nodes().Zones(x), least)
				}
			}
			changed := a.spec.Nodes[0]
			changed.Labels = map[string]string{"other": "label"}
			c, err := a.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{changed}})
			require.NoError(t, err)
			a = onSnapshot(t, c, a.Request, a.Shapes...)
		}
	})
}

// A count of zones is certain if no node would take more than was counted there even if each member of a unit found zones as if by itself.
func TestCountsOfZonesAreCertain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawUnits(t)
		certain := true
		for pos := range a.Model.View.Nodes {
			name := a.name(pos)
			state := a.zones(t, name)
			if state == nil {
				continue
			}
			bound := a.amounts(name)
			for _, need := range a.needs(t, name) {
				bound = min(bound, need.Slots(state).Bound)
			}
			certain = certain && a.takes(t, name) == bound
		}
		switch rapid.IntRange(0, 2).Draw(t, "counted") {
		case 0:
			a.Slots().Count()
		case 1:
			a.Nodes().Table()
		case 2: // by the index of an earlier snapshot
			a.Nodes().Table()
			changed := a.spec.Nodes[0]
			changed.Labels = map[string]string{"other": "label"}
			c, err := a.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{changed}})
			require.NoError(t, err)
			later := onSnapshot(t, c, a.Request, a.Shapes...)
			later.LeavingGone = a.LeavingGone
			later.Nodes().Table()
			a = later
		}
		require.Equal(t, certain, a.Proven())
	})
}

// fourOfFour is a room on a node with two zones of four devices and four CPUs, with somebody in it.
func fourOfFour(t *testing.T, req *gang.Request, running []cluster.Running, shapes ...*gang.Shape) *asked {
	n := cluster.Node{Name: "n", Allocatable: muster.Resources{"gpu": 8, "cpu": 8}, NUMA: &cluster.NUMA{}}
	for id := range 2 {
		n.NUMA.Zones = append(n.NUMA.Zones, numa.Zone{ID: id, Allocatable: muster.Resources{"gpu": 4, "cpu": 4}})
	}
	for i := range running {
		running[i].Node = "n"
	}
	return newAsked(t, cluster.Spec{Nodes: []cluster.Node{n}, Running: running}, req, shapes...)
}

func ofPolicy(policy numa.Policy, amounts muster.Resources) *gang.Shape {
	return &gang.Shape{Resources: amounts, NUMA: gang.NUMA{Policy: policy}}
}

// leavingFrom is a leaving member with devices in a zone.
func leavingFrom(name string, zone int, devices int64) cluster.Running {
	amounts := muster.Resources{"gpu": devices}
	return cluster.Running{
		Gang: "others", Member: name, Leaving: true, Resources: amounts,
		NUMA: &numa.Placed{Policy: numa.SingleNUMANode, Shares: []numa.Share{{Zone: zone, Resources: amounts}}},
	}
}

// Of members that give back as much, those are waited for in whose zone the room is needed.
func TestWhoMustLeaveDependsOnZones(t *testing.T) {
	running := func() []cluster.Running {
		return []cluster.Running{leavingFrom("a", 0, 2), leavingFrom("b", 0, 2), leavingFrom("c", 1, 2), leavingFrom("d", 1, 2)}
	}
	one := ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 4})
	a := fourOfFour(t, &gang.Request{Name: "g"}, running(), one)
	require.Equal(t, []string{"others a", "others b"}, names(a.WaitsFor([]int32{0}, nil)), "one zone is free then")
	require.Equal(t, []string{"others c", "others d"}, names(a.WaitsFor([]int32{0}, a.Snapshot.Leaving[2:3:3])), "with c gone d frees the zone")
	a = fourOfFour(t, &gang.Request{Name: "g"}, running(), ofPolicy("", muster.Resources{"gpu": 4}))
	require.Equal(t, []string{"others a", "others b"}, names(a.WaitsFor([]int32{0}, nil)))
	require.Equal(t, []string{"others a", "others c"}, names(a.WaitsFor([]int32{0}, a.Snapshot.Leaving[2:3:3])), "without zones amounts decide")

	large := running()
	large[1].Resources = muster.Resources{"gpu": 2, "cpu": 7}
	a = fourOfFour(t, &gang.Request{Name: "g"}, large[:3], ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 2, "cpu": 2}))
	require.Equal(t, []string{"others b"}, names(a.WaitsFor([]int32{0}, nil)), "a has the same zone, and not the CPUs")
	a = fourOfFour(t, &gang.Request{Name: "g"}, large[:3], ofPolicy("", muster.Resources{"gpu": 3, "cpu": 2}))
	require.Equal(t, []string{"others b"}, names(a.WaitsFor([]int32{0}, a.Snapshot.Leaving[1:2:2])), "once b is gone, as it must be, there is enough of both")
	small := running()
	small[2].Resources = muster.Resources{"gpu": 4}
	a = fourOfFour(t, &gang.Request{Name: "g"}, small[:3], ofPolicy("", muster.Resources{"gpu": 4}))
	require.Equal(t, []string{"others c"}, names(a.WaitsFor([]int32{0}, nil)), "one member suffices, and it is not the first one")
}

// Large members come first, where small ones would split what they need; the shares of a role follow the ranks.
func TestOrderOfRolesInZones(t *testing.T) {
	small, large := ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 1}), ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 3})
	a := fourOfFour(t, &gang.Request{Name: "g"}, nil, small, large)
	a.Model.RoleOf, a.Model.Pending = []int32{0, 1, 0, 1}, []int{0, 1, 2, 3}
	got := map[int]int{}
	a.Zones().ShareZones([]int32{0, 0, 0, 0}, nil, func(i int, placed *numa.Placed) { got[i] = placed.Shares[0].Zone })
	require.Equal(t, map[int]int{0: 0, 1: 0, 2: 1, 3: 1}, got)

	steps := 1 << 10
	fit := a.Zones().ZoneFit(0, a.Zones().StateOf(0, room.Released{}), &steps)
	require.Equal(t, []int32{2, 2}, []int32(fit.Most[0]))
	require.Less(t, steps, 1<<10, "the search took steps")
	before := steps
	a.Zones().ZoneFit(0, a.Zones().StateOf(0, room.Released{}), &steps)
	require.Equal(t, before, steps, "what is known costs none")

	spent := -5
	other := fourOfFour(t, &gang.Request{Name: "g"}, nil, small, large)
	other.Model.RoleOf, other.Model.Pending = a.Model.RoleOf, a.Model.Pending
	fit = other.Zones().ZoneFit(0, other.Zones().StateOf(0, room.Released{}), &spent)
	require.GreaterOrEqual(t, len(fit.Most), 1, "each role by itself is counted in any case")
	require.Less(t, spent, -5)

	third := onSnapshot(t, a.Snapshot, a.Request, small, large)
	third.Zones().ShareFits(a.Room)
	third.Model.RoleOf, third.Model.Pending = a.Model.RoleOf, a.Model.Pending
	steps = 7
	require.Equal(t, fit.Most, third.Zones().ZoneFit(0, third.Zones().StateOf(0, room.Released{}), &steps).Most)
	require.Equal(t, 7, steps, "another room of the request knows it")
	third.ForgetFits()
	third.Zones().ZoneFit(0, third.Zones().StateOf(0, room.Released{}), &steps)
	require.Less(t, steps, 7)
}

// A room of some of the members shares what is found with that of all, since both count up to all members.
func TestSelectionsCountAllMembers(t *testing.T) {
	one := ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 2})
	all := fourOfFour(t, &gang.Request{Name: "g"}, nil, one, ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 1}), one)
	all.Model.RoleOf, all.Model.Pending, all.Model.Twins = []int32{0, 1, 2, 2}, []int{0, 1, 2, 3}, []int32{0, 1, 0}
	some := *all.Room
	m := *all.Model
	some.All, some.Model = all.Room, &m
	some.Model.RoleOf, some.Model.Pending = all.Model.RoleOf[:1], all.Model.Pending[:1]
	require.Equal(t, []int32{3, 1, 0}, []int32(all.Zones().PendingByRole()))
	require.Equal(t, []int32{3, 1, 0}, []int32(some.Zones().PendingByRole()))
	require.Equal(t, []int32{1, 0, 0}, []int32(some.Model.ByShape([]int32{1, 0, 0})))
	require.Equal(t, []int32{5, 3, 0}, []int32(all.Model.ByShape([]int32{4, 3, 1})))
	all.Model.Twins = nil
	require.Equal(t, []int32{4, 3, 1}, []int32(all.Model.ByShape([]int32{4, 3, 1})))
	require.Equal(t, 2, all.Model.Twin(2))
}

// What leaving members give back counts only once they count as gone.
func TestAmountsThatLeavingMembersGiveBack(t *testing.T) {
	a := fourOfFour(t, &gang.Request{Name: "g"}, []cluster.Running{leavingFrom("a", 0, 2), leavingFrom("b", 1, 1)}, ofPolicy("", muster.Resources{"gpu": 1}))
	require.Nil(t, a.Slots().LeavingReleased())
	require.Equal(t, int64(5), a.Slots().Room(0, nil))
	back := a.Slots().ReleasedBy(a.Snapshot.Leaving[:1])
	require.Equal(t, []int32{0}, slices.Collect(maps.Keys(back)))
	require.Equal(t, int64(7), a.Slots().Room(0, back[0].Amounts))
	a.LeavingGone = true
	require.Equal(t, int64(8), a.Slots().Room(0, a.Slots().LeavingReleased()[0].Amounts))
	require.True(t, a.Zones().StateAt(a.Model.View.NodeVertex(0)).Equal(occupied(t, a.node("n").NUMA)), "both zones are empty")
	require.Equal(t, int64(0), a.Slots().FreeOf(0, room.Need{ID: -1, Amount: 1}, back[0].Amounts), "what no node has nobody gives back")
}

// Two members that find room only beside a third one get the zones that they would have beside it. The one that has a zone to itself comes
// first and takes the last devices of zone 1, where the one of whole CPUs must go; with the third before it, it goes beside that one.
func TestSharesWithinLargerCounts(t *testing.T) {
	n := cluster.Node{Name: "n", Allocatable: muster.Resources{"gpu": 6, "cpu": 5000}, NUMA: &cluster.NUMA{Zones: []numa.Zone{
		{ID: 0, Allocatable: muster.Resources{"gpu": 4, "cpu": 1500}}, {ID: 1, Allocatable: muster.Resources{"gpu": 2, "cpu": 3500}},
	}}}
	third, whole, single := ofPolicy(numa.BestEffort, muster.Resources{"gpu": 2, "cpu": 1500}), ofPolicy(numa.Restricted, muster.Resources{"gpu": 2, "cpu": 1500}), ofPolicy(numa.SingleNUMANode, muster.Resources{"gpu": 2})
	third.NUMA.Exclusive, single.NUMA.Exclusive, whole.NUMA.CPUs = numa.Preferred, numa.Preferred, numa.WholeCPUs
	a := newAsked(t, cluster.Spec{Nodes: []cluster.Node{n, {Name: "o"}}}, &gang.Request{Name: "g"}, third, whole, single)
	a.Model.RoleOf, a.Model.Pending = []int32{0, 1, 2}, []int{0, 1, 2}
	require.Nil(t, a.takesInZones(a.needs(t, "n"), a.zones(t, "n"), []int32{0, 1, 1}), "they have no order of their own")
	got := map[int]int{}
	a.Zones().ShareZones([]int32{1, 0, 0}, nil, func(i int, placed *numa.Placed) { got[i] = placed.Shares[0].Zone })
	require.Equal(t, map[int]int{1: 1, 2: 0}, got)
}
