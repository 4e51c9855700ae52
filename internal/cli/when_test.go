package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The job waits for two others in its unit: one says when it ends, one has a deadline.
func TestStoryOfEnding(t *testing.T) {
	const told = `when gangs have a place, if what runs ends when it is expected to, and nobody else comes
  default/train  2026-03-02T11:00:00Z (in 2h30m0s)  unitLayer spine0/leaf1/unit1  after the end of default/evaluate,
                 default/tune-0
`
	requireTold(t, told, append([]string{"-when", "-summary"}, story("ending")...)...)

	_, out, _ := command(t, "", append([]string{"-when", "-o", "json"}, story("ending")...)...)
	require.Contains(t, out, `"starts":[{"gang":"default/train","at":1772449200,"tier":1,"layer":"unitLayer","domain":"spine0/leaf1/unit1","assignments":[{"pod":"train-0","rank":0,"node":"node-4"},`)
	require.Contains(t, out, `"waitsFor":[{"gang":"default/evaluate","at":1772445600},{"gang":"default/tune-0","at":1772449200}],"proven":true}]}`)
}

// requireTold holds that a command says what the README shows of it.
func requireTold(t *testing.T, told string, args ...string) {
	t.Helper()
	status, out, err := command(t, "", args...)
	require.Zero(t, status)
	require.Empty(t, err)
	require.Contains(t, out, told)
	readme, readErr := os.ReadFile("../../README.md")
	require.NoError(t, readErr)
	require.Contains(t, string(readme), told, "the README shows it")
}

// Room is held for the first job that waits: who would delay it waits as well, and who ends in time does not. Without, the second one starts.
func TestStoryOfMeanwhile(t *testing.T) {
	const told = `default/train: unschedulable: MustGather unitLayer, 3 of 4 in unitLayer spine0/leaf1/unit2 (proven)
default/sweep: unschedulable: insufficient slots, 5 of 6 in spineLayer spine0 (proven)
default/probe: placed, 6 members in spineLayer spine0, strategy 6, span leafLayer=2 unitLayer=3
`
	files := story("ending", "meanwhile")
	requireTold(t, told, append([]string{"-discipline", "easy", "-when", "-summary"}, files...)...)
	_, out, _ := command(t, "", append([]string{"-summary"}, files...)...)
	require.Contains(t, out, "default/sweep: placed")
}

// What time it is can be told; what should have ended by then ends now.
func TestTimesOfStarts(t *testing.T) {
	for now, told := range map[string]string{
		"2026-03-02T10:59:00Z":      "2026-03-02T11:00:00Z (in 1m0s)",
		"2026-03-02T11:00:00+01:00": "2026-03-02T11:00:00Z (in 1h0m0s)",
		"2026-03-02T12:00:00Z":      "default/train  now ",
	} {
		_, out, err := command(t, "", append([]string{"-when", "-summary", "-now", now}, story("ending")...)...)
		require.Empty(t, err)
		require.Contains(t, out, told)
	}
	status, _, err := command(t, "", append([]string{"-when", "-now", "noon"}, story("ending")...)...)
	require.Equal(t, misuse, status)
	require.Contains(t, err, `-now "noon": not a time such as 2026-01-31T12:00:00Z`)
}

// Who has a place is not listed, and who never has one is, with the reason.
func TestGangsThatStartNeverOrNow(t *testing.T) {
	_, out, _ := command(t, "", append([]string{"-when", "-summary"}, story("story-1")...)...)
	require.Contains(t, out, "every gang that waits has a place now\n")
	text, err := os.ReadFile("../../examples/stories/ending.yaml")
	require.NoError(t, err)
	_, out, _ = command(t, strings.ReplaceAll(string(text), "minMember: 4", "minMember: 5"), "-when", "-summary", "../../examples/stories/cluster.yaml", "-")
	require.Contains(t, out, "default/train  never: minMember")
}
