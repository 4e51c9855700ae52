package reference

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/placement"
)

// What was placed lies as its plan says, members of several shapes and in parts too; that is the best, unless members ran before it, or
// some stayed out. Each member has its place.
func TestStandingIsThatOfThePlan(t *testing.T) {
	kinds := []func(*rapid.T) Input{drawUncoupled, drawCoupled, drawWithQuotas, drawRoles, drawParts}
	rapid.Check(t, func(t *rapid.T) {
		in := mixed(kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind of input")])(t)
		in.Request.Preempt.ForTier = ""
		c, err := placement.NewCluster(in.Spec)
		if err != nil {
			return
		}
		res, err := placement.Plan(c, &in.Request)
		if err != nil || len(res.WaitsFor) > 0 {
			return
		}
		requirePlaces(t, c, res)
		next, err := c.Apply(res)
		require.NoError(t, err)
		g, err := placement.Standing(next, &in.Request)
		if err != nil {
			require.NotEqual(t, len(in.Request.Members), len(res.Assignments), "rules for all of them are rules for them: %v\n%s", err, in.Text())
			return
		}
		if len(res.Assignments) != g.Members || len(res.Assignments) != len(in.Request.Members) {
			return // others ran before, whose best place is another question, or parts are smaller now
		}
		require.Equal(t, res.Domain, g.Now.Domain, in.Text())
		require.Equal(t, res.Strategy, g.Now.Strategy, in.Text())
		require.Equal(t, res.Span, g.Now.Span)
		if res.Proven && g.Proven && len(res.Victims) == 0 {
			require.Equal(t, g.Now.Strategy, g.Best.Strategy, in.Text())
		}
	})
}

// requirePlaces says that places are those of the assignments.
func requirePlaces(t *rapid.T, c *placement.Cluster, res *placement.Result) {
	places, err := placement.Places(c, res)
	require.NoError(t, err)
	require.Len(t, places, len(res.Assignments))
	for i, a := range res.Assignments {
		p := &places[i]
		require.Equal(t, a.Member, p.Member)
		require.Equal(t, a.Group, p.Group)
		require.Equal(t, a.Node, p.Domains[len(p.Domains)-1].Domain[len(p.Domains)-1])
		require.Less(t, p.Gang.Rank, p.Gang.Size)
		require.Less(t, p.Local.Rank, p.Local.Size)
		if i > 0 {
			require.Less(t, places[i-1].Gang.Rank, p.Gang.Rank)
		}
		require.NotEmpty(t, p.Labels())
		require.Len(t, p.Env(), len(p.Labels()))
	}
}
