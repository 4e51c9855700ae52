package numa_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

func TestMatrixOfPolicies(t *testing.T) {
	all := []numa.Policy{"", numa.BestEffort, numa.Restricted, numa.SingleNUMANode}
	want := [4][4]string{ // member, node
		{"", "BestEffort", "Restricted", "SingleNUMANode"},
		{"BestEffort", "BestEffort", "no", "no"},
		{"Restricted", "no", "Restricted", "no"},
		{"SingleNUMANode", "no", "no", "SingleNUMANode"},
	}
	for i, member := range all {
		for j, node := range all {
			got, ok := numa.Compatible(member, node)
			if want[i][j] == "no" {
				require.False(t, ok, "%s on %s", member, node)
				need, err := two(t).Need(numa.Member{Policy: member, Resources: cpu(1)}, node)
				require.NoError(t, err)
				at, err := two(t).Occupancy(numa.State{})
				require.NoError(t, err)
				require.Equal(t, numa.Fit{Cause: numa.CausePolicy}, need.Fit(at))
				require.Zero(t, need.Slots(at))
				require.Empty(t, need.Policy())
				continue
			}
			require.True(t, ok, "%s on %s", member, node)
			require.EqualValues(t, want[i][j], got)
		}
	}
}

// board is a node drawn by its free CPUs, a letter for who is in the zone: `8 5s 6m 0b` has a single member in the
// second zone, a spanning one in the third, both in the fourth. Every zone has eight.
func board(t *testing.T, text string) (*numa.Zones, *numa.Occupancy) {
	t.Helper()
	var zones []numa.Zone
	var state numa.State
	for i, cell := range splitFields(text) {
		var free int64
		var who string
		_, err := fmt.Sscanf(cell+"-", "%d%s", &free, &who)
		require.NoError(t, err)
		hosts := map[string]numa.Hosts{"-": 0, "s-": numa.HostsSingle, "m-": numa.HostsSpanning, "b-": numa.HostsSingle | numa.HostsSpanning}[who]
		zones = append(zones, numa.Zone{ID: i, Allocatable: cpu(8000)})
		state.Zones = append(state.Zones, numa.Occupied{ID: i, Used: cpu(8000 - 1000*free), Hosts: hosts})
	}
	z, err := numa.NewZones(zones)
	require.NoError(t, err)
	node, err := z.Occupancy(state)
	require.NoError(t, err)
	return z, node
}

func splitFields(text string) (list []string) {
	for from := 0; from < len(text); {
		var word string
		n, _ := fmt.Sscan(text[from:], &word)
		if n == 0 {
			break
		}
		for text[from] == ' ' {
			from++
		}
		from += len(word)
		list = append(list, word)
	}
	return list
}

