package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A job is spread over two units, one of which has room for it; the worst comes first, pods in no gang are counted.
func TestStoryOfRunning(t *testing.T) {
	const told = `gangs that run before the plans, worst first
  one tier wider than needed:
    default/spread  4 members  leafLayer spine0/leaf1, over 2 of unitLayer  could be in unitLayer spine0/leaf1/unit1
  as tight as can be:
    default/tight  3 members  unitLayer spine0/leaf0/unit0
  and 1 pod in no gang
`
	status, out, err := command(t, "", append([]string{"-running"}, story("running")...)...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, told, out)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), told, "the README shows it")

	_, out, _ = command(t, "", append([]string{"-running", "-o", "json"}, story("running")...)...)
	require.Equal(t, `{"version":1,"plans":[],
"running":[{"gang":"default/spread","members":4,"topology":"default","tier":2,"layer":"leafLayer","domain":"spine0/leaf1",`+
		`"strategy":"leafLayer","strategyNumber":3,"span":{"unitLayer":2},"groups":[],"wider":1,"proven":true,`+
		`"best":{"tier":1,"layer":"unitLayer","domain":"spine0/leaf1/unit1","strategy":"unitLayer","strategyNumber":1,"span":{},"groups":[],`+
		`"assignments":[{"pod":"spread-0","rank":0,"node":"node-4"},{"pod":"spread-1","rank":1,"node":"node-5"},`+
		`{"pod":"spread-2","rank":2,"node":"node-6"},{"pod":"spread-3","rank":3,"node":"node-7"}]}},`+
		`{"gang":"default/tight","members":3,"topology":"default","tier":1,"layer":"unitLayer","domain":"spine0/leaf0/unit0",`+
		`"strategy":"unitLayer","strategyNumber":1,"span":{},"groups":[],"wider":0,"proven":true}]}
`, out)
}

// Without gangs that run there is nothing to list, and a picture has no lines.
func TestNobodyRuns(t *testing.T) {
	_, out, _ := command(t, "", append([]string{"-running"}, story()...)...)
	require.Equal(t, "no gang runs before the plans\n", out)
	_, out, _ = command(t, "", append([]string{"-running", "-o", "json"}, story()...)...)
	require.Contains(t, out, `"running":[]`)
	status, _, err := command(t, "", append([]string{"-running", "-o", "svg"}, story()...)...)
	require.Equal(t, misuse, status)
	require.Contains(t, err, "-running")
}

// Groups are counted by how closely each lies; a gang whose rules name what the cluster does not have is looked at without them.
func TestRunningGroups(t *testing.T) {
	const files = `
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: PodGroup
metadata: {name: pairs}
spec: {minMember: 4, networkTopologyAware: {parallelModel: [{parallelStrategy: pipeline-parallel, parallelism: 2}]}}
---
apiVersion: v1
kind: PodList
items:
- {metadata: {name: p-0, labels: {pod-group.scheduling.sigs.k8s.io: pairs}}, spec: {nodeName: node-0, containers: [{resources: {requests: {nvidia.com/gpu: "8"}}}]}}
- {metadata: {name: p-1, labels: {pod-group.scheduling.sigs.k8s.io: pairs}}, spec: {nodeName: node-1, containers: [{resources: {requests: {nvidia.com/gpu: "8"}}}]}}
- {metadata: {name: p-2, labels: {pod-group.scheduling.sigs.k8s.io: pairs}}, spec: {nodeName: node-2, containers: [{resources: {requests: {nvidia.com/gpu: "8"}}}]}}
- {metadata: {name: p-3, labels: {pod-group.scheduling.sigs.k8s.io: pairs}}, spec: {nodeName: node-4, containers: [{resources: {requests: {nvidia.com/gpu: "8"}}}]}}
`
	_, out, err := command(t, files, append([]string{"-running", "-"}, story()...)...)
	require.Empty(t, err)
	require.Equal(t, `gangs that run before the plans, worst first
  2 tiers wider than needed:
    default/pairs  4 members  spineLayer spine0, over 2 of leafLayer, groups: 1 of 2 each in one unitLayer, 2 each in
                   one spineLayer  could be in unitLayer spine0/leaf0/unit0, groups: 2 of 2 each in one unitLayer
`, out)
}
