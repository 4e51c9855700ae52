package podbypod

import (
	"context"
	"time"

	"github.com/muster-sched/muster/gang/permit"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// tellEvents tells the permits what informers have told of gangs and pods. Whether a pod runs is told by its binding.
func (p *Plugin) tellEvents(ctx context.Context) {
	for _, e := range p.planner.Mirror.Events() {
		if e.Kind == permit.GangDeleted {
			p.queue.forget(e.Gang)
		}
		if e.Kind != permit.MemberBound {
			p.tell(ctx, e)
		}
	}
}

// tell is a step of the permits; whoever else is concerned is let go or sent back. The actions are returned.
func (p *Plugin) tell(ctx context.Context, e permit.Event) []permit.Action {
	e.Time = now()
	next, actions, err := p.permits.Step(e)
	if err != nil {
		klog.FromContext(ctx).Error(err, "An event of a gang makes no sense", "gang", e.Gang, "pod", e.Member)
		return nil
	}
	p.permits = next
	for _, a := range actions {
		for _, ref := range a.Members {
			waits := p.handle.GetWaitingPod(p.uids[ref])
			switch {
			case waits == nil:
			case a.Kind == permit.Allow:
				waits.Allow(Name)
			case a.Kind == permit.Reject:
				waits.Reject(Name, "muster: a pod of its gang cannot start")
			}
		}
	}
	return actions
}

// Reserve notes who the pod is: permits speak of members.
func (p *Plugin) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ref, ok := p.ref(pod); ok {
		p.uids[ref] = pod.UID
	}
	return nil
}

// ref is the member that a pod is, as long as it waits.
func (p *Plugin) ref(pod *v1.Pod) (permit.Ref, bool) {
	g := p.planner.Mirror.GangOf(pod)
	if g == nil || g.Plain {
		return permit.Ref{}, false
	}
	return permit.Ref{Gang: g.Request.Name, Member: pod.Name}, true
}

// refOf is the member whose node a pod was given.
func (p *Plugin) refOf(pod *v1.Pod) (permit.Ref, bool) {
	for ref, uid := range p.uids {
		if uid == pod.UID {
			return ref, true
		}
	}
	return permit.Ref{}, false
}

// Permit lets a pod wait until its gang has all that it needs, and then lets all of them go.
func (p *Plugin) Permit(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ref, ok := p.refOf(pod)
	if !ok {
		return nil, 0
	}
	for _, a := range p.tell(ctx, permit.Event{Kind: permit.MemberReserved, Gang: ref.Gang, Member: ref.Member}) {
		for _, member := range a.Members {
			if member != ref {
				continue
			}
			switch a.Kind {
			case permit.Allow:
				return nil, 0
			case permit.Wait:
				return fwk.NewStatus(fwk.Wait), time.Duration(max(1, a.Until-now())) * time.Second
			default:
				return fwk.NewStatus(fwk.Unschedulable, "muster: its gang cannot start"), 0
			}
		}
	}
	return nil, 0
}

// Unreserve is called where a pod does not get its node after all: it waited too long, was sent back, or could not be bound.
func (p *Plugin) Unreserve(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ref, ok := p.refOf(pod)
	if !ok {
		return
	}
	delete(p.uids, ref)
	delete(p.plans, ref.Gang)
	p.tell(ctx, permit.Event{Kind: permit.MemberFailed, Gang: ref.Gang, Member: ref.Member})
}

// PostBind tells that a pod runs.
func (p *Plugin) PostBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ref, ok := p.refOf(pod)
	if !ok {
		return
	}
	delete(p.uids, ref)
	p.tell(ctx, permit.Event{Kind: permit.MemberBound, Gang: ref.Gang, Member: ref.Member})
}