// TestRules has a line for every rule: the node as it is, a member, where it goes and how many fit.
func TestRules(t *testing.T) {
	best, restricted, single := numa.BestEffort, numa.Restricted, numa.SingleNUMANode
	for _, c := range []struct {
		rule      string
		node      string
		asks      int64
		policy    numa.Policy
		exclusive numa.Exclusive
		zones     []int
		cause     numa.Cause
		slots     int64
	}{
		{"one zone, the most used that has room", "8 5 4", 5, single, "", []int{1}, "", 2},
		{"one zone or none", "4 4 4", 5, single, "", nil, numa.CauseCapacity, 0},
		{"single members share a zone", "8s 8", 4, single, "", []int{0}, "", 4},
		{"a single member keeps out of a zone with a spanning one", "8 5m", 5, single, "", []int{0}, "", 1},
		{"and goes nowhere if there is no other", "4 5m", 5, single, "", nil, numa.CauseExclusive, 0},
		{"Preferred: clean first", "8 5m", 5, single, numa.Preferred, []int{0}, "", 2},
		{"Preferred: rather there than nowhere", "4 5m", 5, single, numa.Preferred, []int{1}, "", 1},
		{"best effort is narrow where it can be", "3 8 3", 5, best, "", []int{1}, "", 2},
		{"and wide where it must be", "3 4 3", 9, best, "", []int{0, 1, 2}, "", 1},
		{"a spanning member keeps out of a zone with a single one", "6 6s 6", 9, best, "", []int{0, 2}, "", 1},
		{"a member of one zone may join a single one", "2 6s 2", 5, best, "", []int{1}, "", 1},
		{"a spanning member joins spanning ones", "6m 6b", 9, best, "", nil, numa.CauseExclusive, 0},
		{"spanning members share zones", "6m 6m", 9, best, "", []int{0, 1}, "", 1},
		{"Preferred: clean before narrow", "6 6s 2 2", 10, best, numa.Preferred, []int{0, 2, 3}, "", 1},
		{"restricted does not widen for what is free", "3 3 3", 5, restricted, "", nil, numa.CauseCapacity, 0},
		{"restricted is as wide as an empty node needs", "6 6 6", 9, restricted, "", []int{0, 1}, "", 2},
		{"restricted beyond the node", "8 8", 17, restricted, "", nil, numa.CauseCapacity, 0},
		{"restricted, one zone: single members do not matter", "8s 3", 5, restricted, "", []int{0}, "", 1},
		{"restricted keeps out of zones with a single member", "6s 6 6s 6", 9, restricted, "", []int{1, 3}, "", 1},
		{"the smallest mask of equals", "4 4 4 4", 8, best, "", []int{0, 1}, "", 2},
		{"no policy, no zones", "1 1", 5, "", "", nil, "", math.MaxInt64},
	} {
		t.Run(c.rule, func(t *testing.T) {
			zones, node := board(t, c.node)
			need, err := zones.Need(numa.Member{Resources: cpu(c.asks * 1000), Policy: c.policy, Exclusive: c.exclusive}, "")
			require.NoError(t, err)
			got := need.Fit(node)
			require.Equal(t, c.cause, got.Cause)
			require.Equal(t, c.cause == "", got.Fits)
			require.Equal(t, c.zones, append([]int(nil), zones.IDs(got.Mask)...))
			require.Equal(t, numa.Count{Slots: c.slots, Bound: c.slots}, need.Slots(node))
		})
	}
}

// Among many zones masks are not visited in rising order.
func TestTheSmallestOfEqualMasksAmongManyZones(t *testing.T) {
	for _, text := range []string{"4 2 3 1", "4 2 3 1 0 0 0 0 0"} {
		zones, node := board(t, text)
		need, err := zones.Need(numa.Member{Resources: cpu(5000), Policy: numa.BestEffort}, "")
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, zones.IDs(need.Fit(node).Mask), "{0,3} is as narrow and as full")
	}
}

func TestNodeWithoutZonesTakesNoMemberWithAPolicy(t *testing.T) {
	zones, err := numa.NewZones(nil)
	require.NoError(t, err)
	node, err := zones.Occupancy(numa.State{})
	require.NoError(t, err)
	for _, policy := range policies {
		need, err := zones.Need(numa.Member{Policy: policy}, "")
		require.NoError(t, err)
		require.Equal(t, numa.Fit{Cause: numa.CauseCapacity}, need.Fit(node))
		require.Zero(t, need.Slots(node))
	}
	need, err := zones.Need(numa.Member{Resources: cpu(1)}, "")
	require.NoError(t, err)
	require.Equal(t, numa.Fit{Fits: true}, need.Fit(node))
	merged, err := zones.Merge(numa.BestEffort, [][]numa.Hint{nil, {}}, true)
	require.NoError(t, err)
	require.Equal(t, numa.Merged{Admit: true}, merged)
}

