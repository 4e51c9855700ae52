package render

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Colours say nothing that the characters do not, and stand in no text that does not ask for them.
func TestColours(t *testing.T) {
	for _, o := range []Outcome{planned(racks(t, 2), 5, 2), evicting(t, 1), planned(racks(t, 20), 12, 0), planned(racks(t, 1), 99, 0)} {
		var b bytes.Buffer
		require.NoError(t, TextInColour(&b, []Outcome{o}))
		plain := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(b.String(), "")
		require.Equal(t, text(t, o), plain)
		require.NotContains(t, plain, "\x1b")
		require.Contains(t, b.String(), "\x1b[2mxx\x1b[0m")
	}
	var b bytes.Buffer
	require.NoError(t, TextInColour(&b, []Outcome{planned(racks(t, 2), 5, 2)}))
	require.Contains(t, b.String(), "r0  \x1b[2mxx\x1b[0m \x1b[1;32mAA\x1b[0m \x1b[1;34mBB\x1b[0m \x1b[1;35mC\x1b[0m.\n")
	require.Contains(t, b.String(), "\n  \x1b[1;34mB\x1b[0m job-[2-3] -> node-2")
}

// However many nodes one line stands for, it has 64 cells at most, those that the plan touches first.
func TestLongRowsAreSummedUp(t *testing.T) {
	for _, layers := range [][]int{nil, {1}} {
		c := many(t, 5000, layers...)
		require.Contains(t, text(t, planned(c, 3, 0)), "  A A A and 4997 nodes, 3330 of 4997 slots free\n")
		all := text(t, planned(c, 3000, 0))
		require.Contains(t, all, "A and 4936 nodes, 333 of 4936 slots free, 2936 members of the gang\n")
		require.Equal(t, 64+1, strings.Count(strings.ReplaceAll(all, " ", "  "), " A "), "cells, and who they are")
		require.Less(t, len(all), 1000)
	}
}
