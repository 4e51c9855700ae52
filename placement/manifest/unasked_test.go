package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// A hard rule is an error where nobody reads it, and is read from pods where no object has one.
func TestHardRulesAreReadOrRefused(t *testing.T) {
	const rule = "kai.scheduler/topology-required-placement: rack"
	pods := func(meta string) string {
		return "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, " + meta + "}, spec: {containers: [{name: c}]}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: b, " + meta + "}, spec: {containers: [{name: c}]}}"
	}
	volcano := func(owner, template string) string {
		return "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j, annotations: {" + owner + "}}, spec: {minAvailable: 2, tasks: [{name: t, replicas: 2, template: {metadata: {annotations: {" + template + "}}, spec: {containers: [{name: c}]}}}]}}"
	}
	group := func(annotation, spec string) string {
		return "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, annotations: {" + annotation + "}}, spec: {minMember: 2" + spec + "}}\n"
	}
	const inGroup = "labels: {scheduling.x-k8s.io/pod-group: g}"
	for _, c := range []struct{ name, files, want, fails string }{
		{"KAI's on a Job of Volcano", volcano(rule, ""), "default/j [j-t-0 j-t-1] min 2 MustGather rack", ""},
		{
			"Kueue's on a task of Volcano", volcano("", "kueue.x-k8s.io/podset-required-topology: rack"), "",
			"spec.tasks[0].template.metadata.annotations[kueue.x-k8s.io/podset-required-topology] \"rack\": is not read from Job objects of batch.volcano.sh/v1alpha1",
		},
		{"KAI's on a PodGroup of others", group(rule, "") + pods(inGroup), "", "is not read from PodGroup objects of scheduling.x-k8s.io/v1alpha1"},
		{
			"Koordinator's on a group of Kubernetes itself", "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g, annotations: {gang.scheduling.koordinator.sh/network-topology-spec: '{}'}}, spec: {schedulingPolicy: {gang: {minCount: 1}}}}\n" +
				"---\n{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c}]}}",
			"", "is not read from PodGroup objects of scheduling.k8s.io/v1beta1",
		},
		{"KAI's on pods of a PodGroup", group("", "") + pods(inGroup+", annotations: {"+rule+"}"), "default/g [a b] min 2 MustGather rack", ""},
		{"Kueue's on pods of a PodGroup", group("", "") + pods(inGroup+", annotations: {kueue.x-k8s.io/podset-required-topology: rack}"), "default/g [a b] min 2 MustGather rack", ""},
		{
			"Kueue's on pods of a PodGang", "{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: {podgroups: [{name: x, minReplicas: 1, podReferences: [{namespace: default, name: a}, {namespace: default, name: b}]}]}}\n" +
				pods("labels: {grove.io/podgang: g}, annotations: {kueue.x-k8s.io/podset-required-topology: rack}"),
			"default/g [a b] min 1 MustGather rack (x [a b] min 1/0)", "",
		},
		{
			"Kueue's slices beside minima of tasks", "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2, minTaskMember: {t: 1}}}\n" +
				pods(`annotations: {scheduling.k8s.io/group-name: g, volcano.sh/task-spec: t, kueue.x-k8s.io/podset-slice-required-topology: rack, kueue.x-k8s.io/podset-slice-size: "1"}`),
			"", "cannot be kept together with the groups of PodGroup/g",
		},
		{
			"pods of a PodGroup with a rule", group("", ", networkTopologyAware: {gatherStrategy: [{layer: block, strategy: MustGather}]}") + pods(inGroup+", annotations: {"+rule+"}"),
			"default/g [a b] min 2 MustGather block", "",
		},
		{
			"a copy in the template of a Workload", "{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: w}, spec: {podSets: [{name: m, count: 2, topologyRequest: {required: rack}, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, spec: {containers: [{name: c}]}}}]}}",
			"default/w [w-m-0 w-m-1] min 2 MustGather rack", "",
		},
		{
			"segments of a master", `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p}, spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {metadata: {annotations: {kai.scheduler/segment-topology-required-placement: rack}}, spec: {containers: [{name: c}]}}}}}}`,
			"default/p [p-master-0] min 1", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(twoRacks + c.files)}}, manifest.Options{})
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Len(t, in.Gangs, 1)
			require.NoError(t, in.Gangs[0].Err)
			require.Equal(t, c.want, gangText(&in.Gangs[0]))
		})
	}
}
