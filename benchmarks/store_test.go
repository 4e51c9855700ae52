package benchmarks_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/placement/manifest"
)

// BenchmarkReadStore feeds a store the objects of a dump, decoded, as an informer would: all of them, then one change at a time.
func BenchmarkReadStore(b *testing.B) {
	forget()
	dump := benchmarks.Dump{Nodes: 5000, Pods: 20_000}
	objects := make([]map[string]any, dump.Nodes+dump.Pods)
	for i := range objects {
		require.NoError(b, json.Unmarshal([]byte(dump.Object(i)), &objects[i]))
	}
	fill := func() *manifest.Store {
		s := manifest.NewStore(manifest.Options{})
		for _, o := range objects {
			require.NoError(b, s.Set(o))
		}
		s.Changes()
		return s
	}
	name := fmt.Sprintf("nodes=%d/pods=%d", dump.Nodes, dump.Pods)
	b.Run(name+"/change=all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fill()
		}
	})
	s := fill()

	for _, change := range []struct {
		name string
		of   map[string]any // changed and changed back
		key  []string
		to   any
	}{
		{"pod", objects[dump.Nodes+7], []string{"spec", "nodeName"}, "node-17"},
		{"node", objects[3], []string{"spec", "unschedulable"}, true},
		{"nothing", objects[dump.Nodes+7], []string{"metadata", "resourceVersion"}, "1"},
		{"labels", objects[3], []string{"metadata", "labels", "rack"}, "rack-0-b"},
	} {
		b.Run(name+"/change="+change.name, func(b *testing.B) {
			b.ReportAllocs()
			at := change.of
			for _, key := range change.key[:len(change.key)-1] {
				at = at[key].(map[string]any)
			}
			last := change.key[len(change.key)-1]
			before, other := at[last], change.to
			for b.Loop() {
				at[last], other = other, at[last]
				require.NoError(b, s.Set(change.of))
				s.Changes()
			}
			if at[last] = before; before == nil {
				delete(at, last)
			}
			require.NoError(b, s.Set(change.of))
			s.Changes()
		})
	}
}
