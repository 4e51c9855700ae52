package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The last lines say what became of all gangs; with -summary a line for each stands before them, and nothing else.
func TestSummary(t *testing.T) {
	large := strings.ReplaceAll(strings.ReplaceAll(pod, `"1"`, `"100"`), "good", "large")
	text := func(stdin string, args ...string) string {
		var out, err bytes.Buffer
		require.Zero(t, Run(args, strings.NewReader(stdin), &out, &err))
		return out.String()
	}
	const last = "2 gangs: 1 placed, 0 waiting, 1 refused, 0 invalid; 1 pod placed, 1 node\n"
	require.True(t, strings.HasSuffix(text(node+"---"+pod+"---"+large, "-"), "\n\n"+last))
	lines := strings.Split(text(node+"---"+pod+"---"+large, "-summary", "-"), "\n")
	require.Len(t, lines, 5)
	require.Contains(t, lines[0], "default/good: placed")
	require.Contains(t, lines[1], "default/large: unschedulable")
	require.Equal(t, last, lines[3]+"\n")
	require.Equal(t, "no gang waits for a node; 1 node\n", text(node, "-"))

	topology := "\n---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodeLabel: rack}]}}\n---\n" +
		"{apiVersion: v1, kind: Node, metadata: {name: n9, labels: {rack: r}}, status: {allocatable: {cpu: 1}}}\n"
	require.Contains(t, text(node+topology, "-"), "in no topology: 1 node\n")
}

// The JSON has what standard error tells, beside the plans.
func TestJSONTellsWhatIsLost(t *testing.T) {
	service := "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
	_, out, _ := command(t, node+"---"+pod+service+"---\na: [\n", "-keep-going", "-o", "json", "-")
	require.Contains(t, out, `"skipped":[{"kind":"Service","apiVersion":"v1","count":1}]`)
	require.Contains(t, out, `"defects":["-: document 4`)
	_, out, _ = command(t, node+"---"+pod+"---"+pod, "-o", "json", "-")
	require.Contains(t, out, `"notices":["Pod/good is in the input twice, and says the same: it counts once"]`)
}
