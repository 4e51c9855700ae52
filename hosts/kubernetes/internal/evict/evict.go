// Package evict answers: how do the victims of a plan leave? As the scheduler's own victims do: pods that only wait for their permit go back to the
// queue, others get the condition of a disruption and are deleted.
package evict

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/muster-sched/muster/placement"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Evictions let victims leave in the name of a plugin, and keep those who wait for them out of the queue until the last of them is on its way: to be tried
// before would only make them wait longer for the next time.
type Evictions struct {
	handle  fwk.Handle
	plugin  string
	preempt preempt

	mu    sync.Mutex
	begun map[types.UID]*v1.Pod // by pod that waits: the last victim, nil while others are asked to leave
	asked sets.Set[types.UID]   // victims that are being asked to leave
}

// preempt lets one victim leave, and says whether it goes back to the queue without a deletion.
type preempt func(ctx context.Context, all preemption.Candidate, by preemption.ExecutorPreemptor, victim *v1.Pod, plugin string) (inMemory bool, err error)

// New evicts in the name of a plugin.
func New(handle fwk.Handle, plugin string) *Evictions {
	executor := preemption.NewExecutor(handle, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	return &Evictions{handle: handle, plugin: plugin, preempt: preemptsBy(handle, executor), begun: map[types.UID]*v1.Pod{}, asked: sets.New[types.UID]()}
}

// Begin evicts victims for pods that wait. It does not wait for the API server; where that fails, the pods are tried again.
func (e *Evictions) Begin(ctx context.Context, by preemption.ExecutorPreemptor, waiting map[string]*v1.Pod, victims []*v1.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	victims = slices.DeleteFunc(slices.Clone(victims), func(v *v1.Pod) bool { return v.DeletionTimestamp != nil || e.asked.Has(v.UID) })
	if len(victims) == 0 {
		return
	}
	for _, v := range victims {
		e.asked.Insert(v.UID)
	}
	e.note(waiting, nil)
	go e.evict(context.WithoutCancel(ctx), by, waiting, victims)
}

// evict asks all victims but the last at once, and then that one: once it is on its way, so are the others.
func (e *Evictions) evict(ctx context.Context, by preemption.ExecutorPreemptor, waiting map[string]*v1.Pod, victims []*v1.Pod) {
	var failed atomic.Bool // or no event of a deletion may come
	ask := func(i int) {
		inMemory, err := e.preempt(ctx, candidate{victims}, by, victims[i], e.plugin)
		if err != nil || inMemory {
			failed.Store(true)
		}
	}
	last := len(victims) - 1
	e.handle.Parallelizer().Until(ctx, last, ask, e.plugin)
	e.mu.Lock()
	e.note(waiting, victims[last])
	e.mu.Unlock()
	ask(last)

	e.mu.Lock()
	for _, p := range waiting {
		delete(e.begun, p.UID)
	}
	for _, v := range victims {
		e.asked.Delete(v.UID)
	}
	e.mu.Unlock()
	if failed.Load() {
		e.handle.Activate(klog.FromContext(ctx), waiting)
	}
}

func (e *Evictions) note(waiting map[string]*v1.Pod, last *v1.Pod) {
	for _, p := range waiting {
		e.begun[p.UID] = last
	}
}

// Wait says why a pod may not be tried yet; nil: it may. The event of the last deletion may come before the call has returned, and no other comes after it, so
// that what counts is whether informers still have the victim.
func (e *Evictions) Wait(p *v1.Pod) *fwk.Status {
	e.mu.Lock()
	last, is := e.begun[p.UID]
	e.mu.Unlock()
	if !is {
		return nil
	}
	if last != nil {
		now, err := e.handle.SharedInformerFactory().Core().V1().Pods().Lister().Pods(last.Namespace).Get(last.Name)
		if err != nil || now.UID != last.UID || now.DeletionTimestamp != nil {
			return nil
		}
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "muster: its victims are being asked to leave")
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
