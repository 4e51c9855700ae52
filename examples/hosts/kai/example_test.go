// Package kai_test answers: how does KAI's scheduler come to put the tasks of a job where a plan has them?
//
// The types of the host say in words of their own what is needed of SubsetNodesFn and NodeOrderFn in pkg/scheduler/api/types.go, of EventHandler in
// pkg/scheduler/framework/event.go, and of AllocateJob in pkg/scheduler/actions/common/allocate.go, which allocateJob below follows for a job with one
// pod set, of github.com/kai-scheduler/KAI-Scheduler at d5bc503a1463 (9 commits after v0.17.0).
package kai_test

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
	podInfo       struct{ job, name, node, status string }
	nodeSet       []string
	subsetNodesFn func(job, subGroup string, tasks []*podInfo, nodes nodeSet) ([]nodeSet, error)
	nodeOrderFn   func(*podInfo, string) (float64, error)
	session       struct {
		nodes     nodeSet
		subset    subsetNodesFn
		order     nodeOrderFn
		predicate func(*podInfo, string) bool // what the host's own plugins refuse
		changed   func(*podInfo, bool)        // the handler: AllocateFunc, or DeallocateFunc where a statement is rolled back or a pod evicted
	}
)

// allocateJob tries one set of nodes after the other, and rolls back what does not work out.
func (s *session) allocateJob(job string, tasks []*podInfo) string {
	sets, err := s.subset(job, "", tasks, s.nodes)
	for _, set := range sets {
		if inner, _ := s.subset(job, "default", tasks, set); s.allocateTasks(tasks, inner[0]) {
			return fmt.Sprint("on ", tasks[0].node, " to ", tasks[len(tasks)-1].node)
		}
	}
	return fmt.Sprintf("on none of %d sets, %v", len(sets), err)
}

func (s *session) allocateTasks(tasks []*podInfo, set nodeSet) bool {
	for i, t := range tasks {
		best, at := -1.0, ""
		for _, node := range set {
			if score, _ := s.order(t, node); score >= best && s.predicate(t, node) {
				best, at = score, node
			}
		}
		if t.node = at; at == "" {
			for _, done := range tasks[:i] {
				s.changed(done, false)
			}
			return false
		}
		s.changed(t, true)
	}
	return true
}

var eight = muster.Resources{"gpu": 8}

// plugin is the adapter; it lives as long as a session.
type plugin struct {
	cluster *placement.Cluster
	plans   map[string]map[string]string // by the set of nodes that was answered: the node of each task
	planned map[string]string            // of the plan that is tried
}

// subsetNodes plans once, for the root of the job: each plan is a set of nodes, the best first. For what the job consists of it is called with one
// of these sets: then it is known which plan is tried.
func (p *plugin) subsetNodes(job, subGroup string, tasks []*podInfo, nodes nodeSet) (sets []nodeSet, err error) {
	if subGroup != "" {
		p.planned = p.plans[fmt.Sprint(nodes)]
		return []nodeSet{nodes}, nil
	}
	req := &gang.Request{Name: job, Shape: gang.Shape{Resources: eight}, NeverPreempts: true} // victims are chosen by other actions
	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	req.Eligible = func(node string) bool { return slices.Contains(nodes, node) } // some actions ask about few nodes
	for _, t := range tasks {
		req.Members = append(req.Members, gang.Member{Name: t.name})
	}
	p.plans = map[string]map[string]string{}
	for res, err := range placement.Candidates(p.cluster, req) {
		if err != nil || len(sets) == 3 {
			return sets, err
		}
		set, planned := nodeSet{}, map[string]string{}
		for _, a := range res.Assignments {
			set, planned[a.Member] = append(set, a.Node), a.Node
		}
		sets = append(sets, slices.Compact(set))
		p.plans[fmt.Sprint(sets[len(sets)-1])] = planned
	}
	return sets, nil
}

// nodeOrder puts the planned node before all others. Goroutines call it side by side; nobody writes meanwhile.
func (p *plugin) nodeOrder(t *podInfo, node string) (float64, error) {
	if p.planned[t.name] != node {
		return 0, nil
	}
	return 1e8, nil // above each weight in pkg/scheduler/plugins/scores
}

// changed is the handler of events, dry runs and what is rolled back included. What cannot be is left out (placement.Cluster.LeftOut).
func (p *plugin) changed(t *podInfo, runs bool) {
	d, ref := cluster.Delta{Observed: true}, []cluster.MemberRef{{Gang: t.job, Member: t.name}}
	switch {
	case runs:
		d.Place = []cluster.Running{{Gang: t.job, Member: t.name, Node: t.node, Resources: eight}}
	case t.status == "Releasing": // evicted, and still there
		d.Leaving = ref
	default:
		d.Remove = ref
	}
	if next, err := p.cluster.Update(d); err == nil {
		p.cluster = next
	}
}

func Example() {
	spec, taken := cluster.Spec{}, map[string]bool{}
	s := &session{predicate: func(t *podInfo, node string) bool { return !taken[node] && node != "node-1" }} // only the host knows why not node-1
	for i := range 4 {
		s.nodes = append(s.nodes, fmt.Sprint("node-", i))
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: s.nodes[i], Allocatable: eight})
	}
	racks := []topology.Domain{{Name: "r0", Tier: 1, Nodes: s.nodes[:2]}, {Name: "r1", Tier: 1, Nodes: s.nodes[2:]}}
	tree, _ := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: racks})
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	c, err := placement.NewCluster(spec)
	p := &plugin{cluster: c}
	s.subset, s.order = p.subsetNodes, p.nodeOrder
	s.changed = func(t *podInfo, runs bool) { taken[t.node] = runs; p.changed(t, runs) }
	for _, job := range []string{"train", "more", "one"} {
		tasks := []*podInfo{{job: job, name: "task-0"}, {job: job, name: "task-1"}}
		if job == "one" {
			tasks = tasks[:1]
		}
		fmt.Println(job, s.allocateJob(job, tasks), err)
	}
	// Output:
	// train on node-2 to node-3 <nil>
	// more on none of 1 sets, <nil> <nil>
	// one on node-0 to node-0 <nil>
}
