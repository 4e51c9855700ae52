package queue_test

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// Whose turn is it? Whoever fails goes behind those that wait already, and can be kept away from the head for a while.
func Example() {
	var q queue.Queue
	for _, g := range []queue.Entry{
		{Name: "ns/train", UID: "g1", Priority: 5, Created: 10},
		{Name: "ns/tune", UID: "g2", Priority: 5, Created: 20},
		{Name: "ns/serve", UID: "g3", Priority: 9, Created: 30},
	} {
		if err := q.Add(g); err != nil {
			panic(err)
		}
	}
	for now := int64(40); now < 43; now++ {
		g, _ := q.Next(now)
		fmt.Println(now, g.Name, "finds no place")
		q.Failed(g.Name, now, now+10)
	}
	_, ok := q.Next(43)
	due, _ := q.Due()
	fmt.Println(43, ok, "until", due)
	g, _ := q.Next(52)
	fmt.Println(52, g.Name)
	// Output:
	// 40 ns/serve finds no place
	// 41 ns/train finds no place
	// 42 ns/tune finds no place
	// 43 false until 50
	// 52 ns/serve
}

// A host goes through its queue by a discipline. Of two nodes one is taken until 5; wide needs both, and only short is gone by then.
func ExampleDiscipline() {
	gpus := muster.Resources{"gpu": 8}
	c, err := placement.NewCluster(cluster.Spec{
		Nodes:   []cluster.Node{{Name: "node-0", Allocatable: gpus}, {Name: "node-1", Allocatable: gpus}},
		Running: []cluster.Running{{Gang: "ns/old", Member: "old-0", Node: "node-0", Resources: gpus, End: 5}},
	})
	if err != nil {
		panic(err)
	}
	requests := map[string]*gang.Request{
		"ns/wide":  {Members: []gang.Member{{Name: "wide-0"}, {Name: "wide-1"}}},
		"ns/long":  {Members: []gang.Member{{Name: "long-0"}}},
		"ns/short": {Members: []gang.Member{{Name: "short-0"}}, End: 4},
	}
	var q queue.Queue
	for i, name := range []string{"ns/wide", "ns/long", "ns/short"} {
		requests[name].Name, requests[name].Shape.Resources = name, gpus
		if err := q.Add(queue.Entry{Name: name, Created: int64(i)}); err != nil {
			panic(err)
		}
	}

	for _, discipline := range []queue.Discipline{queue.Strict, queue.NextThatFits, queue.EASY} {
		c, held := c, 0 // each from the same cluster
		for g := range q.All() {
			if res, err := placement.Plan(c, requests[g.Name]); err == nil {
				fmt.Println(discipline, g.Name, "on", res.Assignments[0].Node)
				if c, err = c.Apply(res); err != nil {
					panic(err)
				}
				continue
			}
			if !discipline.PassesBy() {
				fmt.Println(discipline, g.Name, "waits, and all behind it")
				break
			}
			if !discipline.Holds(held) {
				fmt.Println(discipline, g.Name, "waits")
				continue
			}
			next, starts := placement.EarliestAll(c, []*gang.Request{requests[g.Name]}, placement.EarliestOptions{})
			if starts[0].Err == nil {
				fmt.Println(discipline, g.Name, "starts at", starts[0].Start.At)
				c, held = next, held+1
			}
		}
	}
	// Output:
	// strict ns/wide waits, and all behind it
	// next-that-fits ns/wide waits
	// next-that-fits ns/long on node-1
	// next-that-fits ns/short waits
	// easy ns/wide starts at 5
	// easy ns/long waits
	// easy ns/short on node-1
}
