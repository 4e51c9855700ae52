package room

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/drawn"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Verdicts on nodes that follow changes are those that are asked for anew, and count the nodes that are there.
func TestVerdictsFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 6).Draw(t, "nodes")
		spec := drawn.Crowd(t, nodes, true)
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		least := rapid.Int64Range(1, 8).Draw(t, "least")
		is := func(c *snapshot.Snapshot) func(id int32) bool {
			return func(id int32) bool { return c.Free[0].At(id) >= least }
		}
		v := verdictsOn(c, is(c))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			n := rapid.SampledFrom(spec.Nodes).Draw(t, "changes")
			d := cluster.Delta{Observed: true}
			if rapid.Bool().Draw(t, "goes") {
				d.RemoveNodes = []string{n.Name}
			} else {
				n.Allocatable = muster.Resources{"gpu": rapid.Int64Range(0, 40).Draw(t, "gpu")}
				d.SetNodes = []cluster.Node{n}
			}
			after, err := c.Update(d)
			require.NoError(t, err)
			id, there := after.Lineage.ID(n.Name)
			if after.Lineage != c.Lineage || !there {
				return // all is made anew
			}
			c, v = after, v.after(after, []int32{id}, is(after))
			want := verdictsOn(c, is(c))
			require.Equal(t, []int{want.yeses, want.nodes, len(slices.Collect(c.Nodes()))}, []int{v.yeses, v.nodes, v.nodes})
		}
	})
}
