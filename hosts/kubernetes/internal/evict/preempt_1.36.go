//go:build kubernetes1.36

package evict

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// preemptsBy takes a victim that is not bound yet for one that goes back to the queue: the executor does not tell, and to activate in vain harms nobody.
func preemptsBy(handle fwk.Handle, e *preemption.Executor) preempt {
	return func(ctx context.Context, all preemption.Candidate, by preemption.ExecutorPreemptor, victim *v1.Pod, plugin string) (bool, error) {
		unbound := handle.GetWaitingPod(victim.UID) != nil || handle.GetPodInPreBind(victim.UID) != nil
		return unbound, e.PreemptPod(ctx, all, by, victim, plugin)
	}
}
