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

// Where none of the names is known that is said once, with an example of both.
func TestFabricOfOtherNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topology.conf")
	require.NoError(t, os.WriteFile(path, []byte("SwitchName=s1 Nodes=tux[0-1]\nSwitchName=s2 Nodes=tux[2-9]\nSwitchName=top Switches=s[1-2]\n"), 0o600))
	status, _, stderr := command(t, beside, "-fabric", path, "-")
	require.Equal(t, ok, status, stderr)
	require.Contains(t, stderr, "-fabric: no node of topology slurm is in the cluster: there they have names like tux0, here like n1\n")
	require.Equal(t, 1, strings.Count(stderr, "tux"), stderr)
}
