package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHelp(t *testing.T) {
	status, out, err := command(t, "", "-h")
	require.Zero(t, status)
	require.Empty(t, err)
	for _, part := range []string{"usage: plan", "Examples:", "Exit status: 0", "-fail-unplaced", "-topology"} {
		require.Contains(t, out, part)
	}
}

// Flags count wherever they stand, but behind --.
func TestFlagsAfterFiles(t *testing.T) {
	status, out, _ := command(t, node+"---"+pod, "-", "-o", "json")
	require.Zero(t, status)
	require.Contains(t, out, `"plans"`)
	status, _, err := command(t, "", "--", "-o")
	require.Equal(t, 1, status)
	require.Contains(t, err, "-o: no such file")
	status, _, err = command(t, "", "a.yaml", "--", "-b.yaml")
	require.Equal(t, 1, status)
	require.Contains(t, err, "-b.yaml")
}

func TestFailUnplaced(t *testing.T) {
	large := strings.ReplaceAll(pod, `"1"`, `"100"`)
	status, out, _ := command(t, node+"---"+large, "-fail-unplaced", "-")
	require.Equal(t, 3, status)
	require.NotEmpty(t, out)
	status, _, _ = command(t, node+"---"+large, "-")
	require.Zero(t, status)
	status, _, _ = command(t, node+"---"+pod, "-fail-unplaced", "-")
	require.Zero(t, status)
}

// Without -keep-going all defects are told, and how to plan the rest; with it the rest is planned.
func TestTheRestGoesOn(t *testing.T) {
	broken := node + "---" + pod + "---\na: [\n---\n{apiVersion: v1, kind: Node, metadata: {name: bad}, status: {allocatable: {cpu: much}}}\n"
	status, out, err := command(t, broken, "-")
	require.Equal(t, 1, status)
	require.Empty(t, out)
	lines := strings.Split(strings.TrimSpace(err), "\n")
	require.Len(t, lines, 3)
	require.Contains(t, lines[0]+lines[1], "Node/bad: status.allocatable.cpu")
	require.Equal(t, "-keep-going plans the rest", lines[2])

	status, out, err = command(t, broken, "-keep-going", "-")
	require.Zero(t, status)
	require.Contains(t, out, "default/good")
	require.Contains(t, err, "Node/bad: status.allocatable.cpu")
	require.NotContains(t, err, "-keep-going plans")
}

func TestNoNodes(t *testing.T) {
	status, _, err := command(t, pod, "-")
	require.Equal(t, 1, status)
	require.Contains(t, err, "the input has no Node")
	require.NotContains(t, err, "-keep-going", "which would plan nothing")
}

// Gangs that name no topology are in the one that the command line names.
func TestTopologyOfTheCommandLine(t *testing.T) {
	trees := `
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: a}, spec: {levels: [{nodeLabel: x}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: b}, spec: {levels: [{nodeLabel: x}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {x: "1"}}, status: {allocatable: {cpu: "1", pods: "1"}}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: {podSets: [{name: m, count: 1, topologyRequest: {required: x}, template: {spec: {containers: [{name: c}]}}}]}}
`
	status, _, err := command(t, trees, "-")
	require.Equal(t, 1, status)
	require.Contains(t, err, "none is called default and the gang names none of a, b")
	status, out, _ := command(t, trees, "-topology", "b", "-")
	require.Zero(t, status)
	require.Contains(t, out, "default/w")
	status, _, err = command(t, trees, "-topology", "c", "-")
	require.Equal(t, 1, status)
	require.Contains(t, err, "unknown topology")
}

// What holds capacity that nobody here knows of is skipped, or refused by name.
func TestStrictRefusesReservations(t *testing.T) {
	reservation := "---\n{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: Reservation, metadata: {name: r}}\n"
	status, _, err := command(t, node+"---"+pod+reservation, "-")
	require.Zero(t, status)
	require.Contains(t, err, "Reservation: a kind that is not read, skipped")
	status, _, err = command(t, node+"---"+pod+reservation, "-strict", "-")
	require.Equal(t, 1, status)
	require.Contains(t, err, "Reservation/r: not modelled")
}
