package benchmarks_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"testing"
	"time"

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

// BenchmarkReadStoreGangs changes one object of a store whose pods run in gangs, to and fro, and tells the change.
func BenchmarkReadStoreGangs(b *testing.B) {
	forget()
	const nodes = 5000
	node := func(i int) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Node",
			"metadata": map[string]any{"name": fmt.Sprint("node-", i), "labels": map[string]any{"net/rack": fmt.Sprint("rack-", i/32)}},
			"status":   map[string]any{"allocatable": map[string]any{"cpu": "96", "nvidia.com/gpu": "8"}},
		}
	}
	for _, size := range []int{32, 256, 1024} {
		pods := 10_016 / size * size
		pod := func(i int, spec, status map[string]any) map[string]any {
			all := map[string]any{
				"nodeName":   fmt.Sprint("node-", i%nodes),
				"containers": []any{map[string]any{"name": "main", "resources": map[string]any{"requests": map[string]any{"cpu": "1", "nvidia.com/gpu": "1"}}}},
			}
			maps.Copy(all, spec)
			return map[string]any{
				"apiVersion": "v1", "kind": "Pod", "spec": all, "status": status,
				"metadata": map[string]any{"name": fmt.Sprint("pod-", i), "labels": map[string]any{"pod-group.scheduling.sigs.k8s.io": fmt.Sprint("gang-", i/size)}},
			}
		}
		s := manifest.NewStore(manifest.Options{})
		for i := range nodes {
			require.NoError(b, s.Set(node(i)))
		}
		for i := range pods {
			require.NoError(b, s.Set(pod(i, nil, nil)))
		}
		s.Changes()
		first := pod(0, nil, nil)
		labeled := node(0)
		labeled["metadata"].(map[string]any)["labels"].(map[string]any)["owner"] = "me"
		tree := map[string]any{
			"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology", "metadata": map[string]any{"name": "default"},
			"spec": map[string]any{"levels": []any{map[string]any{"nodeLabel": "net/rack"}}},
		}
		class := map[string]any{
			"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": map[string]any{"name": "high"}, "value": int64(7),
		}
		set := func(o map[string]any) { require.NoError(b, s.Set(o)) }
		fill := func(pod func(i int) map[string]any) {
			for i := range pods {
				set(pod(i))
			}
			s.Changes()
		}
		for _, change := range []struct {
			name     string
			from, to func(i int) map[string]any
		}{
			{"bind", func(i int) map[string]any { return pod(i, map[string]any{"nodeName": ""}, nil) }, func(i int) map[string]any { return pod(i, nil, nil) }},
			{"end", func(i int) map[string]any { return pod(i, nil, nil) }, func(i int) map[string]any { return pod(i, nil, map[string]any{"phase": "Succeeded"}) }},
			{"leave", func(i int) map[string]any { return pod(i, nil, nil) }, func(i int) map[string]any {
				leaves := pod(i, nil, nil)
				leaves["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
				return leaves
			}},
		} {
			b.Run(fmt.Sprintf("nodes=%d/pods=%d/gang=%d/change=%s", nodes, pods, size, change.name), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i = (i + 1) % pods {
					if i == 0 {
						b.StopTimer()
						fill(change.from)
						runtime.GC() // of what filled the store
						b.StartTimer()
					}
					if i%size == size-1 {
						i = (i + 1) % pods // one of each gang stays as it was
					}
					set(change.to(i))
					s.Changes()
				}
				goal(b, 50*time.Microsecond)
			})
			fill(func(i int) map[string]any { return pod(i, nil, nil) })
		}
		for _, change := range []struct {
			name      string
			goal      time.Duration
			to, fro   map[string]any
			froIsGone bool
		}{
			{"same", 5 * time.Microsecond, first, first, false},
			{"status", 50 * time.Microsecond, pod(0, nil, map[string]any{"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}), first, false},
			{"node", 200 * time.Microsecond, node(nodes), node(nodes), true},
			{"labels", 200 * time.Microsecond, labeled, node(0), false},
			{"class", 200 * time.Microsecond, class, class, true},
			{"topology", 0, tree, tree, true},
			{"node-of-topology", 200 * time.Microsecond, node(nodes), node(nodes), true},
			{"labels-of-none", 200 * time.Microsecond, labeled, node(0), false},
		} {
			if change.goal == 0 { // what the next ones find there
				require.NoError(b, s.Set(change.to))
				s.Changes()
				continue
			}
			b.Run(fmt.Sprintf("nodes=%d/pods=%d/gang=%d/change=%s", nodes, pods, size, change.name), func(b *testing.B) {
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					switch {
					case n%2 == 0:
						require.NoError(b, s.Set(change.to))
					case change.froIsGone:
						require.NoError(b, s.Delete(change.fro))
					default:
						require.NoError(b, s.Set(change.fro))
					}
					s.Changes()
				}
				goal(b, change.goal)
				require.NoError(b, s.Delete(change.to))
				if !change.froIsGone {
					require.NoError(b, s.Set(change.fro))
				}
				s.Changes()
			})
		}
	}
}
