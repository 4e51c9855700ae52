package placement_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// FuzzPlan looks for a cluster and a gang whose plan panics, is not valid, cannot be applied, or whose refusal is no
// refusal.
func FuzzPlan(f *testing.F) {
	reference.AddSeeds(f, 16<<10)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		spec, req := drawInput(t)
		c := newCluster(t, spec)
		res, err := placement.Plan(c, req)
		var why *placement.Unschedulable
		switch {
		case err == nil:
			require.NoError(t, validity.Check(spec, req, res))
			next, err := c.Apply(res)
			if len(res.WaitsFor) > 0 {
				requireConflict(t, err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, validity.CheckSnapshot(validity.Describe(next)))
		case errors.As(err, &why):
			require.Less(t, why.Fits, why.Wanted)
			require.LessOrEqual(t, len(why.Nodes().Rejected), why.Nodes().Total)
		default:
			requireInvalid(t, err)
		}
	}))
}
