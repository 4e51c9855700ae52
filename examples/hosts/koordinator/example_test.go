// Package koordinator_test answers: how does a plan get into Koordinator's scheduler, and who makes room for it there?
//
// The types of the host say in words of their own what is needed of FindOneNodePlugin and BatchScheduleResult in pkg/scheduler/frameworkext/interface.go
// of github.com/koordinator-sh/koordinator at a7a1b76bbf81 (61 commits after v1.8.0), and of NodeInfo, PostFilter and nominations of kube-scheduler.
package koordinator_test

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

type (
	pod struct {
		gang, name string
		priority   int64
		deleted    bool
	}
	nodeInfo struct { // of the snapshot that is taken before each cycle
		name       string
		generation int64 // rises with each change of the node
		pods       []pod
	}
	batchScheduleResult struct{ podToNodeName map[string]string } // the trigger and all others of its gang
	findOneNodePlugin   interface {
		findOneNode(trigger pod) (*batchScheduleResult, string) // in PreFilter: Success, Skip or Unschedulable
		postFilter(trigger pod) string                          // where that was unschedulable
	}
	host struct {
		nodes   []*nodeInfo
		pending map[string][]pod
	}
)

// plugin is the adapter. One cycle runs after the other, so nothing is locked.
type plugin struct {
	*host
	cluster *placement.Cluster
	seen    map[string]int64             // the generations of nodes
	room    map[string]*placement.Result // of gangs that need some, from findOneNode to postFilter
}

// follow brings our snapshot to what the host's says, and looks only at nodes that changed.
func (p *plugin) follow() {
	d := cluster.Delta{Observed: true}
	for _, n := range p.nodes {
		if p.seen[n.name] == n.generation {
			continue
		}
		p.seen[n.name] = n.generation
		d.SetNodes = append(d.SetNodes, cluster.Node{Name: n.name, Allocatable: eight})
		for _, r := range p.cluster.RunningOn(n.name) { // whoever is still there comes back below
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
		}
		for _, o := range n.pods {
			d.Place = append(d.Place, cluster.Running{Gang: o.gang, Member: o.name, Node: n.name, Resources: eight, Priority: o.priority, Leaving: o.deleted})
		}
	}
	p.cluster = must(p.cluster.Update(d))
}

func (p *plugin) findOneNode(trigger pod) (*batchScheduleResult, string) {
	if p.follow(); trigger.gang == "" {
		return nil, "Skip"
	}
	req := &gang.Request{Name: trigger.gang, Priority: trigger.priority, Shape: gang.Shape{Resources: eight}}
	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	for _, o := range p.pending[trigger.gang] {
		req.Members = append(req.Members, gang.Member{Name: o.name})
	}
	res, err := placement.Plan(p.cluster, req)
	if err != nil {
		return nil, err.Error()
	}
	if len(res.Victims) > 0 || res.Waits() {
		p.room[trigger.gang] = res
		return nil, "Unschedulable, needs room" // the host goes on to postFilter
	}
	answer := &batchScheduleResult{map[string]string{}}
	for _, a := range res.Assignments { // no Apply: assumed pods come back with the next generation of their nodes
		answer.podToNodeName[a.Member] = a.Node
	}
	return answer, "Success"
}

// postFilter keeps the room of the plan for the gang, and evicts whom the plan names, all of them.
func (p *plugin) postFilter(trigger pod) string {
	res := p.room[trigger.gang]
	if delete(p.room, trigger.gang); res == nil {
		return "Unschedulable"
	}
	d := cluster.Delta{Holds: map[string][]cluster.Hold{trigger.gang: res.Holds()}}
	for _, v := range res.Victims {
		d.Leaving = append(d.Leaving, v.MemberRef)
		p.set(v.Node, pod{v.Gang, v.Member, v.Priority, true}) // the API server answers so to an eviction
	}
	p.cluster = must(p.cluster.Update(d))
	return fmt.Sprintf("Success, %d evicted, nominated to %s and %s", len(res.Victims), res.Assignments[0].Node, res.Assignments[1].Node)
}

func Example() {
	h := &host{pending: map[string][]pod{"train": {{"train", "train-0", 5, false}, {"train", "train-1", 5, false}}, "one": {{"one", "one-0", 0, false}}}}
	racks := []topology.Domain{{Name: "r0", Tier: 1, Nodes: []string{"node-0", "node-1"}}, {Name: "r1", Tier: 1, Nodes: []string{"node-2", "node-3"}}}
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: must(topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: racks}))}}}
	for _, name := range slices.Concat(racks[0].Nodes, racks[1].Nodes) {
		h.nodes = append(h.nodes, &nodeInfo{name: name})
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: eight})
	}
	var p findOneNodePlugin = &plugin{h, must(placement.NewCluster(spec)), map[string]int64{}, map[string]*placement.Result{}}
	cycle := func(gang string) {
		answer, code := p.findOneNode(h.pending[gang][0])
		if answer == nil {
			code += "; postFilter: " + p.postFilter(h.pending[gang][0])
		}
		fmt.Println(gang, code, answer)
	}
	h.set("node-0", pod{"web", "web-0", 9, false})
	h.set("node-1", pod{"web", "web-1", 9, false})
	h.set("node-2", pod{"batch", "batch-0", 1, false})
	for _, gang := range []string{"train", "one", "train"} { // node-3 is free, and held; batch-0 leaves
		cycle(gang)
	}
	h.set("node-2") // it is gone
	cycle("train")
	// Output:
	// train Unschedulable, needs room; postFilter: Success, 1 evicted, nominated to node-2 and node-3 <nil>
	// one unschedulable: insufficient slots, 0 of 1 (proven); postFilter: Unschedulable <nil>
	// train Unschedulable, needs room; postFilter: Success, 0 evicted, nominated to node-2 and node-3 <nil>
	// train Success &{map[train-0:node-2 train-1:node-3]}
}

// set says which pods are on a node now.
func (h *host) set(node string, pods ...pod) {
	n := h.nodes[slices.IndexFunc(h.nodes, func(n *nodeInfo) bool { return n.name == node })]
	n.pods, n.generation = pods, n.generation+1
}

var eight = muster.Resources{"gpu": 8}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
