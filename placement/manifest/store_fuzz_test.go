package manifest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// Whatever a client holds, a store takes it or refuses it, and what is deleted leaves nothing behind.
func FuzzStore(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":1}}}`), []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"nodeName":"a"}}`))
	f.Add([]byte(`{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{"name":"g"},"spec":{"schedulingPolicy":{"basic":{}}}}`), []byte(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"a","ownerReferences":[{}]}}`))
	f.Fuzz(func(t *testing.T, one, other []byte) {
		s := manifest.NewStore(manifest.Options{})
		var set []map[string]any
		for _, data := range [][]byte{one, other, one} {
			var o map[string]any
			if json.Unmarshal(data, &o) == nil && s.Set(o) == nil {
				set = append(set, o)
			}
			s.Changes()
		}
		for _, o := range set {
			require.NoError(t, s.Delete(o))
		}
		s.Changes()
		in := s.Input()
		require.Empty(t, in.Spec.Nodes)
		require.Empty(t, in.Gangs)
		require.Empty(t, in.Defects)
		require.Empty(t, in.Skipped)
	})
}
