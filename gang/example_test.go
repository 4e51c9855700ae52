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
		Groups: []gang.Groups{{Size: 4, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}}},
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
