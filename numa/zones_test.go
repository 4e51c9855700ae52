package numa_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// fields lists the fields that an error names, all of them as InvalidErrors.
func fields(t require.TestingT, err error) []string {
	var list []string
	var visit func(error)
	visit = func(err error) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				visit(e)
			}
			return
		}
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
		list = append(list, invalid.Field)
	}
	if err != nil {
		visit(err)
	}
	return list
}

func cpu(amount int64) muster.Resources { return muster.Resources{muster.CPU: amount} }

func TestEveryDefectOfZonesIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		zones []numa.Zone
		want  []string
	}{
		"none":          {nil, nil},
		"any ids":       {[]numa.Zone{{ID: 7}, {ID: 3}}, nil},
		"duplicate id":  {[]numa.Zone{{ID: 1}, {ID: 0}, {ID: 1}}, []string{"zones[2].ID"}},
		"negative id":   {[]numa.Zone{{ID: -1}}, []string{"zones[0].ID"}},
		"negative":      {[]numa.Zone{{Allocatable: cpu(-1)}}, []string{"zones[0].Allocatable.cpu"}},
		"nameless":      {[]numa.Zone{{Allocatable: muster.Resources{"": 1}}}, []string{"zones[0].Allocatable"}},
		"sum overflows": {[]numa.Zone{{ID: 0, Allocatable: cpu(math.MaxInt64)}, {ID: 1, Allocatable: cpu(1)}}, []string{"zones"}},
		"too many":      {make([]numa.Zone, 17)[:17:17], nil}, // ids are duplicates too, see below
		"distances of one zone": {
			[]numa.Zone{{ID: 0, Distances: map[int]int64{0: 10, 1: 20}}, {ID: 1}},
			[]string{"zones[1].Distances[0]", "zones[1].Distances[1]"},
		},
		"distances to nowhere, negative, and far": {
			[]numa.Zone{{ID: 0, Distances: map[int]int64{0: -1, 1: 1 << 31, 2: 10}}, {ID: 1, Distances: map[int]int64{0: 1, 1: 1}}},
			[]string{"zones[0].Distances[0]", "zones[0].Distances[1]", "zones[0].Distances"},
		},
		"own distance missing": {[]numa.Zone{{ID: 4, Distances: map[int]int64{5: 1}}}, []string{"zones[0].Distances", "zones[0].Distances[4]"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := numa.NewZones(c.zones)
			if name == "too many" {
				require.Equal(t, "zones", fields(t, err)[0])
				return
			}
			require.Equal(t, c.want, fields(t, err))
		})
	}
}

// two are zones 3 and 5 of eight CPUs, the second with a device.
func two(t require.TestingT) *numa.Zones {
	z, err := numa.NewZones([]numa.Zone{{ID: 5, Allocatable: muster.Resources{muster.CPU: 8000, gpu: 1}}, {ID: 3, Allocatable: cpu(8000)}})
	require.NoError(t, err)
	return z
}

func TestEveryDefectOfAStateIsReported(t *testing.T) {
	share := func(zone int, amount int64) numa.Placed {
		return numa.Placed{Shares: []numa.Share{{Zone: zone, Resources: cpu(amount)}}}
	}
	for name, c := range map[string]struct {
		state numa.State
		want  []string
	}{
		"nothing":        {numa.State{}, nil},
		"negative total": {numa.State{Totals: cpu(-1)}, []string{"totals.cpu"}},
		"unknown zone":   {numa.State{Zones: []numa.Occupied{{ID: 0}}}, []string{"zones[0].ID"}},
		"unknown flag":   {numa.State{Zones: []numa.Occupied{{ID: 3, Hosts: 4}}}, []string{"zones[0].Hosts"}},
		"negative use":   {numa.State{Zones: []numa.Occupied{{ID: 3, Used: cpu(-1)}}}, []string{"zones[0].Used.cpu"}},
		"negative free":  {numa.State{Zones: []numa.Occupied{{ID: 5}, {ID: 3, Used: cpu(8001)}}}, []string{"zones[1].Used.cpu"}},
		"policy":         {numa.State{Placed: []numa.Placed{{Policy: "best"}}}, []string{"placed[0].Policy"}},
		"share nowhere":  {numa.State{Placed: []numa.Placed{share(4, 1)}}, []string{"placed[0].Shares[0].Zone"}},
		"negative share": {numa.State{Placed: []numa.Placed{share(3, 1), share(3, -1)}}, []string{"placed[1].Shares[0].Resources.cpu"}},
		"overflow":       {numa.State{Placed: []numa.Placed{share(3, math.MaxInt64), share(3, 1)}}, []string{"placed[1].Shares[0].Resources.cpu"}},
		"all at once":    {numa.State{Totals: cpu(-1), Zones: []numa.Occupied{{ID: 0}}, Placed: []numa.Placed{share(9, 1)}}, []string{"totals.cpu", "zones[0].ID", "placed[0].Shares[0].Zone"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := two(t).Occupancy(c.state)
			require.Equal(t, c.want, fields(t, err))
		})
	}
}

