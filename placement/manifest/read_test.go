package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

func read(t *testing.T, text string) *manifest.Input {
	t.Helper()
	input, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(text)}}, manifest.Options{})
	require.NoError(t, err)
	return input
}

// TestZeroValues: nothing in, nothing out, but a word about the file.
func TestZeroValues(t *testing.T) {
	for _, text := range []string{"", "\n", "---\n---\n", "# only a comment\n", "null", "[]", "\ufeff", "%YAML 1.2\n---\n", "#\n%YAML 1.1\n---\n"} {
		assert.Equal(t, &manifest.Input{Notices: []string{"in.yaml: holds nothing"}}, read(t, text), "%q", text)
	}
	input, err := manifest.Read(nil, manifest.Options{})
	require.NoError(t, err)
	assert.Equal(t, &manifest.Input{}, input)
}

// TestForms: one pod is the same pod however it is written.
func TestForms(t *testing.T) {
	const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "\u00e9\n"}}, "spec": {"priority": 3}}`
	want := read(t, pod)
	require.Len(t, want.Gangs, 1)
	for _, text := range []string{
		"[" + pod + "]",
		`{"apiVersion": "v1", "kind": "List", "items": [` + pod + `]}`,
		`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": [` + pod + `]}]}`,
		"---\n" + pod + "\n---\n",
		"# first\n---\r\n" + pod + "\r\n",
		pod + "\n...\n",
		"\xef\xbb\xbf" + pod,
		"kind: Pod\napiVersion: v1\nmetadata:\n  name: p\n  labels: {a: \"é\\n\"}\nspec:\n  priority: 3\n",
	} {
		assert.Equal(t, want, read(t, text), "%q", text)
	}
}

// TestDocumentNumbers: a broken document does not hide the ones after it, and lines are the file's.
func TestDocumentNumbers(t *testing.T) {
	text := "# head\n---\na: [\n---\nkind: Pod\napiVersion: v1\nmetadata: {}\n---\n\"unclosed\n"
	_, err := manifest.Read([]manifest.File{{Name: "x", Data: []byte(text)}}, manifest.Options{})
	var lines []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var typed *manifest.Error
		require.ErrorAs(t, e, &typed)
		lines = append(lines, fmt.Sprint(typed.Document, ":", typed.Line))
	}
	assert.Equal(t, []string{"1:4", "2:7", "3:10"}, lines)
}

// TestInputOrder: the order of objects and of files decides nothing.
func TestInputOrder(t *testing.T) {
	docs := strings.Split(string(benchmarks.YAML(40, 40))+"---\n"+strings.Join(pending(6), "---\n"), "---\n")
	want := read(t, strings.Join(docs, "---\n"))
	slices.Reverse(docs)
	got := read(t, strings.Join(docs, "---\n"))
	assert.Equal(t, print(want, false), print(got, false))
	for range 20 {
		again := read(t, string(benchmarks.YAML(40, 40))+"---\n"+strings.Join(pending(6), "---\n"))
		assert.Equal(t, print(want, true), print(again, true))
	}
}

// A role whose pods are all lost with their node has nobody to cut into slices.
func TestRolesWithoutMembers(t *testing.T) {
	in := read(t, `
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n, labels: {rack: r, kubernetes.io/hostname: n}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  parallelism: 4
  template:
    metadata:
      annotations:
        kueue.x-k8s.io/podset-slice-required-topology-constraints: '[{"topology": "rack", "size": 2}, {"topology": "kubernetes.io/hostname", "size": 1}]'
---
{apiVersion: v1, kind: Pod, metadata: {name: j-0, labels: {job-name: j}}, spec: {nodeName: lost}}
`)
	require.Empty(t, in.Gangs)
	require.Contains(t, in.Notices[0], "is on node lost, which is not in the input")
}

// pending writes gangs of several kinds.
func pending(n int) []string {
	var docs []string
	for i := range n {
		docs = append(docs,
			fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: single-%d}}\n", i),
			fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: p-%d, labels: {pod-group.scheduling.sigs.k8s.io: g}}, spec: {nodeSelector: {rack: r%d}}}\n", i, i%2),
			fmt.Sprintf("{apiVersion: kueue.x-k8s.io/v1beta1, kind: Workload, metadata: {name: w-%d}, spec: {podSets: [{name: m, count: 2, topologyRequest: {required: rack}}]}}\n", i))
	}
	return docs
}

// TestClusterBuilds: what is read can be built and planned.
func TestClusterBuilds(t *testing.T) {
	input := read(t, string(benchmarks.YAML(64, 64))+"---\n"+strings.Join(pending(4), "---\n"))
	cluster, err := placement.NewCluster(input.Spec)
	require.NoError(t, err)
	require.NotNil(t, cluster)
	for _, g := range input.Gangs {
		require.NoError(t, g.Err)
		require.NoError(t, g.Request.Validate())
	}
}

