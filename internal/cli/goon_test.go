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
	for _, part := range []string{"usage: muster plan", "Examples:", "Exit status: 0", "-fail-unplaced", "-topology"} {
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

// Where no gang could be planned the text says so in words.
func TestNothingPlannedIsSaid(t *testing.T) {
	const said = "nothing is planned, for what is asked for cannot be used\n"
	bad := strings.Replace(pod, "cpu: ", "cpu: much", 1)
	require.NotEqual(t, pod, bad)
	status, out, _ := commandWithInput(node+"---"+bad, "-keep-going", "-summary", "-")
	require.Zero(t, status)
	require.Contains(t, out, said+"1 gang: 0 placed, 0 waiting, 0 refused, 1 invalid; 0 pods placed, 1 node\n")
	_, out, _ = commandWithInput(node+"---"+pod+"---"+strings.ReplaceAll(bad, "name: good", "name: q"), "-keep-going", "-summary", "-")
	require.NotContains(t, out, said)
	_, out, _ = commandWithInput(node+"---\n{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: much}}}\n", "-keep-going", "-")
	require.Contains(t, out, "nothing is planned, and perhaps for want of what could not be read\nno gang waits")
}

// What is in no plan ends the summary, and stands in the JSON.
func TestWhatIsLostIsSaid(t *testing.T) {
	lost := `---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: idle}, spec: {minMember: 4}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, spec: {weight: 1, reclaimable: false, affinity: {}}, status: {state: Closed}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: other}, spec: {reclaimable: false}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2, queue: q}}
---
{apiVersion: v1, kind: Pod, metadata: {name: one, annotations: {scheduling.k8s.io/group-name: g}}, spec: {containers: [{name: c}]}}
`
	status, out, err := command(t, node+lost, "-summary", "-")
	require.Zero(t, status, err)
	require.Equal(t, `default/g: unschedulable: minMember, 1 of 2 members is known (proven)

1 gang: 0 placed, 0 waiting, 1 refused, 0 invalid; 0 pods placed, 1 node
without pods: PodGroup/idle
not read: spec.affinity of 1 Queue in scheduling.volcano.sh, spec.reclaimable of 1 Queue in scheduling.volcano.sh,
    status.state of 1 Queue in scheduling.volcano.sh
`, out)
	_, out, _ = command(t, node+lost, "-o", "json", "-")
	require.Contains(t, out, `"withoutPods":["PodGroup/idle"]`)
	require.Contains(t, out, `"unread":["spec.affinity of 1 Queue`)
	_, out, _ = command(t, node+lost, "-")
	require.NotContains(t, out, "room for")
	require.NotContains(t, out, "without room")
}

// Amounts that no node could add up have a place.
func TestHugeAmountsHaveAPlace(t *testing.T) {
	huge := "---\n{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 9000000000000000}}}]}}\n"
	status, _, err := command(t, node+huge+strings.ReplaceAll(huge, "name: a", "name: b"), "-")
	require.Equal(t, 1, status)
	require.Contains(t, err, "Pod/a: spec.containers: amount of cpu too large for what runs")
	require.Contains(t, err, "Pod/b: ")
}

// What is said of many objects is one line.
func TestNoticesAreMerged(t *testing.T) {
	lost := ""
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		lost += "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {nodeName: gone, containers: [{name: c}]}}\n"
	}
	_, _, err := command(t, node+lost, "-")
	require.Equal(t, "Pod/a is on node gone, which is not in the input: it holds nothing (and so for Pod/b, Pod/c, Pod/d, Pod/e, and 2 more)\n", err)
	require.Equal(t, []string{"a b (2 times)", "x/y: b (and so for x/z)"}, merged([]string{"a b", "a b", "x/y: b", "x/z: b"}))
}
