package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const ownDump = "../../examples/own/dump.json"

// A dump without a topology has labels that make one; the README shows what is said then.
func TestYourOwnCluster(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)

	status, out, said := command(t, "", ownDump)
	require.Equal(t, failed, status)
	require.Empty(t, out)
	require.Contains(t, said, "-layers zone,rack (Options.Layers) makes one of labels\n")

	status, out, said = command(t, "", "-layers", "zone,rack", ownDump)
	require.Zero(t, status)
	require.Empty(t, said)
	require.Contains(t, out, "team/train-7f3a: placed, 4 members in rack zone-b/rack-3")
	require.Contains(t, string(readme), "\n"+out, "the README shows it")
	for _, keys := range []string{"topology.kubernetes.io/zone,example.com/rack", "zone,example.com/rack"} {
		_, other, _ := command(t, "", "-layers", keys, "-summary", ownDump)
		require.Contains(t, other, "team/train-7f3a: placed, 4 members in ")
		require.Contains(t, other, "zone-b/rack-3")
	}

	nodes, err := os.ReadFile(ownDump)
	require.NoError(t, err)
	alone, _, _ := strings.Cut(string(nodes), `,`+"\n"+`  {"apiVersion": "scheduling.volcano.sh`)
	status, _, said = command(t, alone+"]}", "-")
	require.Zero(t, status)
	require.Equal(t, "the input has no topology; labels that look like layers, widest first: topology.kubernetes.io/zone (2 values), example.com/rack (4 values); "+
		"-layers zone,rack (Options.Layers) makes one of them\n", said)
}

// Keys that no node has are told with the nearest one; what a topology of the files makes of -layers is said.
func TestLayersThatCannotBe(t *testing.T) {
	for keys, want := range map[string]string{
		"zone,rak":          "-layers rak: no node has such a label; the nearest one is example.com/rack\n",
		"zone,zone":         "-layers zone: named twice\n",
		"topology.k8s/zone": "-layers topology.k8s/zone: no node has such a label; the nearest one is topology.kubernetes.io/zone\n",
	} {
		status, out, said := command(t, "", "-layers", keys, ownDump)
		require.Equal(t, failed, status)
		require.Empty(t, out)
		require.Equal(t, want, said)
	}
	status, _, said := command(t, "", "-layers", "zone,,rack", ownDump)
	require.Equal(t, misuse, status)
	require.Equal(t, "-layers \"zone,,rack\": a key is missing\nmuster help plan has the flags and examples\n", said)

	_, want, _ := command(t, "", story("story-1")...)
	status, out, said := command(t, "", append([]string{"-layers", "unit"}, story("story-1")...)...)
	require.Zero(t, status)
	require.Equal(t, want, out)
	require.Equal(t, "layers unit are not made of labels: the input describes a topology\n", said)
}

// The line by which the README gets a dump names every kind that docs/files.md lists, and no other.
func TestDumpHasEveryKind(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	files, err := os.ReadFile("../../docs/files.md")
	require.NoError(t, err)
	_, line, found := strings.Cut(string(readme), "kubectl get -A -o json ")
	require.True(t, found)
	line, _, _ = strings.Cut(line, " > ")
	named := strings.Split(strings.ReplaceAll(line, "\\\n", ""), ",")
	_, kinds, _ := strings.Cut(string(files), "\n## Kinds\n")
	kinds, _, _ = strings.Cut(kinds, "\n## ")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(kinds, -1) {
		group, kind, has := strings.Cut(row[1], "/")
		if !has {
			group, kind = "", row[1]
		}
		if kind == "ConfigMap" { // of all of them one is a topology at most
			continue
		}
		name := strings.ToLower(kind)
		switch {
		case strings.HasSuffix(name, "y"):
			name = strings.TrimSuffix(name, "y") + "ies"
		case strings.HasSuffix(name, "s"):
			name += "es"
		default:
			name += "s"
		}
		if group != "" {
			name += "." + group
		}
		listed = append(listed, name)
	}
	require.ElementsMatch(t, listed, named)
}

// Each story stands in the README with its whole command, which runs.
func TestStoriesHaveTheirCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	stories, err := filepath.Glob("../../examples/stories/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, stories)
	for _, story := range stories {
		if strings.HasSuffix(story, "/cluster.yaml") {
			continue
		}
		text, err := os.ReadFile(story)
		require.NoError(t, err)
		_, line, found := strings.Cut(string(text), "\n#   go run ./cmd/muster ")
		require.True(t, found, story)
		line, _, _ = strings.Cut(line, "\n")
		require.Contains(t, string(readme), " | `go run ./cmd/muster "+line+"` |\n", story)
		status, out, said := called(t, "", strings.Fields(strings.ReplaceAll(line, "examples/", "../../examples/"))...)
		require.Zero(t, status, said)
		require.NotEmpty(t, out)
	}
}
