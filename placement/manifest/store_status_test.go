package manifest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest"
)

// otherwise is an object that says something else: spoiled, or in its status alone.
func otherwise(t *rapid.T, o map[string]any, texts []string) map[string]any {
	if rapid.IntRange(0, 9).Draw(t, "class") == 0 {
		return drawClass(t, texts)
	}
	if o["kind"] == "Node" && rapid.Bool().Draw(t, "other labels") {
		return relabeled(t, o)
	}
	if o["kind"] == "Pod" && rapid.Bool().Draw(t, "moved") {
		return moved(t, o)
	}
	if rapid.Bool().Draw(t, "restated") {
		return restated(t, o)
	}
	return spoil(t, o, texts)
}

// drawClass is a class of priorities, of pods or of Kueue, of a name that somebody may say, sound or not.
func drawClass(t *rapid.T, texts []string) map[string]any {
	o := map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata":         map[string]any{"name": rapid.SampledFrom(append(texts, "high")).Draw(t, "class name")},
		"value":            rapid.SampledFrom([]any{int64(0), int64(7), int64(-7), int64(100), "much"}).Draw(t, "priority"),
		"globalDefault":    rapid.Bool().Draw(t, "default"),
		"preemptionPolicy": rapid.SampledFrom([]any{"Never", "PreemptLowerPriority", nil, "Maybe"}).Draw(t, "policy"),
	}
	if rapid.Bool().Draw(t, "of Kueue") {
		o["apiVersion"], o["kind"] = "kueue.x-k8s.io/v1beta1", "WorkloadPriorityClass"
	}
	return o
}

// relabeled is a node with other labels or resources, or another node like it.
func relabeled(t *rapid.T, o map[string]any) map[string]any {
	out := maps.Clone(o)
	meta, _ := o["metadata"].(map[string]any)
	meta = maps.Clone(meta)
	old, _ := meta["labels"].(map[string]any)
	labels := maps.Clone(old)
	if labels == nil {
		labels = map[string]any{}
	}
	keys := append(slices.Sorted(maps.Keys(labels)), "kubernetes.io/hostname", "net/rack", "topology.kubernetes.io/zone", "rack", "owner")
	for range rapid.IntRange(1, 3).Draw(t, "labels") {
		key := rapid.SampledFrom(keys).Draw(t, "label")
		if value := rapid.SampledFrom([]string{"", "a", "b", "-"}).Draw(t, "value"); value == "-" {
			delete(labels, key)
		} else {
			labels[key] = value
		}
	}
	meta["labels"], out["metadata"] = labels, meta
	if rapid.IntRange(0, 2).Draw(t, "another") == 0 {
		meta["name"] = rapid.SampledFrom([]string{"a-1", "a-01", "another", "zz"}).Draw(t, "name")
	}
	if rapid.IntRange(0, 2).Draw(t, "resources") == 0 {
		all := map[string]any{"cpu": "8"}
		for _, name := range []string{"nvidia.com/gpu", "nvidia.com/gpu.shared", "koordinator.sh/gpu-core", "memory"} {
			if rapid.Bool().Draw(t, name) {
				all[name] = "8"
			}
		}
		out["status"] = map[string]any{"allocatable": all}
	}
	return out
}

// restated is an object with another status, as pods have it, sound or not.
func restated(t *rapid.T, o map[string]any) map[string]any {
	out := maps.Clone(o)
	status := map[string]any{}
	for _, c := range []struct {
		key    string
		values []any
	}{
		{"phase", []any{"Running", "Running", "Pending", "Succeeded", "Failed", nil, int64(7)}},
		{"startTime", []any{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "0001-01-01T00:00:00Z", "", "soon", nil, true}},
		{"podIP", []any{"10.0.0.1", "10.0.0.2"}},
		{"nominatedNodeName", []any{"n1", "n2", "node-1", "gpu-1", "", int64(1)}},
	} {
		if rapid.IntRange(0, 3).Draw(t, "absent") > 0 {
			status[c.key] = rapid.SampledFrom(c.values).Draw(t, c.key)
		}
	}
	if out["status"] = status; rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		out["status"] = "fine"
	}
	return out
}

// runningPod is a pod on a node, in a gang of so many.
func runningPod(i, gang int, node string) map[string]any {
	pod := map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": fmt.Sprint("pod-", i), "namespace": "team", "labels": map[string]any{"pod-group.scheduling.sigs.k8s.io": fmt.Sprint("gang-", i/gang)},
		},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": "1"}}}}},
	}
	if node != "" {
		pod["spec"].(map[string]any)["nodeName"] = node
	}
	return pod
}

func bareNode(name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name}, "status": map[string]any{"allocatable": map[string]any{"cpu": "64"}}}
}

