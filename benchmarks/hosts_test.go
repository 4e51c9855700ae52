package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// BenchmarkHosts is what a host pays beside its plans: for a change that it sees of a node that is over-committed, beside a new cluster, and for room
// that is held while members leave or until they end: a warm plan of 64 members beside the holds of 16 gangs, one of a higher priority and one that ends before room is
// held, which do not see them, and beside as many holds of four members in a leaf each; such plans one after the other, each of which is applied and released again; and to hold the room of a plan of 64.
func BenchmarkHosts(b *testing.B) {
	const nodes = 10240
	c := streamOf(b, fragmented(nodes)).snapshot[0]
	shape := streamOf(b, fragmented(nodes)).fleet.Shape
	b.Run("observe=over-committed", func(b *testing.B) {
		member := cluster.Running{Gang: "seen", Member: "m", Node: "node-0", Resources: shape.Member()}
		over := cluster.Delta{Observed: true}
		for i := range shape.Slots + 1 {
			r := member
			r.Gang = fmt.Sprint("before-", i)
			over.Place = append(over.Place, r)
		}
		c, err := c.Update(over)
		require.NoError(b, err)
		comes := cluster.Delta{Observed: true, Place: []cluster.Running{member}}
		goes := cluster.Delta{Observed: true, Remove: []cluster.MemberRef{{Gang: "seen", Member: "m"}}}
		b.ReportAllocs()
		for b.Loop() {
			next, err := c.Update(comes)
			require.NoError(b, err)
			_, err = next.Update(goes)
			require.NoError(b, err)
		}
	})
	b.Run("observe=anew", func(b *testing.B) {
		spec := validity.Describe(c, "")
		for b.Loop() {
			_, err := placement.NewCluster(spec)
			require.NoError(b, err)
		}
	})
	held := c
	for i := range 16 {
		r := request(shape, 4, 0)
		r.Name = fmt.Sprint("held-", i)
		var err error
		held, err = held.Update(cluster.Delta{Holds: map[string][]cluster.Hold{r.Name: plan(b, held, r).Holds()}})
		require.NoError(b, err)
	}
	later := beside(b, held, 1000)
	for _, row := range []struct {
		name     string
		c        *placement.Cluster
		priority int64
		end      int64
	}{{"holds=0", c, 0, 0}, {"holds=16", held, 0, 0}, {"holds=16/above", held, 1, 0}, {"holds=16/later", later, 0, 999}, {"holds=16/domains", inLeaves(b, c, shape), 0, 0}} {
		r := request(shape, 64, 0)
		r.Priority, r.End = row.priority, row.end
		b.Run("plan/"+row.name, func(b *testing.B) {
			plan(b, row.c, r)
			b.ReportAllocs()
			for b.Loop() {
				plan(b, row.c, r)
			}
		})
		if row.priority > 0 {
			continue // it takes what is held
		}
		b.Run("plan-apply-release/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			for c := row.c; b.Loop(); {
				var err error
				c, err = c.Apply(plan(b, c, r))
				require.NoError(b, err)
				c, err = c.Release(r.Name)
				require.NoError(b, err)
			}
		})
	}
	b.Run("hold=64", func(b *testing.B) {
		r := request(shape, 64, 0)
		d := cluster.Delta{Holds: map[string][]cluster.Hold{r.Name: plan(b, held, r).Holds()}}
		b.ReportAllocs()
		for b.Loop() {
			_, err := held.Update(d)
			require.NoError(b, err)
		}
	})
}

// inLeaves is a cluster that holds room for four members of each of 16 gangs, in a leaf each.
func inLeaves(b *testing.B, c *placement.Cluster, shape benchmarks.Shape) *placement.Cluster {
	b.Helper()
	all := map[string][]cluster.DomainHold{}
	domains, err := c.Domains("", &gang.Shape{Resources: shape.Member()})
	require.NoError(b, err)
	for d := range domains {
		if name := fmt.Sprint("held-", len(all)); d.Layer == "leaf" && d.Slots >= 4 && len(all) < 16 {
			all[name] = []cluster.DomainHold{{Gang: name, Domain: d.Path, Count: 4, Resources: shape.Member()}}
		}
	}
	require.Len(b, all, 16)
	next, err := c.Update(cluster.Delta{DomainHolds: all})
	require.NoError(b, err)
	return next
}

// beside is a cluster that holds what it held from an instant on.
func beside(b *testing.B, c *placement.Cluster, from int64) *placement.Cluster {
	b.Helper()
	all := map[string][]cluster.Hold{}
	for _, h := range c.Holds() {
		h.From, h.End = from, from+1000
		all[h.Gang] = append(all[h.Gang], h)
	}
	next, err := c.Update(cluster.Delta{Holds: all})
	require.NoError(b, err)
	return next
}
