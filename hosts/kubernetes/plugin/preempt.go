package plugin

import (
	"context"
	"fmt"
	"strings"

	"github.com/muster-sched/muster/placement"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// PodGroupPostFilter makes room for a group: it evicts the victims of the plan and nominates its places, which are held until the victims are gone. Where
// the plan has none, or nobody may leave, no other plugin is asked: what they would evict helps nobody.
func (p *Plugin) PodGroupPostFilter(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, _ fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	of := planOf(state)
	if of == nil {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	name := of.gang.Request.Name
	if of.result == nil || of.reason == "" {
		if err := p.mirror.Clear(name); err != nil {
			return nil, fwk.AsStatus(err)
		}
		if of.result != nil && p.refused.add(of, group.GetUnscheduledPods(), p.handle.SnapshotSharedLister().NodeInfos()) > 0 {
			p.handle.Activate(klog.FromContext(ctx), byName(group.GetUnscheduledPods()))
			return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: a node of the plan was refused, the next plan is without it")
		}
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: "+of.reason)
	}
	victims, err := p.victims(of.result)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if err := p.mirror.Nominate(of.gang, of.result); err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(victims) > 0 {
		p.evict(ctx, group, victims)
	}
	out := &fwk.PodGroupPostFilterResult{NominatingInfos: map[types.NamespacedName]*fwk.NominatingInfo{}}
	for pod, node := range of.nodes {
		namespace, name, _ := strings.Cut(pod, "/")
		out.NominatingInfos[types.NamespacedName{Namespace: namespace, Name: name}] = &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}
	}
	return out, fwk.NewStatus(fwk.Success, "muster: "+of.reason)
}

func byName(pods []*v1.Pod) map[string]*v1.Pod {
	out := map[string]*v1.Pod{}
	for _, p := range pods {
		out[nameOf(p)] = p
	}
	return out
}

// victims are the pods of a plan's victims in the snapshot.
func (p *Plugin) victims(res *placement.Result) (out []*v1.Pod, err error) {
	for _, v := range res.Victims {
		info, err := p.handle.SnapshotSharedLister().NodeInfos().Get(v.Node)
		if err != nil {
			return nil, err
		}
		namespace, _, _ := strings.Cut(v.Gang, "/")
		pod := podOn(info, namespace, v.Member)
		if pod == nil {
			return nil, fmt.Errorf("muster: %s of %s is not on %s", v.Member, v.Gang, v.Node)
		}
		out = append(out, pod)
	}
	return out, nil
}

func podOn(info fwk.NodeInfo, namespace, name string) *v1.Pod {
	for _, p := range info.GetPods() {
		if pod := p.GetPod(); pod.Namespace == namespace && pod.Name == name {
			return pod
		}
	}
	return nil
}

// newEvictor evicts as the scheduler itself does: pods that only wait for their permit go back to the queue, others get the condition of a disruption and
// are deleted. It does not wait for the API server; where that fails, the group is tried again.
func newEvictor(handle fwk.Handle) func(context.Context, fwk.PodGroupInfo, []*v1.Pod) {
	executor := preemption.NewExecutor(handle, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	return func(ctx context.Context, group fwk.PodGroupInfo, victims []*v1.Pod) {
		by := preemptor{group}
		all := candidate{victims}
		ctx = context.WithoutCancel(ctx)
		go func() {
			failed := false
			for _, victim := range victims {
				if victim.DeletionTimestamp != nil {
					continue
				}
				inMemory, err := executor.PreemptPod(ctx, all, by, victim, Name)
				failed = failed || inMemory || err != nil
			}
			if failed { // no event of a deletion may come
				handle.Activate(klog.FromContext(ctx), by.Pods())
			}
		}()
	}
}

// candidate are victims, for the scheduler's evictions.
type candidate struct{ pods []*v1.Pod }

func (c candidate) Victims() *extenderv1.Victims { return &extenderv1.Victims{Pods: c.pods} }
func (c candidate) Name() string                 { return "plan" }
func (c candidate) NumPodGroupDisruptions() int  { return 0 }

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
