package mirror

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
)

// watched is an informer of objects of a kind.
type watched struct {
	informer cache.SharedIndexInformer
	kind     schema.GroupVersionKind
}

// Inform lets informers tell the mirror what snapshots lack. It also starts those of further resources, such as `topologies.v1beta1.kueue.x-k8s.io`, and
// fails where one is not served or may not be listed.
func (m *Mirror) Inform(ctx context.Context, handle fwk.Handle, resources []string) error {
	logger, shared := klog.FromContext(ctx), handle.SharedInformerFactory()
	all := append(groups(shared),
		watched{shared.Scheduling().V1().PriorityClasses().Informer(), schedulingv1.SchemeGroupVersion.WithKind("PriorityClass")},
		watched{shared.Policy().V1().PodDisruptionBudgets().Informer(), policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")})
	for _, w := range all {
		if _, err := w.informer.AddEventHandler(tells(logger, m, w.kind)); err != nil {
			return err
		}
	}
	if _, err := shared.Core().V1().Pods().Informer().AddEventHandler(tellsPods(logger, m)); err != nil {
		return err
	}
	return watchFurther(ctx, handle.KubeConfig(), m, resources)
}

// tells is a handler that reads objects of a kind; nil objects of typed clients do not occur.
func tells(logger klog.Logger, m *Mirror, kind schema.GroupVersionKind) cache.ResourceEventHandler {
	read := func(obj any) map[string]any {
		obj = objects.Last(obj)
		if u, ok := obj.(*unstructured.Unstructured); ok {
			return u.Object
		}
		out, err := objects.Of(obj, kind)
		if err != nil {
			logger.Error(err, "An object cannot be read")
		}
		return out
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { m.Observe(logger, read(obj)) },
		UpdateFunc: func(_, obj any) { m.Observe(logger, read(obj)) },
		DeleteFunc: func(obj any) { m.Forget(logger, read(obj)) },
	}
}

func tellsPods(logger klog.Logger, m *Mirror) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { m.ObservePod(logger, obj.(*v1.Pod)) },
		UpdateFunc: func(_, obj any) { m.ObservePod(logger, obj.(*v1.Pod)) },
		DeleteFunc: func(obj any) { m.ForgetPod(logger, objects.Last(obj).(*v1.Pod)) },
	}
}

func watchFurther(ctx context.Context, config *rest.Config, m *Mirror, resources []string) error {
	if len(resources) == 0 {
		return nil
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	for _, name := range resources {
		resource, _ := schema.ParseResourceArg(name)
		if _, err := client.Resource(*resource).List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
			return fmt.Errorf("resources: %s: %w", name, err)
		}
		if _, err := factory.ForResource(*resource).Informer().AddEventHandler(m.wakes(tells(klog.FromContext(ctx), m, schema.GroupVersionKind{}))); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return nil
}
