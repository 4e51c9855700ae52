package manifest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// nodesStore is a store with all objects that it holds, which Read may read as well.
type nodesStore struct {
	*manifest.Store
	present map[string]map[string]any
}

// set sets objects of YAML, and compares the store with what Read makes of all that it holds.
func (s *nodesStore) set(t *testing.T, text string) *manifest.Changes {
	t.Helper()
	for _, o := range objectsOf(text) {
		require.NoError(t, s.Set(o))
		s.present[idOf(o)] = o
	}
	return s.compared(t)
}

func (s *nodesStore) remove(t *testing.T, text string) *manifest.Changes {
	t.Helper()
	for _, o := range objectsOf(text) {
		require.NoError(t, s.Delete(o))
		delete(s.present, idOf(o))
	}
	return s.compared(t)
}

func (s *nodesStore) compared(t *testing.T) *manifest.Changes {
	t.Helper()
	changes, got := s.Changes(), tellInput(s.Input())
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.present)) {
		list = append(list, s.present[id])
	}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": list})
	require.NoError(t, err)
	want, err := manifest.Read([]manifest.File{{Name: "in.json", Data: data}}, manifest.Options{KeepGoing: true})
	if err != nil {
		require.Equal(t, slices.Sorted(strings.SplitSeq(withoutPlaces(err.Error()), "\n")), got.Defects)
		return changes
	}
	require.Equal(t, tellInput(want), got)
	return changes
}

const (
	nodeOne    = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {net/rack: r1}}, status: {allocatable: {cpu: 4}}}`
	nodeTwo    = `{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {net/rack: r1}}, status: {allocatable: {cpu: 4}}}`
	spoiledOne = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {net/rack: r1}}, status: {allocatable: {cpu: many}}}`
	spoiledTwo = `{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {net/rack: r1}}, status: {allocatable: {cpu: few}}}`
	zonesOne   = `
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n1}
zones: [{name: node-0, type: Node, resources: [{name: cpu, capacity: 4, allocatable: 4, available: 4}]}]
`
	spoiledZonesOne = `
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n1}
zones: [{name: node-0, type: Node, resources: [{name: cpu, capacity: 4, allocatable: lots, available: 4}]}]
`
)

// A node, or its zones, with a defect is told as long as it has it, whatever else changes; and mended it is a node again.
func TestStoreTellsDefectsOfNodes(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	s.set(t, nodeOne+"\n---\n"+nodeTwo+"\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}")
	require.Empty(t, s.Input().Defects)

	s.set(t, spoiledOne)
	require.Len(t, s.Input().Defects, 1)
	s.set(t, strings.Replace(nodeTwo, "cpu: 4", "cpu: 8", 1))
	require.Len(t, s.Input().Defects, 1, "another node changes")
	s.set(t, spoiledTwo)
	require.Len(t, s.Input().Defects, 2)
	s.set(t, nodeOne)
	require.Len(t, s.Input().Defects, 1, "one of two is mended")
	s.remove(t, spoiledTwo)
	require.Empty(t, s.Input().Defects)
	s.set(t, nodeTwo)

	c := s.set(t, zonesOne)
	require.Len(t, c.Delta.SetNodes, 1)
	s.set(t, spoiledZonesOne)
	require.Len(t, s.Input().Defects, 1)
	s.set(t, strings.Replace(nodeTwo, "cpu: 4", "cpu: 16", 1))
	require.Len(t, s.Input().Defects, 1, "another node changes")
	s.set(t, strings.Replace(nodeOne, "cpu: 4", "cpu: 6", 1))
	require.Len(t, s.Input().Defects, 1, "the node of the zones changes")
	s.set(t, zonesOne)
	require.Empty(t, s.Input().Defects)
	s.remove(t, zonesOne)
	c = s.remove(t, nodeOne)
	require.Equal(t, []string{"n1"}, c.Delta.RemoveNodes)
}

// A queue that a gang names before it is there is read when it comes, and no longer when nobody names it.
func TestStoreReadsQueuesThatAreNamed(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	pod := `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {kai.scheduler/queue: team}}}`
	queue := `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team}, spec: {resources: {cpu: {quota: 2000, limit: 4000}}}}`
	s.set(t, nodeOne+"\n---\n"+pod)
	require.Nil(t, s.Input().Spec.Quotas)
	c := s.set(t, queue)
	require.True(t, c.Rebuild, "a quota came")
	require.Equal(t, []string{"team"}, s.Input().Spec.Quotas.Quotas())
	s.set(t, strings.Replace(nodeOne, "cpu: 4", "cpu: 6", 1))
	require.Equal(t, []string{"team"}, s.Input().Spec.Quotas.Quotas())
	s.set(t, `{apiVersion: v1, kind: Pod, metadata: {name: a}}`)
	s.set(t, spoiledOne)
	s.set(t, nodeOne)
	s.remove(t, queue)
	require.Nil(t, s.Input().Spec.Quotas)
}
