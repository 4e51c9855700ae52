package render

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// Who stands in the way is listed, and a long list is cut.
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
	require.Equal(t, "  would fit if 10 members that run were placed anew: a-0 on n0, a-1 on n1, a-2 on n2, a-3 on n3, "+
		"a-4 on n4, a-5 on n5, a-6 on n6, a-7 on n7, and 2 more\n", written(10, false))
}
