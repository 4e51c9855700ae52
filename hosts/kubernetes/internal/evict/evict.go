// Package evict answers: how do the victims of a plan leave? As the scheduler's own victims do: pods that only wait for their permit go back to the
// queue, others get the condition of a disruption and are deleted.
package evict

import (
	"context"
	"fmt"
	"strings"

	"github.com/muster-sched/muster/placement"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Func evicts victims for somebody. It does not wait for the API server; where that fails, the pods of the preemptor are tried again.
type Func func(ctx context.Context, by preemption.ExecutorPreemptor, victims []*v1.Pod)

// preempt lets one victim leave, and says whether it goes back to the queue without a deletion.
type preempt func(ctx context.Context, all preemption.Candidate, by preemption.ExecutorPreemptor, victim *v1.Pod, plugin string) (inMemory bool, err error)

// New evicts in the name of a plugin.
func New(handle fwk.Handle, plugin string) Func {
	preempt := preemptsBy(handle, preemption.NewExecutor(handle, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)))
	return func(ctx context.Context, by preemption.ExecutorPreemptor, victims []*v1.Pod) {
		all := candidate{victims}
		ctx = context.WithoutCancel(ctx)
		go func() {
			failed := false
			for _, victim := range victims {
				if victim.DeletionTimestamp != nil {
					continue
				}
				inMemory, err := preempt(ctx, all, by, victim, plugin)
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

// Victims are the pods of a plan's victims in the snapshot.
func Victims(nodes fwk.NodeInfoLister, res *placement.Result) (out []*v1.Pod, err error) {
	for _, v := range res.Victims {
		info, err := nodes.Get(v.Node)
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
