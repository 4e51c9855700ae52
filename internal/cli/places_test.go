package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// tooBig is a gang that no node can hold beside the story: it has no places.
const tooBig = `
apiVersion: v1
kind: PodList
items:
  - metadata: {name: big-0, labels: {pod-group.scheduling.sigs.k8s.io: big}}
    spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: "16"}}}]}
---
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: PodGroup
metadata: {name: big}
spec: {minMember: 1}
`

func TestPlacesFlag(t *testing.T) {
	files := append(story("story-1"), "-")
	status, out, errs := command(t, tooBig, append([]string{"-places", "-summary"}, files...)...)
	require.Equal(t, ok, status, errs)
	require.Contains(t, out, `
places of default/pod-1
  rank  member       node        group  domain
  0-1   pod-1-[0-1]  node-[0-1]  0 A    spine0/leaf0/unit0
  2-3   pod-1-[2-3]  node-[2-3]  1 B    spine0/leaf0/unit0
`)
	require.NotContains(t, out, "places of default/big")

	status, out, errs = command(t, tooBig, append([]string{"-places", "-o", "json"}, files...)...)
	require.Equal(t, ok, status, errs)
	require.Contains(t, out, `{"member":"pod-1-3","node":"node-3","rank":3,"group":1,`+
		`"domains":[{"layer":"spineLayer","tier":3,"domain":"spine0"},{"layer":"leafLayer","tier":2,"domain":"spine0/leaf0"},`+
		`{"layer":"unitLayer","tier":1,"domain":"spine0/leaf0/unit0"},{"layer":"node","tier":0,"domain":"spine0/leaf0/unit0/node-3"}],`+
		`"labels":{"muster.dev/domain-leafLayer":"spine0.leaf0","muster.dev/domain-spineLayer":"spine0","muster.dev/domain-unitLayer":"spine0.leaf0.unit0",`+
		`"muster.dev/group":"1","muster.dev/group-rank":"1","muster.dev/group-size":"2","muster.dev/local-rank":"0","muster.dev/local-size":"1",`+
		`"muster.dev/node-rank":"3","muster.dev/nodes":"4","muster.dev/rank":"3","muster.dev/world-size":"4"},`+
		`"env":{"MUSTER_DOMAIN_LEAFLAYER":"spine0/leaf0","MUSTER_DOMAIN_SPINELAYER":"spine0","MUSTER_DOMAIN_UNITLAYER":"spine0/leaf0/unit0",`+
		`"MUSTER_GROUP":"1","MUSTER_GROUP_RANK":"1","MUSTER_GROUP_SIZE":"2","MUSTER_LOCAL_RANK":"0","MUSTER_LOCAL_SIZE":"1",`+
		`"MUSTER_NODES":"4","MUSTER_NODE_RANK":"3","MUSTER_RANK":"3","MUSTER_WORLD_SIZE":"4"}}`)
	require.NotContains(t, out, `"member":"big-0"`)
	require.Regexp(t, `"gang":"default/big","status":"unschedulable".*"reason"`, out)

	status, out, _ = command(t, "", append([]string{"-o", "json"}, story("story-1")...)...)
	require.Equal(t, ok, status)
	require.NotContains(t, out, "places", "nobody asked")
	status, _, errs = command(t, "", append([]string{"-places", "-o", "svg"}, story("story-1")...)...)
	require.Equal(t, misuse, status)
	require.Contains(t, errs, "-o svg draws plans: -quotas, -summary, -max-fit, -running, -when, -moves, -places and -explain are for text\n")
}

// Where nobody is placed there is no table, not even an empty one; without groups and domains there are no columns for them.
func TestPlacesOfNobodyAndOfNoGroup(t *testing.T) {
	status, out, errs := command(t, "", append([]string{"-places"}, story()...)...)
	require.Equal(t, ok, status, errs)
	require.NotContains(t, out, "places")
	status, out, errs = command(t, node+"---"+pod, "-places", "-")
	require.Equal(t, ok, status, errs)
	require.Contains(t, out, "default/good: placed, 1 member in node n1, strategy 1\n  (nodes)  A...\n  rank  member  node\n  0     good    n1\n", "no column of dashes")

	// Where a table says who goes where nothing else does.
	status, out, errs = command(t, "", append([]string{"-places"}, story("roles")...)...)
	require.Equal(t, ok, status, errs)
	require.Contains(t, out, `
      unit2  B B .... xxxx
  rank  member           node        group        domain
  0     leader-0         node-7      0 A decode   spine0/leaf1/unit1
  1-3   worker-[0-2]     node-[4-6]  0 A decode   spine0/leaf1/unit1
  4-5   prefill-0-[0-1]  node-[8-9]  1 B prefill  spine0/leaf1/unit2
`)
	require.NotContains(t, out, "->")
	require.NotContains(t, out, "places of")

	status, out, errs = command(t, "", "-places", "../../examples/stories/zones.yaml")
	require.Equal(t, ok, status, errs)
	require.Contains(t, out, " (zone 0)")
}
