package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// command runs the plan command and returns its status and what it said.
func command(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = Run(args, strings.NewReader(stdin), &out, &err)
	return status, lastLines.ReplaceAllString(out.String(), ""), err.String()
}

// lastLines are the summary, which few tests are about.
var lastLines = regexp.MustCompile(`(\n|^)(\d+ gangs?: .*|no gang waits.*)\n(in no topology: .*\n)?$`)

// story returns the paths of the cluster of the stories and of some of them.
func story(names ...string) []string {
	paths := []string{"../../examples/stories/cluster.yaml"}
	for _, name := range names {
		paths = append(paths, "../../examples/stories/"+name+".yaml")
	}
	return paths
}

// nodes reads the JSON document: the nodes of every gang in rank order.
func nodes(t *testing.T, text string) map[string][]string {
	t.Helper()
	var doc struct {
		Plans []struct {
			Gang        string
			Assignments []struct{ Node string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	found := map[string][]string{}
	for _, p := range doc.Plans {
		found[p.Gang] = []string{}
		for _, a := range p.Assignments {
			found[p.Gang] = append(found[p.Gang], a.Node)
		}
	}
	return found
}

// The stories of the network topology proposal: the job alone takes the unit whose leaf has nothing else, the next one a
// whole unit of the other leaf.
func TestStories(t *testing.T) {
	status, out, err := command(t, "", append([]string{"-o", "json"}, story("story-1", "story-2")...)...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, map[string][]string{
		"default/pod-1": {"node-0", "node-1", "node-2", "node-3"},
		"default/pod-2": {"node-4", "node-5", "node-6", "node-7"},
	}, nodes(t, out))
}

// The gang whose leaf holds the free unit leaves.
func TestStory3(t *testing.T) {
	status, out, err := command(t, "", story("story-3")...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, `default/pod-3: placed, 8 members in leafLayer spine0/leaf1, strategy 2 (leafLayer/unitLayer), span unitLayer=2, evicts 4
    members
  spine0
    leaf0
      unit0  x x x x
    leaf1
      unit1  A A A A
      unit2  B B B B
  A pod-3-[0-3] -> node-[4-7]
  B pod-3-[4-7] -> node-[8-11]
  evicts default/pod-2-[0-3] on node-[4-7], of default/pod-2: priority 10 is below 1000
  cost: highest priority 10, 1 gang ended, 4 members, priorities 40 in sum, 4 of unknown start (proven to be the least)
`, out)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), out, "the README shows it")
}

// A quota takes back what another one borrowed; who has a budget or would end a gang stays.
func TestStoryOfReclaim(t *testing.T) {
	status, out, err := command(t, "", "../../examples/stories/reclaim.yaml")
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, `default/mine: placed, 2 members somewhere in the cluster, strategy 1, evicts 2 members
  (nodes)  Ax Ax
  A mine-[0-1] -> node-[0-1]
  evicts default/batch-[1-2] on node-0: quota team-b uses more than its min of nvidia.com/gpu
  cost: highest priority 10, 2 members, priorities 20 in sum, lost work 5400 (proven to be the least)
`, out)
}

// The story of parts that differ: a group of two roles, and replicas of which one is enough.
func TestStoryOfRoles(t *testing.T) {
	status, out, err := command(t, "", story("roles")...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, `default/serve: placed, 6 members of 8 in leafLayer spine0/leaf1, strategy 2 (leafLayer/unitLayer/unitLayer), span
    unitLayer=2
  spine0
    leaf0
      unit0  .... .... .... ....
    leaf1
      unit1  A A A A...
      unit2  B B .... xxxx
  A decode: leader-0 -> node-7, worker-[0-2] -> node-[4-6]
  B prefill: prefill-0-[0-1] -> node-[8-9]
`, out)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), out, "the README shows it")
}

func TestTextDrawsThePlanOnTheTree(t *testing.T) {
	_, out, _ := command(t, "", story("story-1")...)
	require.Equal(t, `default/pod-1: placed, 4 members in unitLayer spine0/leaf0/unit0, strategy 1 (unitLayer/unitLayer)
  spine0
    leaf0
      unit0  A A B B
    leaf1
      unit1  . . . .
      unit2  . . . .
  A pod-1-[0-1] -> node-[0-1]
  B pod-1-[2-3] -> node-[2-3]
`, out)
}

// The story of zones: six GPUs are free on the first node, but three of them in one zone.
func TestStoryOfZones(t *testing.T) {
	status, out, err := command(t, "", "../../examples/stories/zones.yaml")
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, `default/train: placed, 3 members in unitLayer unit0, strategy 1
  unit0  Ax AA
  A train-0 -> node-0 (zone 1), train-1 -> node-1 (zone 0), train-2 -> node-1 (zone 1)
`, out)
}

