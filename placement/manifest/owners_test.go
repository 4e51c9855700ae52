package manifest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest"
)

// twoRacks is a tree of two layers, and one node.
const twoRacks = `
{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {block: b, rack: r}}, status: {allocatable: {cpu: "4", pods: "10"}}}
---
`

const onePod = `template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}`

// gangText is a gang in a line: its name, its members in rank order, its minimum, its rules, groups and parts.
func gangText(g *manifest.Gang) string {
	var names []string
	members := slices.Clone(g.Request.Members)
	slices.SortStableFunc(members, func(a, b gang.Member) int { return a.Index - b.Index })
	for _, m := range members {
		names = append(names, m.Name)
	}
	text := fmt.Sprintf("%s [%s] min %d%s", g.Request.Name, strings.Join(names, " "), g.Request.MinMember, rulesText(g.Request.Gather)+limitsText(g.Request.Limits))
	for _, level := range g.Request.Groups {
		text += fmt.Sprintf(" groups of %d%s", level.Size, rulesText(level.Gather)+limitsText(level.Limits))
	}
	for i := range g.Request.Parts {
		text += partText(&g.Request.Parts[i])
	}
	if len(g.Ignored) > 0 {
		text += fmt.Sprint(" ignored ", g.Ignored)
	}
	return text
}

func rulesText(rules []gang.Rule) (text string) {
	for _, r := range rules {
		text += fmt.Sprintf(" %s %s", r.Strength, r.Layer)
	}
	return text
}

func limitsText(limits []gang.Limit) (text string) {
	for _, l := range limits {
		text += fmt.Sprintf(" %s %s", l.Kind, l.Layer)
		if l.OfParts {
			text += " of parts"
		}
		if l.Most > 0 {
			text += fmt.Sprint(" at most ", l.Most)
		}
	}
	return text
}

func partText(p *gang.Part) string {
	text := fmt.Sprintf(" (%s %s min %d/%d%s", p.Name, p.Members, p.MinMember, p.MinParts, ofTree(p.Tree)+rulesText(p.Gather)+limitsText(p.Limits))
	for _, level := range p.Groups {
		text += fmt.Sprintf(" groups of %d%s", level.Size, rulesText(level.Gather)+limitsText(level.Limits))
	}
	for i := range p.Parts {
		text += partText(&p.Parts[i])
	}
	return text + ")"
}

