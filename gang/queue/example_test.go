package queue_test

import (
	"fmt"

	"github.com/muster-sched/muster/gang/queue"
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
