package manifest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

const page = "../../docs/files.md"

var nextHeading = regexp.MustCompile("(?m)^##")

// rows are the cells of the table below a heading.
func rows(t *testing.T, text, heading string) (cells [][]string) {
	t.Helper()
	_, after, found := strings.Cut(text, heading+"\n")
	require.True(t, found, heading)
	if next := nextHeading.FindStringIndex(after); next != nil {
		after = after[:next[0]]
	}
	for line := range strings.Lines(after) {
		if strings.HasPrefix(line, "| `") {
			cells = append(cells, strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | "))
		}
	}
	return cells
}

func unquoted(s string) string { return strings.ReplaceAll(strings.Trim(s, "`"), "[]", "") }

// keysBelow are the paths of a block.
func keysBelow(path string, b known.Block) (all []string) {
	for key, below := range b {
		all = append(append(all, path+key), keysBelow(path+key+".", below)...)
	}
	slices.SortFunc(all, muster.CompareNatural)
	return all
}

// docs/files.md and the code know the same kinds, fields, annotations, labels and names of what is ignored.
func TestFilesPage(t *testing.T) {
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	text := string(data)

	var kinds []string
	kinds = slices.AppendSeq(slices.AppendSeq(kinds, maps.Keys(clusterKinds)), maps.Keys(gangKinds))
	kinds = append(slices.AppendSeq(kinds, owners.Kinds()), trainJob)
	for i := range kinds {
		kinds[i] = strings.TrimPrefix(kinds[i], "/")
	}
	var told []string
	for _, row := range rows(t, text, "## Kinds") {
		told = append(told, unquoted(row[0]))
	}
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "topology list" })
	require.ElementsMatch(t, kinds, told, "kinds")

	for name, b := range known.Blocks {
		compareFields(t, text, name, keysBelow("spec.", b["spec"]))
	}
	for name, inners := range known.Inners {
		var want []string
		for _, in := range inners {
			want = append(want, keysBelow(strings.Join(in.Path, ".")+".", in.Block)...)
		}
		compareFields(t, text, strings.TrimPrefix(name, "/"), want)
	}

	told = nil
	for _, row := range rows(t, text, "## Names in `ignored`") {
		told = append(told, unquoted(row[0]))
	}
	for _, name := range told {
		require.Contains(t, sources(t), fmt.Sprintf("%q", name), "no code counts it")
	}
	for _, name := range []string{absentOwner, absentGroup, ownerTopology, exclusiveTopology, ignored.GPUShare, ignored.PodAntiAffinity} {
		require.Contains(t, told, name)
	}
	require.Subset(t, told, ignored.Notes())
	compareKeys(t, text)
}

// compareFields compares the table of a kind, which may share it with others. What is read is named in the code.
func compareFields(t *testing.T, text, kind string, want []string) {
	t.Helper()
	heading := regexp.MustCompile("(?m)^### .*`" + regexp.QuoteMeta(kind) + "`.*$").FindString(text)
	require.NotEmpty(t, heading, kind)
	var told []string
	for _, row := range rows(t, text, heading) {
		path := unquoted(row[0])
		told = append(told, path)
		require.Contains(t, []string{"read", "counted", "noticed", "harmless"}, row[1], path)
		if row[1] != "harmless" {
			require.Contains(t, sources(t), fmt.Sprintf("%q", path[strings.LastIndex(path, ".")+1:]), "%s: %s is not read", kind, path)
		}
	}
	require.ElementsMatch(t, want, told, kind)
}

// compareKeys compares the tables of annotations and labels; -page writes them.
func compareKeys(t *testing.T, text string) {
	t.Helper()
	var b strings.Builder
	for _, system := range known.Systems() {
		fmt.Fprintf(&b, "### Keys of %s\n\n| key | read from | as | written by |\n| --- | --- | --- | --- |\n", system.Name)
		own := map[string][]string{}
		for _, k := range system.Keys {
			if k.Use == known.Own {
				own[k.By] = append(own[k.By], "`"+k.Name+"`")
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Side, k.Use, k.By)
		}
		for _, by := range slices.Sorted(maps.Keys(own)) {
			slices.SortFunc(own[by], muster.CompareNatural)
			fmt.Fprintf(&b, "| %s | | harmless | %s |\n", strings.Join(own[by], " "), by)
		}
		b.WriteString("\n")
	}
	before, after, found := strings.Cut(text, "### Keys of")
	_, after, ends := strings.Cut(after, "\n## ")
	require.True(t, found && ends)
	want := before + b.String() + "## " + after
	if *write {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o600))
		return
	}
	if want != text {
		t.Error("go test ./placement/manifest -run TestFilesPage -page writes the tables of keys")
	}
}

var write = flag.Bool("page", false, "write the tables of keys in docs/files.md")

var allSources string

// sources are those of the reader, without tests.
func sources(t *testing.T) string {
	t.Helper()
	if allSources == "" {
		dirs, err := filepath.Glob("internal/*")
		require.NoError(t, err)
		require.NotEmpty(t, dirs)
		for _, dir := range append(dirs, ".") {
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
					data, err := os.ReadFile(dir + "/" + e.Name())
					require.NoError(t, err)
					allSources += string(data)
				}
			}
		}
	}
	return allSources
}
