package numa_test

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// Which zones does a member get, and how many copies does the node take? Two sockets, one in use by half; a member needs
// six CPUs of eight and a device from one zone.
func Example() {
	zones, err := numa.NewZones([]numa.Zone{
		{ID: 0, Allocatable: muster.Resources{muster.CPU: 16_000, "nvidia.com/gpu": 4}},
		{ID: 1, Allocatable: muster.Resources{muster.CPU: 16_000, "nvidia.com/gpu": 4}},
	})
	if err != nil {
		panic(err)
	}
	node, err := zones.Occupancy(numa.State{Placed: []numa.Placed{{
		Policy: numa.SingleNUMANode,
		Shares: []numa.Share{{Zone: 0, Resources: muster.Resources{muster.CPU: 8_000, "nvidia.com/gpu": 1}}},
	}}})
	if err != nil {
		panic(err)
	}
	need, err := zones.Need(numa.Member{
		Policy: numa.SingleNUMANode, Resources: muster.Resources{muster.CPU: 6_000, "nvidia.com/gpu": 1},
	}, "")
	if err != nil {
		panic(err)
	}
	fit := need.Fit(node)
	fmt.Println("zones", zones.IDs(fit.Mask), "score", need.Score(node, fit)/numa.Point)
	fmt.Println("slots", need.Slots(node).Slots) // one beside the member in zone 0, two in zone 1; by totals it were four

	next, err := node.Add(need.Split(node, 3)...)
	if err != nil {
		panic(err)
	}
	fmt.Println("free", next.Free(0), next.Free(1), need.Fit(next).Cause)
	// Output:
	// zones [0] score 96
	// slots 3
	// free map[cpu:2000 nvidia.com/gpu:2] map[cpu:4000 nvidia.com/gpu:2] numa-capacity
}

// Two Restricted members of nine CPUs on three zones of six fit if the first leaves room for the second: neither is
// split evenly.
func ExampleNeed_Split() {
	var list []numa.Zone
	for id := range 3 {
		list = append(list, numa.Zone{ID: id, Allocatable: muster.Resources{muster.CPU: 6_000}})
	}
	zones, err := numa.NewZones(list)
	if err != nil {
		panic(err)
	}
	node, err := zones.Occupancy(numa.State{})
	if err != nil {
		panic(err)
	}
	need, err := zones.Need(numa.Member{Policy: numa.Restricted, Resources: muster.Resources{muster.CPU: 9_000}}, "")
	if err != nil {
		panic(err)
	}
	for _, placed := range need.Split(node, 2) {
		fmt.Println(placed.Shares)
	}
	// Output:
	// [{0 map[cpu:3000]} {1 map[cpu:6000]}]
	// [{0 map[cpu:3000]} {2 map[cpu:6000]}]
}

// Two providers agree on the zone that both prefer.
func ExampleZones_Merge() {
	zones, err := numa.NewZones([]numa.Zone{{ID: 0}, {ID: 1}})
	if err != nil {
		panic(err)
	}
	zero, _ := zones.Mask(0)
	one, _ := zones.Mask(1)
	merged, err := zones.Merge(numa.Restricted, [][]numa.Hint{
		{{Mask: zero, Preferred: true}, {Mask: one, Preferred: true}},
		{{Mask: one, Preferred: true}, {Mask: zero | one}},
		nil, // a provider without wishes
	}, false)
	fmt.Println(merged.Admit, zones.IDs(merged.Mask), err)
	// Output:
	// true [1] <nil>
}
