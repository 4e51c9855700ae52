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

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/evict"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/refusals"
	"github.com/muster-sched/muster/hosts/kubernetes/mirror"
	"github.com/muster-sched/muster/hosts/kubernetes/plugin"
)

// Name is that of the plugin in configurations.
const Name = "MusterPods"

// Plugin plans gangs as their pods come.
type Plugin struct {
	handle fwk.Handle
	args   *plugin.Args
	mirror *mirror.Mirror
	evict  evict.Func
	queue  order

	mu      sync.Mutex // bindings end on goroutines of their own
	permits *permit.Lifecycle
	plans   map[string]*plan // by gang
	refused refusals.Set
	uids    map[permit.Ref]types.UID
}

// plan is one that pods of its gang are still to come to.
type plan struct {
	gang   *manifest.Gang
	result *placement.Result
	reason string            // why it cannot be carried out now
	nodes  map[string]string // by `namespace/name` of pods
}

var (
	_ fwk.QueueSortPlugin   = &Plugin{}
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.FilterPlugin      = &Plugin{}
	_ fwk.SignPlugin        = &Plugin{}
	_ fwk.PostFilterPlugin  = &Plugin{}
	_ fwk.ReservePlugin     = &Plugin{}
	_ fwk.PermitPlugin      = &Plugin{}
	_ fwk.PostBindPlugin    = &Plugin{}
	_ fwk.EnqueueExtensions = &Plugin{}
)

// New is the factory for the scheduler's registry. The arguments are those of the plugin for pod groups.
func New(ctx context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := plugin.DecodeArgs(obj)
	if err != nil {
		return nil, err
	}
	m, err := mirror.New(mirror.Options{Layers: args.Layers, Waiting: true})
	if err != nil {
		return nil, err
	}
	if err := m.Inform(ctx, handle, args.Resources); err != nil {
		return nil, fmt.Errorf("%s: pluginConfig: %w", Name, err)
	}
	return &Plugin{
		handle: handle, args: args, mirror: m, evict: evict.New(handle, Name), plans: map[string]*plan{}, uids: map[permit.Ref]types.UID{},
	}, nil
}

// Name is that in configurations.
func (p *Plugin) Name() string { return Name }

func nameOf(p *v1.Pod) string { return p.Namespace + "/" + p.Name }

// PreFilter plans the gang of a pod, unless there is a plan, and pins the pod to its node of it. A pod in no gang goes where others let it.
func (p *Plugin) PreFilter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	infos, err := p.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := errors.Join(p.mirror.Sync(infos), p.mirror.Meet(pod)); err != nil {
		return nil, fwk.AsStatus(err)
	}
	p.check(ctx, infos)
	p.tellEvents(ctx)
	g := p.mirror.GangOf(pod)
	if g == nil || g.Plain {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	of := p.planFor(ctx, g, pod)
	node, ok := of.nodes[nameOf(pod)]
	switch {
	case of.reason != "":
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: "+of.reason)
	case !ok:
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: no room for it beyond the minimum of its gang")
	}
	return &fwk.PreFilterResult{NodeNames: sets.New(node)}, nil
}

// planFor is the plan of a gang that has a node for the pod, or says why not. One that cannot be carried out now is made anew for the next pod.
func (p *Plugin) planFor(ctx context.Context, g *manifest.Gang, pod *v1.Pod) *plan {
	name := g.Request.Name
	if of := p.plans[name]; of != nil && of.reason == "" && of.nodes[nameOf(pod)] != "" {
		return of
	}
	p.tell(ctx, permit.Event{Kind: permit.GangAtHead, Gang: name})
	of := &plan{gang: g, nodes: map[string]string{}}
	p.plans[name] = of
	err := g.Err
	if err == nil && p.mirror.Cluster() == nil {
		err = errors.New("the cluster has no nodes")
	}
	if err == nil {
		req := g.Request
		req.Policy, req.Preempt.Steps = p.args.Policy, p.args.PreemptionSteps
		refusals.Ports(&req, []*v1.Pod{pod})
		p.refused.Apply(&req, p.handle.SnapshotSharedLister().NodeInfos())
		of.result, err = placement.PlanContext(ctx, p.mirror.Cluster(), &req)
	}
	if err != nil {
		of.reason = strings.TrimPrefix(err.Error(), "unschedulable: ")
		if err := p.mirror.Clear(g); err != nil {
			of.reason += "; " + err.Error()
		}
		return of
	}
	for _, a := range of.result.Assignments {
		if namespace, member, ok := g.Pod(a.Member); ok {
			of.nodes[namespace+"/"+member] = a.Node
		}
	}
	switch {
	case len(of.result.Victims) > 0:
		of.reason = fmt.Sprintf("%d pods have to leave for it", len(of.result.Victims))
	case of.result.Waits():
		of.reason = fmt.Sprintf("it waits for %d pods that are terminating", len(of.result.WaitsFor))
	default: // no event tells the others that they have a place
		p.handle.Activate(klog.FromContext(ctx), p.mirror.PodsOf(g))
	}
	return of
}

