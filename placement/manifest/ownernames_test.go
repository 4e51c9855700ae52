package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// ownedGangs are gangs as controllers leave them: by Kueue, by Volcano, by an operator, each with owners above; one runs.
const ownedGangs = `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "99", pods: "99"}}}
---
{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: js, namespace: a}, spec: {replicatedJobs: [{name: w, replicas: 1, template: {spec: {parallelism: 2, completions: 2,
  template: {spec: {containers: [{name: c}]}}}}}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: jobset-js-1a2b3, namespace: a, ownerReferences: [{kind: JobSet, name: js, controller: true}]},
  spec: {podSets: [{name: w, count: 2, template: {spec: {containers: [{name: c}]}}}]}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: job-7f, namespace: a, ownerReferences: [{kind: Job, name: train, controller: true}]}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: train-0, namespace: a, annotations: {scheduling.k8s.io/group-name: job-7f}, ownerReferences: [{kind: Job, name: train, controller: true}]},
  spec: {containers: [{name: c}]}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: pg, namespace: b}, spec: {minMember: 1}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: up-w-0, namespace: b, ownerReferences: [{kind: JobSet, name: up, controller: true}]},
  spec: {parallelism: 1, completions: 1, template: {spec: {containers: [{name: c}]}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: up-w-0-x, namespace: b, annotations: {scheduling.k8s.io/group-name: pg}, ownerReferences: [{kind: Job, name: up-w-0, controller: true}]},
  spec: {nodeName: n1, containers: [{name: c}]}}
---
{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: lws, namespace: b}, spec: {replicas: 2, leaderWorkerTemplate: {size: 1, workerTemplate: {spec: {containers: [{name: c}]}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: alone, namespace: b}, spec: {containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: b, ownerReferences: [{kind: ReplicaSet, name: web, controller: true}]}, spec: {containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: proxy-n1, namespace: b, ownerReferences: [{kind: Node, name: n1, controller: true}]}, spec: {nodeName: n1, containers: [{name: c}]}}
`

// A gang has the names of whatever it is made by, and of what owns that, whether it waits or runs.
func TestOwnerNames(t *testing.T) {
	in, err := manifest.Read([]manifest.File{file("a.yaml", ownedGangs)}, manifest.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{
		"a/jobset-js-1a2b3": {"a/js"},
		"a/job-7f":          {"a/train"},
		"b/pg":              {"b/up", "b/up-w-0"},
		"b/lws-0":           {"b/lws"},
		"b/lws-1":           {"b/lws"},
		"b/web-1":           {"b/web"},
	}, in.Owners)
}

// Who leaves out an owner leaves out its gangs.
func TestWithoutGangsByTheirOwners(t *testing.T) {
	for name, want := range map[string][]string{
		"b/lws": {"b/lws-0", "b/lws-1"}, "a/js": {"a/jobset-js-1a2b3"}, "a/train": {"a/job-7f"}, "a/*": {"a/job-7f", "a/jobset-js-1a2b3"}, "b/web": {"b/web-1"},
	} {
		all, err := manifest.Read([]manifest.File{file("a.yaml", ownedGangs)}, manifest.Options{})
		require.NoError(t, err)
		in, err := manifest.Read([]manifest.File{file("a.yaml", ownedGangs)}, manifest.Options{WithoutGangs: []string{name}})
		require.NoError(t, err, name)
		require.ElementsMatch(t, gangNames(all), append(gangNames(in), want...), name)
	}
	in, err := manifest.Read([]manifest.File{file("a.yaml", ownedGangs)}, manifest.Options{WithoutGangs: []string{"b/up"}})
	require.NoError(t, err)
	for _, r := range in.Spec.Running {
		require.NotEqual(t, "b/pg", r.Gang)
	}
	_, err = manifest.Read([]manifest.File{file("a.yaml", ownedGangs)}, manifest.Options{WithoutGangs: []string{"b/trai"}})
	require.EqualError(t, err, `options.WithoutGangs[0] "b/trai": no such gang; the nearest one is b/lws`)
}

// Owners of owners are climbed to, as far as the input has them.
func TestOwnersOfOwners(t *testing.T) {
	const chain = `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "99", pods: "99"}}}
---
{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: rj, ownerReferences: [{kind: Pipeline, name: top, controller: true}]}, spec: {rayClusterSpec: {headGroupSpec: {template: {spec: {containers: [{name: c}]}}}}}}
---
{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: rc, ownerReferences: [{kind: RayJob, name: rj, controller: true}]}, spec: {headGroupSpec: {template: {spec: {containers: [{name: c}]}}}}}
`
	in, err := manifest.Read([]manifest.File{file("a.yaml", chain)}, manifest.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"default/rc": {"default/rj", "default/top"}}, in.Owners)
}
