// Package podbypod answers: how does kube-scheduler place a gang where it takes one pod at a time? That is any version without the cycle of pod
// groups, or with it turned off. The first pod of a gang plans for all of it, each pod goes to its node of that plan, and waits for its permit
// until all that are needed have theirs. Gangs are what the objects say that the library reads: labels, annotations, groups of other systems.
package podbypod

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/args"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/evict"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
)

// Name is that of the plugin in configurations.
const Name = "MusterPods"

// Plugin plans gangs as their pods come.
type Plugin struct {
	handle  fwk.Handle
	planner *planner.Planner
	evict   *evict.Evictions
	observe Observer
	pods    corelisters.PodLister
	queue   order

	mu      sync.Mutex // bindings end on goroutines of their own
	permits *permit.Lifecycle
	plans   map[string]*planner.Plan // by gang, that pods of it are still to come to
	owed    map[types.UID]permit.ActionKind
	reserved
}

var (
	_ fwk.QueueSortPlugin   = &Plugin{}
	_ fwk.PreEnqueuePlugin  = &Plugin{}
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.FilterPlugin      = &Plugin{}
	_ fwk.SignPlugin        = &Plugin{}
	_ fwk.PostFilterPlugin  = &Plugin{}
	_ fwk.ReservePlugin     = &Plugin{}
	_ fwk.PermitPlugin      = &Plugin{}
	_ fwk.PostBindPlugin    = &Plugin{}
	_ fwk.EnqueueExtensions = &Plugin{}
)

// Observer is told what a cycle compared; tests set it. Nil: nobody.
type Observer interface {
	// Mirrored tells of the nodes whose free amounts were compared with those of the scheduler, and what differed.
	Mirrored(nodes int, differences []string)
}

// New is the factory for the scheduler's registry. The arguments are those of the plugin for pod groups.
func New(ctx context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return NewObserved(nil)(ctx, obj, handle)
}

// NewObserved is a factory of plugins that tell somebody what they do.
func NewObserved(observe Observer) func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return func(ctx context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		read, err := args.Decode(obj)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		opt := read.Options()
		opt.Mirror.Waiting = true
		of, err := planner.New(ctx, handle, opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		pods := handle.SharedInformerFactory().Core().V1().Pods()
		p := empty(handle, pods.Lister())
		p.planner, p.evict, p.observe = of, evict.New(handle, Name), observe
		_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
			p.deleted(ctx, objects.Last(obj).(*v1.Pod))
		}})
		return p, err
	}
}

// empty plans nothing yet.
func empty(handle fwk.Handle, pods corelisters.PodLister) *Plugin {
	return &Plugin{
		handle: handle, pods: pods, plans: map[string]*planner.Plan{}, owed: map[types.UID]permit.ActionKind{},
		reserved: reserved{refs: map[types.UID]permit.Ref{}, uids: map[permit.Ref]types.UID{}},
		queue: newOrder(func(p *v1.Pod) bool {
			is, err := pods.Pods(p.Namespace).Get(p.Name)
			return err == nil && is.UID == p.UID
		}),
	}
}

// Name is that in configurations.
func (p *Plugin) Name() string { return Name }

// PreFilter plans the gang of a pod, unless there is a plan, and pins the pod to its node of it. A pod in no gang goes where others let it.
func (p *Plugin) PreFilter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	infos, err := p.planner.Nodes().List()
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := errors.Join(p.planner.Mirror.Sync(infos), p.planner.Mirror.Meet(pod)); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if differences, compared := p.planner.Check(ctx, infos); compared && p.observe != nil {
		p.observe.Mirrored(len(infos), differences)
	}
	p.tellEvents(ctx)
	g := p.planner.Mirror.GangOf(pod)
	if g == nil || g.Plain {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	of := p.planFor(ctx, g, pod)
	node, ok := of.Nodes[planner.NameOf(pod)]
	switch {
	case of.Reason != "":
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: "+of.Reason)
	case !ok:
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: no room for it beyond the minimum of its gang")
	}
	return &fwk.PreFilterResult{NodeNames: sets.New(node)}, nil
}

