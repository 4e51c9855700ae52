// Package volcano_test answers: how does a plan get into Volcano's allocate and gangpreempt, which look for a HyperNode first?
//
// The types of the host say in words of their own what is needed of HyperNodeGradientForJobFn, UnifiedEvictableFn (pkg/scheduler/api/types.go) and the
// nomination that allocateFromNomination (pkg/scheduler/actions/allocate/allocate.go) redeems, of github.com/volcano-sh/volcano at ed72c7c815a9
// (42 commits after v1.16.0-alpha.1).
package volcano_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

type (
	task struct {
		of                                *job
		name, status, node, nominatedNode string
	}
	subJob struct {
		nominatedHyperNode string
		tasks              []*task
	}
	job struct {
		name         string
		priority     int64
		minAvailable int
		subJobs      []*subJob // equal ones, each within one HyperNode of tier 1
	}
	searchPurpose       int
	hyperNodeGradientFn func(j *job, from string, why searchPurpose) [][]string // names; the first list in which one does is taken
	unifiedEvictableFn  func(j *job, hyperNode string, candidates []*task) ([]*task, int)
)

const (
	purposeAllocate searchPurpose = iota
	purposeEvict
	clusterTop = "<cluster-top-hypernode>"
)

// plugin is the adapter; it lives as long as a session.
type plugin struct {
	cluster *placement.Cluster
	tree    *topology.Tree
	victims map[string][]placement.Victim // by job
}

// gradient answers with the one HyperNode of the plan. To allocate, it nominates the node of each task, and of each subjob the HyperNode that
// these have in common: then the host looks no further than whether they still do. To evict, that is left to the host.
func (p *plugin) gradient(j *job, _ string, why searchPurpose) [][]string {
	req := &gang.Request{Name: j.name, Priority: j.priority, Shape: gang.Shape{Resources: eight}, NeverPreempts: why == purposeAllocate}
	req.Groups = []gang.Groups{{Size: len(j.subJobs[0].tasks), Gather: []gang.Rule{{Layer: "1", Strength: gang.MustGather}}}}
	for _, s := range j.subJobs {
		for _, t := range s.tasks {
			req.Members = append(req.Members, gang.Member{Name: t.name, Index: len(req.Members), Indexed: true})
		}
	}
	res, err := placement.Plan(p.cluster, req)
	if err != nil || why == purposeAllocate && res.Waits() {
		return nil
	}
	if p.victims[j.name] = res.Victims; why == purposeAllocate {
		next := res.Assignments // in rank order
		for _, s := range j.subJobs {
			s.nominatedHyperNode = p.hyperNode(next[:len(s.tasks)])
			for i, t := range s.tasks {
				t.nominatedNode = next[i].Node
			}
			next = next[len(s.tasks):]
		}
	}
	return [][]string{{p.hyperNode(res.Assignments)}}
}

// hyperNode is the lowest one that has all these nodes.
func (p *plugin) hyperNode(assigned []placement.Assignment) string {
	var nodes []topology.NodeID
	for _, a := range assigned {
		n, _ := p.tree.Node(a.Node)
		nodes = append(nodes, n)
	}
	return cmp.Or(p.tree.Name(p.tree.LCA(nodes...)), clusterTop)
}

// evictable lets the host choose only among the victims of the plan.
func (p *plugin) evictable(j *job, _ string, candidates []*task) ([]*task, int) {
	return slices.DeleteFunc(slices.Clone(candidates), func(t *task) bool {
		return !slices.ContainsFunc(p.victims[j.name], func(v placement.Victim) bool { return v.Gang == t.of.name && v.Member == t.name })
	}), 1 // permit
}

// changed is the EventHandler, dry runs and what is rolled back included. What cannot be is left out (placement.Cluster.LeftOut).
func (p *plugin) changed(t *task, runs bool) {
	d, ref := cluster.Delta{Observed: true}, []cluster.MemberRef{{Gang: t.of.name, Member: t.name}}
	switch j := t.of; {
	case runs:
		r := cluster.Running{Gang: j.name, Member: t.name, Node: t.node, Resources: eight, Priority: j.priority, MinMember: j.minAvailable}
		d.Place = []cluster.Running{r}
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
	leaves := []topology.Domain{{Name: "leaf-0", Tier: 1, Nodes: []string{"node-0", "node-1"}}, {Name: "leaf-1", Tier: 1, Nodes: []string{"node-2", "node-3"}}}
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "top", Tier: 2, Children: leaves}}}) // of objects: FromHyperNodes
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for i := range 4 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: eight})
	}
	c, err2 := placement.NewCluster(spec)
	p := &plugin{c, tree, map[string][]placement.Victim{}}
	gradient, evictable := hyperNodeGradientFn(p.gradient), unifiedEvictableFn(p.evictable) // what the session is given
	train := &job{name: "train", minAvailable: 3, subJobs: []*subJob{{tasks: []*task{{name: "t0"}, {name: "t1"}}}, {tasks: []*task{{name: "t2"}, {name: "t3"}}}}}
	fmt.Println(gradient(train, clusterTop, purposeAllocate), err, err2)
	for _, s := range train.subJobs {
		for _, t := range s.tasks { // as the host's allocateFromNomination does
			fmt.Println(t.name, "on", t.nominatedNode, "of", s.nominatedHyperNode)
			t.of, t.node = train, t.nominatedNode
			p.changed(t, true)
		}
	}
	first := &job{name: "first", priority: 1, minAvailable: 1, subJobs: []*subJob{{tasks: []*task{{name: "f0"}}}}}
	fmt.Println(gradient(first, clusterTop, purposeAllocate), gradient(first, clusterTop, purposeEvict))
	victims, _ := evictable(first, "leaf-0", train.subJobs[0].tasks)
	fmt.Println("evict", victims[0].name, len(victims))
	// Output:
	// [[top]] <nil> <nil>
	// t0 on node-0 of leaf-0
	// t1 on node-1 of leaf-0
	// t2 on node-2 of leaf-1
	// t3 on node-3 of leaf-1
	// [] [[leaf-0]]
	// evict t0 1
}

var eight = muster.Resources{"gpu": 8}
