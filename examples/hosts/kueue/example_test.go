// Package kueue_test answers: how would Kueue's search for topology assignments be a plan, with its simulated preemption and its replacements?
//
// There is no interface: findTopologyAssignment is a method of TASFlavorSnapshot in pkg/cache/scheduler/tas_flavor_snapshot.go of
// github.com/kubernetes-sigs/kueue at ff69552e79ad (377 commits after v0.20.0-devel), called by FindTopologyAssignmentsForFlavor. The types of the host
// say in words of their own what it is given and what it returns; the adapter stands in its place.
package kueue_test

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

type (
	podSetRequests struct { // TASPodSetRequests
		name                    string
		count, sliceSize        int // 0: no slices
		singlePod               muster.Resources
		required, sliceRequired string // levels
	}
	domainAssignment struct { // TopologyDomainAssignment: the ranks of the pods follow the order of the domains
		host  string
		count int
	}
	found    map[string][]domainAssignment // by pod set
	assigner interface {
		find(workers, leader *podSetRequests, assumed map[string]muster.Resources, simulateEmpty bool, workload string) (found, string)
		addUsage(workload string, of *podSetRequests, domains []domainAssignment)
		simulateRemoval(workloads ...string) (revert func())
	}
)

// flavor is the adapter: the nodes of one flavor in one scheduling cycle, each with what pods that Kueue does not manage leave of it.
type flavor struct {
	cluster, empty *placement.Cluster
	pods           int // named so far: Kueue counts pods, and knows no names
}

// find stands for findTopologyAssignment. A refusal is no end: Kueue goes on to simulate removals, and asks again.
func (f *flavor) find(workers, leader *podSetRequests, assumed map[string]muster.Resources, simulateEmpty bool, workload string) (found, string) {
	c, d := f.cluster, cluster.Delta{Observed: true}
	if simulateEmpty {
		c = f.empty
	}
	for host, used := range assumed { // by other pod sets of the workload
		d.Place = append(d.Place, cluster.Running{Gang: workload + " assumed", Member: host, Node: host, Resources: used})
	}
	c, _ = c.Update(d)
	req, of := f.request(workers, leader, workload)
	res, err := placement.Plan(c, req)
	if err != nil {
		return nil, err.Error()
	}
	out := found{}
	for _, a := range res.Assignments {
		set := of[a.Member]
		if last := len(out[set]) - 1; last < 0 || out[set][last].host != a.Node {
			out[set] = append(out[set], domainAssignment{host: a.Node})
		}
		out[set][len(out[set])-1].count++
	}
	return out, ""
}

// request asks for the workers, and for a leader beside them, which is in no slice.
func (f *flavor) request(workers, leader *podSetRequests, workload string) (*gang.Request, map[string]string) {
	req, of := &gang.Request{Name: workload, NeverPreempts: true}, map[string]string{} // victims are Kueue's
	req.Gather = []gang.Rule{{Layer: workers.required, Strength: gang.MustGather}}
	if workers.sliceSize > 0 {
		req.Groups = []gang.Groups{{Size: workers.sliceSize, Gather: []gang.Rule{{Layer: workers.sliceRequired, Strength: gang.MustGather}}}}
	}
	if leader == nil {
		f.add(req, of, workers)
		return req, of
	}
	f.add(req, of, leader)
	req.Parts, req.Groups = []gang.Part{{Name: workers.name, Groups: req.Groups, Members: f.add(req, of, workers)}}, nil
	return req, of
}

func (f *flavor) add(req *gang.Request, of map[string]string, set *podSetRequests) (names []string) {
	shape := &gang.Shape{Resources: set.singlePod}
	for range set.count {
		f.pods++
		m := gang.Member{Name: fmt.Sprint("pod-", f.pods), Shape: shape}
		req.Members, names, of[m.Name] = append(req.Members, m), append(names, m.Name), set.name
	}
	return names
}

func (f *flavor) addUsage(workload string, of *podSetRequests, domains []domainAssignment) {
	d := cluster.Delta{Observed: true}
	for _, on := range domains {
		for range on.count {
			f.pods++
			d.Place = append(d.Place, cluster.Running{Gang: workload, Member: fmt.Sprint("pod-", f.pods), Node: on.host, Resources: of.singlePod})
		}
	}
	f.set(f.cluster.Update(d))
}

func (f *flavor) set(next *placement.Cluster, err error) {
	if err == nil {
		f.cluster = next
	}
}

// simulateRemoval costs what the workloads have; to revert it costs nothing, for snapshots do not change.
func (f *flavor) simulateRemoval(workloads ...string) (revert func()) {
	before := f.cluster
	for _, w := range workloads {
		f.set(f.cluster.Release(w))
	}
	return func() { f.cluster = before }
}

func Example() {
	racks := []topology.Domain{{Name: "r0", Tier: 1, Nodes: []string{"h0", "h1"}}, {Name: "r1", Tier: 1, Nodes: []string{"h2", "h3"}}}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: racks})
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for i := range 4 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("h", i), Allocatable: muster.Resources{"gpu": 2, "cpu": 4000}})
	}
	c, err2 := placement.NewCluster(spec)
	var f assigner = &flavor{cluster: c, empty: c}
	leader := &podSetRequests{name: "leader", count: 1, singlePod: muster.Resources{"cpu": 1000}}
	workers := &podSetRequests{name: "workers", count: 4, singlePod: muster.Resources{"gpu": 1}, required: "rack", sliceSize: 2, sliceRequired: "rack"}
	for _, w := range []string{"train", "other"} {
		to, why := f.find(workers, leader, nil, false, w)
		fmt.Println(w, to, why, err, err2)
		f.addUsage(w, workers, to["workers"])
	}
	_, why := f.find(workers, nil, nil, false, "urgent")
	would, _ := f.find(workers, nil, nil, true, "urgent")
	fmt.Println("urgent", why, "| if all were gone:", would)
	revert := f.simulateRemoval("other")
	would, _ = f.find(workers, nil, map[string]muster.Resources{"h2": {"cpu": 1000}}, false, "urgent")
	revert()
	_, why = f.find(workers, nil, nil, false, "urgent")
	fmt.Println("without other", would, "| with it", why)
	// Output:
	// train map[leader:[{h0 1}] workers:[{h0 2} {h1 2}]]  <nil> <nil>
	// other map[leader:[{h2 1}] workers:[{h2 2} {h3 2}]]  <nil> <nil>
	// urgent unschedulable: insufficient slots, 0 of 4 (proven) | if all were gone: map[workers:[{h0 2} {h1 2}]]
	// without other map[workers:[{h2 2} {h3 2}]] | with it unschedulable: insufficient slots, 0 of 4 (proven)
}
