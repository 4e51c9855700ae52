package simulate_test

import (
	"fmt"
	"os"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// How long do gangs of up to 16 members wait on 32 devices, if room is held for the first one that waits?
func ExampleRun() {
	var spec cluster.Spec
	for i := range 32 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: muster.Resources{"nvidia.com/gpu": 1}})
	}
	c, err := placement.NewCluster(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs := streams.Generated{
		Seed: 1, Jobs: 1000, Members: 16, Shape: gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 1}}, Runs: 600, Load: 850, Slots: 32,
	}
	report, err := simulate.Run(simulate.Options{Cluster: c, Jobs: jobs.Stream(), Discipline: queue.EASY})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// gangs 1000, ended 1000, never fit 0, wait for ever 0, restarts 0, moved gangs 0 of 0 members, tries 3762
	// nvidia.com/gpu: load 84.1 %, in use 81.6 %, lost 0 of 2990642 seconds
	// members        gangs    mean s       p50       p95       p99   longest
	// 1                256        81         0       431      1183      1531
	// 2                150       206         0       799      2879      3384
	// 3-4              180       403        62      1839      2943      3382
	// 5-8              192       664       283      2623      3391      3657
	// 9-16             222       900       511      2815      3743      4157
	// all             1000       451        65      2271      3391      4157
}
