package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// endOf is a text from a line on that begins so.
func endOf(t *testing.T, text, begin string) string {
	t.Helper()
	i := strings.Index(text, begin)
	require.GreaterOrEqual(t, i, 0, text)
	return text[i:]
}

// requireShown says that the README shows a text.
func requireShown(t *testing.T, text string) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "\n```text\n"+text+"```\n", "the README shows it")
}

// The story of replicas that must not fail together: three units take one each, the fourth finds all of them closed.
func TestStoryOfReplicasApart(t *testing.T) {
	status, out, err := command(t, "", story("apart")...)
	require.Zero(t, status)
	require.Empty(t, err)
	last := endOf(t, out, "default/serve-2: ")
	require.Equal(t, `default/serve-2: placed, 2 members in unitLayer spine0/leaf1/unit2, strategy 1
  spine0
    leaf0
      unit0  x x . .
    leaf1
      unit1  x x . .
      unit2  A A . .
  A serve-2 -> node-8, serve-2-1 -> node-9

default/serve-3: unschedulable: insufficient slots, 0 of 2 (proven)
  spine0
    leaf0
      unit0  x x . .
    leaf1
      unit1  x x . .
      unit2  x x . .
  of 12 nodes without room: 12 are closed, for gangs are alone there
`, last)
	requireShown(t, last)
	_, why, _ := command(t, "", append([]string{"-explain"}, story("apart")...)...)
	require.Contains(t, why, "default/serve-3 cannot start: it needs 2 members, and none fits.\n  The cluster has no room for a member; 6 nodes with room for 6 members are closed.\n")
	_, doc, _ := command(t, "", append([]string{"-o", "json"}, story("apart")...)...)
	require.Contains(t, doc, `"rejected":{"closed":12}`)
}

// The story of a gang that is alone on its leaf, and of the next one, which may not use what is left there.
func TestStoryOfAGangAlone(t *testing.T) {
	status, out, err := command(t, "", append([]string{"-explain"}, story("alone")...)...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Contains(t, out, "default/benchmark: placed, 3 members in unitLayer spine0/leaf0/unit0, strategy 1 (unitLayer/unitLayer)\n")
	require.Contains(t, out, "default/next: unschedulable: insufficient slots, 8 of 9 in leafLayer spine0/leaf1 (proven)\n")
	require.NotContains(t, out, "nodes without room", "the explanation says it")
	why, _, _ := strings.Cut(endOf(t, out, "default/next cannot start"), "  details:\n")
	require.Equal(t, `default/next cannot start: it needs 9 members, and at most 8 fit.
  The cluster has room for 8 members in all; 1 node with room for 1 member is closed.
  If 8 members were enough, it would start in leafLayer spine0/leaf1.
  If no member asked for more than 4 nvidia.com/gpu instead of 8, it would start in leafLayer spine0/leaf1.
  If default/benchmark ended, it would start in spineLayer spine0.
  If it had priority 1, it would start in spineLayer spine0, evicting 3 members of default/benchmark.
  If 1 node like node-0 were added to spine0/leaf1/unit1, it would start in leafLayer spine0/leaf1.
`, why)
	require.Contains(t, out, "; 1 node with room for 1 member is closed.\n")
}
