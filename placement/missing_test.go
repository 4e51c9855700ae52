package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// An argument that is missing is an error like any other, never a panic.
func TestMissingArgumentsAreRefused(t *testing.T) {
	c := newCluster(t, board(t))
	res := mustPlan(t, c, job(1))
	unranked := *res
	unranked.Assignments = []placement.Assignment{{Member: "m", Rank: -1, Node: res.Assignments[0].Node}}
	ask := func(c *placement.Cluster, req *gang.Request) error { _, err := placement.Plan(c, req); return err }
	candidates := func(c *placement.Cluster, req *gang.Request) (last error) {
		for _, last = range placement.Candidates(c, req) {
			require.Error(t, last, "the error comes alone")
		}
		return last
	}
	apply := func(c *placement.Cluster, res *placement.Result) error { _, err := c.Apply(res); return err }
	release := func(c *placement.Cluster) error { _, err := c.Release("ns/gang"); return err }
	update := func(c *placement.Cluster) error { _, err := c.Update(cluster.Delta{}); return err }
	for field, errs := range map[string][]error{
		"cluster": {
			ask(nil, job(1)), ask(&placement.Cluster{}, job(1)), candidates(nil, job(1)), candidates(nil, nil),
			apply(nil, res), release(nil), update(nil), update(&placement.Cluster{}),
		},
		"request":                    {ask(c, nil), candidates(c, nil)},
		"result":                     {apply(c, nil), apply(c, &placement.Result{})},
		"result.Assignments[0].Rank": {apply(c, &unranked)},
	} {
		for i, err := range errs {
			var invalid *muster.InvalidError
			require.ErrorAs(t, err, &invalid, "%s %d", field, i)
			require.Equal(t, field, invalid.Field)
		}
	}
}

// Of a gang of a declared size some members may not be known yet: its groups divide that size. Fewer than must start are refused, whatever
// their groups.
func TestMembersThatAreNotKnownYet(t *testing.T) {
	c := newCluster(t, board(t))
	req := job(2)
	req.PP, req.DP, req.Total, req.MinMember = 2, 2, 4, 1
	require.Len(t, mustPlan(t, c, req).Assignments, 2)
	req = job(1)
	req.PP, req.Total, req.MinMember = 2, 4, 1
	require.Equal(t, []int{0}, mustPlan(t, c, req).GroupTiers, "a short group")
	req.Total, req.MinMember = 0, 2
	_, err := placement.Plan(c, req)
	var refused *placement.Unschedulable
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "minMember", refused.Rule)
	req.MinMember = 1
	require.Equal(t, []int{0}, mustPlan(t, c, req).GroupTiers, "a short group is the whole gang")
}
