package plugin

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/evict"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
)

// PodGroupPostFilter makes room for a group: it evicts the victims of the plan and nominates its places, which are held until the victims are gone. Where
// the plan has none, or nobody may leave, no other plugin is asked: what they would evict helps nobody.
func (p *Plugin) PodGroupPostFilter(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, _ fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	of := planOf(state)
	if of == nil {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	if of.found.Result == nil || of.found.Reason == "" {
		if err := p.planner.Mirror.Clear(of.found.Gang); err != nil {
			return nil, fwk.AsStatus(err)
		}
		if of.found.Result != nil && p.refuse(of, group.GetUnscheduledPods()) {
			p.handle.Activate(klog.FromContext(ctx), byName(group.GetUnscheduledPods()))
			return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: a node of the plan was refused, the next plan is without it")
		}
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: "+of.found.Reason)
	}
	victims, err := evict.Victims(p.planner.Nodes(), of.found.Result)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := p.planner.Mirror.Nominate(of.found.Gang, of.found.Result); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(victims) > 0 {
		by := preemptor{group}
		p.evict.Begin(ctx, by, by.Pods(), victims)
	}
	out := &fwk.PodGroupPostFilterResult{NominatingInfos: map[types.NamespacedName]*fwk.NominatingInfo{}}
	for pod, node := range of.found.Nodes {
		namespace, name, _ := strings.Cut(pod, "/")
		out.NominatingInfos[types.NamespacedName{Namespace: namespace, Name: name}] = &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}
	}
	return out, fwk.NewStatus(fwk.Success, "muster: "+of.found.Reason)
}

// refuse notes the pods that got as far as their node of the plan and not onto it: another plugin refused it for them.
func (p *Plugin) refuse(of *plan, pods []*v1.Pod) (any bool) {
	for _, pod := range pods {
		if at := planner.NameOf(pod); of.tried.Has(at) && !of.kept.Has(at) {
			p.planner.Refuse(of.found, pod)
			any = true
		}
	}
	return any
}

func byName(pods []*v1.Pod) map[string]*v1.Pod {
	out := map[string]*v1.Pod{}
	for _, p := range pods {
		out[planner.NameOf(p)] = p
	}
	return out
}

// preemptor is the group for which they leave.
type preemptor struct{ group fwk.PodGroupInfo }

func (p preemptor) GetName() string      { return p.group.GetName() }
func (p preemptor) GetNamespace() string { return p.group.GetNamespace() }
func (p preemptor) Type() string         { return string(p.group.GetType()) }

func (p preemptor) UID() types.UID {
	if c := p.group.GetCompositePodGroup(); c != nil {
		return c.UID
	}
	return p.group.GetPodGroup().UID
}

func (p preemptor) Obj() runtime.Object {
	if c := p.group.GetCompositePodGroup(); c != nil {
		return c
	}
	return p.group.GetPodGroup()
}

func (p preemptor) Pods() map[string]*v1.Pod { return byName(p.group.GetUnscheduledPods()) }

func (p preemptor) SchedulerName() string {
	for _, pod := range p.group.GetUnscheduledPods() {
		return pod.Spec.SchedulerName
	}
	return ""
}

func (p preemptor) Priority() int32 {
	for _, pod := range p.group.GetUnscheduledPods() {
		return corev1helpers.PodPriority(pod) // that of all: the scheduler sees to it
	}
	return 0
}
