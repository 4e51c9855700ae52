package manifest_test

import (
	"strings"
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
			"default/top [b-0 a-0] min 2 (b [b-0] min 0/0) (mid [] min 0/1 of default MustGather rack (a [a-0] min 0/0))",
		},
		{
			"several keys hold together", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: block}, {key: rack}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather block MustGather rack",
		},
		{
			"the key of the host", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: kubernetes.io/hostname}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather node",
		},
		{
			"a key that only nodes have", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: zone}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather zone",
		},
		{
			"keys of two topologies", groupOf("g", gang2, ", schedulingConstraints: {topology: [{key: rack}, {key: zone}, {key: block}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 2 MustGather rack MustGather block (g [p q] min 0/0 of zone MustGather zone)",
		},
		{
			"a few of them with keys of two topologies", groupOf("g", gang1, ", schedulingConstraints: {topology: [{key: rack}, {key: zone}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/g [p q] min 1 MustGather rack (g [p q] min 1/0 of zone MustGather zone)",
		},
		{
			"keys of two topologies of a group below", composite("top", "{gang: {minGroupCount: 1}}", ", schedulingConstraints: {topology: [{key: block}]}") +
				groupOf("g", gang2, ", parentCompositePodGroupName: top, schedulingConstraints: {topology: [{key: rack}, {key: zone}]}") + podIn("p", "g") + podIn("q", "g"),
			"default/top [p q] min 2 MustGather block (g [] min 0/0 MustGather rack (g (2) [p q] min 0/0 of zone MustGather zone))",
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

// What is wrong with a group is wrong with its gang, and nothing else: with -keep-going others are planned.
func TestInTreeDefectsAreTheGangs(t *testing.T) {
	composite := func(name, parent string) string {
		return "\n---\n{" + inTree + "kind: CompositePodGroup, metadata: {name: " + name + "}, spec: {schedulingPolicy: {gang: {minGroupCount: 1}}, parentCompositePodGroupName: " + parent + "}}"
	}
	const one = "{gang: {minCount: 1}}"
	for _, c := range []struct{ name, files, want string }{
		{"a cycle of two", composite("y", "x") + composite("x", "y") + groupOf("g", one, ", parentCompositePodGroupName: y"), "cycle of parents"},
		{"a cycle of one", composite("x", "x") + groupOf("g", one, ", parentCompositePodGroupName: x"), "cycle of parents"},
		{"a defect of a group below", groupOf("g", one, ", parentCompositePodGroupName: t, disruptionMode: Some") + composite("t", "''"), "must be PodGroup or Pod"},
		{"two groups of one name", groupOf("g", one, "") + composite("g", "''"), "duplicate name: PodGroup of"},
		{"the same the other way round", composite("g", "''") + groupOf("g", one, ""), "duplicate name: CompositePodGroup of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := []manifest.File{{Name: "in.yaml", Data: []byte(twoRacks + c.files + podIn("p", "g") + groupOf("ok", one, "") + podIn("q", "ok"))}}
			_, err := manifest.Read(files, manifest.Options{})
			require.ErrorContains(t, err, c.want)
			in, err := manifest.Read(files, manifest.Options{KeepGoing: true})
			require.NoError(t, err)
			require.Len(t, in.Gangs, 2)
			for i := range in.Gangs {
				if in.Gangs[i].Request.Name == "default/ok" {
					require.NoError(t, in.Gangs[i].Err)
				} else {
					require.ErrorContains(t, in.Gangs[i].Err, c.want)
				}
			}
		})
	}
}

// A key is not lost with a topology that cannot be used: it is found in another one, or its gang is invalid.
func TestKeysBesideABrokenTopology(t *testing.T) {
	const broken = "\n---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: a}, spec: {levels: []}}"
	files := []manifest.File{{Name: "in.yaml", Data: []byte(twoRacks + broken +
		groupOf("g", "{gang: {minCount: 1}}", ", schedulingConstraints: {topology: [{key: rack}]}") + podIn("p", "g") +
		groupOf("h", "{gang: {minCount: 1}}", ", schedulingConstraints: {topology: [{key: zone}]}") + podIn("q", "h"))}}
	in, err := manifest.Read(files, manifest.Options{KeepGoing: true})
	require.NoError(t, err)
	require.Len(t, in.Gangs, 2)
	require.NoError(t, in.Gangs[0].Err)
	require.Equal(t, "default/g [p] min 1 MustGather rack", gangText(&in.Gangs[0]))
	require.ErrorContains(t, in.Gangs[1].Err, "no topology has it, and one cannot be used")
}

// A basic group without constraints leaves those below it to themselves, wherever it stands among them.
func TestBasicCompositeInAnyOrder(t *testing.T) {
	parent := "\n---\n{" + inTree + "kind: CompositePodGroup, metadata: {name: t}, spec: {schedulingPolicy: {basic: {}}}}"
	below := groupOf("g", "{gang: {minCount: 1}}", ", parentCompositePodGroupName: t") + groupOf("h", "{gang: {minCount: 1}}", ", parentCompositePodGroupName: t")
	for _, files := range []string{parent + below, below + parent} {
		in := read(t, twoRacks+files+podIn("p", "g")+podIn("q", "h"))
		require.Len(t, in.Gangs, 2)
		require.Equal(t, "default/g [p] min 1", gangText(&in.Gangs[0]))
		require.Equal(t, "default/h [q] min 1", gangText(&in.Gangs[1]))
	}
}

// A template's group is followed like a pod's: with the rules and the minimum of its PodGroup, and nothing is planned twice.
func TestTemplatesNameGroups(t *testing.T) {
	const (
		group    = "schedulingGroup: {podGroupName: g}"
		workload = "\n---\n{apiVersion: scheduling.k8s.io/v1alpha1, kind: Workload, metadata: {name: w}, spec: {podGroups: [{name: g, policy: {gang: {minCount: 5}}}, {name: s, policy: {basic: {}}}]}}"
		inRack   = ", schedulingConstraints: {topology: [{key: rack}]}"
	)
	job := func(name, spec string) string {
		return "\n---\n{apiVersion: batch/v1, kind: Job, metadata: {name: " + name + "}, spec: {parallelism: 2, template: {spec: {containers: [{name: c}], " + spec + "}}}}"
	}
	podOf := func(name, job, spec string) string {
		return "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {batch.kubernetes.io/job-name: " + job + "}}, spec: {containers: [{name: c}], " + spec + "}}"
	}
	jobSet := func(a, b string) string {
		role := func(name, spec string) string {
			return "{name: " + name + ", replicas: 1, template: {spec: {parallelism: 2, template: {spec: {containers: [{name: c}], " + spec + "}}}}}"
		}
		return "\n---\n{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [" + role("a", a) + ", " + role("b", b) + "]}}"
	}
	for _, c := range []struct{ name, files, want string }{
		{"of a Job", groupOf("g", "{gang: {minCount: 2}}", inRack) + job("j", group), "default/g [j-0 j-1] min 2 MustGather rack"},
		{
			"of a Job with pods", groupOf("g", "{gang: {minCount: 2}}", inRack) + job("j", group) + podOf("p", "j", group) + podOf("q", "j", group),
			"default/g [p q] min 2 MustGather rack",
		},
		{"that is not in the input", job("j", group), "default/g [j-0 j-1] min 0 ignored map[absentGroup:2]"},
		{"of a Workload of 1.35", workload + job("j", "workloadRef: {name: w, podGroup: g}"), "default/w-g [j-0 j-1] min 5"},
		{
			"of a replica of it", workload + job("j", "workloadRef: {name: w, podGroup: g, podGroupReplicaKey: k}") + job("i", "workloadRef: {name: w, podGroup: g}"),
			"default/w-g [i-0 i-1] min 5; default/w-g-k [j-0 j-1] min 5",
		},
		{"a basic group needs nobody", workload + job("j", "workloadRef: {name: w, podGroup: s}"), "default/j [j-0 j-1] min 1"},
		{
			"pods of a basic group", workload + job("j", "workloadRef: {name: w, podGroup: s}") + podOf("p", "j", "workloadRef: {name: w, podGroup: s}"),
			"default/p [p] min 0",
		},
		{
			"pods of a basic group whose owner has a rule", workload + strings.ReplaceAll(job("j", "workloadRef: {name: w, podGroup: s}"), "template: {", "template: {metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}, ") +
				podOf("p", "j", "workloadRef: {name: w, podGroup: s}") + podOf("q", "j", "workloadRef: {name: w, podGroup: s}"),
			"default/p [p] min 0 ignored map[ownerTopology:1]; default/q [q] min 0 ignored map[ownerTopology:1]",
		},
		{
			"of a JobSet, one of two", groupOf("g", "{gang: {minCount: 2}}", inRack) + jobSet(group, "hostNetwork: false"),
			"default/g [s-a-0-0 s-a-0-1] min 2 MustGather rack; default/s [s-b-0-0 s-b-0-1] min 2",
		},
		{
			"of a Job of Volcano that needs all, one of two", groupOf("g", "{gang: {minCount: 1}}", "") + "\n---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: v}, spec: {tasks: [" +
				"{name: a, replicas: 2, template: {spec: {containers: [{name: c}], " + group + "}}}, {name: b, replicas: 2, template: {spec: {containers: [{name: c}]}}}]}}",
			"default/g [v-a-0 v-a-1] min 1; default/v [v-b-0 v-b-1] min 2",
		},
		{
			"of a JobSet, both into one above them", "\n---\n{" + inTree + "kind: CompositePodGroup, metadata: {name: top}, spec: {schedulingPolicy: {gang: {minGroupCount: 2}}}}" +
				groupOf("g", "{gang: {minCount: 1}}", ", parentCompositePodGroupName: top") + groupOf("h", "{gang: {minCount: 1}}", ", parentCompositePodGroupName: top") +
				jobSet(group, "schedulingGroup: {podGroupName: h}"),
			"default/top [s-a-0-0 s-a-0-1 s-b-0-0 s-b-0-1] min 2 (g [s-a-0-0 s-a-0-1] min 1/0) (h [s-b-0-0 s-b-0-1] min 1/0)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := read(t, twoRacks+c.files)
			var got []string
			for i := range in.Gangs {
				require.NoError(t, in.Gangs[i].Err)
				got = append(got, gangText(&in.Gangs[i]))
			}
			require.Equal(t, c.want, strings.Join(got, "; "))
		})
	}
}
