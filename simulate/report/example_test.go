package report_test

import (
	"bytes"
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/report"
	"github.com/muster-sched/muster/simulate/streams"
)

// A page that compares two disciplines on 32 devices.
func ExampleWrite() {
	one := gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 1}}
	var spec cluster.Spec
	for i := range 32 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: one.Resources})
	}
	c, err := placement.NewCluster(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	var runs []report.Run
	for _, discipline := range []queue.Discipline{queue.Strict, queue.EASY} {
		gangs := streams.Generated{Seed: 1, Jobs: 300, Members: 16, Shape: one, Runs: 600, Load: 850, Slots: 32}
		r, err := simulate.Run(simulate.Options{Cluster: c, Jobs: gangs.Stream(), Discipline: discipline, Series: &simulate.SeriesOptions{Fit: &one}})
		if err != nil {
			fmt.Println(err)
			return
		}
		runs = append(runs, report.Run{Name: "discipline=" + string(discipline), Report: r})
	}
	var page bytes.Buffer
	if err := report.Write(&page, []string{"32 nodes of 1 nvidia.com/gpu"}, runs); err != nil {
		fmt.Println(err)
	}
	fmt.Println(bytes.Count(page.Bytes(), []byte("<svg")), "plots")
	// Output:
	// 4 plots
}
