package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pending = "../../examples/stories/pending.yaml"

// A training job waits beside free nodes; what would make it start is told, each change planned.
func TestStoryOfPending(t *testing.T) {
	status, out, err := command(t, "", "-explain", pending)
	require.Zero(t, status)
	require.Empty(t, err)
	_, explanation, ok := strings.Cut(out, "\n\n")
	require.True(t, ok, "behind the plans")
	require.Equal(t, `default/train cannot start: it needs 4 members in one leafLayer, and at most 3 fit.
  The cluster has room for 6 members in all, but no leafLayer for more than 3: spine0/leaf0 lacks room for 1.
  There node-3, out of service, has room for 1.
  If 3 members were enough, it would start in leafLayer spine0/leaf0.
  If its members had to be in one spineLayer instead of one leafLayer, it would start in spineLayer spine0.
  If no member asked for more than 4 nvidia.com/gpu instead of 8, it would start in leafLayer spine0/leaf0.
  If node-3 returned to service, it would start in leafLayer spine0/leaf0.
  If default/notebook ended, it would start in leafLayer spine0/leaf1.
  details:
    1 node with room for 1 member is cordoned.
    1 running member stays: this gang may evict nobody.
    The node with most room, spine0/leaf0/node-0, has room for 1 member and lacks room for 3.
    The spineLayer with most room, spine0, has room for 6 members; there node-3, out of service, has room for 1 and
        default/notebook holds room for 1.
    If it were allowed to evict others, it would start in leafLayer spine0/leaf1, evicting default/notebook.
    If 1 node like node-0 were added to spine0/leaf0, it would start in leafLayer spine0/leaf0.
    8 trial plans were made to find this out.
`, explanation)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	if strings.Contains(string(readme), "pending.yaml") {
		head, _, _ := strings.Cut(explanation, "  details:\n")
		require.Contains(t, string(readme), head, "the README shows it")
	}
	_, same, _ := command(t, "", "-summary", "-explain=default/train", pending)
	require.True(t, strings.HasSuffix(same, explanation))
}

func TestExplanationAsJSON(t *testing.T) {
	_, out, _ := command(t, "", "-o", "json", "-explain", pending)
	_, explanation, _ := strings.Cut(out, `,"explanation":`)
	leaf := `"tier":1,"layer":"leafLayer","domain":"spine0/leaf0","strategy":"leafLayer"`
	require.Equal(t, `{"verdict":"unschedulable","codes":[`+
		`{"code":"fragmentation","detail":{"wanted":4,"fits":3,"slots":6},"proven":true},`+
		`{"code":"rule","detail":{"wanted":4,"fits":3,"rule":"MustGather leafLayer"},"proven":true},`+
		`{"code":"cordon","detail":{"nodes":1,"slots":1},"proven":true},`+
		`{"code":"preemption-forbidden","detail":{"members":1,"gangs":1},"proven":true}],"fragmentation":[`+
		`{"tier":0,"layer":"node","slots":6,"best":{"domain":"spine0/leaf0/node-0","slots":1},"missing":3,"heldBy":[]},`+
		`{"tier":1,"layer":"leafLayer","slots":6,"best":{"domain":"spine0/leaf0","slots":3},"missing":1,"heldBy":[{"node":"node-3","slots":1}]},`+
		`{"tier":2,"layer":"spineLayer","slots":6,"best":{"domain":"spine0","slots":6},"missing":0,"heldBy":[{"node":"node-3","slots":1},{"gang":"default/notebook","slots":1}]},`+
		`{"tier":3,"layer":"","slots":6,"best":{"domain":"","slots":6},"missing":0,"heldBy":[{"node":"node-3","slots":1},{"gang":"default/notebook","slots":1}]}],"relaxations":[`+
		`{"kind":"members","change":{"gang":"default/train","minMember":3},"least":true,"plan":{"status":"placed",`+leaf+`,"members":3,"victims":[]}},`+
		`{"kind":"layer","change":{"rule":"MustGather","from":"leafLayer","to":"spineLayer"},"least":true,"plan":{"status":"placed","tier":2,"layer":"spineLayer","domain":"spine0","strategy":"spineLayer","members":4,"victims":[]}},`+
		`{"kind":"request","change":{"resource":"nvidia.com/gpu","from":8,"to":4},"least":true,"plan":{"status":"placed",`+leaf+`,"members":4,"victims":[]}},`+
		`{"kind":"nodes","change":{"returnToService":["node-3"]},"least":true,"plan":{"status":"placed",`+leaf+`,"members":4,"victims":[]}},`+
		`{"kind":"gangs","change":{"end":["default/notebook"]},"least":true,"plan":{"status":"placed",`+strings.ReplaceAll(leaf, "leaf0", "leaf1")+`,"members":4,"victims":[]}},`+
		`{"kind":"priority","change":{"priority":100,"preempts":true},"least":true,"plan":{"status":"placed","condition":"needs victims",`+strings.ReplaceAll(leaf, "leaf0", "leaf1")+`,"members":4,"victims":[{"pod":"default/notebook","gang":"default/notebook"}]}},`+
		`{"kind":"add","change":{"nodes":1,"like":"node-0","domain":"spine0/leaf0"},"least":true,"plan":{"status":"placed",`+leaf+`,"members":4,"victims":[]}}],`+
		`"notTried":[],"plans":8}}]}`+"\n", explanation)
	_, out, _ = command(t, "", append([]string{"-o", "json", "-explain"}, story("story-1")...)...)
	require.Contains(t, out, `"explanation":{"verdict":"placed","codes":[],"fragmentation":[],"relaxations":[],"notTried":[],"plans":0}`, "in each plan")
	_, out, _ = command(t, "", append([]string{"-o", "json"}, story("story-1")...)...)
	require.NotContains(t, out, "explanation", "if it is asked for")
}

