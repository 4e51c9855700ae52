package manifest_test

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/topology"
)

var places = regexp.MustCompile(`in\.json: document \d+(, line \d+)?: `)

func withoutPlaces(text string) string { return places.ReplaceAllString(text, "") }

// toldInput is what is told of an input, without the places in files; errors are texts.
type toldInput struct {
	Spec          cluster.Spec
	Trees         []string
	Gangs         []toldGang
	Skipped       []manifest.Skipped
	Defects       []string
	Unread, Empty []string
	Owners        map[string][]string
	Notices       []string
}

type toldGang struct {
	Gang manifest.Gang
	Err  string
}

func tellGang(g manifest.Gang) toldGang {
	out := toldGang{Gang: g}
	if g.Err != nil {
		lines := strings.Split(withoutPlaces(g.Err.Error()), "\n")
		slices.Sort(lines)
		out.Err, out.Gang.Err = strings.Join(lines, "\n"), nil
	}
	return out
}

func tellInput(in *manifest.Input) toldInput {
	out := toldInput{Spec: in.Spec, Skipped: in.Skipped, Unread: in.Unread, Empty: in.Empty, Owners: maps.Clone(in.Owners)}
	for _, tree := range out.Spec.Trees {
		text := fmt.Sprintln(tree.Name, tree.Tree.Layers(), tree.Tree.NodeLayer(), tree.Tree.Outside(), tree.Tree.Absent())
		for d := range tree.Tree.All() {
			text += fmt.Sprintln(tree.Tree.Path(d), tree.Tree.Tier(d))
		}
		for n := range tree.Tree.NumNodes() {
			text += fmt.Sprintln(tree.Tree.NodeName(topology.NodeID(n)), tree.Tree.Leaf(topology.NodeID(n)))
		}
		out.Trees = append(out.Trees, text)
	}
	out.Spec.Trees = nil
	slices.SortFunc(out.Spec.Nodes, func(a, b cluster.Node) int { return strings.Compare(a.Name, b.Name) })
	for _, g := range in.Gangs {
		out.Gangs = append(out.Gangs, tellGang(g))
	}
	for _, e := range in.Defects {
		out.Defects = append(out.Defects, withoutPlaces(e.Error()))
	}
	slices.Sort(out.Defects)
	for _, text := range in.Notices {
		out.Notices = append(out.Notices, withoutPlaces(text))
	}
	slices.Sort(out.Notices)
	return out
}

// After any calls of Set and Delete a store holds what Read reads of the same objects, and its changes, one after the other, lead there.
func TestStoreEqualsRead(t *testing.T) {
	inputs := append(plainObjects(t), sharedObjects(t)...)
	rapid.Check(t, func(t *rapid.T) {
		objects := rapid.SampledFrom(inputs).Draw(t, "input")
		if rapid.IntRange(0, 3).Draw(t, "two") == 0 {
			objects = slices.Concat(objects, rapid.SampledFrom(inputs).Draw(t, "other input"))
		}
		texts := textsOf(objects)
		opt := manifest.Options{Strict: rapid.IntRange(0, 3).Draw(t, "strict") == 0}
		if rapid.IntRange(0, 5).Draw(t, "layers") == 0 {
			opt.Layers = []string{"rack"}
		}
		store, present := manifest.NewStore(opt), map[string]map[string]any{}
		m := newMirror()
		opt.KeepGoing = true
		if rapid.Bool().Draw(t, "all") {
			for _, o := range objects {
				require.NoError(t, store.Set(o))
				present[idOf(o)] = o
			}
		}
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			for range rapid.IntRange(1, 2*len(objects)).Draw(t, "calls") {
				o := rapid.SampledFrom(objects).Draw(t, "object")
				switch rapid.IntRange(0, 5).Draw(t, "call") {
				case 0:
					if rapid.IntRange(0, 3).Draw(t, "of all") == 0 && len(present) > 0 {
						o = present[rapid.SampledFrom(slices.Sorted(maps.Keys(present))).Draw(t, "present")]
					}
					require.NoError(t, store.Delete(o))
					delete(present, idOf(o))
					continue
				case 1:
					o = otherwise(t, o, texts)
				}
				if err := store.Set(o); err != nil {
					continue // what names it is spoiled
				}
				present[idOf(o)] = o
			}
			m.agrees(t, store, present, opt)
		}
	})
}

// stored is a store with some objects of YAML, whose changes are told.
func stored(t *testing.T, text string) *manifest.Store {
	t.Helper()
	s := manifest.NewStore(manifest.Options{})
	for _, o := range objectsOf(text) {
		require.NoError(t, s.Set(o))
	}
	s.Changes()
	return s
}

