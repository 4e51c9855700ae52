package plugin

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
)

// planOfPod is the plan of the cycle that a pod is in; nil: it is in none, or in one without a plan.
func planOfPod(state fwk.CycleState) *plan {
	if !state.IsPodGroupSchedulingCycle() {
		return nil
	}
	return planOf(state.GetPodGroupSchedulingCycle())
}

// PreFilter pins a pod to its node of the plan, and refuses it where there is none.
func (p *Plugin) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	of := planOfPod(state)
	if of == nil {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if of.found.Reason != "" {
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: "+of.found.Reason)
	}
	node, ok := of.found.Nodes[planner.NameOf(pod)]
	if !ok {
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: no room for it beyond the minimum of its group")
	}
	of.tried.Insert(planner.NameOf(pod))
	return &fwk.PreFilterResult{NodeNames: sets.New(node)}, nil
}

// PreFilterExtensions are none: a plan is of its cycle.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter keeps a pod from a node for which it is nominated where the plan has another one by now.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	of := planOfPod(state)
	if of == nil || of.found.Nodes[planner.NameOf(pod)] == info.Node().Name {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: not its node of the plan")
}

// SignPod lets nothing be remembered of pods in groups, which the plan tells apart.
func (p *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if pod.Spec.SchedulingGroup != nil {
		return nil, fwk.NewStatus(fwk.Unschedulable, "muster: pods of a group differ by their plan")
	}
	return nil, nil
}

// Reserve notes that all filters have let a pod go to its node. Another node than that of the plan is an error.
func (p *Plugin) Reserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	of := planOfPod(state)
	if of == nil {
		return nil
	}
	if want := of.found.Nodes[planner.NameOf(pod)]; want != node {
		return fwk.AsStatus(fmt.Errorf("muster: %s was planned for %q and comes to %q", planner.NameOf(pod), want, node))
	}
	of.kept.Insert(planner.NameOf(pod))
	return nil
}

// Unreserve has nothing to give back: the snapshot of the next cycle tells what became of the pod.
func (p *Plugin) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}
