package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The story of quotas: fair shares alone would let neither large job start, ever.
func TestStoryOfQuotas(t *testing.T) {
	status, out, err := command(t, "", "-quotas", "../../examples/stories/quotas.yaml")
	require.Zero(t, status)
	require.Empty(t, err)
	require.Equal(t, `default/b-large: unschedulable: quota team-b limit, 2 of 3 (proven); 4 nvidia.com/gpu too many: 0 in use, 12 asked for,
    the limit 8
  (nodes)  .. ..
  best node node-0: room for 2 members
  the whole cluster: room for 3 members

default/b-small: placed, 1 member in node node-0, strategy 1
  (nodes)  A. ..
  A b-small-0 -> node-0

default/a-large: placed, 3 members somewhere in the cluster, strategy 1, by what its quota may borrow
  (nodes)  Ax AA
  A a-large-0 -> node-0, a-large-[1-2] -> node-1

quotas: # used, + rest of the share, . rest of the maximum, | minimum
nvidia.com/gpu, 16 to divide
                                             used  demand  min  share  max
  team-a [#######|################........]    12       0    4      8   16
  team-b [#######|++++++++................]     4      12    4      8   16
`, out)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), out[strings.Index(out, "quotas:"):], "the README shows it")
}

// elastic is the queue of the quota contract: ten devices, quotas a and b with a minimum of 2 each, b0 runs three in b.
const elastic = `
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {gpu: 10, pods: 100}}}
  - {apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: a}, spec: {min: {gpu: 2}, max: {gpu: 10}}}
  - {apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: b}, spec: {min: {gpu: 2}, max: {gpu: 10}}}
  - apiVersion: v1
    kind: Pod
    metadata: {name: b0, labels: {quota.scheduling.koordinator.sh/name: b}}
    spec: {nodeName: n1, priority: 9, containers: [{resources: {requests: {gpu: 3}}}]}
  - apiVersion: v1
    kind: Pod
    metadata: {name: a0, labels: {quota.scheduling.koordinator.sh/name: a}}
    spec: {priority: 3, containers: [{resources: {requests: {gpu: 2}}}]}
  - apiVersion: v1
    kind: Pod
    metadata: {name: a1, labels: {quota.scheduling.koordinator.sh/name: a}}
    spec: {priority: 2, containers: [{resources: {requests: {gpu: 5}}}]}
  - apiVersion: v1
    kind: Pod
    metadata: {name: b1, labels: {quota.scheduling.koordinator.sh/name: b}}
    spec: {priority: 1, containers: [{resources: {requests: {gpu: 3}}}]}
`

func TestQuotaLimits(t *testing.T) {
	for limit, want := range map[string][]string{
		"":       {"a0 fair placed", "b1 fair unschedulable b limit 1", "a1 borrow placed"},
		"fair":   {"a0 fair placed", "a1 fair unschedulable a limit 2", "b1 fair unschedulable b limit 1"},
		"Greedy": {"a0 greedy placed", "a1 greedy placed", "b1 greedy unschedulable"},
	} {
		args := []string{"-quota-limit", limit, "-o", "json", "-"}
		if limit == "" {
			args = args[2:]
		}
		status, out, _ := command(t, elastic, args...)
		require.Zero(t, status)
		require.Equal(t, want, verdicts(t, out), limit)
	}
}

// verdicts reads the JSON document: what became of every gang, and which quota refused.
func verdicts(t *testing.T, text string) []string {
	t.Helper()
	var doc struct {
		Plans []struct {
			Gang, Pass, Status string
			Reason             struct {
				RefusedBy *struct {
					Quota, Rule string
					Deficit     struct{ GPU int }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	var found []string
	for _, p := range doc.Plans {
		line := strings.TrimPrefix(p.Gang, "default/") + " " + p.Pass + " " + p.Status
		if by := p.Reason.RefusedBy; by != nil {
			line += fmt.Sprintf(" %s %s %d", by.Quota, by.Rule, by.Deficit.GPU)
		}
		found = append(found, line)
	}
	return found
}

func TestQuotasArePrintedAfterThePlans(t *testing.T) {
	_, out, _ := command(t, elastic, "-quotas", "-")
	require.Contains(t, out, `
default/a1: placed, 1 member in node n1, strategy 1, by what its quota may borrow
`)
	require.True(t, strings.HasSuffix(out, `
quotas: # used, + rest of the share, . rest of the maximum, | minimum
gpu, 10 to divide
                                        used  demand  min  share  max
  a [######|################.........]     7       0    2      5   10
  b [######|###++++++................]     3       3    2      5   10
`), out)
	_, out, _ = command(t, elastic, "-quotas", "-o", "json", "-")
	require.Contains(t, out, `"quotas":{"total":{"gpu":10},"tree":[{"quota":"a","parent":"","resources":{"gpu":{"used":7,"demand":0,"min":2,`)
	_, out, _ = command(t, node, "-quotas", "-")
	require.Equal(t, "no quotas\n", out)
}

// A gang in no quota that there is is a defect of the input.
func TestUnknownQuotaIsADefect(t *testing.T) {
	text := strings.ReplaceAll(elastic, "name: a1, labels: {quota.scheduling.koordinator.sh/name: a}", "name: a1, labels: {quota.scheduling.koordinator.sh/name: c}")
	status, out, err := command(t, text, "-")
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Contains(t, err, `Pod/a1: metadata.labels[quota.scheduling.koordinator.sh/name] "c": unknown quota`)
	status, out, _ = command(t, text, "-keep-going", "-o", "json", "-")
	require.Zero(t, status)
	require.Equal(t, []string{"a0 fair placed", "a1  unschedulable", "b1 fair placed"}, verdicts(t, out))
}
