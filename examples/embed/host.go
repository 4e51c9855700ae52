package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// host is the scheduler and, for the simulation, the world around it.
type host struct {
	now     int64
	cluster *placement.Cluster // what is planned on: pods that have a node run here before they are bound
	queue   queue.Queue
	permits *permit.Lifecycle

	random *rand.Rand
	empty  *placement.Cluster
	jobs   []*job
	byName map[string]*job
	byPod  map[permit.Ref]*pod // seen by an informer
	used   map[string]int      // pods by node, counted apart from the library
	agenda map[int64][]event
	open   int // jobs that are not over
	stats  stats
}

type stats struct {
	pods, bound, spare, refused            int
	plans, unschedulable, waited, rejected int
	refusedNodes, failedBinds              int
	evicted, waitedForRoom                 int
}

func (h *host) later(at int64, e event) { h.agenda[at] = append(h.agenda[at], e) }

// tick is a second: what has happened, whose wait is over, and then the head of the queue, again and again.
func (h *host) tick() error {
	h.now++
	for at := h.now - 1; at <= h.now; at++ { // what is said to happen at 0 as well
		for _, e := range h.agenda[at] {
			if err := h.handle(e); err != nil {
				return err
			}
		}
		delete(h.agenda, at)
	}
	if due, waits := h.permits.Deadline(); waits && due <= h.now {
		if err := h.tell(permit.Event{Kind: permit.TimePassed}); err != nil {
			return err
		}
	}
	for range 50 {
		head, ok := h.queue.Next(h.now)
		if !ok {
			return nil
		}
		if err := h.try(h.byName[head.Name]); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) handle(e event) error {
	j := e.job
	switch e.kind {
	case "job":
		return h.meet(j)
	case "pod":
		if j.over || j.leaving { // its job does not need it, or cannot run
			return nil
		}
		e.pod.phase = pending
		h.byPod[e.pod.ref()] = e.pod
		if j.known {
			if err := h.queue.Add(j.queued); err != nil {
				return err
			}
		}
		return h.tellPod(permit.MemberSeen, e.pod)
	case "bind":
		return h.bind(e.pod)
	default:
		return h.finish(j)
	}
}

// meet hears of a job. One that does not even fit on an empty cluster is refused.
func (h *host) meet(j *job) error {
	all := j.request
	for _, p := range j.pods {
		all.Members = append(all.Members, gang.Member{Name: p.name})
	}
	if _, err := placement.Plan(h.empty, &all); errors.Is(err, placement.ErrUnschedulable) {
		j.over = true
		h.open--
		h.stats.refused += len(j.pods)
		return nil
	} else if err != nil {
		return err
	}
	j.known = true
	if err := h.queue.Add(j.queued); err != nil || j.plain {
		return err
	}
	return h.tell(permit.Event{Kind: permit.GangChanged, Gang: j.queued.Name, Terms: j.terms})
}

func (h *host) tellPod(kind permit.EventKind, p *pod) error {
	ref := p.ref()
	return h.tell(permit.Event{Kind: kind, Gang: ref.Gang, Member: ref.Member})
}

// tell the lifecycle what has happened, and do what it says.
func (h *host) tell(e permit.Event) error {
	e.Time = h.now
	next, actions, err := h.permits.Step(e)
	if err != nil {
		return err
	}
	h.permits = next
	for _, a := range actions {
		for _, ref := range a.Members {
			p := h.byPod[ref]
			switch a.Kind {
			case permit.Wait:
				h.stats.waited++
			case permit.Allow:
				p.phase = binding
				p.job.let++
				h.later(h.now+1+h.random.Int64N(2), event{kind: "bind", job: p.job, pod: p})
			default:
				h.stats.rejected++
				if err := h.unplace(p); err != nil {
					return err
				}
			}
		}
		for _, name := range a.Gangs {
			if err := h.requeue(h.byName[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// requeue puts a job back that failed, together with the others of its group, so that they come to the head one after the other.
func (h *host) requeue(failed *job) error {
	failed.failures++
	for _, j := range failed.group {
		if j.over || j.leaving || !j.known || len(j.waiting()) == 0 {
			continue
		}
		j.queued.LastFailure, j.queued.Failed, j.queued.NotBefore = h.now, true, h.now+3
		if err := h.queue.Add(j.queued); err != nil {
			return err
		}
	}
	return nil
}

// try plans a job that is at the head, and asks for permission to bind its pods.
func (h *host) try(j *job) error {
	failures := j.failures
	if !j.plain {
		if err := h.tell(permit.Event{Kind: permit.GangAtHead, Gang: j.queued.Name}); err != nil || j.failures > failures {
			return err
		}
	}
	h.queue.Remove(j.queued.Name)
	req := j.request
	if req.Members = j.waiting(); len(req.Members) == 0 {
		return nil
	}
	res, err := h.plan(&req)
	if errors.Is(err, placement.ErrUnschedulable) {
		h.stats.unschedulable++
		return h.tellPod(permit.MemberFailed, h.pod(j, req.Members[0].Name))
	}
	if err != nil {
		return err
	}
	if now, err := h.clear(j, res); err != nil {
		return err
	} else if !now {
		return h.requeue(j)
	}
	if h.cluster, err = h.cluster.Apply(res); err != nil {
		return err
	}
	if err := h.reserve(j, res); err != nil {
		return err
	}
	if len(j.waiting()) > 0 { // an elastic job gets the rest later
		return h.requeue(j)
	}
	return nil
}

func (h *host) pod(j *job, name string) *pod {
	if j.plain {
		return j.pods[0]
	}
	return h.byPod[permit.Ref{Gang: j.queued.Name, Member: name}]
}

// plan is a plan on nodes that do: now and then the scheduler's own checks refuse one for a pod, and the next plan goes without it.
func (h *host) plan(req *gang.Request) (*placement.Result, error) {
	for {
		h.stats.plans++
		res, err := placement.Plan(h.cluster, req)
		if err != nil || h.random.IntN(50) > 0 {
			return res, err
		}
		h.stats.refusedNodes++
		a := res.Assignments[h.random.IntN(len(res.Assignments))]
		req.Refused = append(req.Refused, gang.Refusal{Member: a.Member, Node: a.Node})
	}
}

// reserve asks for every pod of a plan whether it may be bound.
func (h *host) reserve(j *job, res *placement.Result) error {
	for _, a := range res.Assignments {
		p := h.pod(j, a.Member)
		if p.phase != pending {
			return fmt.Errorf("%s is placed twice", p.name)
		}
		p.node, p.phase = a.Node, assumed
		if h.used[p.node]++; h.used[p.node] > slots {
			return fmt.Errorf("%s has %d pods", p.node, h.used[p.node])
		}
	}
	for _, a := range res.Assignments {
		if err := h.tellPod(permit.MemberReserved, h.pod(j, a.Member)); err != nil {
			return err
		}
	}
	return nil
}

// unplace gives the node of a pod back.
func (h *host) unplace(p *pod) (err error) {
	h.used[p.node]--
	h.cluster, err = h.cluster.Release(p.job.queued.Name, p.name)
	p.node, p.phase = "", pending
	return err
}

// bind is the answer of the API server.
func (h *host) bind(p *pod) error {
	j := p.job
	if p.phase != binding || j.leaving { // its job is over, or about to be
		return nil
	}
	if j.let < j.terms.MinMember {
		return fmt.Errorf("%s is bound, but only %d of its job may be", p.name, j.let)
	}
	if h.random.IntN(30) == 0 {
		h.stats.failedBinds++
		if err := h.unplace(p); err != nil {
			return err
		}
		return h.tellPod(permit.MemberFailed, p)
	}
	p.phase = running
	p.binds++
	h.stats.bound++
	if j.bound++; j.bound == j.terms.MinMember {
		h.later(h.now+j.runtime, event{kind: "done", job: j})
	}
	return h.tellPod(permit.MemberBound, p)
}

// finish is the end of a job: its pods go, those too that never got a node. A group is forgotten when all of it is over.
func (h *host) finish(j *job) (err error) {
	if j.over { // it was evicted before it was done
		return nil
	}
	j.over = true
	h.open--
	h.queue.Remove(j.queued.Name)
	if h.cluster, err = h.cluster.Release(j.queued.Name); err != nil {
		return err
	}
	for _, p := range j.pods {
		if p.binds == 0 {
			h.stats.spare++
		}
		if p.node != "" {
			h.used[p.node]--
		}
		known := p.phase != unseen
		p.node, p.phase = "", unseen
		if !known {
			continue
		}
		if err := h.tellPod(permit.MemberDeleted, p); err != nil {
			return err
		}
	}
	for _, other := range j.group {
		if !other.over {
			return nil
		}
	}
	for _, other := range j.group {
		if err := h.tell(permit.Event{Kind: permit.GangDeleted, Gang: other.queued.Name}); err != nil || other.plain {
			return err
		}
	}
	return nil
}
