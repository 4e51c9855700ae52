package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// labeled are nodes of two rows and three racks; n4 has no rack.
const labeled = `
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {a.io/row: w1, a.io/rack: r1, kubernetes.io/hostname: n1}}, status: {allocatable: {cpu: "4"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {a.io/row: w1, a.io/rack: r2, kubernetes.io/hostname: n2}}, status: {allocatable: {cpu: "4"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n3, labels: {a.io/row: w2, a.io/rack: r1, b.io/rack: x, kubernetes.io/hostname: n3}}, status: {allocatable: {cpu: "4"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n4, labels: {a.io/row: w2}}, status: {allocatable: {cpu: "4"}}}
`

// Labels make a topology, whose layers are called as they are asked for, and by their keys.
func TestLayersOfLabels(t *testing.T) {
	in, err := manifest.Read([]manifest.File{file("a.yaml", labeled)}, manifest.Options{Layers: []string{"row", "a.io/rack", "hostname"}})
	require.NoError(t, err)
	require.Len(t, in.Spec.Trees, 1)
	tree := in.Spec.Trees[0]
	require.Equal(t, "labels", tree.Name)
	require.Equal(t, "hostname", tree.Tree.NodeLayer())
	require.Equal(t, "row", tree.Tree.LayerName(2))
	require.Equal(t, "a.io/rack", tree.Tree.LayerName(1))
	require.Equal(t, []string{"n4"}, tree.Tree.Outside())
	for _, path := range [][]string{{"w1", "r1"}, {"w1", "r2"}, {"w2", "r1"}} {
		_, is := tree.Tree.Find(path...)
		require.True(t, is, path)
	}

	const ask = "---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: {podSets: [{name: m, count: 2, topologyRequest: {required: %}, template: {spec: {containers: [{name: c}]}}}]}}"
	for _, level := range []string{"row", "a.io/row"} {
		in, err = manifest.Read([]manifest.File{file("a.yaml", labeled+strings.ReplaceAll(ask, "%", level))}, manifest.Options{Layers: []string{"row"}})
		require.NoError(t, err)
		require.Equal(t, "row", in.Gangs[0].Request.Gather[0].Layer)
	}
	_, err = manifest.Read([]manifest.File{file("a.yaml", labeled+strings.ReplaceAll(ask, "%", "b.io/rack"))}, manifest.Options{Layers: []string{"row"}})
	require.ErrorContains(t, err, `required "b.io/rack": unknown level: not one of row, node`)
}

// What makes no layer is an error with its place; where there is no node that is what is wrong.
func TestLayersThatAreNone(t *testing.T) {
	for name, want := range map[string]string{
		"rack":                   `options.Layers[1] "rack": 2 label keys end so: a.io/rack, b.io/rack`,
		"rok":                    `options.Layers[1] "rok": no node has such a label; the nearest one is a.io/row`,
		"row":                    `options.Layers[1] "row": named twice`,
		"a.io/row":               `options.Layers[1] "a.io/row": named twice`,
		"kubernetes.io/hostnam":  `options.Layers[1] "kubernetes.io/hostnam": no node has such a label; the nearest one is kubernetes.io/hostname`,
		"kubernetes.io/hostname": "",
	} {
		_, err := manifest.Read([]manifest.File{file("a.yaml", labeled)}, manifest.Options{Layers: []string{"row", name}})
		if want == "" {
			require.NoError(t, err, name)
		} else {
			require.EqualError(t, err, want, name)
		}
	}
	_, err := manifest.Read([]manifest.File{file("a.yaml", labeled)}, manifest.Options{Layers: []string{"hostname", "row"}})
	require.EqualError(t, err, `options.Layers[1] "row": behind kubernetes.io/hostname, which is the node itself`)
	_, err = manifest.Read([]manifest.File{file("a.yaml", "")}, manifest.Options{Layers: []string{"row"}})
	require.NoError(t, err)
}

// A store makes the topology of the labels that its nodes have then, and says what it lacks.
func TestLayersOfAStore(t *testing.T) {
	store := manifest.NewStore(manifest.Options{Layers: []string{"row"}})
	node := func(name string, labels map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name, "labels": labels},
			"status": map[string]any{"allocatable": map[string]any{"cpu": "4"}},
		}
	}
	require.NoError(t, store.Set(node("n1", map[string]any{"other": "x"})))
	changes := store.Changes()
	require.Equal(t, []string{`options.Layers[0] "row": no node has such a label; the nearest one is other`}, changes.Notices)
	require.NoError(t, store.Set(node("n2", map[string]any{"a.io/row": "w"})))
	store.Changes()
	in := store.Input()
	require.Len(t, in.Spec.Trees, 1)
	require.Equal(t, []string{"n1"}, in.Spec.Trees[0].Tree.Outside())
}