func TestOutputIsTheSameInEveryRun(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		_, want, _ := command(t, "", append([]string{"-o", format}, story("story-1", "story-2")...)...)
		for range 20 {
			_, out, _ := command(t, "", append([]string{"-o", format}, story("story-2", "story-1")...)...)
			require.Equal(t, want, out)
		}
	}
}

const (
	node = `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "10"}}
`
	pod = `
apiVersion: v1
kind: Pod
metadata: {name: good}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
`
	badPod = `
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec: {containers: [{name: c, resources: {requests: {cpu: "much"}}}]}
`
	unknownLayer = `
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: PodGroup
metadata: {name: pg}
spec: {minMember: 1, networkTopologyAware: {gatherStrategy: [{layer: nowhere, strategy: MustGather}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: member, labels: {pod-group.scheduling.sigs.k8s.io: pg}}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
`
	hostPort = `
apiVersion: v1
kind: Pod
metadata: {name: port}
spec: {containers: [{name: c, ports: [{hostPort: 80}], resources: {requests: {cpu: "1"}}}]}
`
)

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestDefectsStopEverything(t *testing.T) {
	dir := folder(t, map[string]string{"a10.yaml": badPod, "a9.yml": node + "---" + pod, "b.json": "{", "ignored.txt": "x"})
	status, out, err := command(t, "", dir)
	require.Equal(t, 1, status)
	require.Empty(t, out, "nothing is planned")
	require.Contains(t, err, "a10.yaml: document 1, line 5: Pod/bad: spec.containers[0].resources.requests.cpu \"much\"")
	require.Contains(t, err, "b.json", "every defect is told")
	require.NotContains(t, err, "ignored.txt")
}

func TestUnknownLayerIsADefect(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": node + "---" + pod + "---" + unknownLayer})
	status, out, err := command(t, "", dir)
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Contains(t, err, "PodGroup/pg")
	require.Contains(t, err, `"nowhere"`)
}

func TestKeepGoingPlansTheRest(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": node + "---" + pod + "---" + unknownLayer})
	status, out, err := command(t, "", "-keep-going", "-o", "json", dir)
	require.Zero(t, status)
	require.Equal(t, map[string][]string{"default/good": {"n1"}, "default/pg": {}}, nodes(t, out))
	require.Contains(t, out, `"reason":{"kind":"invalid","message":`)
	require.Contains(t, err, `"nowhere"`)
}

func TestStandardInput(t *testing.T) {
	status, out, _ := command(t, node+"---"+pod, "-o", "json", "-")
	require.Zero(t, status)
	require.Equal(t, map[string][]string{"default/good": {"n1"}}, nodes(t, out))
}

func TestWhatIsNotReadIsToldOnStderr(t *testing.T) {
	service := "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
	status, out, err := command(t, node+"---"+hostPort+service, "-o", "json", "-")
	require.Zero(t, status)
	require.Contains(t, out, `"ignored":{"hostPorts":1}`)
	require.Contains(t, err, "v1 Service: a kind that is not read, skipped (objects: 1)")
	require.Contains(t, err, "default/port: hostPorts is not modelled and ignored (pods: 1)")

	status, out, err = command(t, node+"---"+hostPort, "-strict", "-")
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Contains(t, err, "Pod/port")
}

func TestCommandLineThatCannotBeUsed(t *testing.T) {
	for _, args := range [][]string{{}, {"-o", "xml", "f"}, {"-policy", "best", "f"}, {"-numa-exclusive", "no", "f"}, {"-quota-limit", "none", "f"}, {"-nonsense", "f"}} {
		status, out, err := command(t, "", args...)
		require.Equal(t, 2, status, args)
		require.Empty(t, out)
		require.Regexp(t, "^[^\n]+\nmuster help plan has the flags and examples\n$", err, args)
	}
	status, _, err := command(t, "", "absent.yaml", "gone.yaml")
	require.Equal(t, 1, status)
	require.Contains(t, err, "absent.yaml")
	require.Contains(t, err, "gone.yaml")
	status, _, err = command(t, "", t.TempDir())
	require.Equal(t, 1, status)
	require.Contains(t, err, "no *.yaml, *.yml or *.json file")
}

