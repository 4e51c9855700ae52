package muster_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/scenario"
)

// orderPages are docs/order.md, which has the table of rules, and the pages that define them.
func orderPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/order/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	slices.SortFunc(pages, muster.CompareNatural)
	return append([]string{"docs/order.md"}, pages...)
}

// Every fenced block of the docs is a scenario that holds. `-rewrite` puts the answers in.
func TestDocsShowPlans(t *testing.T) {
	for _, page := range orderPages(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text := read(t, page)
			parts := strings.Split(text, "\n```")
			require.Equal(t, 1, len(parts)%2, "a block has no end")
			for i := 1; i < len(parts); i += 2 {
				body, ok := strings.CutPrefix(parts[i], "text\n")
				require.True(t, ok, "a block is no scenario: %s", parts[i])
				parts[i] = "text\n" + strings.TrimSuffix(runScenario(t, body+"\n"), "\n")
			}
			if after := strings.Join(parts, "\n```"); after != text {
				require.NoError(t, os.WriteFile(page, []byte(after), 0o600))
			}
		})
	}
}

// runScenario runs a scenario and returns it as it is then: with new answers under `-rewrite`.
func runScenario(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "block")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	scenario.Run(t, path)
	if f := flag.Lookup("rewrite"); f == nil || f.Value.String() != "true" {
		return text
	}
	return read(t, path)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

var (
	// definition is an id in front of the rule that it names, mention is one anywhere.
	definition = regexp.MustCompile("`\\[([a-z]+\\.[0-9]+)\\]`")
	mention    = regexp.MustCompile("`([a-z]+\\.[0-9]+)`")
	// row is a line of the table in docs/order.md: id, rule, package, function, scenario file.
	row = regexp.MustCompile("(?m)^\\| `([a-z]+\\.[0-9]+)` \\| [^|]+ \\| `([^|]+)` \\| `([^|]+)` \\| `([^|]+)` \\|$")
)

// The pages say what a plan is, not which code finds it: packages and functions stand in the table of docs/order.md alone.
func TestOrderNamesNoCode(t *testing.T) {
	words := regexp.MustCompile("(?i)\\b(engines?|planners?|packages?|shortcuts?|solvers?|dispatch\\w*|internal/\\w+|func)\\b" +
		"|`(gather|parts|fronts?|manyshapes|packing|sets|search|problem|joint|picks|victims)`" +
		"|\\b(placed|planned|tried|is|are|all) (for|by|with|without) sections? \\[?[0-9]")
	for _, page := range orderPages(t)[1:] {
		for i, line := range strings.Split(read(t, page), "\n") {
			require.Empty(t, words.FindString(line), "%s:%d names code in place of a rule", page, i+1)
		}
	}
	for _, line := range []string{"for the parts engine", "is placed by section 8", "all are for section 8", "is tried without section 8", "`gather` places them", "see internal/gather"} {
		require.Regexp(t, words, line)
	}
}

// Every rule has one definition on the pages and one row in the table; what they name is there.
func TestOrderTable(t *testing.T) {
	defined, mentioned := []string{}, []string{}
	for _, page := range orderPages(t) {
		text := read(t, page)
		for _, found := range definition.FindAllStringSubmatch(text, -1) {
			require.NotContains(t, defined, found[1], "%s defines a rule again", page)
			defined = append(defined, found[1])
		}
		for _, found := range mention.FindAllStringSubmatch(text, -1) {
			mentioned = append(mentioned, found[1])
		}
	}
	rows := []string{}
	for _, found := range row.FindAllStringSubmatch(read(t, "docs/order.md"), -1) {
		rows = append(rows, found[1])
		for _, file := range strings.Split(found[4], "` `") {
			require.FileExists(t, filepath.Join("placement", "testdata", file))
		}
	}
	require.Equal(t, defined, rows, "the rows of the table, in the order of the pages")
	for _, id := range slices.Compact(slices.Sorted(slices.Values(mentioned))) {
		require.Contains(t, defined, id, "nothing defines this rule")
	}
}
