package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is left out is as if the files had been written without it, in every output; what was left out is said on standard error.
func TestWithoutIsAsIfItWereNotThere(t *testing.T) {
	files := story("story-3")
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	items := strings.Split(string(text), "\n  - ")
	fewer := []string{}
	for _, item := range items {
		if !strings.Contains(item, "name: node-8,") && !strings.Contains(item, "name: node-9,") {
			fewer = append(fewer, item)
		}
	}
	require.Len(t, fewer, len(items)-2)
	for _, output := range []string{"text", "json", "svg"} {
		_, want, _ := command(t, strings.Join(fewer, "\n  - "), "-o", output, "-", files[1])
		status, got, told := command(t, "", "-without", "node/node-9", "-o", output, files[0], files[1], "-without=node/node-8")
		require.Zero(t, status)
		require.Equal(t, want, got)
		require.Equal(t, "planned without node/node-8\nplanned without node/node-9\n", told)
	}
	_, out, told := command(t, "", append([]string{"-without", "gang/default/pod-2"}, files...)...)
	require.Contains(t, out, "default/pod-3: placed, 8 members in leafLayer spine0/leaf1")
	require.NotContains(t, out, "evicts")
	require.Equal(t, "planned without gang/default/pod-2\n", told)
}

// A node that comes back, and a pod that asks for less: added objects stand in place of those of their names.
func TestAddReplaces(t *testing.T) {
	more := filepath.Join(t.TempDir(), "more.yaml")
	require.NoError(t, os.WriteFile(more, []byte(`
apiVersion: v1
kind: Node
metadata: {name: node-3, labels: {net/spine: spine0, net/leaf: leaf0}}
status: {allocatable: {nvidia.com/gpu: "8", pods: "110"}}
`), 0o600))
	status, out, told := command(t, "", "-add", more, "-explain", pending)
	require.Zero(t, status)
	require.Contains(t, out, "default/train: placed, 4 members in leafLayer spine0/leaf0")
	require.NotContains(t, out, "cannot start")
	require.Equal(t, "planned with "+more+" added\nreplaced: Node/node-3 of "+pending+" by that of "+more+"\n", told)
}

// Names that nobody has come with the nearest ones; what is no name of anything is no command line.
func TestWithoutOfNobody(t *testing.T) {
	for value, want := range map[string]string{
		"node/nod-9":          "-without node/nod-9: no such node; the nearest one is node-9\n",
		"gang/default/pod-33": "-without gang/default/pod-33: no such gang; the nearest one is default/pod-3\n",
	} {
		status, out, err := command(t, "", append([]string{"-without", value, "-keep-going"}, story("story-3")...)...)
		require.Equal(t, failed, status)
		require.Empty(t, out)
		require.Equal(t, want, err)
	}
	status, _, err := command(t, "", append([]string{"-topology", "defult"}, story("story-3")...)...)
	require.Equal(t, failed, status)
	require.Equal(t, "-topology \"defult\": no such topology; the nearest one is default\n", err)
	for _, value := range []string{"node-9", "node/", "gang/train", "gang//train", "gang/a/", "pod/a/b", "", "node/a/b"} {
		status, out, err := command(t, "", append([]string{"-without", value}, story("story-3")...)...)
		require.Equal(t, misuse, status, value)
		require.Empty(t, out)
		require.Contains(t, err, "not node/NAME or gang/NS/NAME")
	}
	status, _, err = command(t, "", append([]string{"-add", "not-there.yaml"}, story("story-3")...)...)
	require.Equal(t, failed, status)
	require.Contains(t, err, "not-there.yaml")
}
