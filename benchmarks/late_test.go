package benchmarks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkLate plans four more members for a gang that runs, and carries that plan out: neither may cost more where more of the gang runs.
func BenchmarkLate(b *testing.B) {
	const nodes, late = 102400, 4
	for _, group := range []int{0, 8} {
		for _, running := range []int{1024, 16384, 65536} {
			name := fmt.Sprintf("nodes=%d/running=%d/late=%d", nodes, running, late)
			if group > 0 {
				name += fmt.Sprintf("/group=%d", group)
			}
			s := streamOf(b, fill{nodes: nodes, name: "frag70", slots: 8})
			c, more := begun(b, s.head, s.fleet.Shape, running, late, group)
			res := plan(b, c, more)
			b.Run(name+"/of=plan", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					require.NotNil(b, plan(b, c, more))
				}
				goal(b, 40*time.Microsecond)
			})
			b.Run(name+"/of=apply", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, err := c.Apply(res)
					require.NoError(b, err)
				}
				goal(b, 40*time.Microsecond)
			})
			b.Run(name+"/of=cycle", func(b *testing.B) {
				names := make([]string, 0, late)
				for i := range more.Members {
					names = append(names, more.Members[i].Name)
				}
				b.ReportAllocs()
				for b.Loop() {
					next, err := c.Apply(plan(b, c, more))
					require.NoError(b, err)
					c, err = next.Release(more.Name, names...)
					require.NoError(b, err)
				}
			})
		}
	}
}

// begun lets a gang run on a cluster, but for its last members, and asks for those.
func begun(b *testing.B, c *placement.Cluster, shape benchmarks.Shape, running, late, group int) (*placement.Cluster, *gang.Request) {
	b.Helper()
	all := make([]gang.Member, running+late)
	for i := range all {
		all[i].Name = fmt.Sprintf("worker-%d", i)
	}
	r := request(shape, 1, group)
	r.Name = fmt.Sprintf("bench/late-%d-%d", running, group)
	r.Members = all[:running:running]
	c, err := c.Apply(plan(b, c, r))
	require.NoError(b, err)
	more := *r
	more.Members = all[running:]
	return c, &more
}
