// Quickstart places a gang of four, two pipelines of two, on a small cluster. It is what a scheduler would copy.
package main

import (
	"fmt"
	"log"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

func main() {
	// The network: two racks in one block, four nodes of eight devices in each.
	layers := topology.LabelLayers{Layers: []topology.LabelLayer{{Name: "block", Keys: []string{"net/block"}}, {Name: "rack", Keys: []string{"net/rack"}}}}
	var labeled []topology.LabeledNode
	spec := cluster.Spec{}
	for i := range 8 {
		name, labels := fmt.Sprintf("node-%d", i), map[string]string{"net/block": "b0", "net/rack": fmt.Sprintf("r%d", i/4)}
		labeled = append(labeled, topology.LabeledNode{Name: name, Labels: labels})
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Labels: labels, Allocatable: muster.Resources{"gpu": 8}})
	}
	tree, err := topology.FromLabels(layers, labeled)
	check(err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := placement.NewCluster(spec)
	check(err)

	// The gang: four members with a node's devices each; a pipeline stays within a rack.
	req := gang.Request{Name: "default/train", Shape: gang.Shape{Resources: muster.Resources{"gpu": 8}}}
	req.Groups = []gang.Groups{{Size: 2, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}}}
	for i := range 4 {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("train-%d", i)})
	}

	res, err := placement.Plan(c, &req) // decides, changes nothing
	check(err)
	fmt.Printf("%s, domain %v\n", res.Strategy, res.Domain)
	for _, a := range res.Assignments {
		fmt.Printf("rank %d, pipeline %d: %s on %s\n", a.Rank, a.Group, a.Member, a.Node)
	}
	if res.Waits() { // for members that are leaving, none here: whoever schedules plans again once they are gone
		log.Fatal("not yet")
	}
	next, err := c.Apply(res) // the next snapshot; the old one stays valid
	check(err)
	_, err = placement.Plan(next, &gang.Request{Name: "default/more", Shape: req.Shape, Members: []gang.Member{
		{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"},
	}})
	fmt.Println(err)

	watch() // the same of objects that a client holds
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
