package render_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
)

// exchange is of two gangs that change places, and of one of which two members move to one node.
func exchange() *placement.Moving {
	return &placement.Moving{
		Moves: []placement.Move{
			{Gang: "ns/c", Members: []placement.MovedMember{{Member: "c-0", From: "n3"}, {Member: "c-1", From: "n4"}}},
			{Gang: "ns/b", Members: []placement.MovedMember{{Member: "b-0", From: "n0", To: "n3"}, {Member: "b-1", From: "n1", To: "n4"}, {Member: "b-4", From: "n9", To: "n5"}}},
			{Gang: "ns/c", Members: []placement.MovedMember{{Member: "c-0", To: "n0"}, {Member: "c-1", To: "n1"}}},
			{Gang: "ns/d", Members: []placement.MovedMember{{Member: "d-0", From: "n7", To: "n8"}, {Member: "d-1", From: "n7", To: "n8"}}},
		},
		Cost: placement.MoveCost{Members: 7, Gangs: 3}, LowerBound: placement.MoveCost{Members: 1, Gangs: 1},
	}
}

// Moves are a line each: who stops and waits, who goes from where to where, who starts again.
func TestMovesText(t *testing.T) {
	toEmpty, toFit := exchange(), exchange()
	toEmpty.Empty = [][]string{{"s0", "l0"}, {"s0", "l1"}}
	toFit.Cost.Lost, toFit.LowerBound = 60, placement.MoveCost{Lost: 60, Members: 2, Gangs: 1}
	toFit.Plan = &placement.Result{Gang: "ns/g", Tier: 1, Layer: "leaf", Domain: []string{"s0", "l0"}, Assignments: []placement.Assignment{{Member: "g-0", Node: "n2"}, {Member: "g-1", Node: "n6"}}}
	var b bytes.Buffer
	require.NoError(t, render.MovesText(&b, []render.GangMoves{
		{Moving: toEmpty},
		{Gang: "ns/g", Moving: toFit},
		{Gang: "ns/h", Moving: &placement.Moving{Plan: toFit.Plan, Proven: true}},
		{Gang: "ns/i", Err: io.EOF},
		{Err: &placement.Unschedulable{Refuser: placement.RefuserRule, Rule: "2 of layer leaf empty", Wanted: 2, Proven: true}},
	}))
	const moves = `  1. ns/c: c-[0-1] on n[3-4] stop, and wait
  2. ns/b: b-[0-1,4] from n[0-1,9] -> n[3-5]
  3. ns/c: c-[0-1] start again on n[0-1]
  4. ns/d: d-[0-1] from n7 -> n8
`
	require.Equal(t, `s0/l0 and s0/l1 are empty once 7 members of 3 gangs move (not proven; no less than: 1 member, 1 gang)
`+moves+`
ns/g: fits once 7 members of 3 gangs move, lost work 60 (not proven; no less than: lost work 60, 2 members, 1 gang)
`+moves+`  then ns/g in leaf s0/l0: g-[0-1] -> n[2,6]

ns/h: fits as it is
  then ns/h in leaf s0/l0: g-[0-1] -> n[2,6]

ns/i: no moves were found: EOF

no moves will do: 2 of layer leaf empty, 0 of 2 (proven)
`, b.String())
}

// In JSON who waits has no node to go to, and who starts again none to come from.
func TestMovesJSON(t *testing.T) {
	m := exchange()
	m.Moves, m.Empty = m.Moves[:3], [][]string{{"s0", "l0"}}
	var b bytes.Buffer
	require.NoError(t, render.JSONWithReport(&b, nil, &render.Report{Moves: []render.GangMoves{{Moving: m}, {Gang: "ns/i", Err: io.EOF}}}))
	require.Equal(t, `{"version":1,"plans":[],
"moves":[{"cost":{"lost":0,"members":7,"gangs":3},"lowerBound":{"lost":0,"members":1,"gangs":1},"proven":false,"moves":[`+
		`{"gang":"ns/c","members":[{"pod":"c-0","from":"n3"},{"pod":"c-1","from":"n4"}]},`+
		`{"gang":"ns/b","members":[{"pod":"b-0","from":"n0","to":"n3"},{"pod":"b-1","from":"n1","to":"n4"},{"pod":"b-4","from":"n9","to":"n5"}]},`+
		`{"gang":"ns/c","members":[{"pod":"c-0","to":"n0"},{"pod":"c-1","to":"n1"}]}],"empty":["s0/l0"]},{"gang":"ns/i","none":"EOF","proven":false}]}
`, b.String())
}