// What is not there yet is asked for all the same: when it comes, who asked is read again.
func TestStoreReadsAgainWhoAsked(t *testing.T) {
	s := stored(t, `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4}}}
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: train}
spec: {schedulingPolicy: {gang: {minCount: 1}}, schedulingConstraints: {topology: [{key: net/rack}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {schedulingGroup: {podGroupName: train}}}
---
apiVersion: v1
kind: Pod
metadata: {name: b, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, controller: true}]}
`)
	set := func(text string) *manifest.Changes {
		for _, o := range objectsOf(text) {
			require.NoError(t, s.Set(o))
		}
		return s.Changes()
	}
	require.ErrorContains(t, s.Input().Gangs[1].Err, "no topology has it, and no node a label")

	c := set(`{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {net/rack: r1}}, status: {allocatable: {cpu: 4}}}`)
	require.False(t, c.Rebuild)
	require.Len(t, c.Delta.Trees, 1, "a tree of labels came")
	require.Equal(t, []string{"default/train"}, gangsOf(c))
	require.NoError(t, c.Gangs[0].Err)

	c = set(`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: site, controller: true}]}}`)
	require.Empty(t, c.Gangs, "the same request, whose owner has no rule")
	c = set(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: site, annotations: {kai.scheduler/topology: default}}}`)
	require.Equal(t, []string{"default/b"}, gangsOf(c))
	require.Equal(t, map[string]int{"ownerTopology": 1}, c.Gangs[0].Ignored)
	require.NoError(t, s.Delete(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "site"}}))
	require.Nil(t, s.Changes().Gangs[0].Ignored)

	trainJob := `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: t}
spec: {runtimeRef: {name: torch}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {parallelism: 2, template: {spec: {containers: [{name: c}]}}}}}]}}}
`
	c = set(trainJob)
	require.Equal(t, []string{"default/t"}, gangsOf(c))
	jobSet := `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: other, ownerReferences: [{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, name: t}]}
spec: {replicatedJobs: [{name: node, replicas: 1, template: {spec: {parallelism: 3, template: {spec: {containers: [{name: c}]}}}}}]}
`
	c = set(jobSet)
	require.Equal(t, []string{"default/other"}, gangsOf(c), "the JobSet makes the gang now")
	require.Equal(t, []string{"default/t"}, c.Gone)
	require.NoError(t, s.Delete(objectsOf(jobSet)[0]))
	require.Equal(t, []string{"default/t"}, gangsOf(s.Changes()))
}

// Pods that run keep others away: whoever comes first, both are read together, and apart again.
func TestStoreTellsWhoIsKeptAway(t *testing.T) {
	s := stored(t, `
{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}, {apiVersion: v1, kind: Pod,
  metadata: {name: selected, labels: {app: web, tier: front}}}, {apiVersion: v1, kind: Pod, metadata: {name: other, labels: {app: web}}}]}
`)
	keeper := objectsOf(`{apiVersion: v1, kind: Pod, metadata: {name: runs}, spec: {nodeName: n, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
  {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web, tier: front}}}]}}}}`)[0]
	require.NoError(t, s.Set(keeper))
	c := s.Changes()
	require.Equal(t, []string{"default/selected"}, gangsOf(c))
	require.Equal(t, map[string]int{"podAntiAffinity": 1}, c.Gangs[0].Ignored)
	require.NoError(t, s.Delete(keeper))
	c = s.Changes()
	require.Equal(t, []string{"default/selected"}, gangsOf(c))
	require.Empty(t, c.Gangs[0].Ignored)
}

// A gang that left a queue below another one makes the other a leaf again, also where the same change reads the nodes anew.
func TestStoreForgetsQueuesBelow(t *testing.T) {
	s := stored(t, `
{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: dept}, spec: {resources: {cpu: {quota: -1, limit: -1}}}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team}, spec: {parentQueue: dept, resources: {cpu: {quota: -1, limit: -1}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {kai.scheduler/queue: dept}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, labels: {kai.scheduler/queue: team}}}
`)
	require.ErrorContains(t, s.Input().Gangs[0].Err, "a quota without children")
	for _, o := range objectsOf(`
{apiVersion: v1, kind: Pod, metadata: {name: b}}
---
{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: many}}}
`) {
		require.NoError(t, s.Set(o))
	}
	require.Equal(t, []string{"default/a", "default/b"}, gangsOf(s.Changes()))
	require.NoError(t, s.Input().Gangs[0].Err)
}

func gangsOf(c *manifest.Changes) (names []string) {
	for _, g := range c.Gangs {
		names = append(names, g.Request.Name)
	}
	return names
}

// Lists and mappings of texts may have their types.
func TestStoreTakesTypedTexts(t *testing.T) {
	s := manifest.NewStore(manifest.Options{})
	require.NoError(t, s.Set(map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "n", "labels": map[string]string{"rack": "r"}, "finalizers": []string{"x"}},
	}))
	s.Changes()
	require.Equal(t, map[string]string{"rack": "r"}, s.Input().Spec.Nodes[0].Labels)
}

// Objects that nobody can name are refused, and leave the store as it was.
func TestStoreRefuses(t *testing.T) {
	meta := map[string]any{"name": "a"}
	deep := any("end")
	for range 300 {
		deep = []any{deep}
	}
	s := manifest.NewStore(manifest.Options{})
	for want, o := range map[string]map[string]any{
		"kind: missing":                   {"apiVersion": "v1", "metadata": meta},
		"apiVersion: missing":             {"kind": "Pod", "metadata": meta},
		"metadata.name: missing":          {"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"generateName": "a-"}},
		`metadata "a": is text, must be`:  {"apiVersion": "v1", "kind": "Pod", "metadata": "a"},
		"object: chan int is not":         {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": make(chan int)},
		"object: json: unsupported value": {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": math.NaN()},
		"object: nested more than":        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": deep},
	} {
		var invalid *muster.InvalidError
		err := s.Set(o)
		require.ErrorAs(t, err, &invalid)
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, s.Delete(o), &invalid)
	}
	require.Empty(t, s.Changes().Defects)
	require.Empty(t, s.Input().Gangs)
}
