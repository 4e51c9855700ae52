package muster_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/placement"
)

// tableRow is the first column of a row of docs/explain.md.
var tableRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\|")

// The page has one row for each code, kind and verdict, in their order, and no others.
func TestDocsListTheVocabulary(t *testing.T) {
	sections := map[string][]string{}
	for _, section := range strings.Split(read(t, "docs/explain.md"), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		for _, found := range tableRow.FindAllStringSubmatch(text, -1) {
			sections[title] = append(sections[title], found[1])
		}
	}
	require.Equal(t, map[string][]string{
		"The verdict": {
			string(placement.VerdictPlaced), string(placement.VerdictWaits), string(placement.VerdictNeedsVictims),
			string(placement.VerdictRefused), string(placement.VerdictInvalid),
		},
		"Codes":       texts(explain.Codes()),
		"Relaxations": texts(explain.Kinds()),
	}, sections)
}

func texts[T ~string](words []T) (out []string) {
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
}