// Owners make the gangs that their controllers would, with the rules that stand on them.
func TestOwners(t *testing.T) {
	kai := func(layer string) string {
		return `annotations: {kai.scheduler/topology-required-placement: ` + layer + `}`
	}
	pod := func(name, meta string) string {
		return "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", " + meta + "}, spec: {containers: [{name: c}]}}"
	}
	for _, c := range []struct{ name, files, want string }{
		{
			"completions bound a child job, replicas count", `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [
			  {name: w, replicas: 2, template: {spec: {parallelism: 3, completions: 2, ` + onePod + `}}}]}}`,
			"default/s [s-w-0-0 s-w-0-1 s-w-1-0 s-w-1-1] min 4",
		},
		{
			"a child job that needs fewer", `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [
			  {name: w, replicas: 2, template: {metadata: {annotations: {kai.scheduler/batch-min-member: "1"}}, spec: {parallelism: 2, ` + onePod + `}}}]}}`,
			"default/s [s-w-0-0 s-w-0-1 s-w-1-0 s-w-1-1] min 2 (w/0 [s-w-0-0 s-w-0-1] min 1/0) (w/1 [s-w-1-0 s-w-1-1] min 1/0)",
		},
		{
			"each child job alone in a rack", `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}},
			  spec: {replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 2, ` + onePod + `}}}]}}`,
			"default/s [s-w-0-0 s-w-0-1 s-w-1-0 s-w-1-1] min 4 groups of 2 MustGather rack Alone rack",
		},
		{
			"pods of a JobSet by labels, in any order", `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [
			  {name: w, replicas: 2, template: {spec: {parallelism: 1, ` + onePod + `}}}]}}` +
				pod("s-w-1-0-a", `labels: {jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/replicatedjob-name: w, jobset.sigs.k8s.io/job-index: "1"},
				  annotations: {batch.kubernetes.io/job-completion-index: "0"}`) +
				pod("s-w-0-0-z", `labels: {jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/replicatedjob-name: w, jobset.sigs.k8s.io/job-index: "0"},
				  annotations: {batch.kubernetes.io/job-completion-index: "0"}`),
			"default/s [s-w-0-0-z s-w-1-0-a] min 2",
		},
		{
			"the leader is in the first subgroup, which has one more", `{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet,
			  metadata: {name: s, annotations: {leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack}},
			  spec: {leaderWorkerTemplate: {size: 5, subGroupPolicy: {subGroupSize: 2}, workerTemplate: {spec: {containers: [{name: c}]}}}}}`,
			"default/s-0 [s-0 s-0-1 s-0-2 s-0-3 s-0-4] min 5 groups of 3 MustGather rack Alone rack",
		},
		{
			"the leader is in no subgroup", `{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet,
			  metadata: {name: s, annotations: {leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack}},
			  spec: {leaderWorkerTemplate: {size: 5, subGroupPolicy: {subGroupPolicyType: LeaderExcluded, subGroupSize: 2}, workerTemplate: {spec: {containers: [{name: c}]}}}}}`,
			"default/s-0 [s-0 s-0-1 s-0-2 s-0-3 s-0-4] min 5 (worker [s-0-1 s-0-2 s-0-3 s-0-4] min 0/0 groups of 2 MustGather rack) ignored map[exclusiveTopology:5]",
		},
		{
			"the launcher that waits for its workers", `{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: m}, spec: {launcherCreationPolicy: WaitForWorkersReady,
			  mpiReplicaSpecs: {Worker: {replicas: 1, ` + onePod + `}, Launcher: {` + onePod + `}}}}` +
				pod("m-worker-0", `labels: {training.kubeflow.org/job-name: m, training.kubeflow.org/replica-type: worker, training.kubeflow.org/replica-index: "0"}`),
			"default/m [m-worker-0 m-launcher-0] min 1 (worker [m-worker-0] min 0/0)",
		},
		{
			"an elastic PyTorchJob", `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p}, spec: {elasticPolicy: {minReplicas: 1},
			  pytorchReplicaSpecs: {Worker: {replicas: 2, ` + onePod + `}, Master: {` + onePod + `}}}}`,
			"default/p [p-master-0 p-worker-0 p-worker-1] min 2",
		},
		{
			"roles that are known come first", `{apiVersion: kubeflow.org/v1, kind: TFJob, metadata: {name: f}, spec: {
			  tfReplicaSpecs: {Zeta: {` + onePod + `}, Evaluator: {` + onePod + `}, Alpha: {` + onePod + `}, PS: {` + onePod + `}, Chief: {` + onePod + `}}}}`,
			"default/f [f-chief-0 f-ps-0 f-evaluator-0 f-alpha-0 f-zeta-0] min 5",
		},
		{
			"hosts of a replica are whole or absent", `{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: {headGroupSpec: {` + onePod + `},
			  workerGroupSpecs: [{groupName: w, replicas: 2, minReplicas: 1, numOfHosts: 2, ` + onePod + `}]}}`,
			"default/r [r-head r-w-0 r-w-1 r-w-2 r-w-3] min 3 (headgroup [r-head] min 0/0)" +
				" (w [] min 0/1 (w/0 [r-w-0 r-w-1] min 0/0) (w/1 [r-w-2 r-w-3] min 0/0))",
		},
		{
			"a config over two pod groups", `{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: {podgroups: [
			  {name: a, minReplicas: 1, podReferences: [{name: a-0}, {name: a-1}]}, {name: b, minReplicas: 1, podReferences: [{name: b-0}]}],
			  topologyConstraintGroupConfigs: [{name: both, podGroupNames: [a, b], topologyConstraint: {packConstraint: {required: rack}}}]}}` +
				pod("a-0", `labels: {grove.io/podgang: g}`) + pod("a-1", `labels: {grove.io/podgang: g}`) + pod("b-0", `labels: {grove.io/podgang: g}`),
			"default/g [a-0 a-1 b-0] min 2 (both [] min 0/0 MustGather rack (a [a-0 a-1] min 1/0) (b [b-0] min 0/0))",
		},
		{
			"rules of the owner reach the PodGroup that has none", `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p, ` + kai("rack") + `},
			  spec: {pytorchReplicaSpecs: {Worker: {replicas: 2, ` + onePod + `}}}}` + `
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: q}, spec: {minMember: 1}}` +
				pod("p-worker-0", `labels: {scheduling.x-k8s.io/pod-group: q}, ownerReferences: [{kind: PyTorchJob, name: p, controller: true}]`),
			"default/q [p-worker-0] min 1 MustGather rack",
		},
		{
			"the PodGroup of a template", `{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 2,
			  template: {metadata: {labels: {scheduling.x-k8s.io/pod-group: q}}, spec: {containers: [{name: c}]}}}}
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: q}, spec: {minMember: 2}}`,
			"default/q [j-0 j-1] min 2",
		},
		{
			"the size of an absent LeaderWorkerSet", pod("s-3", `labels: {leaderworkerset.sigs.k8s.io/name: s, leaderworkerset.sigs.k8s.io/group-index: "3",
			  leaderworkerset.sigs.k8s.io/worker-index: "0"}, annotations: {leaderworkerset.sigs.k8s.io/size: "2"}`),
			"default/s-3 [s-3] min 2 ignored map[absentOwner:1]",
		},
		{
			"pods of a Deployment with a rule for gangs", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, ` + kai("rack") + `}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: d-1, ownerReferences: [{kind: Deployment, name: d, controller: true}]}}` +
				pod("d-1-x", `ownerReferences: [{kind: ReplicaSet, name: d-1, controller: true}]`),
			"default/d-1-x [d-1-x] min 0 ignored map[ownerTopology:1]",
		},
		{
			"the Workload of a PyTorchJob, which has no rule of its own", `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p, ` + kai("rack") + `},
			  spec: {pytorchReplicaSpecs: {Worker: {replicas: 2, ` + onePod + `}}}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: w, ownerReferences: [{kind: PyTorchJob, name: p, controller: true}]},
  spec: {podSets: [{name: worker, count: 2, ` + onePod + `}]}}`,
			"default/w [w-worker-0 w-worker-1] min 2 MustGather rack",
		},
		{
			"pods of a PodClique without a PodGang", pod("q-0", `ownerReferences: [{kind: PodClique, name: q, controller: true}]`),
			"default/q-0 [q-0] min 0 ignored map[absentGroup:1]",
		},
		{
			"tasks of a PodGroup with minima", `{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: v}, spec: {minMember: 2, minTaskMember: {w: 1, m: 1}}}` +
				pod("m-0", `labels: {volcano.sh/task-spec: m}, annotations: {scheduling.k8s.io/group-name: v}`) +
				pod("w-0", `labels: {volcano.sh/task-spec: w}, annotations: {scheduling.k8s.io/group-name: v}`) +
				pod("w-1", `labels: {volcano.sh/task-spec: w}, annotations: {scheduling.k8s.io/group-name: v}`),
			"default/v [m-0 w-0 w-1] min 2 (task m [m-0] min 0/0) (task w [w-0 w-1] min 1/0)",
		},
		{
			"who has succeeded is not needed", `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p}, spec: {pytorchReplicaSpecs: {Worker: {replicas: 3, ` + onePod + `}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p-worker-1, ownerReferences: [{kind: PyTorchJob, name: p, controller: true}]}, status: {phase: Succeeded}}`,
			"default/p [p-worker-0 p-worker-2] min 2",
		},
		{
			"a pod group of Kueue with two roles", pod("k-0", `labels: {kueue.x-k8s.io/pod-group-name: k, kueue.x-k8s.io/pod-group-pod-index: "0"},
			  annotations: {kueue.x-k8s.io/pod-group-total-count: "2", kueue.x-k8s.io/role-hash: a, kueue.x-k8s.io/podset-required-topology: rack}`) +
				pod("k-1", `labels: {kueue.x-k8s.io/pod-group-name: k, kueue.x-k8s.io/pod-group-pod-index: "1"},
			  annotations: {kueue.x-k8s.io/pod-group-total-count: "2", kueue.x-k8s.io/role-hash: b}`),
			"default/k [k-0 k-1] min 2 (a [k-0] min 0/0 MustGather rack) (b [k-1] min 0/0)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := read(t, twoRacks+c.files)
			require.Len(t, in.Gangs, 1)
			require.NoError(t, in.Gangs[0].Err)
			require.Equal(t, c.want, gangText(&in.Gangs[0]))
		})
	}
}

// What an owner says wrongly is said with its place.
func TestWrongOwners(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{
			"no such runtime", `{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: t}, spec: {runtimeRef: {name: none}}}`,
			`TrainJob/t: spec.runtimeRef.name "none": unknown runtime`,
		},
		{
			"too many", `{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: s}, spec: {replicas: 2000000000, leaderWorkerTemplate: {size: 2000000000}}}`,
			`LeaderWorkerSet/s: spec.leaderWorkerTemplate.size "2000000000": at most 1000000 members`,
		},
		{
			"a number that is text", `{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: {headGroupSpec: {}, workerGroupSpecs: [{groupName: w, replicas: two}]}}`,
			`RayCluster/r: spec.workerGroupSpecs[0].replicas "two": is text, must be a whole number`,
		},
		{
			"a pod group in two configs", `{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: {podgroups: [{name: a}],
			  topologyConstraintGroupConfigs: [{podGroupNames: [a]}, {podGroupNames: [a]}]}}`,
			`PodGang/g: spec.topologyConstraintGroupConfigs[1].podGroupNames[0] "a": the pod group is in another config too`,
		},
		{
			"a misspelt policy", `{apiVersion: kubeflow.org/v1, kind: TFJob, metadata: {name: f}, spec: {runPolicy: {schedulingPolicy: {minavailable: 2}}}}`,
			`TFJob/f: spec.runPolicy.schedulingPolicy.minavailable "2": unknown field, did you mean minAvailable?`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(twoRacks + c.files)}}, manifest.Options{})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// The keys of exclusive-topology and of PodGangs may be labels that only nodes have, as those of groups of Kubernetes itself.
func TestOwnersWithKeysOfLabels(t *testing.T) {
	nodes := "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: a, row: b}}, status: {allocatable: {cpu: 8, pods: 9}}}\n---\n"
	in := read(t, nodes+`{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: zone}},
  spec: {replicatedJobs: [{name: w, replicas: 2, template: {spec: {parallelism: 1, template: {spec: {containers: [{name: c}]}}}}}]}}
