package leavable

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/drawn"
	"github.com/muster-sched/muster/internal/snapshot"
)

// written is an index in words: its ids depend on the order of reads.
func (ix *Index) written() (out []string) {
	for at, p := range ix.Pages {
		for i := range p.ends {
			lo, end := p.Of(i)
			for ; lo < end; lo++ {
				of := ix.Profiles[p.Profiles[lo]]
				out = append(out, fmt.Sprint(at*cow.PageSize+i, of.Priority, of.Holds, of.Tied, p.Starts[lo]))
			}
		}
		out = append(out, fmt.Sprint(p.Counts))
	}
	return out
}

// drawStep draws a change of the members of a crowd: some leave, some are about to, some come.
func drawStep(t *rapid.T, c *snapshot.Snapshot, next *int, nodes int) (d cluster.Delta) {
	for r := range c.Running() {
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
		switch rapid.IntRange(0, 40).Draw(t, "goes") {
		case 0:
			d.Remove = append(d.Remove, ref)
		case 1:
			d.Leaving = append(d.Leaving, ref)
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "come") {
		r := drawn.Running(t, *next, nodes, true)
		*next++
		if n, ok := c.FreeOn(r.Node); ok && n["gpu"] >= 8 { // sure to fit beside three others
			d.Place = append(d.Place, r)
		}
	}
	return d
}

// An index that follows the snapshots equals one that is read anew, whoever comes and goes, and however that changes gangs.
func TestIndexFollowsSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 150).Draw(t, "nodes")
		spec := drawn.Crowd(t, nodes, true)
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		next := len(spec.Running)
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			if rapid.Bool().Draw(t, "read") {
				Of(c)
			}
			c, err = c.Update(drawStep(t, c, &next, nodes))
			require.NoError(t, err)
		}
		require.Equal(t, newIndex(c).written(), Of(c).written())
	})
}

// Profiles without members do not pile up.
func TestIndexForgets(t *testing.T) {
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "a", Allocatable: muster.Resources{"gpu": 1 << 40}}}})
	require.NoError(t, err)
	most := 0
	for i := range int64(5000) {
		c, err = c.Update(cluster.Delta{Place: []cluster.Running{{Gang: "g", Member: "m", Node: "a", Resources: muster.Resources{"gpu": i}}}})
		require.NoError(t, err)
		most = max(most, len(Of(c).Profiles))
		c, err = c.Update(cluster.Delta{RemoveGangs: []string{"g"}})
		require.NoError(t, err)
	}
	require.Less(t, most, 1200)
}

// Many may ask the snapshots of one lineage at once, while others derive new ones.
func TestIndexesAreConcurrent(t *testing.T) {
	spec := cluster.Spec{}
	for n := range 200 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: "node-" + strconv.Itoa(n), Allocatable: muster.Resources{"gpu": 8}})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			at := c
			for i := range 20 {
				r := cluster.Running{
					Gang: fmt.Sprint("gang-", g), Member: strconv.Itoa(i), Node: "node-" + strconv.Itoa(9*i), Priority: int64(-i),
					Resources: muster.Resources{"gpu": int64(1 + i%(3+g))},
				}
				next, err := at.Update(cluster.Delta{Place: []cluster.Running{r}})
				if !assert.NoError(t, err) || !assert.Equal(t, newIndex(next).written(), Of(next).written()) {
					return
				}
				at = next
				Of(c)
			}
		})
	}
	all.Wait()
}