func TestExplanationsAreTheSameInEveryRun(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		_, want, _ := command(t, "", append([]string{"-o", format, "-explain"}, story("together", "replacement")...)...)
		for range 20 {
			_, out, _ := command(t, "", append([]string{"-o", format, "-explain"}, story("replacement", "together")...)...)
			require.Equal(t, want, out)
		}
	}
}

// A gang is named behind the flag, by = or by itself; the file behind the flag is a file.
func TestExplainNamesAGang(t *testing.T) {
	for _, args := range [][]string{{"-explain", "default/pod-1"}, {"--explain", "default/pod-1"}, {"-explain=default/pod-1"}} {
		_, out, _ := command(t, "", append(story("story-1", "story-2"), args...)...)
		require.Contains(t, out, "\ndefault/pod-1 starts with 4 members in unitLayer spine0/leaf0/unit0.\n")
		require.NotContains(t, out, "default/pod-2 starts")
	}
	_, out, _ := command(t, "", append([]string{"-explain"}, story("story-1", "story-3")[:1]...)...)
	require.Empty(t, out, "nothing waits")
	_, out, _ = command(t, "", append([]string{"-explain"}, story("story-1")...)...)
	require.NotContains(t, out, "starts", "it starts at once")
	_, out, _ = command(t, "", append([]string{"-explain"}, story("story-3")...)...)
	require.Contains(t, out, `
default/pod-3 starts with 8 members in leafLayer spine0/leaf1 once it evicts 4 members of default/pod-2.
  The cluster has room for 4 members in all; 8 nodes have too little nvidia.com/gpu.
  There default/pod-1 holds room for 4 and default/pod-2 for 4.
  details:
    The node with`)
	_, out, _ = command(t, "", append([]string{"-explain", "-explain=false"}, story("story-3")...)...)
	require.NotContains(t, out, "starts")
	for _, name := range []string{"default/pod-3.yaml", "a/b/c", "-o/x", "./x", "/x", "x/", "x"} {
		require.False(t, namesGang(name), name)
	}
	require.Equal(t, []string{"-explain", "a.yaml", "-explain=ns/a", "--", "-explain", "ns/a"}, joinExplain([]string{"-explain", "a.yaml", "-explain", "ns/a", "--", "-explain", "ns/a"}))
	require.Equal(t, []string{"-explain", "testdata/parts.txt"}, joinExplain([]string{"-explain", "testdata/parts.txt"}), "a file that is there")
}

// A name that no gang has is an error that names the nearest one.
func TestExplainUnknownGang(t *testing.T) {
	status, out, err := command(t, "", append([]string{"-explain", "default/pod1"}, story("story-1", "story-2")...)...)
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Equal(t, "-explain \"default/pod1\": no such gang waits for a node; the nearest one is default/pod-1\n", err)
	status, _, err = command(t, "", "-explain=default/notebook", pending)
	require.Equal(t, 1, status)
	require.Equal(t, "-explain \"default/notebook\": all its pods have nodes\n", err)
	_, _, err = command(t, node, "-explain=a/b", "-")
	require.Equal(t, "-explain \"a/b\": no gang waits for a node\n", err)
}

