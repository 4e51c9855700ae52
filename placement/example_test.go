package placement_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// exampleCluster is two racks of two nodes with four devices each; half of node-0 is taken.
func exampleCluster() *placement.Cluster {
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Name: "rack", Tier: 1}},
		Roots: []topology.Domain{
			{Name: "rack-0", Tier: 1, Nodes: []string{"node-0", "node-1"}},
			{Name: "rack-1", Tier: 1, Nodes: []string{"node-2", "node-3"}},
		},
	})
	check(err)
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for i := range 4 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: muster.Resources{"gpu": 4}})
	}
	spec.Running = []cluster.Running{{Gang: "ns/old", Member: "a", Node: "node-0", Resources: muster.Resources{"gpu": 2}}}
	c, err := placement.NewCluster(spec)
	check(err)
	return c
}

// exampleGang is a gang whose members ask for two devices each.
func exampleGang(members int) *gang.Request {
	req := &gang.Request{Name: "ns/train", Shape: gang.Shape{Resources: muster.Resources{"gpu": 2}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("train-", i)})
	}
	return req
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Which node does each member go to? Three members fit exactly into the rack that is not empty.
func ExamplePlan() {
	res, err := placement.Plan(exampleCluster(), exampleGang(3))
	check(err)
	fmt.Println(res.Strategy, res.Domain)
	for _, a := range res.Assignments {
		fmt.Println(a.Rank, a.Member, a.Node)
	}
	// Output:
	// rack [rack-0]
	// 0 train-0 node-0
	// 1 train-1 node-1
	// 2 train-2 node-1
}

// A plan is a value; Apply makes the snapshot in which it is carried out, and refuses what does not hold any more.
func ExampleCluster_Apply() {
	c := exampleCluster()
	res, err := placement.Plan(c, exampleGang(3))
	check(err)
	next, err := c.Apply(res)
	check(err)
	free, _ := next.Free("node-1")
	fmt.Println(free)
	_, err = next.Apply(res)
	fmt.Println(err)
	// Output:
	// map[gpu:0]
	// conflict: node node-0, member ns/train train-0: the member runs already
}

// A host whose own checks may reject a plan goes through the candidates, best first. The whole
// cluster is no third one: the best place in it is rack-0.
func ExampleCandidates() {
	for res, err := range placement.Candidates(exampleCluster(), exampleGang(3)) {
		check(err)
		fmt.Println(res.Domain)
	}
	// Output:
	// [rack-0]
	// [rack-1]
}

// The host tells what has changed: a member leaves, a node breaks, another one comes.
func ExampleCluster_Update() {
	next, err := exampleCluster().Update(cluster.Delta{
		Remove:      []cluster.MemberRef{{Gang: "ns/old", Member: "a"}},
		RemoveNodes: []string{"node-1"},
		SetNodes:    []cluster.Node{{Name: "node-4", Allocatable: muster.Resources{"gpu": 8}}},
	})
	check(err)
	fmt.Println(next.Len(), next.Notices())
	res, err := placement.Plan(next, exampleGang(4))
	check(err)
	fmt.Println(res.Domain)
	// Output:
	// 4 [node node-1 of topology "" is not in the cluster]
	// [rack-1]
}

// A refusal counts: what was wanted, what fits and where, and why nodes are out.
func ExampleUnschedulable() {
	req := exampleGang(5)
	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	_, err := placement.Plan(exampleCluster(), req)
	var why *placement.Unschedulable
	if errors.As(err, &why) {
		fmt.Println(why)
		for _, t := range why.Tiers {
			fmt.Println(t.Tier, t.Layer, t.Domain, t.Members)
		}
	}
	req.Shape.Resources = muster.Resources{"gpu": 3}
	if _, err = placement.Plan(exampleCluster(), req); errors.As(err, &why) {
		fmt.Println(why.Nodes())
	}
	// Output:
	// unschedulable: MustGather rack, 4 of 5 at rack-1 (proven)
	// 0 node [rack-0 node-1] 2
	// 1 rack [rack-1] 4
	// {4 [{resource:gpu 1 []}]}
}

// A gang that lost a member and cannot have a replacement beside the others: the refusal names those of them that would have to move for it.
func ExampleUnschedulable_InTheWay() {
	res, err := placement.Plan(exampleCluster(), exampleGang(3))
	check(err)
	cluster, err := exampleCluster().Apply(res)
	check(err)
	req := exampleGang(4)
	req.Gather, req.Members = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}, req.Members[3:]
	_, err = placement.Plan(cluster, req)
	var why *placement.Unschedulable
	if errors.As(err, &why) {
		fmt.Println(why)
		o := why.InTheWay()
		for _, m := range o.Members {
			fmt.Println(m.Member, m.Node)
		}
		fmt.Println(o.Proven)
	}
	// Output:
	// unschedulable: MustGather rack, 0 of 1 (proven)
	// train-0 node-0
	// train-1 node-1
	// train-2 node-1
	// true
}

// A queue is planned in the order given, every gang on what the ones before it left; a refused one stops nobody.
func ExampleBatch() {
	var queue []*gang.Request
	for i, members := range []int{3, 5, 4} {
		req := exampleGang(members)
		req.Name = fmt.Sprint("ns/job-", i)
		queue = append(queue, req)
	}
	next, planned := placement.Batch(exampleCluster(), queue)
	for _, p := range planned {
		if p.Err != nil {
			fmt.Println(p.Request.Name, p.Err)
			continue
		}
		fmt.Println(p.Request.Name, p.Result.Domain)
	}
	free, _ := next.Free("node-3")
	fmt.Println(free)
	// Output:
	// ns/job-0 [rack-0]
	// ns/job-1 unschedulable: insufficient slots, 4 of 5 at rack-1 (proven)
	// ns/job-2 [rack-1]
	// map[gpu:0]
}
