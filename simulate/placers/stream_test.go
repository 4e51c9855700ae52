package placers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
	"github.com/muster-sched/muster/simulate/streams"
)

// All placers play a stream to its end: none over-commits a node, and no gang is lost.
func TestPlacersPlayStreams(t *testing.T) {
	c := filled(t, []int{2, 2, 2, 4}, "88888888888888888888888888888888")
	for _, e := range placers.All() {
		g := streams.Generated{
			Seed: 1, Jobs: 200, Members: 24, Shape: gang.Shape{Resources: muster.Resources{"gpu": 4}}, Runs: 600, Load: 900, Slots: 64,
			Gather: func(members int) []gang.Rule {
				if members > 8 {
					return nil
				}
				return []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}
			},
		}
		r, err := simulate.Run(simulate.Options{Cluster: c, Jobs: g.Stream(), Placer: e.Placer, Discipline: queue.EASY})
		require.NoError(t, err, e.Name)
		require.Equal(t, 200, r.Arrived, e.Name)
		require.Equal(t, 200, r.Ended+r.NeverFit, e.Name)
		require.Zero(t, r.NeverFit, "%s: a spine holds the largest gang", e.Name)
	}
}
