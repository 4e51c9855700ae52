package planner

import (
	"context"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// together is how long changes wait for others that come with them.
const together = 100 * time.Millisecond

// waker activates all pods that wait. O(pods) for all changes of a moment.
func waker(ctx context.Context, handle fwk.Handle) func() {
	var due atomic.Bool
	logger, pods := klog.FromContext(ctx), handle.SharedInformerFactory().Core().V1().Pods().Lister()
	wake := func() {
		due.Store(false)
		all, err := pods.List(labels.Everything())
		if err != nil {
			logger.Error(err, "Pods that wait cannot be listed")
			return
		}
		waiting := map[string]*v1.Pod{}
		for _, p := range all {
			if p.Spec.NodeName == "" {
				waiting[NameOf(p)] = p
			}
		}
		if len(waiting) > 0 {
			handle.Activate(logger, waiting)
		}
	}
	return func() {
		if due.CompareAndSwap(false, true) {
			time.AfterFunc(together, wake)
		}
	}
}