func TestExplainPlans(t *testing.T) {
	_, out, _ := command(t, "", "-explain", "-explain-plans", "-1", pending)
	require.NotContains(t, out, "If ")
	require.NotContains(t, out, "trial plan")
	require.Equal(t, 1, strings.Count(out, "No change was looked into: "))
	require.Contains(t, out, "  details:\n    1 node with room for 1 member is cordoned.\n")
	_, out, _ = command(t, "", "-explain", "-explain-plans", "5", pending)
	require.Contains(t, out, "    Not looked into to the end, a higher priority: no plans were left for it.\n")
	require.Contains(t, out, "    5 trial plans were made to find this out.\n")
}

// A gang whose objects are wrong waits for that, as does one that starts together with it.
func TestExplanationsOfWhatFilesKeepFromStarting(t *testing.T) {
	mate := func(name, cpu string) string {
		return fmt.Sprintf(`---
{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, metadata: {name: %s, annotations: {gang.scheduling.koordinator.sh/groups: '["default/d","default/e"]'}}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: %[1]s-0, labels: {pod-group.scheduling.sigs.k8s.io: %[1]s}}, spec: {containers: [{name: c, resources: {requests: {cpu: %[2]q}}}]}}
`, name, cpu)
	}
	t.Setenv("COLUMNS", "1000")
	const wrong = `-: document 5, line 13: Pod/e-0: spec.containers[0].resources.requests.cpu "much": not a quantity`
	status, out, _ := command(t, node+mate("d", "1")+mate("e", "much"), "-keep-going", "-summary", "-explain", "-")
	require.Zero(t, status)
	_, told, _ := strings.Cut(out, "\n\n")
	require.Equal(t, `default/d cannot start: default/e, which has to start together with it, cannot: default/e waits for an error in the files to be corrected: `+wrong+`.

default/e cannot be planned: it waits for an error in the files to be corrected: `+wrong+`
`, told)
	_, out, _ = command(t, node+mate("d", "1")+mate("e", "much"), "-keep-going", "-o", "json", "-explain=default/e", "-")
	var doc struct{ Plans []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.NotContains(t, doc.Plans[0], "explanation")
	require.Equal(t, []any{map[string]any{
		"code": "invalid", "proven": true, "detail": map[string]any{"reason": "it waits for an error in the files to be corrected: " + wrong},
	}}, doc.Plans[1]["explanation"].(map[string]any)["codes"])
	_, out, _ = command(t, node+mate("d", "1"), "-keep-going", "-explain", "-")
	require.Contains(t, out, "cannot: default/e is not in the files.\n")

	_, out, _ = command(t, node+mate("d", "3")+mate("e", "3"), "-summary", "-explain=default/e", "-")
	require.Contains(t, out, `
default/e cannot start: it and default/d together need 2 members, and at most 1 fits.
  The cluster has room for 1 member in all.
  details:
    The node with most room, n1, has room for 1 member and lacks room for 1.
    No change was looked into: it could start by itself, but not with the gangs that start together with it.
`)
}

// What victims leave of a gang may be too small for its groups: that is no error of the files.
func TestExplanationOfAGangThatIsEvictedInPart(t *testing.T) {
	_, out, _ := command(t, evictedInPart, "-explain", "-")
	require.Contains(t, out, "\ndefault/pair cannot be planned: request.DP \"2\": ")
}

// Changes of a gang that starts together with others are its own.
func TestExplanationOfGangsTogether(t *testing.T) {
	_, out, _ := command(t, "", append([]string{"-explain"}, story("together")...)...)
	require.Contains(t, out, `
default/archive cannot start: it needs 5 members in one unitLayer, and at most 4 fit.
  It starts together with default/reader, or not at all; what follows is of this gang by itself.
  The cluster has room for 11 members in all, but no unitLayer for more than 4: spine0/leaf1/unit1 lacks room for 1.
  If 4 members were enough, it would start in unitLayer spine0/leaf1/unit1.
`)
	require.Contains(t, out, `
default/reader cannot start: default/archive, which has to start together with it, cannot.
  details:
`)
}

// A gang is explained under the quota pass in which it was refused or waits.
func TestExplanationsUnderQuotas(t *testing.T) {
	_, out, _ := command(t, "", "-explain", "../../examples/stories/quotas.yaml")
	require.Contains(t, out, `
default/b-large cannot start: quota team-b would use 4 nvidia.com/gpu more than it may.
  Of nvidia.com/gpu, 0 are in use, the gang asks for 12, and the limit is 8.
  If 2 members were enough, it would start in node node-0.
`)
	require.NotContains(t, out, "default/a-large starts", "by what its quota may borrow")
	_, out, _ = command(t, elastic, "-quota-limit", "fair", "-explain=default/a1", "-")
	require.Contains(t, out, "\ndefault/a1 cannot start: quota a would use ")
	_, out, _ = command(t, elastic, "-explain=default/a1", "-")
	require.Contains(t, out, "\ndefault/a1 starts with 1 member in node n1.\n")

	leaving := elastic + `  - apiVersion: v1
    kind: Pod
    metadata: {name: old, deletionTimestamp: "2026-01-01T00:00:00Z"}
    spec: {nodeName: n1, containers: [{resources: {requests: {gpu: 4}}}]}
`
	_, out, _ = command(t, leaving, "-explain=default/a1", "-")
	require.Contains(t, out, `
default/a1 starts with 1 member in node n1 once 1 leaving member is gone: default/old.
  The cluster has no room for a member; 1 node has too little gpu.
`)
}

// A gang answers to the names of its owners; of names that nobody has the nearest one in the namespace is told.
func TestExplainByOwner(t *testing.T) {
	const owned = node + `---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: pg-1a, namespace: a, ownerReferences: [{kind: Job, name: train, controller: true}]}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: train-0, namespace: a, annotations: {scheduling.k8s.io/group-name: pg-1a}}, spec: {containers: [{name: c, resources: {requests: {cpu: "9"}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: trainer, namespace: b}, spec: {containers: [{name: c, resources: {requests: {cpu: "9"}}}]}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: pg-2b, namespace: b, ownerReferences: [{kind: Job, name: runs, controller: true}]}, spec: {minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: runs-0, namespace: b, annotations: {scheduling.k8s.io/group-name: pg-2b}}, spec: {nodeName: n1, containers: [{name: c}]}}
`
	status, out, err := command(t, owned, "-explain", "a/train", "-")
	require.Zero(t, status, err)
	require.Contains(t, out, "a/pg-1a cannot start: ")
	require.NotContains(t, out, "b/trainer cannot start: ")
	for name, want := range map[string]string{
		"a/trainer-x": "no such gang waits for a node; the nearest one is a/train\n",
		"a/trainer":   "no such gang waits for a node; the nearest one is b/trainer\n",
		"b/runs":      "all its pods have nodes\n",
		"b/pg-2b":     "all its pods have nodes\n",
	} {
		status, _, err = command(t, owned, "-explain", name, "-")
		require.Equal(t, failed, status)
		require.Equal(t, `-explain "`+name+`": `+want, err)
	}
}

// Whose end loses the least work is told as well: the annotation says how much.
func TestTheLeastWorkIsTold(t *testing.T) {
	pod := func(name, at string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: %s%s, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n---\n", name, at)
	}
	var list strings.Builder
	for _, n := range []string{"n1", "n2"} {
		fmt.Fprintf(&list, "{apiVersion: v1, kind: Node, metadata: {name: %s}, status: {allocatable: {nvidia.com/gpu: 1, cpu: 4, pods: 9}, conditions: [{type: Ready, status: \"True\"}]}}\n---\n", n)
	}
	list.WriteString(pod("a", `, annotations: {muster.dev/lost-work: "100"}}, spec: {nodeName: n1`) + pod("b", `, annotations: {muster.dev/lost-work: "10"}}, spec: {nodeName: n2`) + pod("w", "}, spec: {priority: 0"))
	_, out, told := command(t, list.String(), "-o", "json", "-explain", "default/w", "-")
	require.Contains(t, out, `"leastLost":true`, told)
	_, out, _ = command(t, list.String(), "-explain", "default/w", "-")
	require.Contains(t, out, "default/b, which loses less work, ended")
}