func TestEveryDefectOfAMemberIsReported(t *testing.T) {
	_, err := two(t).Need(numa.Member{
		Resources: muster.Resources{muster.CPU: -1, "": 1}, Policy: "single", Exclusive: "required", CPUs: "thread", ThreadsPerCore: -1,
	}, "restricted")
	require.Equal(t, []string{
		"member.Resources", "member.Resources.cpu", "member.Policy", "policy", "member.Exclusive", "member.CPUs", "member.ThreadsPerCore",
	}, fields(t, err))
	_, err = two(t).Merge("none", [][]numa.Hint{nil, {{Mask: 1}, {Mask: 4}}}, false)
	require.Equal(t, []string{"policy", "hints[1][1].Mask"}, fields(t, err))
}

func TestSharesBeyondAZoneLeaveNothingFree(t *testing.T) {
	over := numa.Placed{Shares: []numa.Share{{Zone: 3, Resources: cpu(9000)}, {Zone: 3, Resources: cpu(1000)}}}
	node, err := two(t).Occupancy(numa.State{Placed: []numa.Placed{over}})
	require.NoError(t, err)
	require.Equal(t, []numa.Excess{{Zone: 3, Resource: muster.CPU, Amount: 2000}}, node.Excess())
	require.Equal(t, muster.Resources{muster.CPU: 0, gpu: 0}, node.Free(3))
	require.Equal(t, muster.Resources{muster.CPU: 8000, gpu: 1}, node.Free(5))
	require.Nil(t, node.Free(4))
	// Two shares of one zone span nothing.
	require.Equal(t, numa.Hosts(0), node.Hosts(3))

	node, err = node.Remove(over)
	require.NoError(t, err)
	require.EqualValues(t, 8000, node.Free(3)[muster.CPU])
	_, err = node.Remove(over)
	require.Equal(t, []string{"placed"}, fields(t, err))
}

func TestMembersMarkTheirZonesAndTakeTheMarksAlong(t *testing.T) {
	one := func(policy numa.Policy, zones ...int) numa.Placed {
		p := numa.Placed{Policy: policy}
		for _, z := range zones {
			p.Shares = append(p.Shares, numa.Share{Zone: z, Resources: cpu(1000)})
		}
		return p
	}
	single, spanning, plain := one(numa.SingleNUMANode, 3), one(numa.BestEffort, 3, 5), one(numa.Restricted, 5)
	empty, err := two(t).Occupancy(numa.State{})
	require.NoError(t, err)
	node, err := empty.Add(single, single, spanning, plain)
	require.NoError(t, err)
	require.Equal(t, numa.HostsSingle|numa.HostsSpanning, node.Hosts(3))
	require.Equal(t, numa.HostsSpanning, node.Hosts(5))
	require.Zero(t, node.Hosts(4))
	node, err = node.Remove(spanning, single)
	require.NoError(t, err)
	require.Equal(t, numa.HostsSingle, node.Hosts(3))
	require.Zero(t, node.Hosts(5))
	node, err = node.Remove(plain, single)
	require.NoError(t, err)
	require.Equal(t, empty, node)
	_, err = node.Remove(numa.Placed{Policy: numa.SingleNUMANode, Shares: []numa.Share{{Zone: 3, Resources: muster.Resources{"nic": 1}}}})
	require.Error(t, err, "nobody is there")
}

