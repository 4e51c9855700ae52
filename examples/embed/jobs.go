package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

const slots = 8 // devices of a node, one for each pod

// job is a gang, or a plain pod.
type job struct {
	queued  queue.Entry
	plain   bool
	request gang.Request // without its members
	terms   gang.Terms
	pods    []*pod
	runtime int64
	group   []*job // that go together, this one included

	known    bool // the informer has told of it
	let      int  // how often a pod was allowed to be bound
	bound    int
	failures int
	leaving  bool // evicted
	over     bool // done, or refused
}

// phase of a pod.
type phase int

const (
	unseen  phase = iota
	pending       // waits for a node
	assumed       // has one, and waits for the others
	binding
	running
)

type pod struct {
	job   *job
	name  string
	phase phase
	node  string
	binds int
}

// event is what an informer, or the simulated cluster, tells the host.
type event struct {
	kind string // "job", "pod", "bind", "done", "gone"
	job  *job
	pod  *pod
}

// newHost has a cluster of two blocks of eight racks of eight nodes.
func newHost(seed uint64) (*host, error) {
	layers := topology.LabelLayers{Layers: []topology.LabelLayer{{Keys: []string{"block"}}, {Keys: []string{"rack"}}}}
	spec := cluster.Spec{}
	var labeled []topology.LabeledNode
	for i := range 128 {
		n := cluster.Node{
			Name:        fmt.Sprintf("node-%d", i),
			Labels:      map[string]string{"block": fmt.Sprintf("b%d", i/64), "rack": fmt.Sprintf("r%d", i/8)},
			Allocatable: muster.Resources{"gpu": slots},
		}
		spec.Nodes = append(spec.Nodes, n)
		labeled = append(labeled, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
	}
	tree, err := topology.FromLabels(layers, labeled)
	if err != nil {
		return nil, err
	}
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	c, err := placement.NewCluster(spec)
	if err != nil {
		return nil, err
	}
	return &host{
		random: rand.New(rand.NewPCG(seed, 0)), empty: c, cluster: c, permits: &permit.Lifecycle{},
		byName: map[string]*job{}, byPod: map[permit.Ref]*pod{}, used: map[string]int{}, agenda: map[int64][]event{},
	}, nil
}

// submit draws jobs, and when the informers will tell of them and their pods, in no order.
func (h *host) submit(pods int) {
	large := h.newJob(0, slots*8+1) // than what it may use: a rack
	large.request.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	for h.stats.pods < pods {
		created := h.random.Int64N(int64(pods)/100 + 1)
		switch h.random.IntN(10) {
		case 0, 1, 2:
			h.newJob(created, 1).plain = true
		case 3: // two jobs that go together
			a, b := h.newJob(created, 1+h.random.IntN(16)), h.newJob(created, 1+h.random.IntN(16))
			names := []string{a.queued.Name, b.queued.Name}
			for _, j := range []*job{a, b} {
				j.group, j.terms.Group = []*job{a, b}, names
				j.queued.Priority = a.queued.Priority // so that they stand together in the queue
			}
		case 4: // elastic
			j := h.newJob(created, 2+h.random.IntN(31))
			j.terms.MinMember = len(j.pods)/2 + 1
			j.request.MinMember = j.terms.MinMember
		case 5: // pipelines, each within a rack
			j := h.newJob(created, 4*(1+h.random.IntN(12)))
			j.request.Groups = []gang.Groups{{Size: 4, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}}}
		case 6:
			h.newJob(created, 2+h.random.IntN(31)).terms.Mode = gang.NonStrict
		case 7: // may evict others
			h.newJob(created, 2+h.random.IntN(7)).request.Priority = 1
		default:
			h.newJob(created, 2+h.random.IntN(31))
		}
	}
}

func (h *host) newJob(created int64, size int) *job {
	name := fmt.Sprintf("default/job-%d", len(h.jobs))
	j := &job{
		queued:  queue.Entry{Name: name, UID: fmt.Sprintf("%08d", len(h.jobs)), Priority: h.random.Int64N(3), Created: created},
		terms:   gang.Terms{MinMember: size, WaitTime: 30},
		request: gang.Request{Name: name, MinMember: size, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}},
		runtime: 5 + h.random.Int64N(20),
	}
	j.group = []*job{j}
	h.jobs, h.byName[name] = append(h.jobs, j), j
	h.later(created+h.random.Int64N(5), event{kind: "job", job: j})
	for i := range size {
		p := &pod{job: j, name: fmt.Sprintf("%s-%d", name, i)}
		j.pods = append(j.pods, p)
		h.later(created+h.random.Int64N(8), event{kind: "pod", job: j, pod: p})
	}
	h.stats.pods += size
	h.open++
	return j
}

// waiting are the pods that wait for a node.
func (j *job) waiting() []gang.Member {
	var members []gang.Member
	for _, p := range j.pods {
		if p.phase == pending {
			members = append(members, gang.Member{Name: p.name})
		}
	}
	return members
}

// ref is how the lifecycle knows the pod.
func (p *pod) ref() permit.Ref {
	if p.job.plain {
		return permit.Ref{Member: p.job.queued.Name}
	}
	return permit.Ref{Gang: p.job.queued.Name, Member: p.name}
}