// check compares the mirror with the snapshot, where it is asked for.
func (p *Plugin) check(ctx context.Context, infos []fwk.NodeInfo) {
	for _, line := range p.mirror.Notices() {
		klog.FromContext(ctx).V(4).Info("Muster notices", "notice", line)
	}
	if !p.args.CheckMirror {
		return
	}
	for _, line := range p.mirror.Differences(infos) {
		klog.FromContext(ctx).Error(errors.New(line), "The mirror differs from the snapshot")
	}
}

// PreFilterExtensions are none.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter keeps a pod from a node for which it is nominated where the plan has another one by now.
func (p *Plugin) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.mirror.GangOf(pod)
	if g == nil || g.Plain {
		return nil
	}
	if of := p.plans[g.Request.Name]; of != nil && of.nodes[nameOf(pod)] != info.Node().Name {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: not its node of the plan")
	}
	return nil
}

// SignPod lets nothing be remembered of pods, since a plan tells equal ones apart.
func (p *Plugin) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable, "muster: pods of a gang differ by their plan")
}

// PostFilter makes room for a gang: it evicts all victims of the plan and holds its places until they are gone.
func (p *Plugin) PostFilter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.mirror.GangOf(pod)
	if g == nil || g.Plain {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	of := p.plans[g.Request.Name]
	delete(p.plans, g.Request.Name)
	if of == nil || of.result == nil || of.reason == "" || of.nodes[nameOf(pod)] == "" {
		if of != nil && of.reason == "" && of.nodes[nameOf(pod)] != "" { // by another plugin
			p.refused.Add(g.Request.Name, gang.Refusal{Member: pod.Name, Node: of.nodes[nameOf(pod)]}, p.handle.SnapshotSharedLister().NodeInfos())
			p.handle.Activate(klog.FromContext(ctx), p.mirror.PodsOf(g))
		}
		p.fail(ctx, g.Request.Name, pod)
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: nobody's leaving helps")
	}
	victims, err := evict.Victims(p.handle.SnapshotSharedLister().NodeInfos(), of.result)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := p.mirror.Nominate(of.gang, of.result); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(victims) > 0 {
		p.evict(ctx, preemptor{pod}, victims)
	}
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: of.nodes[nameOf(pod)], NominatingMode: fwk.ModeOverride}}, fwk.NewStatus(fwk.Success)
}

// fail tells that no node was found for a pod: those of a strict gang that wait give theirs back.
func (p *Plugin) fail(ctx context.Context, name string, pod *v1.Pod) {
	p.tell(ctx, permit.Event{Kind: permit.MemberFailed, Gang: name, Member: pod.Name})
}

// preemptor is the pod for which others leave.
type preemptor struct{ *v1.Pod }

func (p preemptor) UID() types.UID           { return p.Pod.UID }
func (p preemptor) Obj() runtime.Object      { return p.Pod }
func (p preemptor) Pods() map[string]*v1.Pod { return map[string]*v1.Pod{nameOf(p.Pod): p.Pod} }
func (p preemptor) SchedulerName() string    { return p.Spec.SchedulerName }
func (p preemptor) Type() string             { return "pod" }

func (p preemptor) Priority() int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// EventsToRegister are the changes that may let a gang start that was refused.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint | fwk.UpdateNodeCondition}},
		{Event: fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete | fwk.UpdatePodScaleDown}},
		{Event: fwk.ClusterEvent{Resource: fwk.UnscheduledPod, ActionType: fwk.Add}},
	}, nil
}

// now is the time for permits, in seconds.
func now() int64 { return time.Now().Unix() }
