package placement_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
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
	slots := func(string) int { return 1 }
	_, err := placement.Moves(c, placement.MoveGoal{Fit: &gang.Request{Name: "b", Slots: slots}}, placement.MovesOptions{})
	require.ErrorIs(t, err, muster.ErrNotSupported)
	require.ErrorContains(t, err, "goal.Fit.Slots")
	_, err = placement.Moves(c, fit, mover(placement.Mover{Gang: "a", Request: &gang.Request{Name: "a", Slots: slots}}))
	require.ErrorIs(t, err, muster.ErrNotSupported)
	require.ErrorContains(t, err, "options.Movers[0].Request.Slots")
	_, err = placement.Moves(c, fit, mover(placement.Mover{Gang: "nobody"}))
	require.NoError(t, err, "a gang that does not run does not move")
}

// Of a gang that may start without some members others than those of the lowest ranks may have room by fewer moves: who would leave for these is no bound.
func TestMovesForOtherMembers(t *testing.T) {
	amounts := func(cpu, gpu int64) muster.Resources {
		return muster.Resources{muster.CPU: cpu, "gpu": gpu}
	}
	spec := cluster.Spec{Nodes: []cluster.Node{
		{Name: "n1", Allocatable: amounts(1000, 1)},
		{Name: "n2", Allocatable: amounts(2000, 2)},
		{Name: "n3", Allocatable: amounts(1000, 1)},
		{Name: "n4", Allocatable: amounts(1000, 1)},
		{Name: "n9", Allocatable: amounts(2000, 2), Labels: map[string]string{"kind": "b"}},
	}, Trees: []cluster.NamedTree{{Tree: newTree(t, topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{
		{Name: "r0", Tier: 1, Nodes: []string{"n1", "n2"}}, {Name: "r1", Tier: 1, Nodes: []string{"n9", "n3"}}, {Name: "r2", Tier: 1, Nodes: []string{"n4"}},
	}})}}}
	for _, name := range []string{"g-1", "g-2"} {
		spec.Running = append(spec.Running, cluster.Running{Gang: name, Member: name, Node: "n9", Resources: amounts(1000, 1), MinMember: -1})
	}
	req := named("job", 3)
	req.MinMember, req.Shape.Resources = 2, muster.Resources{"gpu": 2}
	req.Members = append(req.Members, gang.Member{Name: "job-9", Shape: &gang.Shape{Resources: muster.Resources{muster.CPU: 500}, Selector: map[string]string{"kind": "b"}}})
	m, err := placement.Moves(newCluster(t, spec), placement.MoveGoal{Fit: req}, placement.MovesOptions{Movers: []placement.Mover{{Gang: "g-1"}, {Gang: "g-2"}}})
	require.NoError(t, err)
	require.Equal(t, placement.MoveCost{Members: 1, Gangs: 1}, m.Cost, "one member of two devices is on n2, and the last one in the room of who moves")
	require.Equal(t, m.Cost, m.LowerBound)
}

// However many domains are to be empty, no more are looked for than there are.
func TestMoreDomainsThanThereAre(t *testing.T) {
	_, err := placement.Moves(newCluster(t, board(t)), placement.MoveGoal{Empty: "rack", Count: math.MaxInt32}, placement.MovesOptions{})
	var refused *placement.Unschedulable
	require.ErrorAs(t, err, &refused)
	require.True(t, refused.Proven)
}

// A tier that is waited for may be one that the gang must gather in anyway.
func TestEarliestInItsOwnTier(t *testing.T) {
	req := named("a", 2)
	req.Gather = must("rack")
	c := newCluster(t, board(t))
	want, err := placement.Earliest(c, req, placement.EarliestOptions{})
	require.NoError(t, err)
	got, err := placement.Earliest(c, req, placement.EarliestOptions{Tier: "rack"})
	require.NoError(t, err)
	require.Equal(t, answerOf(want.Plan, nil), answerOf(got.Plan, nil))
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