// The status of a pod that runs on changes when it has started, and nothing else; what was told last is what is compared with.
func TestStoreTellsWhenPodsStart(t *testing.T) {
	s := manifest.NewStore(manifest.Options{})
	pod := runningPod(0, 4, "n")
	set := func(phase, start string) *manifest.Changes {
		pod["status"] = map[string]any{"phase": phase, "startTime": start}
		require.NoError(t, s.Set(pod))
		return s.Changes()
	}
	require.NoError(t, s.Set(bareNode("n")))
	for i := range 4 {
		require.NoError(t, s.Set(runningPod(i, 4, "n")))
	}
	s.Changes()
	require.Equal(t, manifest.Changes{}, *set("Running", "0001-01-01T00:00:00Z"), "no time")
	ref := []cluster.MemberRef{{Gang: "team/gang-0", Member: "pod-0"}}
	c := set("Running", "2026-01-01T00:00:00Z")
	require.Equal(t, ref, c.Delta.Remove)
	require.Len(t, c.Delta.Place, 1)
	require.Equal(t, int64(1767225600), c.Delta.Place[0].Started)
	require.Empty(t, c.Gangs)

	pod["status"] = map[string]any{"startTime": "2026-01-02T00:00:00Z"}
	require.NoError(t, s.Set(pod))
	require.Equal(t, manifest.Changes{}, *set("Pending", "2026-01-01T00:00:00Z"), "there and back")

	pod["status"] = map[string]any{"startTime": "2026-01-03T00:00:00Z"}
	require.NoError(t, s.Set(pod))
	require.NoError(t, s.Delete(runningPod(1, 4, "n"))) // and the gang is read again
	c = s.Changes()
	require.Equal(t, append(ref, cluster.MemberRef{Gang: "team/gang-0", Member: "pod-1"}), c.Delta.Remove[:2])
	require.Equal(t, int64(1767398400), c.Delta.Place[0].Started)

	require.Contains(t, set("Succeeded", "2026-01-03T00:00:00Z").Delta.Remove, ref[0], "over")
}

// In whatever order objects come and go, twice or without having been there, nothing is an error, and the store is what Read reads.
func TestStoreInAnyOrder(t *testing.T) {
	const (
		node = `{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}`
		pod  = `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n, containers: [{name: c, resources: {requests: {cpu: 1}}}]}}`
	)
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	require.Empty(t, s.remove(t, pod).Defects)
	require.Empty(t, s.remove(t, node).Defects)
	s.set(t, `{apiVersion: v1, kind: Node, metadata: {name: m}, status: {allocatable: {cpu: 4}}}`)

	c := s.set(t, pod)
	require.Equal(t, []string{"Pod/p is on node n, which is not in the input: it holds nothing"}, c.Notices)
	require.Empty(t, c.Defects)
	c = s.set(t, node+"\n---\n"+node)
	require.Len(t, c.Delta.Place, 1)
	require.Empty(t, s.set(t, node+"\n---\n"+pod).Delta)

	c = s.remove(t, node)
	require.Equal(t, []string{"n"}, c.Delta.RemoveNodes)
	require.Equal(t, []cluster.MemberRef{{Gang: "default/p", Member: "p"}}, c.Delta.Remove)
	require.Empty(t, c.Defects)
	require.Empty(t, s.remove(t, node+"\n---\n"+node).Delta)
	require.Empty(t, s.remove(t, pod).Defects)
	require.Empty(t, s.remove(t, pod).Delta)
}

// A store that nobody has made is an error.
func TestNoStore(t *testing.T) {
	for _, s := range []*manifest.Store{nil, {}} {
		var invalid *muster.InvalidError
		require.ErrorAs(t, s.Set(bareNode("n")), &invalid)
		require.ErrorAs(t, s.Delete(bareNode("n")), &invalid)
		require.Len(t, s.Changes().Defects, 1)
		require.Len(t, s.Input().Defects, 1)
	}
}

// What an object says again costs nothing that grows, and the status of a pod nothing that grows with its gang.
func TestStoreCostsWhatIsNew(t *testing.T) {
	allocations := func(gang int) (same, status float64) {
		s := manifest.NewStore(manifest.Options{})
		require.NoError(t, s.Set(bareNode("n")))
		for i := range gang {
			require.NoError(t, s.Set(runningPod(i, gang, "n")))
		}
		s.Changes()
		pod := runningPod(0, gang, "n")
		same = testing.AllocsPerRun(10, func() {
			pod["metadata"].(map[string]any)["resourceVersion"] = "7"
			require.NoError(t, s.Set(pod))
			require.Equal(t, manifest.Changes{}, *s.Changes())
		})
		day := 0
		status = testing.AllocsPerRun(10, func() {
			day++
			pod["status"] = map[string]any{"phase": "Running", "startTime": fmt.Sprintf("2026-01-%02dT00:00:00Z", day)}
			require.NoError(t, s.Set(pod))
			require.Len(t, s.Changes().Delta.Place, 1)
		})
		return same, status
	}
	few, fewStatus := allocations(4)
	many, manyStatus := allocations(200)
	require.LessOrEqual(t, many, few)
	require.LessOrEqual(t, manyStatus, fewStatus+1)
}

