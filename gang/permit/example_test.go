package permit_test

import (
	"fmt"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
)

// Who waits until the gang is bound? Three members are bound together or not at all; time passes as the host says.
func Example() {
	state := &permit.Lifecycle{}
	tell := func(e permit.Event) {
		next, actions, err := state.Step(e)
		if err != nil {
			panic(err)
		}
		state = next
		for _, a := range actions {
			fmt.Println(e.Time, e.Kind, e.Member, "->", a.Kind, a.Members, a.Gangs)
		}
	}
	tell(permit.Event{Kind: permit.GangChanged, Gang: "ns/a", Terms: gang.Terms{MinMember: 3, WaitTime: 60}})
	reserve := func(now int64, member string) {
		tell(permit.Event{Kind: permit.MemberReserved, Time: now, Gang: "ns/a", Member: member})
	}
	reserve(1, "a-0")
	reserve(2, "a-1")
	due, _ := state.Deadline()
	tell(permit.Event{Kind: permit.TimePassed, Time: due})
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