func TestZonesDoNotDependOnTheOrderOfTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, number(t, "zones", 1, 5), oneOf(t, "policy", policies...))
		zones, node, need := r.build(t)
		mixed := *r
		mixed.zones, mixed.used, mixed.hosts = slices.Clone(r.zones), slices.Clone(r.used), slices.Clone(r.hosts)
		mixed.keeps = slices.Clone(r.keeps)
		order := rapid.Permutation(r.zones).Draw(t, "order")
		for i, z := range order {
			from := slices.IndexFunc(r.zones, func(other numa.Zone) bool { return other.ID == z.ID })
			mixed.zones[i], mixed.used[i], mixed.hosts[i] = r.zones[from], r.used[from], r.hosts[from]
			if r.keeps != nil {
				mixed.keeps[i] = r.keeps[from]
			}
		}
		again, other, _ := mixed.build(t)
		require.True(t, zones.Equal(again))
		require.Equal(t, node, other)
		require.Equal(t, need.Fit(node), need.Fit(other), "of equal zones")
		require.Equal(t, need.Slots(node), need.Slots(other))
	})
}

func TestNothingFitsOnOtherZones(t *testing.T) {
	zones := two(t)
	more, err := numa.NewZones([]numa.Zone{{ID: 3, Allocatable: cpu(8000)}})
	require.NoError(t, err)
	require.False(t, zones.Equal(more))
	node, err := more.Occupancy(numa.State{})
	require.NoError(t, err)
	need, err := zones.Need(numa.Member{Policy: numa.BestEffort, Resources: cpu(1)}, "")
	require.NoError(t, err)
	require.Equal(t, numa.Fit{Cause: numa.CauseCapacity}, need.Fit(node))
	require.Zero(t, need.Slots(node))
	require.Nil(t, need.Shares(node, 1))
	require.Zero(t, need.Score(node, numa.Fit{Fits: true, Mask: 1}))
}

func TestMasksAndIDs(t *testing.T) {
	zones := two(t)
	m, ok := zones.Mask(5, 3)
	require.True(t, ok)
	require.EqualValues(t, 3, m)
	m, ok = zones.Mask(5, 4)
	require.False(t, ok)
	require.EqualValues(t, 2, m)
	require.Equal(t, []int{5}, zones.IDs(m|4))
}

// FuzzInput builds a node from anything: it is refused with InvalidErrors, or everything can be asked of it.
func FuzzInput(f *testing.F) {
	f.Add([]byte("\x02\x00\x08\x01\x08\x03"), int64(3000), "BestEffort", "Preferred", "core", 2)
	f.Add([]byte("\x01\xff"), int64(math.MaxInt64), "SingleNUMANode", "", "cpu", -1)
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), int64(math.MinInt64), "Restricted", "Required", "", 1)
	f.Fuzz(func(t *testing.T, data []byte, request int64, policy, exclusive, cpus string, threads int) {
		next := func() int64 {
			if len(data) == 0 {
				return 0
			}
			b := int64(int8(data[0]))
			data = data[1:]
			if b > 100 {
				return b << 56
			}
			return b
		}
		var list []numa.Zone
		var state numa.State
		for range next() % 20 {
			id := int(next())
			list = append(list, numa.Zone{ID: id, Allocatable: muster.Resources{muster.CPU: next(), gpu: next()}})
			state.Zones = append(state.Zones, numa.Occupied{ID: id, Used: cpu(next()), Hosts: numa.Hosts(next())})
			state.Placed = append(state.Placed, numa.Placed{Policy: numa.Policy(policy), Shares: []numa.Share{{Zone: int(next()), Resources: cpu(next())}}})
		}
		zones, err := numa.NewZones(list)
		fields(t, err)
		if err != nil {
			return
		}
		node, err := zones.Occupancy(state)
		fields(t, err)
		need, errNeed := zones.Need(numa.Member{
			Resources: muster.Resources{muster.CPU: request, gpu: next()}, Policy: numa.Policy(policy),
			Exclusive: numa.Exclusive(exclusive), CPUs: numa.Granularity(cpus), ThreadsPerCore: threads,
		}, "")
		fields(t, errNeed)
		if errors.Join(err, errNeed) != nil {
			return
		}
		fit, count := need.Fit(node), need.Slots(node)
		require.Equal(t, fit.Fits, count.Slots > 0 || count.Bound > 0)
		require.Equal(t, fit.Fits, fit.Cause == "")
		require.LessOrEqual(t, count.Slots, count.Bound)
		if fit.Fits {
			need.Score(node, fit)
			placed := need.Split(node, int(min(count.Slots, 5)))
			_, err = node.Add(placed...)
			require.NoError(t, err)
		}
	})
}
