package manifest_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest"
)

// listed is a file of objects, always called the same.
func listed(t require.TestingT, objects []map[string]any) manifest.File {
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": append([]map[string]any{}, objects...)})
	require.NoError(t, err)
	return manifest.File{Name: "in.json", Data: data}
}

// requireSameInput compares what two readings found; errors, if there are any, by their texts.
func requireSameInput(t *rapid.T, want, got *manifest.Input, wantErr, gotErr error) {
	if wantErr != nil {
		require.EqualError(t, gotErr, wantErr.Error())
		return
	}
	require.NoError(t, gotErr)
	require.Equal(t, tellInput(want), tellInput(got))
}

// Nodes that are left out are as if the files had no such objects, whatever hangs on them.
func TestWithoutNodesIsWithoutTheirObjects(t *testing.T) {
	inputs := append(plainObjects(t), sharedObjects(t)...)
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.SampledFrom(inputs).Draw(t, "input")
		var names []string
		for _, o := range objects {
			if header := headerOf(o); header.kind == "Node" && rapid.IntRange(0, 3).Draw(t, "left out") == 0 && !slices.Contains(names, header.name) {
				names = append(names, header.name)
			}
		}
		left := slices.DeleteFunc(slices.Clone(objects), func(o map[string]any) bool {
			h := headerOf(o)
			return h.kind == "Node" && slices.Contains(names, h.name)
		})
		opt := manifest.Options{KeepGoing: true}
		want, wantErr := manifest.Read([]manifest.File{listed(t, left)}, opt)
		opt.WithoutNodes = names
		got, gotErr := manifest.Read([]manifest.File{listed(t, objects)}, opt)
		if wantErr != nil {
			wantErr, gotErr = placeless(wantErr), placeless(gotErr)
		}
		requireSameInput(t, want, got, wantErr, gotErr)
	})
}

// placeless is an error without places in files, in which objects that are left out stand too.
func placeless(err error) error {
	if err == nil {
		return nil
	}
	return textError(withoutPlaces(err.Error()))
}

type textError string

func (e textError) Error() string { return string(e) }

type header struct{ kind, name string }

func headerOf(o map[string]any) header {
	meta, _ := o["metadata"].(map[string]any)
	kind, _ := o["kind"].(string)
	name, _ := meta["name"].(string)
	return header{kind, name}
}

// Files in which some objects say something else, or nothing right, read with the right ones added like the right ones alone.
func TestAddedObjectsReplaceOthers(t *testing.T) {
	inputs := append(plainObjects(t), sharedObjects(t)...)
	rapid.Check(t, func(t *rapid.T) {
		var objects []map[string]any
		ids := map[string]bool{}
		for _, o := range rapid.SampledFrom(inputs).Draw(t, "input") {
			if id := idOf(o); !ids[id] {
				ids[id], objects = true, append(objects, o)
			}
		}
		texts := textsOf(objects)
		var stay, added, before []map[string]any
		for _, o := range objects {
			switch at := rapid.IntRange(0, 3).Draw(t, "object"); {
			case at == 0 && !isPartOfNode(o):
				added = append(added, o)
				if old := spoil(t, o, texts); idOf(old) == idOf(o) {
					before = append(before, old)
				}
			default:
				stay = append(stay, o)
			}
		}
		right := []manifest.File{listed(t, stay), listed(t, added)}
		want, wantErr := manifest.Read(right, manifest.Options{KeepGoing: true})
		old := []manifest.File{listed(t, slices.Concat(stay, before))}
		got, gotErr := manifest.Read(old, manifest.Options{KeepGoing: true, Added: right[1:]})
		if wantErr == nil && gotErr == nil {
			require.LessOrEqual(t, len(got.Replaced), len(before))
			want.Skipped, got.Skipped = nil, nil // of what is not read the count is that of all files
		}
		if wantErr != nil {
			wantErr, gotErr = placeless(wantErr), placeless(gotErr)
		}
		requireSameInput(t, want, got, wantErr, gotErr)
	})
}

// isPartOfNode says whether an object stands in place of no other, but changes a Node.
func isPartOfNode(o map[string]any) bool {
	status, _ := o["status"].(map[string]any)
	return headerOf(o).kind == "Node" && status["allocatable"] == nil
}

