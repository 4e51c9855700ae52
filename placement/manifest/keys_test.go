package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

const oneNode = `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", pods: "10"}}}
`

// Every kind of owner whose rules are known is known by its own name.
func TestPodsOfKnownOwnersAreNotUnknown(t *testing.T) {
	for kind, counted := range map[string]map[string]int{
		"XGBoostJob": {"absentOwner": 1}, "PyTorchJob": {"absentOwner": 1}, "ReplicaSet": nil, "StatefulSet": nil, "Rollout": {"unknownOwner": 1},
	} {
		in := read(t, oneNode+`---
{apiVersion: v1, kind: Pod, metadata: {name: p, ownerReferences: [{kind: `+kind+`, name: o, controller: true}]}}
`)
		require.Equal(t, counted, in.Gangs[0].Ignored, kind)
	}
}

// A pod in no gang that declares fewer members than it needs is refused like a gang that does.
func TestPlainPodBelowItsOwnMinimum(t *testing.T) {
	_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(oneNode + `---
{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {gang.scheduling.koordinator.sh/min-available: "2", gang.scheduling.koordinator.sh/total-number: "1"}}}
`)}}, manifest.Options{})
	require.ErrorContains(t, err, "in.yaml: document 2, line 4: Pod/p: request.MinMember \"2\": above the total of 1")
}

// Whoever says that a pod preempts nobody is heard, whatever another label says.
func TestPatientPodsStayPatient(t *testing.T) {
	in := read(t, oneNode+`---
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {quota.scheduling.koordinator.sh/can-preempt: "false", scheduling.koordinator.sh/preemption-policy: PreemptLowerPriority}}}
`)
	require.True(t, in.Gangs[0].Request.NeverPreempts)
}

// Koordinator writes some keys with `internal.` before them, which mean the same.
func TestInternalKeys(t *testing.T) {
	const node = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, pods: 9}}}\n---\n"
	pod := func(notes string) string {
		return node + "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {" + notes + "}}, spec: {containers: [{name: c}]}}"
	}
	const key = "scheduling.koordinator.sh/network-topology-selector"
	in := read(t, pod("internal."+key+": a"))
	require.Equal(t, "a", in.Gangs[0].Request.AffinityKey)
	in = read(t, pod("internal."+key+": a, "+key+": a"))
	require.Equal(t, "a", in.Gangs[0].Request.AffinityKey)
	_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(pod("internal." + key + ": a, " + key + ": b"))}}, manifest.Options{})
	require.ErrorContains(t, err, "contradicts "+key)
}
