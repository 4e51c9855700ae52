package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Gangs that start together are placed together, or say for whom they wait.
func TestStoryOfGangsTogether(t *testing.T) {
	status, out, err := command(t, "", story("together")...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Contains(t, out, "default/reader (together with default/archive): unschedulable: together with default/archive, which cannot start\n")
	shown := `default/rollout (together with default/trainer): placed, 3 members in unitLayer spine0/leaf1/unit2, strategy 1
  spine0
    leaf0
      unit0  x . . .
    leaf1
      unit1  x x x x
      unit2  A A A .
  A rollout-[0-2] -> node-[8-10]
`
	require.Contains(t, out, shown)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), shown, "the README shows it")
	_, out, _ = command(t, "", append([]string{"-o", "json"}, story("together")...)...)
	require.Contains(t, out, `{"gang":"default/trainer","together":["default/rollout"],"status":"placed",`)
	require.Contains(t, out, `"nodes":{"total":0,"rejected":{}},"together":["default/archive"]}}`)
	require.Equal(t, map[string][]string{
		"default/archive": {}, "default/reader": {}, "default/rollout": {"node-8", "node-9", "node-10"},
		"default/trainer": {"node-4", "node-5", "node-6", "node-7"},
	}, nodes(t, out))
}
