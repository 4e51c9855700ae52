package plugin

import (
	"context"
	"strings"

	"github.com/muster-sched/muster/gang"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/evict"
)

// PodGroupPostFilter makes room for a group: it evicts the victims of the plan and nominates its places, which are held until the victims are gone. Where
// the plan has none, or nobody may leave, no other plugin is asked: what they would evict helps nobody.
func (p *Plugin) PodGroupPostFilter(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, _ fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	of := planOf(state)
	if of == nil {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	if of.result == nil || of.reason == "" {
		if err := p.mirror.Clear(of.gang); err != nil {
			return nil, fwk.AsStatus(err)
		}
		if of.result != nil && p.refuse(of, group.GetUnscheduledPods()) {
			p.handle.Activate(klog.FromContext(ctx), byName(group.GetUnscheduledPods()))
			return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: a node of the plan was refused, the next plan is without it")
		}
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: "+of.reason)
	}
	victims, err := evict.Victims(p.handle.SnapshotSharedLister().NodeInfos(), of.result)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := p.mirror.Nominate(of.gang, of.result); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(victims) > 0 {
		p.evict(ctx, preemptor{group}, victims)
	}
	out := &fwk.PodGroupPostFilterResult{NominatingInfos: map[types.NamespacedName]*fwk.NominatingInfo{}}
	for pod, node := range of.nodes {
		namespace, name, _ := strings.Cut(pod, "/")
		out.NominatingInfos[types.NamespacedName{Namespace: namespace, Name: name}] = &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}
	}
	return out, fwk.NewStatus(fwk.Success, "muster: "+of.reason)
}

// refuse notes the pods that got as far as their node of the plan and not onto it: another plugin refused it for them.
func (p *Plugin) refuse(of *plan, pods []*v1.Pod) (any bool) {
	for _, pod := range pods {
		if at := nameOf(pod); of.tried.Has(at) && !of.kept.Has(at) {
			p.refused.Add(of.gang.Request.Name, gang.Refusal{Member: of.member[at], Node: of.nodes[at]}, p.handle.SnapshotSharedLister().NodeInfos())
			any = true
		}
	}
	return any
}

func byName(pods []*v1.Pod) map[string]*v1.Pod {
	out := map[string]*v1.Pod{}
	for _, p := range pods {
		out[nameOf(p)] = p
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
		if pod.Spec.Priority != nil {
			return *pod.Spec.Priority
		}
	}
	return 0
}