// A class of priorities is read by those that ask for it, or for the default, and by no others.
func TestStoreReadsWhoAsksForAClass(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	pod := func(name, spec string) string {
		return "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {" + spec + "containers: [{name: c}]}}"
	}
	s.set(t, `{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}`+
		pod("asks", "priorityClassName: high, ")+pod("says", "priority: 3, priorityClassName: high, ")+pod("none", "")+pod("number", "priority: 5, ")+`
---
{apiVersion: v1, kind: Pod, metadata: {name: labeled, labels: {ray.io/priority-class-name: high}}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: {priorityClassRef: {kind: WorkloadPriorityClass, name: high}, podSets: [{name: main, count: 1}]}}
`)
	class := `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7, preemptionPolicy: Never}`
	require.Equal(t, []string{"default/asks", "default/labeled", "default/says"}, gangsOf(s.set(t, class)))
	require.Equal(t, []string{"default/asks", "default/labeled"}, gangsOf(s.set(t, strings.Replace(class, "7", "8", 1))), "the number of a pod counts")
	other := strings.NewReplacer("high", "low", "7", "-2, globalDefault: true").Replace(class)
	require.Equal(t, []string{"default/none"}, gangsOf(s.set(t, other)), "it is the default")
	require.Equal(t, []string{"default/w"}, gangsOf(s.set(t, `{apiVersion: kueue.x-k8s.io/v1beta1, kind: WorkloadPriorityClass, metadata: {name: high}, value: 9}`)))
	require.Equal(t, []string{"default/w", "default/none"}, gangsOf(s.remove(t, other)))
	require.Len(t, s.set(t, strings.Replace(class, "7", "much", 1)).Defects, 1)
	require.Len(t, s.Input().Defects, 1)
	s.set(t, class)
	require.Empty(t, s.Input().Defects)
	require.ElementsMatch(t, []string{"default/labeled", "default/asks", "default/says"}, gangsOf(s.remove(t, class)))
}

// What an object says of a gang costs what the gang has, however much else there is.
func TestStoreCostsWhatItTouches(t *testing.T) {
	allocations := func(gangs int) float64 {
		s := manifest.NewStore(manifest.Options{})
		pod := func(i int, node string) map[string]any {
			return map[string]any{
				"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{
					"name": fmt.Sprint("pod-", i), "labels": map[string]any{"pod-group.scheduling.sigs.k8s.io": fmt.Sprint("gang-", i/8)},
				},
				"spec": map[string]any{"nodeName": node},
			}
		}
		for i := range gangs {
			require.NoError(t, s.Set(map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": fmt.Sprint("node-", i)}}))
		}
		for i := range 8 * gangs {
			require.NoError(t, s.Set(pod(i, fmt.Sprint("node-", i/8))))
		}
		s.Changes()
		move := 0
		return testing.AllocsPerRun(10, func() {
			move++
			require.NoError(t, s.Set(pod(0, fmt.Sprint("node-", move%5))))
			c := s.Changes()
			require.Len(t, c.Delta.Place, 1)
			require.Len(t, c.Delta.Remove, 1)
		})
	}
	require.LessOrEqual(t, allocations(400), 1.1*allocations(20))
}

// A pod that has not changed is not read again with its gang, and costs nothing that it says.
func TestStoreReadsPodsOnce(t *testing.T) {
	allocations := func(containers int) float64 {
		s := manifest.NewStore(manifest.Options{})
		require.NoError(t, s.Set(bareNode("n")))
		require.NoError(t, s.Set(bareNode("m")))
		pod := func(i, containers int, node string) map[string]any {
			o := runningPod(i, 32, node)
			spec := o["spec"].(map[string]any)
			spec["containers"] = slices.Repeat(spec["containers"].([]any), containers)
			return o
		}
		for i := range 32 {
			require.NoError(t, s.Set(pod(i, containers, "n")))
		}
		s.Changes()
		move := 0
		return testing.AllocsPerRun(10, func() {
			move++
			require.NoError(t, s.Set(pod(0, 1, []string{"n", "m"}[move%2])))
			require.Len(t, s.Changes().Delta.Place, 1)
		})
	}
	require.LessOrEqual(t, allocations(20), 1.01*allocations(1))
}
