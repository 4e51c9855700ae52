package placement_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// answers are the lines of a scenario file between the dashes and the next empty line.
func answers(text string) (lines []string) {
	inside := false
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "----":
			inside = true
		case line == "":
			inside = false
		case inside:
			lines = append(lines, line)
		}
	}
	return lines
}

// Every reason and every change is in the answer of a scenario file, or of a question below.
func TestNoReasonAndNoChangeIsUnreachable(t *testing.T) {
	codes, kinds := map[explain.Code]bool{}, map[explain.Kind]bool{}
	files, err := filepath.Glob("testdata/why*.txt")
	require.NoError(t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, line := range answers(string(text)) {
			words := strings.Fields(line)
			codes[explain.Code(words[0])] = true
			if words[0] == "with" && len(words) > 1 {
				kinds[explain.Kind(words[1])] = true
				kinds[explain.KindCombination] = kinds[explain.KindCombination] || strings.Contains(line, " and ")
			}
		}
	}
	c := newCluster(t, board(t))
	shape := gang.Shape{Resources: muster.Resources{"gpu": 1 << 20}}
	for _, e := range []*placement.Explanation{
		placement.Explain(c, &gang.Request{Name: "ns/bad"}, placement.ExplainOptions{}),
		placement.Explain(c, job(1), placement.ExplainOptions{Err: &placement.Unschedulable{Together: []string{"ns/other"}}}),
		placement.Explain(c, &gang.Request{Name: "ns/big", Shape: shape, Members: job(2).Members}, placement.ExplainOptions{
			Err: &placement.Unschedulable{Refuser: placement.RefuserSteps, Wanted: 2},
		}),
	} {
		require.NotEmpty(t, e.Facts)
		for _, f := range e.Facts {
			codes[f.Code] = true
		}
	}
	for _, code := range explain.Codes() {
		require.True(t, codes[code], "no answer has the reason %s", code)
	}
	for _, kind := range explain.Kinds() {
		require.True(t, kinds[kind], "no answer has the change %s", kind)
	}
}
