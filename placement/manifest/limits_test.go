package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/topology"
)

// Of every kind of topology: 64 layers are read, and of more the error says in which object, and how many may be.
func TestLayersAreBounded(t *testing.T) {
	const hyperNode = "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: h%d}\n" +
		"spec: {tier: %d, members: [{type: %s, selector: {exactMatch: {name: %s}}}]}\n---\n"
	each := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	kinds := map[string]func(n int) string{
		"HyperNode": func(n int) string {
			return each(n, func(i int) string {
				if i == 0 {
					return fmt.Sprintf(hyperNode, 0, 1, "Node", "n1")
				}
				return fmt.Sprintf(hyperNode, i, i+1, "HyperNode", fmt.Sprint("h", i-1))
			})
		},
		"Topology": func(n int) string {
			return "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata: {name: t}\nspec:\n  levels:\n" +
				each(n, func(i int) string { return fmt.Sprintf("  - nodeLabel: l%d\n", i) }) + "---\n"
		},
		"ClusterNetworkTopology": func(n int) string {
			return "apiVersion: scheduling.koordinator.sh/v1alpha1\nkind: ClusterNetworkTopology\nmetadata: {name: t}\nspec:\n" +
				"  networkTopologySpec:\n" + each(n, func(i int) string {
				parent := ""
				if i > 0 {
					parent = fmt.Sprintf(", parentTopologyLayer: t%d", i-1)
				}
				return fmt.Sprintf("  - {topologyLayer: t%d, labelKey: [l%d]%s}\n", i, i, parent)
			}) + "---\n"
		},
		"topology list": func(n int) string {
			return "[" + each(n, func(i int) string {
				if i == 0 {
					return `{layer: 1, name: s0, children: [n1]}`
				}
				return fmt.Sprintf(`, {layer: %d, name: s%d, children: [s%d]}`, i+1, i, i-1)
			}) + "]\n---\n"
		},
	}
	for kind, text := range kinds {
		t.Run(kind, func(t *testing.T) {
			read := func(n int) (*manifest.Input, error) {
				labels := each(n, func(i int) string { return fmt.Sprintf("l%d: x, ", i) })
				node := "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {" + labels + "}}\n"
				return manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(text(n) + node)}}, manifest.Options{})
			}
			in, err := read(topology.MaxLayers)
			require.NoError(t, err)
			require.Len(t, in.Spec.Trees, 1)
			require.Len(t, in.Spec.Trees[0].Tree.Layers(), topology.MaxLayers)
			for _, n := range []int{topology.MaxLayers + 1, 3000} {
				_, err = read(n)
				require.ErrorContains(t, err, "in.yaml: document 1, line ")
				require.ErrorContains(t, err, kind)
				require.ErrorContains(t, err, "a topology has at most 64")
				require.ErrorContains(t, err, fmt.Sprint(n))
			}
		})
	}
}
