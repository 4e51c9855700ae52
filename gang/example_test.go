package gang_test

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// What does a gang ask for? Eight members of eight GPUs, in pipelines of four that stay within a rack.
func Example() {
	r := &gang.Request{
		Name:   "ns/train",
		Shape:  gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 8}, Selector: map[string]string{"pool": "train"}},
		Groups: []gang.Groups{{Size: 4, Gather: []gang.Rule{{Layer: "rack", Strategy: gang.MustGather}}}},
	}
	for i := range 8 {
		r.Members = append(r.Members, gang.Member{Name: fmt.Sprint("worker-", i)})
	}
	fmt.Println(r.Validate())
	levels, err := r.Levels(len(r.Members))
	fmt.Println("groups of", levels[0].Size, err)
	fmt.Println(r.Shape.Selects("node-1", map[string]string{"pool": "train"}))
	fmt.Println(gang.Tolerates([]gang.Taint{{Key: "maintenance", Effect: gang.NoSchedule}}, r.Shape.Tolerations))
	// Output:
	// <nil>
	// groups of 4 <nil>
	// true
	// false
}

// All defects are reported at once, by field.
func ExampleRequest_Validate() {
	r := &gang.Request{
		Members:   []gang.Member{{Name: "a"}, {Name: "a"}},
		MinMember: -1,
		Groups:    []gang.Groups{{Size: 4}, {Size: 3}},
	}
	fmt.Println(r.Validate())
	// Output:
	// request.Members[1].Name "a": duplicate name, of request.Members[0] too
	// request.MinMember "-1": negative
	// request.Groups[1].Size "3": does not divide the size of the groups around it, 4
}

// Whoever fails goes behind those that wait already, and can be kept away from the head for a while.
func ExampleQueue() {
	var q gang.Queue
	for _, g := range []gang.Queued{
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

// Three members are bound together or not at all; time passes as the host says.
func ExampleLifecycle() {
	state := &gang.Lifecycle{}
	tell := func(e gang.Event) {
		next, actions, err := state.Step(e)
		if err != nil {
			panic(err)
		}
		state = next
		for _, a := range actions {
			fmt.Println(e.Time, e.Kind, e.Member, "->", a.Kind, a.Members, a.Gangs)
		}
	}
	tell(gang.Event{Kind: gang.GangChanged, Gang: "ns/a", Terms: gang.Terms{MinMember: 3, WaitTime: 60}})
	reserve := func(now int64, member string) {
		tell(gang.Event{Kind: gang.MemberReserved, Time: now, Gang: "ns/a", Member: member})
	}
	reserve(1, "a-0")
	reserve(2, "a-1")
	due, _ := state.Deadline()
	tell(gang.Event{Kind: gang.TimePassed, Time: due})
	reserve(70, "a-2")
	reserve(71, "a-0")
	reserve(72, "a-1")
	// Output:
	// 1 reserved a-0 -> wait [{ns/a a-0}] []
	// 2 reserved a-1 -> wait [{ns/a a-1}] []
	// 61 time passed  -> reject [{ns/a a-0} {ns/a a-1}] []
	// 61 time passed  -> requeue [] [ns/a]
	// 70 reserved a-2 -> wait [{ns/a a-2}] []
	// 71 reserved a-0 -> wait [{ns/a a-0}] []
	// 72 reserved a-1 -> allow [{ns/a a-0} {ns/a a-1} {ns/a a-2}] []
}
