package trial

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Kubelet lets the pods of all nodes end that are deleted, after the time that pods need to end. It runs until the context is done.
func (c *Cluster) Kubelet(ctx context.Context, ends time.Duration) error {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	end := func(obj any) {
		p := obj.(*v1.Pod)
		if p.DeletionTimestamp == nil || p.Spec.NodeName == "" {
			return
		}
		go func() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(ends):
			}
			err := c.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, now(p))
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && ctx.Err() == nil {
				klog.FromContext(ctx).Error(err, "A pod does not end", "pod", klog.KObj(p))
			}
		}()
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: end, UpdateFunc: func(_, obj any) { end(obj) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return nil
}

func now(p *v1.Pod) metav1.DeleteOptions {
	zero := int64(0)
	return metav1.DeleteOptions{GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &p.UID}}
}