func TestTotalsBind(t *testing.T) {
	zones, node := board(t, "8 8")
	need, err := zones.Need(numa.Member{Policy: numa.SingleNUMANode, Resources: muster.Resources{muster.CPU: 4000, "nic": 1, "none": 0}}, "")
	require.NoError(t, err)
	for _, c := range []struct {
		totals muster.Resources
		slots  int64
	}{
		{nil, 4},
		{muster.Resources{}, 4},
		{muster.Resources{"nic": 3}, 3},
		{muster.Resources{"nic": 9, muster.CPU: 7999}, 1},
		{muster.Resources{"nic": 0}, 0},
		{muster.Resources{"none": 0}, 4},
	} {
		bound := node.WithTotals(c.totals)
		require.Equal(t, numa.Count{Slots: c.slots, Bound: c.slots}, need.Slots(bound))
		require.Equal(t, c.slots > 0, need.Fit(bound).Fits)
		require.Equal(t, c.slots == 0, need.Fit(bound).Cause == numa.CauseTotals)
		require.Len(t, need.Split(bound, int(c.slots)), int(c.slots))
		require.Nil(t, need.Split(bound, int(c.slots)+1))
	}
}

func TestUtilisationIsComparedExactly(t *testing.T) {
	// 1/3 + 2/3 of two resources against 1/2 + 1/2: equal, so the smaller mask; a unit less free and the other is taken.
	for more, want := range map[int64][]int{0: {0}, 1: {1}} {
		const unit = 6_000_000_000_000_000
		zones, err := numa.NewZones([]numa.Zone{
			{ID: 0, Allocatable: muster.Resources{muster.Memory: 3 * unit, "x": 3 * unit}},
			{ID: 1, Allocatable: muster.Resources{muster.Memory: 2 * unit, "x": 2 * unit}},
		})
		require.NoError(t, err)
		node, err := zones.Occupancy(numa.State{Zones: []numa.Occupied{
			{ID: 0, Used: muster.Resources{muster.Memory: unit - 1, "x": 2*unit - 1}},
			{ID: 1, Used: muster.Resources{muster.Memory: unit - 1 + more, "x": unit - 1}},
		}})
		require.NoError(t, err)
		need, err := zones.Need(numa.Member{Policy: numa.SingleNUMANode, Resources: muster.Resources{muster.Memory: 1, "x": 1}}, "")
		require.NoError(t, err)
		fit := need.Fit(node)
		require.Equal(t, want, zones.IDs(fit.Mask))
		require.EqualValues(t, 95*numa.Point, need.Score(node, numa.Fit{Fits: true, Mask: 1}), "the whole score of thirds")
	}
}

// One zone has more CPU in use, the other more devices; the mean decides, 2/8 + 3/4 against 5/8 + 1/4.
func TestTheMeanUtilisationDecides(t *testing.T) {
	has := muster.Resources{muster.CPU: 8, gpu: 4}
	zones, err := numa.NewZones([]numa.Zone{{ID: 0, Allocatable: has}, {ID: 1, Allocatable: has}})
	require.NoError(t, err)
	need, err := zones.Need(numa.Member{Policy: numa.SingleNUMANode, Resources: muster.Resources{muster.CPU: 1, gpu: 1}}, "")
	require.NoError(t, err)
	for _, fuller := range []int{0, 1} {
		node, err := zones.Occupancy(numa.State{Zones: []numa.Occupied{
			{ID: fuller, Used: muster.Resources{muster.CPU: 1, gpu: 2}}, {ID: 1 - fuller, Used: muster.Resources{muster.CPU: 4}},
		}})
		require.NoError(t, err)
		require.Equal(t, []int{fuller}, zones.IDs(need.Fit(node).Mask))
	}
}

func TestSlotsAboveEightZonesAreABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, number(t, "zones", 9, 12), oneOf(t, "policy", policies...))
		_, node, need := r.build(t)
		got, fit := need.Slots(node), need.Fit(node)
		require.LessOrEqual(t, got.Slots, got.Bound)
		require.Equal(t, fit.Fits, got.Slots > 0)
		if len(r.asked()) == 0 {
			return
		}
		mask, cause := r.fit()
		require.Equal(t, numa.Fit{Fits: mask != 0, Cause: cause, Mask: numa.Mask(mask), Violates: !r.clean(mask)}, fit)
		for members := range min(got.Slots, 6) + 1 {
			r.checkSplit(t, node, need, int(members), got.Slots)
		}
	})
}

// Where CPUs and devices lie in different zones, a member takes one of each kind; numbers are large.
func TestManySmallMembersOnPairsOfZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var zones []numa.Zone
		slots := map[string]int64{}
		ask := muster.Resources{muster.CPU: int64(number(t, "CPUs", 1, 50)), gpu: int64(number(t, "devices", 1, 50))}
		for id := range number(t, "zones", 2, 8) {
			name := oneOf(t, "kind", muster.CPU, gpu)
			amount := int64(number(t, "has", 0, 100_000))
			slots[name] += amount / ask[name]
			zones = append(zones, numa.Zone{ID: id, Allocatable: muster.Resources{name: amount, muster.Memory: int64(number(t, "memory", 0, 1))}})
		}
		all, err := numa.NewZones(zones)
		require.NoError(t, err)
		node, err := all.Occupancy(numa.State{})
		require.NoError(t, err)
		need, err := all.Need(numa.Member{Policy: numa.Restricted, Resources: ask}, "")
		require.NoError(t, err)
		if len(slots) < 2 || need.Width() != 2 {
			return
		}
		want := min(slots[muster.CPU], slots[gpu])
		require.Equal(t, numa.Count{Slots: want, Bound: want}, need.Slots(node))
		after, err := node.Add(need.Split(node, int(want))...)
		require.NoError(t, err)
		require.Empty(t, after.Excess())
		require.Zero(t, need.Slots(after).Slots)
	})
}

// All amounts times one factor give the same zones and counts: nothing is lost in large numbers.
func TestScalingAllAmountsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, number(t, "zones", 1, 6), oneOf(t, "policy", policies...))
		r.member.CPUs = ""
		_, node, need := r.build(t)
		const factor = math.MaxInt64 / 100_000
		for z := range r.zones {
			for name := range r.zones[z].Allocatable {
				r.zones[z].Allocatable[name] *= factor
				r.used[z][name] *= factor
			}
		}
		for name := range r.member.Resources {
			r.member.Resources[name] *= factor
		}
		_, large, needs := r.build(t)
		require.Equal(t, need.Fit(node), needs.Fit(large))
		require.Equal(t, need.Slots(node), needs.Slots(large))
		require.Equal(t, need.Score(node, need.Fit(node)), needs.Score(large, needs.Fit(large)))
	})
}

// The first masks that come to mind take four members; a fifth fits if they are chosen with care.
func TestSlotsOfEightUnequalZones(t *testing.T) {
	zones, node := server(t, 8)
	need := wide(t, zones, numa.Restricted)
	require.Equal(t, 2, need.Width())
	require.Equal(t, numa.Count{Slots: 5, Bound: 5}, need.Slots(node))
	require.Len(t, need.Split(node, 5), 5)
	require.Nil(t, need.Split(node, 6))
}

func TestNothingIsAllocated(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8} {
		for _, policy := range policies {
			zones, node := server(t, n)
			fits, slots := half(t, zones, policy), wide(t, zones, policy)
			require.Zero(t, testing.AllocsPerRun(20, func() { fits.Score(node, fits.Fit(node)) }))
			require.Zero(t, testing.AllocsPerRun(20, func() { slots.Slots(node) }))
			lists := [][]numa.Hint{{{Mask: 1}}, {}, {{Mask: 1, Preferred: true}}}
			require.Zero(t, testing.AllocsPerRun(20, func() {
				if _, err := zones.Merge(policy, lists, true); err != nil {
					t.Fatal(err)
				}
			}))
		}
	}
}
