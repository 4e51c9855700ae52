package render

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// Who stands in the way is listed.
func TestObstaclesAreListed(t *testing.T) {
	written := func(members int, proven bool) string {
		o := placement.Obstacles{Proven: proven}
		for i := range members {
			o.Members = append(o.Members, placement.Obstacle{MemberRef: cluster.MemberRef{Gang: "ns/a", Member: fmt.Sprint("a-", i)}, Node: fmt.Sprint("n", i)})
		}
		var b bytes.Buffer
		writeObstacles(&b, o)
		return b.String()
	}
	require.Empty(t, written(0, true))
	require.Equal(t, "  would fit if 1 member that runs were placed anew (proven to be the fewest): a-0 on n0\n", written(1, true))
	require.Equal(t, "  would fit if 10 members that run were placed anew: a-[0-9] on n[0-9]\n", written(10, false))
}

// A search that ended early is told as such, its numbers as a least.
func TestSearchThatEnded(t *testing.T) {
	o := Outcome{Gang: "job", Err: &placement.Unschedulable{
		Gang: "job", Refuser: placement.RefuserNodes, Wanted: 7, Fits: 4, AtLeast: true, Stopped: context.DeadlineExceeded,
		Tiers: []placement.TierFit{{Tier: 1, Layer: "rack", Domain: []string{"b0", "r0"}, Members: 4, AtLeast: true}},
	}}
	require.Equal(t, `job: search stopped (context deadline exceeded), no plan so far: insufficient slots, at least 4 of 7 in rack b0/r0
`, text(t, o))
	require.Contains(t, written(t, o), `"wanted":7,"fits":4,"atLeast":true,"tiers":[{"tier":1,"layer":"rack","domain":"b0/r0","members":4,"groups":0,"atLeast":true}]`)
}