// TestEqualZonesAreOne: nodes whose zones and use are equal share one value, and so do pods with equal shares, so that
// large clusters cost little memory.
func TestEqualZonesAreOne(t *testing.T) {
	var docs []string
	for i := range 3 {
		docs = append(docs, fmt.Sprintf("{apiVersion: v1, kind: Node, metadata: {name: n%d}}\n", i), fmt.Sprintf(
			"{apiVersion: topology.node.k8s.io/v1alpha2, kind: NodeResourceTopology, metadata: {name: n%d}, "+
				"zones: [{name: node-0, type: Node, resources: [{name: cpu, allocatable: 8, available: %d}]}]}\n", i, 4+i/2,
		), fmt.Sprintf(
			`{apiVersion: v1, kind: Pod, metadata: {name: p%d, annotations: {scheduling.koordinator.sh/resource-status: `+
				`'{"numaNodeResources": [{"node": 0, "resources": {"cpu": %d}}]}'}}, spec: {nodeName: n%d}}`+"\n", i, 1+i/2, i,
		))
	}
	spec := read(t, strings.Join(docs, "---\n")).Spec
	assert.Same(t, spec.Nodes[0].NUMA, spec.Nodes[1].NUMA)
	assert.NotSame(t, spec.Nodes[0].NUMA, spec.Nodes[2].NUMA)
	assert.Same(t, spec.Running[0].NUMA, spec.Running[1].NUMA)
	assert.NotSame(t, spec.Running[0].NUMA, spec.Running[2].NUMA)
}

// TestHostileFiles: sizes and depths that would cost too much are refused in little time, or read.
func TestHostileFiles(t *testing.T) {
	start := time.Now()
	for name, data := range map[string]string{
		"line":    "a: " + strings.Repeat("x", 8<<20),
		"huge":    "a: " + strings.Repeat("x", 65<<20),
		"lists":   strings.Repeat("[", 1<<20),
		"maps":    strings.Repeat(`{"a":`, 1<<20),
		"blocks":  strings.Repeat("- ", 1<<20),
		"quote":   `"` + strings.Repeat(`\u00e9`, 1<<20),
		"keys":    "{" + strings.Repeat(`"a":1,`, 1<<16) + "}",
		"k.json":  "{" + strings.Repeat(`"a":1,`, 1<<20) + `"a":1}`,
		"merge":   "a: &a {" + manyKeys(2000) + "}\nb:\n" + strings.Repeat("- {<<: *a}\n", 5_000),
		"pieces":  strings.Repeat("---\n", 1<<15),
		"exp":     `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":1e999999999}}}`,
		"replica": "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 2147483647}}",
	} {
		_, err := manifest.Read([]manifest.File{{Name: name, Data: []byte(data)}}, manifest.Options{})
		if name != "pieces" {
			require.Error(t, err, name)
			assert.Less(t, len(err.Error()), 1000, name)
		}
	}
	assert.Less(t, time.Since(start), 2*time.Minute)
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1, ", i)
	}
	return b.String()
}

// FuzzRead: no input makes Read panic, nor the cluster that is built from it; whatever is wrong is an Error, and the answer
// is the same twice.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"testdata/*.txt", "../../../shared/data/fabric/samples/*"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		require.NoError(f, err)
		for _, name := range files {
			data, err := os.ReadFile(name)
			require.NoError(f, err)
			for _, block := range strings.Split(string(data), "\n----\n") {
				if _, after, ok := strings.Cut("\n"+block, "\nread"); ok {
					_, block, _ = strings.Cut(after, "\n") // without flags
				}
				f.Add([]byte(block), false)
			}
		}
	}
	f.Add(benchmarks.YAML(2, 2), true)
	f.Fuzz(func(t *testing.T, data []byte, keepGoing bool) {
		opt := manifest.Options{KeepGoing: keepGoing}
		input, err := manifest.Read([]manifest.File{{Name: "f", Data: data}}, opt)
		again, err2 := manifest.Read([]manifest.File{{Name: "f", Data: data}}, opt)
		if err != nil {
			requireTyped(t, err)
			require.EqualError(t, err2, err.Error())
			return
		}
		require.Equal(t, print(input, true), print(again, true))
		_, _ = placement.NewCluster(input.Spec) // sums may overflow, which it says
		for _, g := range input.Gangs {
			if g.Err == nil {
				require.NoError(t, g.Request.Validate())
			}
		}
	})
}

// A gang that waits names its topology where a label key makes another one, in whichever order gangs are read.
func TestTopologyIsNamedBesideLabelKeys(t *testing.T) {
	for _, running := range []string{"a", "z"} {
		input := read(t, `
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {block: b, rack: r, zone: z}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: m}}
---
{apiVersion: v1, kind: Pod, metadata: {name: `+running+`, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: zone}}, spec: {nodeName: n1}}
`)
		require.Len(t, input.Spec.Trees, 2)
		require.Len(t, input.Gangs, 1)
		assert.Equal(t, "default", input.Gangs[0].Request.Tree, running)
		for i := range input.Standing {
			assert.Equal(t, "default", input.Standing[i].Tree, input.Standing[i].Name)
		}
	}
}
