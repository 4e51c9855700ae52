package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// What is wrong with topologies is told of the same one, in whatever order they come.
func TestTopologiesInAnyOrder(t *testing.T) {
	const node = "{apiVersion: v1, kind: Node, metadata: {name: n, labels: {rack: a, zone: b}}, status: {allocatable: {cpu: 4}}}"
	hyper := func(name, member string) string {
		return `{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: ` + name + `}, spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: ` + member + `}}}]}}`
	}
	const pod = `{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {kueue.x-k8s.io/podset-required-topology: rack}}}`
	for name, objects := range map[string][]string{
		"HyperNodes without nodes": {node, hyper("leaf-10", "x"), hyper("leaf-9", "y")},
		"two of one name": {
			node, `{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: rack}]}}`,
			`{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: ClusterNetworkTopology, metadata: {name: default}, spec: {networkTopologySpec: [{topologyLayer: z, labelKey: [zone]}, {topologyLayer: NodeTopologyLayer, parentTopologyLayer: z}]}}`,
			pod,
		},
	} {
		told := func(objects []string) (all []string) {
			in, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(strings.Join(objects, "\n---\n"))}}, manifest.Options{KeepGoing: true})
			require.NoError(t, err, name)
			for _, e := range in.Defects {
				all = append(all, e.Error()[strings.Index(e.Error(), "line"):])
			}
			for _, g := range in.Gangs {
				if g.Err != nil {
					all = append(all, g.Err.Error()[strings.Index(g.Err.Error(), "line"):])
				}
			}
			for i := range all {
				_, all[i], _ = strings.Cut(all[i], ": ")
			}
			slices.Sort(all)
			return all
		}
		want := told(objects)
		require.NotEmpty(t, want, name)
		slices.Reverse(objects)
		require.Equal(t, want, told(objects), name)
	}
}
