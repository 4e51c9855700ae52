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
		require.Contains(t, err, "not node/NAME, domain/PATH or gang/NS/NAME")
	}
	status, _, err = command(t, "", append([]string{"-add", "not-there.yaml"}, story("story-3")...)...)
	require.Equal(t, failed, status)
	require.Contains(t, err, "not-there.yaml")
}

// A rack fails, all of some nodes are away, others return: what names stand for is said.
func TestDomainsPatternsAndReturns(t *testing.T) {
	_, want, _ := command(t, "", append([]string{"-without", "node/node-0", "-without", "node/node-1", "-without", "node/node-2", "-without", "node/node-3"}, story("story-1")...)...)
	status, out, told := command(t, "", append([]string{"-without", "domain/spine0/leaf0"}, story("story-1")...)...)
	require.Zero(t, status)
	require.Equal(t, want, out)
	require.Equal(t, "planned without domain/spine0/leaf0\nleft out: node-0, node-1, node-2, node-3\n", told)
	_, out, told = command(t, "", append([]string{"-without", "node/node-[0-3]"}, story("story-1")...)...)
	require.Equal(t, want, out)
	require.Equal(t, "planned without node/node-[0-3]\nleft out: node-0, node-1, node-2, node-3\n", told)

	_, want, _ = command(t, "", "-return", "node/node-3", pending)
	require.Contains(t, want, "default/train: placed, 4 members in leafLayer spine0/leaf0")
	_, out, told = command(t, "", pending, "-return=node/node-*", "-return", "node/node-3")
	require.Equal(t, want, out)
	require.Equal(t, "planned with node/node-* in service\nplanned with node/node-3 in service\n", told)
	_, _, told = command(t, "", pending, "-return=node/node-*")
	require.Equal(t, "planned with node/node-* in service\nwere out of it: node-3\n", told)
	_, _, told = command(t, "", pending, "-return=node/node-2")
	require.Equal(t, "planned with node/node-2 in service\nnone of them was out of it\n", told)

	for value, want := range map[string]string{"domain/leaf9": "-without domain/leaf9: no such domain; the nearest one is spine0\n", "node/x*": "-without node/x*: no node has a name of this pattern\n"} {
		status, _, told = command(t, "", append([]string{"-without", value}, story("story-1")...)...)
		require.Equal(t, failed, status)
		require.Equal(t, want, told)
	}
	status, _, told = command(t, "", "-return", "node/nod-3", pending)
	require.Equal(t, failed, status)
	require.Equal(t, "-return node/nod-3: no such node; the nearest one is node-3\n", told)
	for _, value := range []string{"node-3", "gang/a/b", "node/", "node/a/b"} {
		status, _, told = command(t, "", "-return", value, pending)
		require.Equal(t, misuse, status)
		require.Contains(t, told, "for flag -return: not node/NAME\n")
	}
}

// A Node that is added in part is changed in part.
func TestAddChangesAPartOfANode(t *testing.T) {
	more := filepath.Join(t.TempDir(), "more.yaml")
	require.NoError(t, os.WriteFile(more, []byte("{apiVersion: v1, kind: Node, metadata: {name: node-3}, spec: {unschedulable: false}}\n"), 0o600))
	status, out, told := command(t, "", "-add", more, pending)
	require.Zero(t, status)
	require.Contains(t, out, "default/train: placed, 4 members in leafLayer spine0/leaf0")
	require.Equal(t, "planned with "+more+" added\nreplaced: part of Node/node-3 of "+pending+" by that of "+more+"\n", told)
}