// planFor is the plan of a gang that has a node for the pod, or says why not. One that cannot be carried out now is made anew for the next pod.
func (p *Plugin) planFor(ctx context.Context, g *manifest.Gang, pod *v1.Pod) *planner.Plan {
	name := g.Request.Name
	if of := p.plans[name]; canStart(of, pod) {
		return of
	}
	p.learn(ctx, name)
	p.tell(ctx, permit.Event{Kind: permit.GangAtHead, Gang: name})
	of := p.planner.Plan(ctx, g, []*v1.Pod{pod})
	p.plans[name] = of
	switch {
	case of.Err != nil:
		of.Reason = strings.TrimPrefix(of.Err.Error(), "unschedulable: ")
		if err := p.planner.Mirror.Clear(g); err != nil {
			of.Reason += "; " + err.Error()
		}
	case of.Reason == "": // no event tells the others that they have a place
		p.handle.Activate(klog.FromContext(ctx), p.planner.Mirror.PodsOf(g))
	}
	return of
}

// canStart says whether a plan has a node to which the pod may go now.
func canStart(of *planner.Plan, pod *v1.Pod) bool {
	return of != nil && of.Reason == "" && of.Nodes[planner.NameOf(pod)] != ""
}

// PreFilterExtensions are none.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter keeps a pod from a node for which it is nominated where the plan has another one by now.
func (p *Plugin) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.planner.Mirror.GangOf(pod)
	if g == nil || g.Plain {
		return nil
	}
	if of := p.plans[g.Request.Name]; of != nil && of.Nodes[planner.NameOf(pod)] != info.Node().Name {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: not its node of the plan")
	}
	return nil
}

// SignPod lets nothing be remembered of pods, since a plan tells equal ones apart.
func (p *Plugin) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable, "muster: pods of a gang differ by their plan")
}

// PreEnqueue keeps pods out of the queue while their victims are being asked to leave.
func (p *Plugin) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status { return p.evict.Wait(pod) }

// PostFilter makes room for a gang: it evicts all victims of the plan and holds its places until they are gone.
func (p *Plugin) PostFilter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.planner.Mirror.GangOf(pod)
	if g == nil || g.Plain {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	of := p.plans[g.Request.Name]
	delete(p.plans, g.Request.Name)
	if canStart(of, pod) { // another plugin has refused its node
		p.planner.Refuse(of, pod)
		p.handle.Activate(klog.FromContext(ctx), p.planner.Mirror.PodsOf(g))
	}
	if of == nil || of.Result == nil || of.Reason == "" || of.Nodes[planner.NameOf(pod)] == "" {
		p.fail(ctx, g.Request.Name, pod)
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: nobody's leaving helps")
	}
	victims, err := evict.Victims(p.planner.Nodes(), of.Result)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := p.planner.Mirror.Nominate(of.Gang, of.Result); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(victims) > 0 {
		p.evict.Begin(ctx, preemptor{pod}, p.planner.Mirror.PodsOf(g), victims)
	}
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: of.Nodes[planner.NameOf(pod)], NominatingMode: fwk.ModeOverride}}, fwk.NewStatus(fwk.Success)
}

// fail tells that no node was found for a pod: those of a strict gang that wait give theirs back.
func (p *Plugin) fail(ctx context.Context, name string, pod *v1.Pod) {
	p.tell(ctx, permit.Event{Kind: permit.MemberFailed, Gang: name, Member: pod.Name})
}

// preemptor is the pod for which others leave.
type preemptor struct{ *v1.Pod }

func (p preemptor) UID() types.UID           { return p.Pod.UID }
func (p preemptor) Obj() runtime.Object      { return p.Pod }
func (p preemptor) Pods() map[string]*v1.Pod { return map[string]*v1.Pod{planner.NameOf(p.Pod): p.Pod} }
func (p preemptor) SchedulerName() string    { return p.Spec.SchedulerName }
func (p preemptor) Type() string             { return "pod" }

func (p preemptor) Priority() int32 {
	return corev1helpers.PodPriority(p.Pod)
}

// EventsToRegister are the changes that may let a gang start that was refused.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return planner.Events(), nil
}

// now is the time for permits, in seconds.
func now() int64 { return time.Now().Unix() }
