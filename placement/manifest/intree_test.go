package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

const inTree = `apiVersion: scheduling.k8s.io/v1alpha3, `

func groupOf(name, policy, more string) string {
	return "\n---\n{" + inTree + "kind: PodGroup, metadata: {name: " + name + "}, spec: {schedulingPolicy: " + policy + more + "}}"
}

func podIn(name, group string) string {
	return "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {containers: [{name: c}], schedulingGroup: {podGroupName: " + group + "}}}"
}

// The topmost group is the gang, those below it are its parts.
func TestInTreeGroups(t *testing.T) {
	composite := func(name, policy, more string) string {
		return "\n---\n{" + inTree + "kind: CompositePodGroup, metadata: {name: " + name + "}, spec: {schedulingPolicy: " + policy + more + "}}"
	}
	const gang2, gang1 = "{gang: {minCount: 2}}", "{gang: {minCount: 1}}"
	for _, c := range []struct{ name, files, want string }{
		{
			"groups within groups", composite("top", "{gang: {minGroupCount: 2}}", "") +
				composite("mid", "{gang: {minGroupCount: 1}}", ", parentCompositePodGroupName: top, schedulingConstraints: {topology: [{key: rack}]}") +
				groupOf("a", gang1, ", parentCompositePodGroupName: mid") + groupOf("b", gang1, ", parentCompositePodGroupName: top") +
				podIn("a-0", "a") + podIn("b-0", "b"),
			"default/top [b-0 a-0] min 2 (b [b-0] min 0/0) (mid [] min 0/1 MustGather rack (a [a-0] min 0/0))",
		},
		{
			"several keys hold together", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: block}, {key: rack}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather block MustGather rack",
		},
		{
			"the key of the host", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: kubernetes.io/hostname}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather 0",
		},
		{
			"a key that only nodes have", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: zone}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather zone",
		},
		{
			"a basic group with a constraint needs one", groupOf("g", "{basic: {}}", ", schedulingConstraints: {topology: [{key: rack}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 1 MustGather rack",
		},
		{
			"a group that is not in the input", podIn("p", "nobody"), "default/nobody [p] min 0 ignored map[absentGroup:1]",
		},
		{
			"claims of a group", groupOf("g", gang1, ", resourceClaims: [{name: c}]") + podIn("p", "g"), "default/g [p] min 1 ignored map[resourceClaims:1]",
		},
		{
			"a Workload of 1.35 without a replica key", "\n---\n{apiVersion: scheduling.k8s.io/v1alpha1, kind: Workload, metadata: {name: w}, spec: {podGroups: [{name: g, policy: " + gang1 + "}]}}" +
				"\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {workloadRef: {name: w, podGroup: g}}}",
			"default/w-g [p] min 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := read(t, twoRacks+"{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: z}}, status: {allocatable: {cpu: 1}}}"+c.files)
			require.Len(t, in.Gangs, 1)
			require.NoError(t, in.Gangs[0].Err)
			require.Equal(t, c.want, gangText(&in.Gangs[0]))
		})
	}
}

// A tree of labels is for those whose key made it: gangs that name no topology stay in the one that the input has.
func TestTreeOfLabelsIsForItsKey(t *testing.T) {
	in := read(t, twoRacks+"{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: z}}, status: {allocatable: {cpu: 1}}}"+
		groupOf("g", "{gang: {minCount: 1}}", ", schedulingConstraints: {topology: [{key: zone}]}")+podIn("p", "g")+
		"\n---\n{apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {containers: [{name: c}]}}")
	require.Len(t, in.Spec.Trees, 2)
	require.Equal(t, "zone", in.Gangs[0].Request.Tree)
	require.Equal(t, "default", in.Gangs[1].Request.Tree)
}

func TestWrongInTreeGroups(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"both policies", groupOf("g", "{basic: {}, gang: {minCount: 1}}", ""), `PodGroup/g: spec.schedulingPolicy: basic and gang exclude each other`},
		{"no minimum", groupOf("g", "{gang: {}}", ""), `PodGroup/g: spec.schedulingPolicy.gang.minCount: missing`},
		{"no such key", groupOf("g", "{basic: {}}", ", schedulingConstraints: {topology: [{key: nowhere}]}"), `spec.schedulingConstraints.topology[0].key "nowhere": unknown level`},
		{
			"a cycle", "\n---\n{" + inTree + "kind: CompositePodGroup, metadata: {name: c}, spec: {schedulingPolicy: {basic: {}}, parentCompositePodGroupName: c}}",
			`CompositePodGroup/c: spec.parentCompositePodGroupName "c": cycle of parents`,
		},
		{
			"two misspelt blocks, always in this order", "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {workloadRef: {nam: a}, schedulingGroup: {podGroup: b}}}",
			"spec.schedulingGroup.podGroup \"b\": unknown field, did you mean podGroupName?\n" +
				"in.yaml: document 4, line 8: Pod/p: spec.workloadRef.nam \"a\": unknown field, did you mean name?",
		},
		{"a misspelt group of a pod", podIn("p", "g, podgroupName: h"), `Pod/p: spec.schedulingGroup.podgroupName "h": unknown field, did you mean podGroupName?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(twoRacks + c.files)}}, manifest.Options{})
			require.ErrorContains(t, err, c.want)
		})
	}
}
