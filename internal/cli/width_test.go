package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines are as wide as COLUMNS says, else 120 columns where there is no terminal; JSON has its own.
func TestWidthOfPages(t *testing.T) {
	for value, want := range map[string]int{"": 120, "80": 80, "3": leastWidth, "0": 120, "-5": 120, "wide": 120, "400": 400} {
		require.Equal(t, want, pageWidth(&strings.Builder{}, func(string) string { return value }), value)
	}
	longest := func(out string) (most int) {
		for _, line := range strings.Split(out, "\n") {
			most = max(most, len(line))
		}
		return most
	}
	t.Setenv("COLUMNS", "")
	_, wide, _ := commandWithInput("", append([]string{"-explain", "-running", "-max-fit"}, story("story-3")...)...)
	t.Setenv("COLUMNS", "60")
	_, narrow, _ := commandWithInput("", append([]string{"-explain", "-running", "-max-fit"}, story("story-3")...)...)
	require.LessOrEqual(t, longest(wide), 120)
	require.LessOrEqual(t, longest(narrow), 60)
	require.Equal(t, strings.Fields(wide), strings.Fields(narrow), "no word is cut")
	_, doc, _ := commandWithInput("", append([]string{"-o", "json"}, story("story-3")...)...)
	require.Greater(t, longest(doc), 500)
}
