package quota_test

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

func gpus(n int64) muster.Resources { return muster.Resources{"nvidia.com/gpu": n} }

// Two teams share eight devices. What one does not use the other may borrow, until it is wanted back.
func Example() {
	tree, err := quota.New([]quota.Spec{
		{Name: "research", Min: gpus(4), Max: gpus(8)},
		{Name: "serving", Min: gpus(4), Max: gpus(8)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	state, _ := tree.State(gpus(8))
	job := quota.Ask{Quota: "research", Request: gpus(6)}
	refusal, _ := state.Admit(job, quota.Fair)
	fmt.Println("serving is idle:", refusal == nil)

	state, _ = state.WithDemand("serving", gpus(3))
	refusal, _ = state.Admit(job, quota.Fair)
	fmt.Println("serving wants three:", refusal.Quota, refusal.Rule, refusal.Short)
	// Output:
	// serving is idle: true
	// serving wants three: research limit [{nvidia.com/gpu 5 0 6 1}]
}
