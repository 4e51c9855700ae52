package extender

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/live"
)

// Feed tells a state what a cluster has, and what changes there.
type Feed struct {
	Client dynamic.Interface
	Kinds  []live.Served
	State  *State

	synced atomic.Bool
}

// Run follows the cluster until the context ends. Kinds that may not be listed are left out and logged; where they are needed, that is an error.
func (f *Feed) Run(ctx context.Context) error {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(f.Client, 0)
	defer factory.Shutdown()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var synced []cache.InformerSynced
	for _, k := range f.Kinds {
		if _, err := f.Client.Resource(k.Resource()).List(ctx, metav1.ListOptions{Limit: 1}); apierrors.IsForbidden(err) {
			if k.Needed {
				return fmt.Errorf("may not list %s (%w), without which nothing can be planned", k.Name(), err)
			}
			slog.Warn("may not list " + k.Name() + ": " + err.Error())
			continue
		}
		informer := factory.ForResource(k.Resource()).Informer()
		if err := informer.SetTransform(withoutManagedFields); err != nil {
			return err
		}
		registration, err := informer.AddEventHandler(f.handler())
		if err != nil {
			return err
		}
		synced = append(synced, registration.HasSynced)
	}
	factory.Start(ctx.Done())
	if cache.WaitForCacheSync(ctx.Done(), synced...) {
		if err := f.State.Look(); err != nil {
			slog.Error(err.Error())
		}
		f.synced.Store(true)
		slog.Info("the objects of the cluster are read", "kinds", len(synced))
	}
	<-ctx.Done()
	return nil
}

// Synced says whether all that the cluster has was told once.
func (f *Feed) Synced() bool { return f.synced.Load() }

// handler tells the state of the objects of a kind.
func (f *Feed) handler() cache.ResourceEventHandler {
	set := func(obj any) {
		if u, is := obj.(*unstructured.Unstructured); is {
			f.State.told(f.State.Set(u.Object))
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    set,
		UpdateFunc: func(_, obj any) { set(obj) },
		DeleteFunc: func(obj any) {
			if gone, is := obj.(cache.DeletedFinalStateUnknown); is {
				obj = gone.Obj
			}
			if u, is := obj.(*unstructured.Unstructured); is {
				f.State.told(f.State.Delete(u.Object))
			}
		},
	}
}

// told counts an object that cannot be taken at all.
func (s *State) told(err error) {
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.metrics.failed(err)
	}
}

// withoutManagedFields takes away what nobody reads, before it is kept.
func withoutManagedFields(obj any) (any, error) {
	u, is := obj.(*unstructured.Unstructured)
	if !is {
		return nil, errors.New("not an object of a dynamic client")
	}
	unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	return u, nil
}