// A gang that is left out neither waits nor runs; all others are as they were, unless they start together with it.
func TestWithoutGangsLeavesTheOthers(t *testing.T) {
	inputs := append(plainObjects(t), sharedObjects(t)...)
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.SampledFrom(inputs).Draw(t, "input")
		opt := manifest.Options{KeepGoing: true}
		want, err := manifest.Read([]manifest.File{listed(t, objects)}, opt)
		if err != nil {
			return
		}
		names := gangNames(want)
		for _, r := range want.Spec.Running {
			names = append(names, r.Gang)
		}
		if len(names) == 0 {
			return
		}
		name := rapid.SampledFrom(names).Draw(t, "gang")
		opt.WithoutGangs = []string{name}
		got, err := manifest.Read([]manifest.File{listed(t, objects)}, opt)
		require.NoError(t, err)
		require.NotContains(t, gangNames(got), name)
		goes := func(gang string) bool { return gang == name || slices.Contains(want.Owners[gang], name) } // such as both gangs of a RayJob, one of its name
		kept := want.Spec.Running[:0]
		for _, r := range want.Spec.Running {
			if !goes(r.Gang) {
				kept = append(kept, r)
			}
		}
		require.Equal(t, append(kept[:0:0], kept...), append(kept[:0:0], got.Spec.Running...))
		for _, g := range want.Gangs {
			if goes(g.Request.Name) || g.Request.Together != "" || g.Err != nil { // such as a queue that is above that of the other
				continue
			}
			i := slices.IndexFunc(got.Gangs, func(o manifest.Gang) bool { return o.Request.Name == g.Request.Name })
			require.GreaterOrEqual(t, i, 0, g.Request.Name)
			other := got.Gangs[i]
			for rule, n := range g.Ignored {
				require.LessOrEqual(t, other.Ignored[rule], n)
				if rule != "podAntiAffinity" { // which may have been about the pods that are gone
					require.Equal(t, n, other.Ignored[rule])
				}
			}
			require.LessOrEqual(t, len(other.Ignored), len(g.Ignored))
			g.Ignored, other.Ignored = nil, nil
			g.Request.Tree, other.Request.Tree = meant(want, g.Request.Tree), meant(got, other.Request.Tree)
			require.Equal(t, tellGang(g), tellGang(other))
		}
	})
}

// meant is the tree that a request means: one that names none means the only one, else that called default. Whether it has to name it depends on
// others, whose label keys make trees of their own.
func meant(in *manifest.Input, tree string) string {
	switch trees := in.Spec.Trees; {
	case tree != "" || len(trees) == 0:
		return tree
	case len(trees) == 1:
		return trees[0].Name
	}
	return "default"
}

// A gang whose objects are its own is gone as if they were not in the files, with what was wrong with them.
func TestWithoutGangIsWithoutItsObjects(t *testing.T) {
	const others = `
apiVersion: v1
kind: NodeList
items: [{metadata: {name: n1}, status: {allocatable: {cpu: "8"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: other}
spec: {containers: [{resources: {requests: {cpu: "1"}}}]}
---
`
	for name, objects := range map[string]string{
		"default/train": `
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: PodGroup
metadata: {name: train}
spec: {minMember: 2}
---
apiVersion: v1
kind: PodList
items:
- {metadata: {name: t-0, labels: {pod-group.scheduling.sigs.k8s.io: train}}, spec: {nodeName: n1, containers: [{resources: {requests: {cpu: "1"}}}]}}
- {metadata: {name: t-1, labels: {pod-group.scheduling.sigs.k8s.io: train}}, spec: {containers: [{resources: {requests: {cpu: "1"}}}]}}
`,
		"default/batch": `
apiVersion: batch/v1
kind: Job
metadata: {name: batch}
spec: {parallelism: 2, template: {spec: {containers: [{resources: {requests: {cpu: "1"}}}]}}}
`,
		"team/alone": `
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: team}
spec: {nodeName: n1, containers: [{resources: {requests: {cpu: "1"}}}]}
`,
		"default/set": `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: set}
spec: {replicatedJobs: [{name: a, replicas: 2, template: {spec: {parallelism: 1, template: {spec: {containers: [{resources: {requests: {cpu: "1"}}}]}}}}}]}
`,
		"default/wrong": `
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: PodGroup
metadata: {name: wrong}
spec: {minMember: four}
---
apiVersion: v1
kind: Pod
metadata: {name: w-0, labels: {pod-group.scheduling.sigs.k8s.io: wrong}}
spec: {containers: [{resources: {requests: {cpu: lots}}}]}
`,
	} {
		want, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(others)}}, manifest.Options{})
		require.NoError(t, err)
		files := []manifest.File{{Name: "in.yaml", Data: []byte(others + objects)}}
		got, err := manifest.Read(files, manifest.Options{WithoutGangs: []string{name}})
		require.NoError(t, err, name)
		require.Equal(t, tellInput(want), tellInput(got), name)
	}
}

