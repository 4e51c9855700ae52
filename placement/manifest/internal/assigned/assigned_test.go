package assigned

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Both forms of an assignment give nodes by index; a host that is not known gives none.
func TestNodesOfAdmissions(t *testing.T) {
	text := `
podSetAssignments:
- name: old
  topologyAssignment: {levels: [rack, host], domains: [{values: [r1, h1], count: 2}, {values: [r1, gone], count: 1}]}
- name: new
  topologyAssignment:
    slices:
    - {podCounts: {universal: 2}, valuesPerLevel: [{universal: r1}, {universal: h3}]}
    - {podCounts: {individual: [1, 2]}, valuesPerLevel: [{universal: r2}, {individual: {prefix: h, suffix: x, roots: ["4", "5"]}}]}
- {name: none}
`
	docs := document.Parse("x", []byte(text), &document.Budget{})
	require.Nil(t, docs[0].Err)
	of := &object.Object{Kind: "Workload"}
	got := Read(object.Field{Value: docs[0].Root, Of: of}, func(host string) string {
		if host == "gone" {
			return ""
		}
		return "n" + host
	})
	require.Equal(t, map[string][]string{"old": {"nh1", "nh1", ""}, "new": {"nh3", "nh3", "nh4x", "nh5x", "nh5x"}}, got)
	require.Empty(t, of.Errors)
}

// Pods with an index have the node of it, where there is room beside those that are on nodes; the others what is left, in order.
func TestPodsTakeNodes(t *testing.T) {
	gated := func(index int) Pod { return Pod{Index: index, Indexed: index >= 0, Gated: true} }
	for _, c := range []struct {
		nodes string
		pods  []Pod
		given string
	}{
		{"a b c", []Pod{gated(0), gated(1), gated(2)}, "a b c"},
		{"a b c", []Pod{gated(2), gated(0)}, "c a"},
		{"a a b", []Pod{gated(-1), gated(-1), gated(-1), gated(-1)}, "a a b -"},
		{"a a b", []Pod{{Node: "a", Index: 0, Indexed: true}, gated(1), gated(2)}, "- a b"},
		{"a b", []Pod{{Node: "b"}, gated(1)}, "- a"},
		{"a b", []Pod{gated(-1), gated(0)}, "b a"},
		{"a b", []Pod{{}, gated(7), {Node: "x"}}, "- a -"},
		{"- b", []Pod{gated(0), gated(1)}, "- b"},
		{"", []Pod{gated(0)}, "-"},
	} {
		nodes := strings.Fields(strings.ReplaceAll(c.nodes, "-", "none"))
		for i, n := range nodes {
			nodes[i] = strings.TrimPrefix(n, "none")
		}
		var got []string
		for _, node := range Give(nodes, c.pods) {
			if node == "" {
				node = "-"
			}
			got = append(got, node)
		}
		require.Equal(t, c.given, strings.Join(got, " "), "%v of %s", c.pods, c.nodes)
	}
}
