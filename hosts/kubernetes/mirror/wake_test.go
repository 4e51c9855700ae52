package mirror

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// TestFurtherObjectsWake tells of each change but those of a status, and after the mirror has heard of it.
func TestFurtherObjectsWake(t *testing.T) {
	heard, woken := 0, 0
	m := &Mirror{changed: func() { woken += 10 * heard }}
	h := m.wakes(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { heard++ }, UpdateFunc: func(_, _ any) { heard++ }, DeleteFunc: func(any) { heard++ }})
	group := func(version string, minimum int64, status string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "a", "resourceVersion": version}, "spec": map[string]any{"minMember": minimum}, "status": status,
		}}
	}
	h.OnAdd(group("1", 6, ""), false)
	require.Equal(t, 10, woken)
	h.OnUpdate(group("1", 6, ""), group("2", 6, "pending"))
	require.Equal(t, 10, woken)
	h.OnUpdate(group("2", 6, ""), group("3", 4, ""))
	require.Equal(t, 40, woken)
	annotated := group("4", 4, "")
	annotated.SetAnnotations(map[string]string{"rule": "rack"})
	h.OnUpdate(group("3", 4, ""), annotated)
	require.Equal(t, 80, woken)
	h.OnDelete(annotated)
	require.Equal(t, 130, woken)
}
