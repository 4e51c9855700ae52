package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two gangs move for the job, one after the other, and not the one that would lose most.
func TestStoryOfMoving(t *testing.T) {
	const told = `default/train: fits once 5 members of 2 gangs move, lost work 180 (proven to be the least)
  1. default/batch: batch-[0-1] from node-[1-2] -> node-[6-7]
  2. default/evaluate: evaluate-[0-2] from node-[8-10] -> node-[1-3]
  then default/train in unitLayer spine0/leaf1/unit2: train-[0-3] -> node-[8-11]
`
	requireTold(t, told, append([]string{"-moves", "-summary"}, story("moving")...)...)

	_, out, _ := command(t, "", append([]string{"-moves"}, story("moving")...)...)
	require.Contains(t, out, `  2. default/evaluate: evaluate-[0-2] from node-[8-10] -> node-[1-3]
default/train: placed, 4 members in unitLayer spine0/leaf1/unit2, strategy 1
  spine0
    leaf0
      unit0  x x x x
    leaf1
      unit1  x x x x
      unit2  A A A A
`, "drawn once all have moved")

	_, out, _ = command(t, "", append([]string{"-moves", "-o", "json"}, story("moving")...)...)
	require.Contains(t, out, `"moves":[{"gang":"default/train","cost":{"lost":180,"members":5,"gangs":2},"lowerBound":{"lost":180,"members":5,"gangs":2},"proven":true,"moves":[{"gang":"default/batch","members":[{"pod":"batch-0","from":"node-1","to":"node-6"},`)
	require.Contains(t, out, `"plan":{"gang":"default/train","status":"placed","tier":1,"layer":"unitLayer","domain":"spine0/leaf1/unit2",`)
}

// Where every gang has a place nobody moves, and where none would do, that is said with the reason.
func TestNobodyMoves(t *testing.T) {
	_, out, _ := command(t, "", append([]string{"-moves", "-summary"}, story("story-1")...)...)
	require.Contains(t, out, "every gang that waits has a place, so nobody moves\n")
	_, out, _ = command(t, "", append([]string{"-moves", "-o", "json"}, story("story-1")...)...)
	require.Contains(t, out, `"moves":[]}`)

	text, err := os.ReadFile("../../examples/stories/moving.yaml")
	require.NoError(t, err)
	pinned := strings.ReplaceAll(string(text), "name: evaluate-0, labels: {", `name: evaluate-0, labels: {quota.scheduling.koordinator.sh/preemptible: "false", `)
	_, out, _ = command(t, pinned, "-moves", "-summary", "../../examples/stories/cluster.yaml", "-")
	require.Contains(t, out, "default/train: no moves will do: MustGather unitLayer, 2 of 4 in unitLayer spine0/leaf1/unit1 (proven)\n")
	_, out, _ = command(t, pinned, "-moves", "-o", "json", "../../examples/stories/cluster.yaml", "-")
	require.Contains(t, out, `"moves":[{"gang":"default/train","none":"MustGather unitLayer, 2 of 4 in unitLayer spine0/leaf1/unit1 (proven)","proven":true}]}`)
}

// To wait and to move are two questions.
func TestMovesAndTimes(t *testing.T) {
	status, out, err := command(t, "", append([]string{"-moves", "-when"}, story("moving")...)...)
	require.Equal(t, misuse, status)
	require.Empty(t, out)
	require.Contains(t, err, "-when waits for the end of gangs, -moves moves them: only one can be asked for\n")
}