---
{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: {topologyConstraint: {packConstraint: {preferred: row}},
  podgroups: [{name: a, minReplicas: 1, podReferences: [{namespace: default, name: p}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {grove.io/podgang: g}}, spec: {containers: [{name: c}]}}`)
	require.Len(t, in.Gangs, 2)
	require.NoError(t, errors.Join(in.Gangs[0].Err, in.Gangs[1].Err))
	require.Equal(t, "row", in.Gangs[0].Request.Tree)
	require.Equal(t, []gang.Rule{{Layer: "row", Strength: gang.PreferGather}}, in.Gangs[0].Request.Gather)
	require.Equal(t, "zone", in.Gangs[1].Request.Tree)
}

func ofTree(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

// Members that have succeeded are missed neither by their gang nor by their role, whose rule binds the others.
func TestRolesThatHaveSucceeded(t *testing.T) {
	in := read(t, `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {rack: r1}}, status: {allocatable: {cpu: 4, pods: 9}}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: rack}]}}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s}
spec:
  replicatedJobs:
  - {name: a, replicas: 1, template: {spec: {parallelism: 2, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, spec: {containers: [{name: c}]}}}}}
  - {name: b, replicas: 1, template: {spec: {parallelism: 1, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, spec: {containers: [{name: c}]}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: s-a-0-0-abc, labels: {jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/replicatedjob-name: a, jobset.sigs.k8s.io/job-index: "0", batch.kubernetes.io/job-completion-index: "0"}}, spec: {containers: [{name: c}]}, status: {phase: Succeeded}}
---
{apiVersion: v1, kind: Pod, metadata: {name: s-a-0-1-abc, labels: {jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/replicatedjob-name: a, jobset.sigs.k8s.io/job-index: "0", batch.kubernetes.io/job-completion-index: "1"}}, spec: {containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: s-b-0-0-abc, labels: {jobset.sigs.k8s.io/jobset-name: s, jobset.sigs.k8s.io/replicatedjob-name: b, jobset.sigs.k8s.io/job-index: "0", batch.kubernetes.io/job-completion-index: "0"}}, spec: {containers: [{name: c}]}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: p, annotations: {kai.scheduler/topology-required-placement: rack}}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, spec: {containers: [{name: c}]}}}
    Worker: {replicas: 2, template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, spec: {containers: [{name: c}]}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p-master-0, labels: {training.kubeflow.org/job-name: p, training.kubeflow.org/replica-type: master, training.kubeflow.org/replica-index: "0"}}, spec: {containers: [{name: c}]}, status: {phase: Succeeded}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p-worker-0, labels: {training.kubeflow.org/job-name: p, training.kubeflow.org/replica-type: worker, training.kubeflow.org/replica-index: "0"}}, spec: {containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p-worker-1, labels: {training.kubeflow.org/job-name: p, training.kubeflow.org/replica-type: worker, training.kubeflow.org/replica-index: "1"}}, spec: {containers: [{name: c}]}, status: {phase: Succeeded}}`)
	require.Len(t, in.Gangs, 2)
	require.NoError(t, errors.Join(in.Gangs[0].Err, in.Gangs[1].Err))
	require.Equal(t, "default/p [p-worker-0] min 1 MustGather rack groups of 1 MustGather rack", gangText(&in.Gangs[0]))
	require.Equal(t, "default/s [s-a-0-1-abc s-b-0-0-abc] min 2 groups of 1 MustGather rack", gangText(&in.Gangs[1]))
}

// A PodGroup that stands for a Job wins where it has rules; where it has none, those of the Job hold, whatever minima it has.
func TestRulesOfTheJobHoldWhereItsGroupHasNone(t *testing.T) {
	const job = `{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {kai.scheduler/topology-required-placement: rack}}, spec: {parallelism: 2, template: {spec: {containers: [{name: c}]}}}}
