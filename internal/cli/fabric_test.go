package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// beside is a cluster with a topology of its own, a gang that names a layer of it, and one that names none.
const beside = `
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {rack: r1}}, status: {allocatable: {cpu: 4}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {rack: r1}}, status: {allocatable: {cpu: 4}}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: g}, spec: {completions: 1, parallelism: 1, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}
`

// Beside another topology, a layer that only one of them has names that one; gangs that name none are planned on the one of -fabric.
func TestFabricBesideATopology(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.conf")
	require.NoError(t, os.WriteFile(path, []byte("SwitchName=z1 Nodes=n1,n3\nSwitchName=z2 Nodes=n2,n4\nSwitchName=zz Switches=z[1-2]\n"), 0o600))
	status, stdout, stderr := command(t, beside, "-fabric", path, "-o", "json", "-")
	require.Equal(t, ok, status, stderr)
	require.Contains(t, stdout, `"domain":"r1/n1"`)
	require.Contains(t, stdout, `"domain":"zz/z`)
}

// So it is with the layers of Koordinator's gather strategies and the tier names of Volcano.
func TestFabricBesideLayersOfOtherSystems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.conf")
	require.NoError(t, os.WriteFile(path, []byte("SwitchName=z1 Nodes=n1,n3\nSwitchName=z2 Nodes=n2,n4\nSwitchName=zz Switches=z[1-2]\n"), 0o600))
	for rule, object := range map[string]string{
		"gatherStrategy": `{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, annotations: {gang.scheduling.koordinator.sh/network-topology-spec: '{"gatherStrategy":[{"layer":"rack","strategy":"MustGather"}]}'}}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: q, labels: {pod-group.scheduling.sigs.k8s.io: g}}, spec: {containers: [{resources: {requests: {cpu: 1}}}]}}
`,
		"highestTierName": `{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 1, networkTopology: {mode: hard, highestTierName: rack}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: q, annotations: {scheduling.k8s.io/group-name: g}}, spec: {containers: [{resources: {requests: {cpu: 1}}}]}}
`,
	} {
		nodes, _, _ := strings.Cut(beside, "---\n{apiVersion: batch")
		status, stdout, stderr := command(t, nodes+"---\n"+object, "-fabric", path, "-o", "json", "-")
		require.Equal(t, ok, status, "%s: %s", rule, stderr)
		require.Contains(t, stdout, `"domain":"r1/n1"`, rule)
	}
}

// Where none of the names is known that is said once, with an example of both.
func TestFabricOfOtherNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.conf")
	require.NoError(t, os.WriteFile(path, []byte("SwitchName=s1 Nodes=tux[0-1]\nSwitchName=s2 Nodes=tux[2-9]\nSwitchName=top Switches=s[1-2]\n"), 0o600))
	status, _, stderr := command(t, beside, "-fabric", path, "-")
	require.Equal(t, ok, status, stderr)
	require.Contains(t, stderr, "-fabric: no node of topology slurm is in the cluster: there they have names like tux0, here like n1\n")
	require.Equal(t, 1, strings.Count(stderr, "tux"), stderr)
}
