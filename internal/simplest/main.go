// Simplest plans the simplest gang there is, and writes to a folder which lines of the module that ran. house_test.go builds it with `-cover`, and counts them.
package main

import (
	"fmt"
	"os"
	"runtime/coverage"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run plans four members on eight nodes in two racks.
func run(folder string) error {
	var labeled []topology.LabeledNode
	spec := cluster.Spec{}
	for i := range 8 {
		name, labels := fmt.Sprint("node-", i), map[string]string{"net/rack": fmt.Sprint("r", i/4)}
		labeled = append(labeled, topology.LabeledNode{Name: name, Labels: labels})
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Labels: labels, Allocatable: muster.Resources{"gpu": 8}})
	}
	tree, err := topology.FromLabels(topology.LabelLayers{Layers: []topology.LabelLayer{{Name: "rack", Keys: []string{"net/rack"}}}}, labeled)
	if err != nil {
		return err
	}
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := placement.NewCluster(spec)
	if err != nil {
		return err
	}
	req := gang.Request{
		Name: "default/train", Shape: gang.Shape{Resources: muster.Resources{"gpu": 8}}, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}},
		Members: []gang.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}},
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if _, err := placement.Plan(c, &req); err != nil {
		return err
	}
	if err := coverage.WriteMetaDir(folder); err != nil {
		return err
	}
	return coverage.WriteCountersDir(folder)
}