---
`
	pods := func(meta string) string {
		return "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, " + meta + "}, spec: {containers: [{name: c}]}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: b, " + meta + "}, spec: {containers: [{name: c}]}}"
	}
	group := func(version, name, spec string) string {
		return "{apiVersion: " + version + ", kind: PodGroup, metadata: {name: " + name + "}, spec: " + spec + "}\n"
	}
	volcano := "labels: {batch.kubernetes.io/job-name: j}, annotations: {scheduling.k8s.io/group-name: g, volcano.sh/task-spec: t}"
	kai := "labels: {batch.kubernetes.io/job-name: j, kai.scheduler/subgroup-name: s}, annotations: {pod-group-name: g}"
	for _, c := range []struct{ name, files, want string }{
		{
			"minima of tasks", job + group("scheduling.volcano.sh/v1beta1", "g", "{minMember: 2, minTaskMember: {t: 2}}") + pods(volcano),
			"default/g [a b] min 2 MustGather rack",
		},
		{
			"subgroups without rules", job + group("scheduling.run.ai/v2alpha2", "g", "{minMember: 2, subGroups: [{name: s, minMember: 2}]}") + pods(kai),
			"default/g [a b] min 2 MustGather rack groups of 2",
		},
		{
			"subgroups with a rule", job + group("scheduling.run.ai/v2alpha2", "g", "{minMember: 2, subGroups: [{name: s, minMember: 2, topologyConstraint: {requiredTopologyLevel: block}}]}") + pods(kai),
			"default/g [a b] min 2 groups of 2 MustGather block",
		},
		{
			"a group of Kubernetes itself", job + group("scheduling.k8s.io/v1alpha3", "g", "{schedulingPolicy: {gang: {minCount: 2}}}") +
				strings.ReplaceAll(pods("labels: {batch.kubernetes.io/job-name: j}"), "spec: {", "spec: {schedulingGroup: {podGroupName: g}, "),
			"default/g [a b] min 2 MustGather rack",
		},
		{
			"the same with a key", job + group("scheduling.k8s.io/v1alpha3", "g", "{schedulingPolicy: {gang: {minCount: 2}}, schedulingConstraints: {topology: [{key: block}]}}") +
				strings.ReplaceAll(pods("labels: {batch.kubernetes.io/job-name: j}"), "spec: {", "spec: {schedulingGroup: {podGroupName: g}, "),
			"default/g [a b] min 2 MustGather block",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := read(t, twoRacks+c.files)
			require.Len(t, in.Gangs, 1)
			require.NoError(t, in.Gangs[0].Err)
			require.Equal(t, c.want, gangText(&in.Gangs[0]))
		})
	}
}

// Segments are cut within each job where jobs are groups, and of the workers of Ray; without a size their rule is an error.
func TestSegmentsAreKept(t *testing.T) {
	const segments = `kai.scheduler/segment-size: "2", kai.scheduler/segment-topology-required-placement: rack`
	jobSet := func(pods, notes string) string {
		return `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [{name: w, replicas: 2, template: {metadata: {annotations: {kai.scheduler/topology-required-placement: block}}, spec: {parallelism: ` +
			pods + `, template: {metadata: {annotations: {` + notes + `}}, spec: {containers: [{name: c}]}}}}}]}}`
	}
	in := read(t, twoRacks+jobSet("3", segments))
	require.NoError(t, in.Gangs[0].Err)
	require.Equal(t, "default/s [s-w-0-0 s-w-0-1 s-w-0-2 s-w-1-0 s-w-1-1 s-w-1-2] min 6"+
		" (w/0 [s-w-0-0 s-w-0-1 s-w-0-2] min 0/0 MustGather block groups of 2 MustGather rack)"+
		" (w/1 [s-w-1-0 s-w-1-1 s-w-1-2] min 0/0 MustGather block groups of 2 MustGather rack)", gangText(&in.Gangs[0]))
	in = read(t, twoRacks+`{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: {headGroupSpec: {template: {spec: {containers: [{name: c}]}}},
  workerGroupSpecs: [{groupName: g, replicas: 2, minReplicas: 2, template: {metadata: {annotations: {`+segments+`}}, spec: {containers: [{name: c}]}}}]}}`)
	require.Contains(t, gangText(&in.Gangs[0]), "groups of 2 MustGather rack")
	for files, want := range map[string]string{
		jobSet("2", "kai.scheduler/segment-topology-required-placement: rack"):                                                                                                                            "kai.scheduler/segment-size]: missing, beside a rule for segments",
		jobSet("3", `kueue.x-k8s.io/podset-slice-required-topology: rack, kueue.x-k8s.io/podset-slice-size: "2"`):                                                                                         "slices of 2 that do not divide the 3 members of each job",
		`{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {metadata: {annotations: {kai.scheduler/segment-topology-required-placement: rack}}, spec: {containers: [{name: c}]}}}}`: "missing, beside a rule for segments",
	} {
		_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(twoRacks + files)}}, manifest.Options{})
		require.ErrorContains(t, err, want)
	}
}
