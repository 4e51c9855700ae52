package podbypod

import (
	"context"
	"strings"
	"time"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
)

// tellEvents tells the permits what informers have told of gangs and pods. Whether a pod runs is told by its binding, see [Plugin.learn].
func (p *Plugin) tellEvents(ctx context.Context) {
	smaller := map[string]bool{}
	for _, e := range p.planner.Mirror.Events() {
		switch e.Kind {
		case permit.MemberBound:
			continue
		case permit.GangChanged, permit.GangDeleted:
			delete(p.plans, e.Gang)
		case permit.MemberDeleted:
			smaller[e.Gang] = true
		}
		p.tell(ctx, e)
	}
	for name := range smaller {
		p.giveBack(ctx, name, 0)
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
			if uid, ok := p.reserved.uids[ref]; ok {
				p.answer(uid, a.Kind)
			}
		}
	}
	return actions
}

// answer lets a pod go that waits for its permit, or sends it back.
func (p *Plugin) answer(uid types.UID, kind permit.ActionKind) {
	if kind != permit.Allow && kind != permit.Reject {
		return
	}
	waits := p.handle.GetWaitingPod(uid)
	if waits == nil { // it was told to wait, and the scheduler has yet to note that
		p.owe(uid, kind)
		return
	}
	delete(p.owed, uid)
	if kind == permit.Allow {
		waits.Allow(Name)
	} else {
		waits.Reject(Name, "muster: a pod of its gang cannot start")
	}
}

// owe keeps an answer for a moment.
func (p *Plugin) owe(uid types.UID, kind permit.ActionKind) {
	if p.owed[uid] = kind; len(p.owed) == 1 {
		time.AfterFunc(moment, p.payOwed)
	}
}

const moment = 50 * time.Millisecond

func (p *Plugin) payOwed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	owed := p.owed
	p.owed = map[types.UID]permit.ActionKind{}
	for uid, kind := range owed {
		p.answer(uid, kind)
	}
}

// giveBack sends those of a gang back that wait, if it is strict and has too few pods for them to go; some more may be gone of which the permits do
// not know yet.
func (p *Plugin) giveBack(ctx context.Context, name string, gone int) {
	if len(p.reserved.uids) == 0 {
		return
	}
	s, ok := p.permits.Gang(name)
	if !ok || len(s.Waiting) == 0 || s.Terms.Mode != gang.Strict {
		return
	}
	pods := len(s.Waiting) + len(s.Allowed) + len(s.Others) - gone
	if s.Terms.Match != gang.OnlyWaiting {
		pods += len(s.Bound)
	}
	if pods < s.Terms.MinMember {
		p.tell(ctx, permit.Event{Kind: permit.MemberFailed, Gang: name, Member: s.Waiting[0]})
	}
}

// deleted is told by informers. In a scheduler that has nothing else to do, no cycle tells the others of a gang.
func (p *Plugin) deleted(ctx context.Context, pod *v1.Pod) {
	p.queue.gone(pod.UID)
	if pod.Spec.NodeName != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if ref, ok := p.ref(pod); ok {
		p.giveBack(ctx, ref.Gang, 1)
	}
}

// learn tells the permits of pods of a gang that somebody else has bound: the scheduler that ran before, or another one. What the snapshot has on a node
// does not say so, since assumed pods are there too; an object of the API server does.
func (p *Plugin) learn(ctx context.Context, name string) {
	s, _ := p.permits.Gang(name)
	namespace, _, _ := strings.Cut(name, "/")
	for _, member := range s.Others {
		if pod, err := p.pods.Pods(namespace).Get(member); err == nil && pod.Spec.NodeName != "" {
			p.tell(ctx, permit.Event{Kind: permit.MemberBound, Gang: name, Member: member})
		}
	}
}

// reserved are the pods that have a node and are not bound yet. Permits speak of members.
type reserved struct {
	refs map[types.UID]permit.Ref
	uids map[permit.Ref]types.UID // the newest of a name
}

// take is the member that a pod is, which is not reserved from now on; false: it is not, or another one has its name by now.
func (r *reserved) take(uid types.UID) (permit.Ref, bool) {
	ref, ok := r.refs[uid]
	delete(r.refs, uid)
	if !ok || r.uids[ref] != uid {
		return ref, false
	}
	delete(r.uids, ref)
	return ref, true
}

// Reserve notes who the pod is.
func (p *Plugin) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ref, ok := p.ref(pod); ok {
		p.reserved.refs[pod.UID], p.reserved.uids[ref] = ref, pod.UID
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

// Permit lets a pod wait until its gang has all that it needs, and then lets all of them go.
func (p *Plugin) Permit(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ref, ok := p.reserved.refs[pod.UID]
	if !ok {
		return nil, 0
	}
	actions := p.tell(ctx, permit.Event{Kind: permit.MemberReserved, Gang: ref.Gang, Member: ref.Member})
	delete(p.owed, pod.UID) // the answer to it is what is returned
	for _, a := range actions {
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
	if ref, ok := p.ended(pod); ok {
		delete(p.plans, ref.Gang)
		p.tellLast(ctx, permit.MemberFailed, ref, pod)
	}
}

// PostBind tells that a pod runs. A plan ends with the last of its pods.
func (p *Plugin) PostBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ref, ok := p.ended(pod)
	if !ok {
		return
	}
	if of := p.plans[ref.Gang]; of != nil {
		if delete(of.Nodes, planner.NameOf(pod)); len(of.Nodes) == 0 {
			delete(p.plans, ref.Gang)
		}
	}
	p.tellLast(ctx, permit.MemberBound, ref, pod)
}

// ended is the member that a pod was as long as it was reserved.
func (p *Plugin) ended(pod *v1.Pod) (permit.Ref, bool) {
	delete(p.owed, pod.UID)
	return p.reserved.take(pod.UID)
}

// tellLast tells the last thing of a reserved pod. One that was deleted meanwhile the permits may have forgotten, and are not to know for ever.
func (p *Plugin) tellLast(ctx context.Context, kind permit.EventKind, ref permit.Ref, pod *v1.Pod) {
	e := permit.Event{Kind: kind, Gang: ref.Gang, Member: ref.Member}
	p.tell(ctx, e)
	is, err := p.pods.Pods(pod.Namespace).Get(pod.Name)
	if err == nil && is.UID == pod.UID {
		return
	}
	e.Kind = permit.MemberDeleted
	if p.tell(ctx, e); err == nil { // another one has its name
		e.Kind = permit.MemberSeen
		p.tell(ctx, e)
	}
}
