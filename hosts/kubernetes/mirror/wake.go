package mirror

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// wakes is a handler of further objects that also tells of their changes, once the mirror knows them: the scheduler wakes nobody for these.
func (m *Mirror) wakes(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	if m.changed == nil {
		return h
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			h.OnAdd(obj, false)
			m.changed()
		},
		UpdateFunc: func(old, obj any) {
			h.OnUpdate(old, obj)
			if !sameButStatus(old, obj) {
				m.changed()
			}
		},
		DeleteFunc: func(obj any) {
			h.OnDelete(obj)
			m.changed()
		},
	}
}

// sameButStatus says whether two states of an object differ in what its controller says at most.
func sameButStatus(a, b any) bool {
	old, ok := a.(*unstructured.Unstructured)
	now, is := b.(*unstructured.Unstructured)
	return ok && is && maps.Equal(old.GetLabels(), now.GetLabels()) && maps.Equal(old.GetAnnotations(), now.GetAnnotations()) &&
		reflect.DeepEqual(asked(old), asked(now))
}

func asked(u *unstructured.Unstructured) map[string]any {
	out := maps.Clone(u.Object)
	delete(out, "metadata")
	delete(out, "status")
	return out
}
