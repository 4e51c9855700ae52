package plugin

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/planner"
)

// PreEnqueue keeps pods out of the queue while the victims of their group are being asked to leave.
func (p *Plugin) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status { return p.evict.Wait(pod) }

// EventsToRegister are the changes that may let a group start that was refused: nodes that come or change, pods that go, and its own objects.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	out := append(planner.Events(), fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: fwk.PodGroup, ActionType: fwk.Add | fwk.Update}})
	for i := range out {
		out[i].QueueingHintFn = inGroups
	}
	return out, nil
}

// inGroups is the hint for pods of groups: others are never refused here.
func inGroups(_ klog.Logger, pod *v1.Pod, _, _ any) (fwk.QueueingHint, error) {
	if pod.Spec.SchedulingGroup == nil {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}
