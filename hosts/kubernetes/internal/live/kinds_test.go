package live

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The kinds are those of docs/files.md, but for ConfigMaps.
func TestKindsAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/files.md")
	require.NoError(t, err)
	table := regexp.MustCompile(`(?s)\n## Kinds\n(.*?)\n## `).FindSubmatch(page)
	require.NotNil(t, table)
	documented := []string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllSubmatch(table[1], -1) {
		documented = append(documented, string(row[1]))
	}
	documented = slices.DeleteFunc(documented, func(k string) bool { return k == "ConfigMap" })
	kinds := []string{}
	for _, k := range Kinds() {
		if k.Group == "" {
			kinds = append(kinds, k.Kind)
		} else {
			kinds = append(kinds, k.Group+"/"+k.Kind)
		}
	}
	require.ElementsMatch(t, documented, kinds)
	require.Greater(t, len(kinds), 30)
}
