package placement_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// What a goal or an option names wrongly is named by its field.
func TestMovesNameWhatIsWrong(t *testing.T) {
	spec := board(t)
	spec.Running = []cluster.Running{{Gang: "a", Member: "a-0", Node: "n1"}}
	c := newCluster(t, spec)
	fit := placement.MoveGoal{Fit: named("b", 1)}
	mover := func(m placement.Mover) placement.MovesOptions {
		return placement.MovesOptions{Movers: []placement.Mover{m}}
	}
	for _, test := range []struct {
		goal placement.MoveGoal
		opt  placement.MovesOptions
		want string
	}{
		{want: "goal: must be one of Fit, Empty and Tight"},
		{goal: placement.MoveGoal{Fit: named("b", 1), Tight: true}, want: "goal: must be one of"},
		{goal: placement.MoveGoal{Empty: "hall"}, want: `goal.Empty "hall"`},
		{goal: placement.MoveGoal{Tight: true, Tree: "other"}, want: `goal.Tree "other": no topology of this name`},
		{goal: placement.MoveGoal{Empty: "rack", Count: -1}, want: `goal.Count "-1": negative`},
		{goal: fit, opt: placement.MovesOptions{MaxMoved: -1}, want: `options.MaxMoved "-1": negative`},
		{goal: fit, opt: mover(placement.Mover{Gang: "a", Lost: -1}), want: `options.Movers[0].Lost "-1"`},
		{goal: fit, opt: mover(placement.Mover{Gang: "a", Request: named("c", 1)}), want: `options.Movers[0].Request.Name "c"`},
		{goal: fit, opt: mover(placement.Mover{Gang: "a", Request: &gang.Request{Name: "a", Gather: must("hall")}}), want: `options.Movers[0].Request.Gather[0].Layer "hall"`},
		{goal: fit, opt: mover(placement.Mover{Gang: "a", Request: &gang.Request{Name: "a", Tree: "other"}}), want: `options.Movers[0].Request.Tree "other"`},
		{goal: fit, opt: placement.MovesOptions{Movers: []placement.Mover{{Gang: "a"}, {Gang: "a"}}}, want: `options.Movers[1].Gang "a": duplicate name`},
	} {
		_, err := placement.Moves(c, test.goal, test.opt)
		requireInvalid(t, err)
		require.ErrorContains(t, err, test.want)
	}
	_, err := placement.Moves(c, fit, mover(placement.Mover{Gang: "nobody"}))
	require.NoError(t, err, "a gang that does not run does not move")
}

// Once the context is done nothing more is planned, and a refusal is not proven by that.
func TestMovesOfAContextThatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := placement.MovesContext(ctx, newCluster(t, board(t)), placement.MoveGoal{Fit: named("b", 9)}, placement.MovesOptions{})
	var refused *placement.Unschedulable
	require.ErrorAs(t, err, &refused)
	require.False(t, refused.Proven)
}
