package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A replacement goes between its neighbours; where there is none, those who are in the way are named.
func TestStoryOfReplacements(t *testing.T) {
	status, out, err := command(t, "", story("replacement")...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Contains(t, out, "  A ring-1 -> node-6\n")
	require.Contains(t, out, "  would fit if 2 members that run were placed anew (proven to be the fewest): tight-[0-1] on node-[0-1]\n")
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), out, "the README shows it")
	_, out, _ = command(t, "", append([]string{"-o", "json"}, story("replacement")...)...)
	require.Contains(t, out, `"inTheWay":[{"pod":"tight-0","node":"node-0"},{"pod":"tight-1","node":"node-1"}],"inTheWayProven":true}`)
}
