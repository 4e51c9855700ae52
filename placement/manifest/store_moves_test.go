package manifest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest"
)

// moved is a pod that has another node, is over, or is being deleted.
func moved(t *rapid.T, o map[string]any) map[string]any {
	node := rapid.SampledFrom([]string{"", "n1", "n2", "n-1", "node-1", "gpu-1", "a-1"}).Draw(t, "bound to")
	return rapid.SampledFrom([]map[string]any{bound(o, node), over(o, "Succeeded"), over(o, "Failed"), deleted(o)}).Draw(t, "move")
}

func bound(o map[string]any, node string) map[string]any { return with(o, "spec", "nodeName", node) }

func over(o map[string]any, phase string) map[string]any { return with(o, "status", "phase", phase) }

func deleted(o map[string]any) map[string]any {
	return with(with(o, "metadata", "deletionTimestamp", "2026-01-01T00:00:00Z"), "metadata", "deletionGracePeriodSeconds", int64(30))
}

// with is an object with another value below one of its blocks.
func with(o map[string]any, block, key string, value any) map[string]any {
	o = maps.Clone(o)
	old, _ := o[block].(map[string]any)
	next := maps.Clone(old)
	if next == nil {
		next = map[string]any{}
	}
	next[key], o[block] = value, next
	return o
}

// Pods of every system get nodes one by one, are over, are deleted and go: after each step a store holds what Read reads.
func TestStoreFollowsPods(t *testing.T) {
	inputs := append(plainObjects(t), sharedObjects(t)...)
	common, err := os.ReadFile(filepath.Join(controllers, "cluster.yaml"))
	require.NoError(t, err)
	for _, name := range controllerFiles(t) {
		data, err := os.ReadFile(filepath.Join(controllers, name))
		require.NoError(t, err)
		inputs = append(inputs, slices.Concat(objectsOf(string(common)), objectsOf(string(data))))
	}
	for i, objects := range inputs {
		t.Run(fmt.Sprint(i), func(t *testing.T) { followPods(t, objects, i) })
	}
}

// followPods moves the pods of an input: each gets a node, then what its number and n say becomes of it.
func followPods(t *testing.T, objects []map[string]any, n int) {
	opt := manifest.Options{KeepGoing: true}
	store, present, m := manifest.NewStore(opt), map[string]map[string]any{}, newMirror()
	var nodes, pods []string
	for _, o := range objects {
		require.NoError(t, store.Set(o))
		id := idOf(o)
		if present[id] == nil && o["kind"] == "Pod" {
			pods = append(pods, id)
		}
		if present[id] = o; o["kind"] == "Node" {
			nodes = append(nodes, o["metadata"].(map[string]any)["name"].(string))
		}
	}
	m.agrees(t, store, present, opt)
	set := func(id string, o map[string]any) {
		require.NoError(t, store.Set(o))
		present[id] = o
	}
	for i, id := range pods {
		if spec, _ := present[id]["spec"].(map[string]any); len(nodes) > 0 && (spec["nodeName"] == nil || spec["nodeName"] == "") {
			set(id, bound(present[id], nodes[i%len(nodes)]))
		}
		if i%3 < 2 {
			m.agrees(t, store, present, opt)
		}
	}
	for i, id := range pods {
		switch (i + n) % 5 {
		case 0:
			set(id, over(present[id], "Succeeded"))
		case 1:
			set(id, over(present[id], "Failed"))
		case 2:
			set(id, deleted(present[id]))
		case 3:
			require.NoError(t, store.Delete(present[id]))
			delete(present, id)
		default:
			set(id, with(present[id], "status", "startTime", "2026-01-01T00:00:00Z"))
		}
		if i%3 < 2 {
			m.agrees(t, store, present, opt)
		}
	}
	for _, id := range pods {
		if present[id] != nil {
			require.NoError(t, store.Delete(present[id]))
			delete(present, id)
			m.agrees(t, store, present, opt)
		}
	}
}

// A pod that gets a node, is over or leaves costs what its row costs, whatever the size of its gang.
func TestStoreMovesCostNoGang(t *testing.T) {
	allocations := func(gang int, from, to func(o map[string]any) map[string]any) float64 {
		s := manifest.NewStore(manifest.Options{})
		require.NoError(t, s.Set(bareNode("n")))
		for i := range gang {
			require.NoError(t, s.Set(from(runningPod(i, gang, "n"))))
		}
		s.Changes()
		i := 0
		return testing.AllocsPerRun(20, func() {
			require.NoError(t, s.Set(to(runningPod(i, gang, "n"))))
			c := s.Changes()
			require.Equal(t, 1, len(c.Delta.Place)+len(c.Delta.Remove)+len(c.Delta.Leaving))
			i++
		})
	}
	same := func(o map[string]any) map[string]any { return o }
	for name, change := range map[string][2]func(o map[string]any) map[string]any{
		"bind":  {func(o map[string]any) map[string]any { return bound(o, "") }, same},
		"over":  {same, func(o map[string]any) map[string]any { return over(o, "Succeeded") }},
		"leave": {same, deleted},
	} {
		require.LessOrEqual(t, allocations(400, change[0], change[1]), 2+allocations(32, change[0], change[1]), name)
	}
}

// What a member that is over changes for all others is told once.
func TestStoreTellsMinimaOnce(t *testing.T) {
	s := manifest.NewStore(manifest.Options{})
	require.NoError(t, s.Set(bareNode("n")))
	for i := range 8 {
		require.NoError(t, s.Set(runningPod(i, 8, "n")))
	}
	s.Changes()
	require.NoError(t, s.Set(over(runningPod(0, 8, "n"), "Succeeded")))
	c := s.Changes()
	require.Equal(t, cluster.Delta{Observed: true, Remove: []cluster.MemberRef{{Gang: "team/gang-0", Member: "pod-0"}}, Minima: map[string]int{"team/gang-0": 7}}, c.Delta)
	for i := range 6 {
		require.NoError(t, s.Set(deleted(runningPod(i+1, 8, "n"))))
	}
	c = s.Changes()
	require.Len(t, c.Delta.Leaving, 6)
	require.Equal(t, map[string]int{"team/gang-0": 1}, c.Delta.Minima)
}

// A node that comes into a topology of labels, and goes, is moved in its tree, which is built again only where a domain comes or goes.
func TestStoreMovesNodesInTopologies(t *testing.T) {
	const nodes = 500
	node := func(i int, rack string) map[string]any {
		return with(bareNode(fmt.Sprint("n-", i)), "metadata", "labels", map[string]any{"rack": rack})
	}
	s := manifest.NewStore(manifest.Options{})
	for _, o := range objectsOf(`{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: rack}]}}`) {
		require.NoError(t, s.Set(o))
	}
	for i := range nodes {
		require.NoError(t, s.Set(node(i, fmt.Sprint("r-", i%2))))
	}
	s.Changes()
	allocations := func(rack string) float64 {
		return testing.AllocsPerRun(10, func() {
			require.NoError(t, s.Set(node(nodes, rack)))
			c := s.Changes()
			require.Len(t, c.Delta.Trees, 1)
			require.Equal(t, nodes+1, c.Delta.Trees[0].Tree.NumNodes())
			require.NoError(t, s.Delete(node(nodes, rack)))
			require.Equal(t, nodes, s.Changes().Delta.Trees[0].Tree.NumNodes())
		})
	}
	require.Less(t, allocations("r-1"), 0.8*allocations("r-2"))
}
