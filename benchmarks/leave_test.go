package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkLeave takes all members of a gang of 64 away, or marks them as leaving: named one by one, or by their gang.
func BenchmarkLeave(b *testing.B) {
	for _, nodes := range []int{1024, 10240} {
		s := streamOf(b, fill{nodes: nodes, name: "frag70", slots: 1})
		r := request(s.fleet.Shape, 64, 0)
		r.Name = "leaving"
		res := plan(b, s.snapshot[0], r)
		require.NotNil(b, res)
		c, err := s.snapshot[0].Apply(res)
		require.NoError(b, err)
		var members []cluster.MemberRef
		for i := range res.Assignments {
			members = append(members, cluster.MemberRef{Gang: r.Name, Member: res.Assignments[i].Member})
		}
		for _, row := range []struct {
			name   string
			change cluster.Delta
		}{
			{"remove=members", cluster.Delta{Remove: members}},
			{"remove=gang", cluster.Delta{RemoveGangs: []string{r.Name}}},
			{"leaving=members", cluster.Delta{Leaving: members}},
			{"leaving=gang", cluster.Delta{LeavingGangs: []string{r.Name}}},
		} {
			b.Run(fmt.Sprintf("nodes=%d/gang=64/%s", nodes, row.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					mustUpdate(b, c, row.change)
				}
			})
		}
	}
}

func mustUpdate(b *testing.B, c *placement.Cluster, d cluster.Delta) {
	if _, err := c.Update(d); err != nil {
		b.Fatal(err)
	}
}