// What is behind a gang is gone with it: what it holds of zones, pods that are over, objects that it stands for or that its own have made.
func TestWithoutGangIsWithoutWhatIsBehindIt(t *testing.T) {
	node := `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8}}}
---
`
	pg := `
{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, metadata: {name: a}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a-0, labels: {pod-group.scheduling.sigs.k8s.io: a}}, spec: {nodeName: n1, containers: [{resources: {requests: {cpu: 2}}}]}}
---
`
	other := `
{apiVersion: v1, kind: Pod, metadata: {name: z}, spec: {containers: [{resources: {requests: {cpu: 1}}}]}}
---
`
	cases := map[string]struct{ rest, gone, gang string }{
		"a PodGroup": {node + other, pg, "default/a"},
		"shares of zones": {node + other + `
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n1}
zones:
- {name: node-0, type: Node, resources: [{name: cpu, capacity: 4, allocatable: 4, available: 1}]}
- {name: node-1, type: Node, resources: [{name: cpu, capacity: 4, allocatable: 4, available: 4}]}
---
`, `
{apiVersion: v1, kind: Pod, metadata: {name: a-0, labels: {pod-group.scheduling.sigs.k8s.io: a}, annotations: {scheduling.koordinator.sh/resource-status: '{"numaNodeResources":[{"node":0,"resources":{"cpu":2}}]}'}}, spec: {nodeName: n1, containers: [{resources: {requests: {cpu: 2}}}]}}
---
`, "default/a"},
		"a pod that has failed, with a defect": {node + other, pg + `
{apiVersion: v1, kind: Pod, metadata: {name: a-1, labels: {pod-group.scheduling.sigs.k8s.io: a}}, spec: {priority: high}, status: {phase: Failed}}
---
`, "default/a"},
		"the job behind a Workload": {node + other, `
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: job-a, ownerReferences: [{kind: Job, name: a, controller: true}]}, spec: {podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c}]}}}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: many, template: {spec: {containers: [{name: c}]}}}}
---
`, "default/job-a"},
		"what a JobSet has made": {node + other, `
{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a, ownerReferences: [{kind: RayJob, name: b, controller: true}]}, spec: {replicatedJobs: [{name: w, replicas: 1, template: {spec: {parallelism: 1, template: {spec: {containers: [{name: c}]}}}}}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: a-w-0, ownerReferences: [{kind: JobSet, name: a, controller: true}]}, spec: {parallelism: bad, template: {spec: {containers: [{name: c}]}}}}
---
`, "default/a"},
		"a pod in no gang of its name": {node + other + `
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c}]}}
---
`, pg, "default/a"},
	}
	for name, c := range cases {
		files := func(text string) []manifest.File { return []manifest.File{{Name: "in.yaml", Data: []byte(text)}} }
		want, err := manifest.Read(files(c.rest), manifest.Options{})
		require.NoError(t, err, name)
		got, err := manifest.Read(files(c.rest+c.gone), manifest.Options{WithoutGangs: []string{c.gang}})
		require.NoError(t, err, name)
		require.Equal(t, tellInput(want), tellInput(got), name)
	}
}

// Of several gangs of an owner one is left out, and the owner stays.
func TestWithoutOneOfSeveral(t *testing.T) {
	const set = `
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec: {replicas: 3, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {containers: [{resources: {requests: {cpu: "1"}}}]}}}}
`
	files := []manifest.File{{Name: "in.yaml", Data: []byte(set)}}
	in, err := manifest.Read(files, manifest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"default/serve-0", "default/serve-1", "default/serve-2"}, gangNames(in))
	in, err = manifest.Read(files, manifest.Options{WithoutGangs: []string{"default/serve-1"}})
	require.NoError(t, err)
	require.Equal(t, []string{"default/serve-0", "default/serve-2"}, gangNames(in))
}

// A name that nobody has is an error with the nearest one.
func TestWithoutWhatIsNotThere(t *testing.T) {
	const files = `
apiVersion: v1
kind: NodeList
items: [{metadata: {name: node-1}}, {metadata: {name: node-2}}]
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
`
	read := func(text string, opt manifest.Options) error {
		in, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(text)}}, opt)
		require.Nil(t, in)
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
		return err
	}
	require.EqualError(t, read(files, manifest.Options{WithoutNodes: []string{"node-1", "nod-2"}}), `options.WithoutNodes[1] "nod-2": no such node; the nearest one is node-2`)
	require.EqualError(t, read(files, manifest.Options{WithoutGangs: []string{"default/alon"}}), `options.WithoutGangs[0] "default/alon": no such gang; the nearest one is default/alone`)
	require.EqualError(t, read("", manifest.Options{WithoutNodes: []string{"n"}}), `options.WithoutNodes[0] "n": there is no node at all`)
	require.EqualError(t, read("", manifest.Options{WithoutGangs: []string{"a/b"}}), `options.WithoutGangs[0] "a/b": there is no gang at all`)
}