// Two gangs wait for one leaving pod: the second one sees that the first has taken its share of it, and that the rest is
// not free yet.
func TestQueueWaitsForTheSameMember(t *testing.T) {
	text := node + `---
apiVersion: v1
kind: Pod
metadata: {name: old, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "4"}}}]}
---
` + strings.ReplaceAll(pod, "good", "p1") + "---" + strings.ReplaceAll(strings.ReplaceAll(pod, "good", "p2"), `"1"`, `"3"`) +
		"---" + strings.ReplaceAll(pod, "good", "p3")
	status, out, _ := command(t, text, "-o", "json", "-")
	require.Zero(t, status)
	require.Equal(t, map[string][]string{"default/p1": {"n1"}, "default/p2": {"n1"}, "default/p3": {}}, nodes(t, out))
	require.Equal(t, 2, strings.Count(out, `"waitsFor":[{"pod":"default/old","gang":"default/old","node":"n1"}]`))
}

// Equal pods count the nodes once, with the first of them; every later one looks at what the one before it has changed.
func TestQueueKeepsTheIndex(t *testing.T) {
	const nodes, pods = 300, 40
	var text strings.Builder
	for i := range nodes {
		fmt.Fprintf(&text, "%s---\n", strings.ReplaceAll(node, "n1", fmt.Sprint("n", i)))
	}
	for i := range pods {
		fmt.Fprintf(&text, "---\n%s", strings.ReplaceAll(pod, "good", fmt.Sprint("p", i)))
	}
	in, err := manifest.Read([]manifest.File{{Name: "a.yaml", Data: []byte(text.String())}}, manifest.Options{})
	require.NoError(t, err)
	asked := 0
	for i := range in.Gangs {
		r := &in.Gangs[i].Request
		r.Class, r.Eligible = "any", func(string) bool { asked++; return true }
	}
	p := &Planned{Input: in}
	require.NoError(t, p.plan(Options{}))
	require.Len(t, p.Outcomes, pods)
	require.NotNil(t, p.Outcomes[pods-1].Result)
	require.Equal(t, nodes+pods-1, asked)
}

// evictedInPart is a gang of which a victim leaves too little for its groups.
var evictedInPart = node + `---
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata: {name: pair}
spec: {minMember: 1, networkTopologyAware: {parallelModel: [{parallelStrategy: pipeline-parallel, parallelism: 1}, {parallelStrategy: data-parallel, parallelism: 2}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: pair-0, labels: {pod-group.scheduling.sigs.k8s.io: pair}}
spec: {nodeName: n1, priority: 1, containers: [{name: c, resources: {requests: {cpu: "4"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pair-1, labels: {pod-group.scheduling.sigs.k8s.io: pair}}
spec: {priority: 1, containers: [{name: c, resources: {requests: {cpu: "4"}}}]}
---
` + strings.ReplaceAll(pod, "spec: {", "spec: {priority: 2, ")

// What a victim leaves of its gang is too small for its groups: that is no defect of the files.
func TestQueueGoesOnWithoutAGangThatIsEvictedInPart(t *testing.T) {
	status, out, _ := command(t, evictedInPart, "-o", "json", "-")
	require.Zero(t, status)
	require.Equal(t, map[string][]string{"default/good": {"n1"}, "default/pair": {}}, nodes(t, out))
	require.Contains(t, out, `"reason":{"kind":"invalid","message":"default/pair: request.DP \"2\": 1 members in pipelines of 1 are 1 groups"`)
}

func TestPolicy(t *testing.T) {
	small := strings.ReplaceAll(strings.ReplaceAll(node, "n1", "n2"), `"4"`, `"2"`)
	for policy, want := range map[string]string{"bestfit": "n2", "Spread": "n1"} {
		_, out, _ := command(t, node+"---"+small+"---"+pod, "-policy", policy, "-o", "json", "-")
		require.Equal(t, map[string][]string{"default/good": {want}}, nodes(t, out), policy)
	}
}

// A member of one zone enters a zone that a member of two zones has, if both may share it.
func TestNUMAExclusive(t *testing.T) {
	text := node + `---
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n1}
zones: [{name: node-0, type: Node, resources: [{name: cpu, capacity: 2}]}, {name: node-1, type: Node, resources: [{name: cpu, capacity: 2}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: wide, annotations: {scheduling.koordinator.sh/resource-status: '{"numaNodeResources": [{"node": 0, "resources": {"cpu": 1}}, {"node": 1, "resources": {"cpu": 1}}]}'}}
spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {volcano.sh/numa-topology-policy: single-numa-node}}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
`
	for value, want := range map[string]string{
		"required": "1 has zones that others keep to themselves", "": "1 has zones that others keep to themselves", "preferred": "  (nodes)  A.xx\n  A p -> n1 (zone 0)",
	} {
		args := []string{"-numa-exclusive", value, "-"}
		if value == "" {
			args = args[2:]
		}
		_, out, _ := command(t, text, args...)
		require.Contains(t, out, want, value)
	}
}
