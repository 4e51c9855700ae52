package holds

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

func nobody(string) bool { return false }

// later is a cluster that holds a device on one node or the other for a few gangs, from one instant after the other on.
func later(t *testing.T, gangs int) *snapshot.Snapshot {
	t.Helper()
	var list []cluster.Hold
	for i := range gangs {
		h := on(fmt.Sprint("g-", i), []string{"a", "b"}[i%2], 0)
		h.From, h.End = int64(10*i+10), 1000
		list = append(list, h)
	}
	return held(t, list...)
}

// A view is made once, also by many at a time, and again when too many others were made.
func TestViewsAreMadeOnce(t *testing.T) {
	c := later(t, mostViews+1)
	var seen [8]*snapshot.Snapshot
	var all sync.WaitGroup
	for i := range seen {
		all.Go(func() { seen[i] = Seen(c, 0, "", 5, nobody) })
	}
	all.Wait()
	for _, s := range seen {
		require.Same(t, seen[0], s)
	}
	require.Empty(t, Of(seen[0]))
	views := []*snapshot.Snapshot{seen[0]}
	for i := range mostViews {
		end := int64(10*i + 11)
		views = append(views, Seen(c, 0, "", end, nobody))
		require.Len(t, Of(views[i+1]), i+1)
		require.Same(t, views[i+1], Seen(c, 0, "", end, nobody))
	}
	require.Len(t, *boardOf(c).views.Load(), mostViews)
	require.NotSame(t, views[0], Seen(c, 0, "", 5, nobody), "the first one made way")
	require.NotSame(t, views[1], Seen(c, 0, "", 11, nobody), "for the first one the second did")
	require.Same(t, views[mostViews], Seen(c, 0, "", 10*mostViews+1, nobody))
	require.Same(t, c, Seen(c, 0, "", 10*mostViews+11, nobody))
}

// What a plan saw is carried to the snapshots that follow as long as somebody asks, by changes and by members that enter it; a change of holds ends that.
func TestViewsAreCarried(t *testing.T) {
	known := func(c *snapshot.Snapshot) []*view {
		list := boardOf(c).views.Load()
		if list == nil {
			return nil
		}
		for _, v := range *list {
			var gone []cluster.MemberRef
			for _, i := range v.without {
				gone = append(gone, refs(boardOf(c).holders[i].held.Members.Slice())...)
			}
			want, err := c.Update(cluster.Delta{Remove: gone})
			require.NoError(t, err)
			require.Equal(t, slices.Collect(want.Running()), slices.Collect(v.seen.Running()))
			for _, name := range want.Lineage.Names {
				free, _ := want.FreeOn(name)
				got, _ := v.seen.FreeOn(name)
				require.Equal(t, free, got)
			}
		}
		return *list
	}
	comes := func(name string) cluster.Delta {
		return cluster.Delta{Place: []cluster.Running{{Gang: name, Member: "m", Node: "a", Resources: muster.Resources{"gpu": 1}, End: 15}}}
	}
	update := func(c *snapshot.Snapshot, d cluster.Delta) *snapshot.Snapshot {
		next, err := Update(c, d)
		require.NoError(t, err)
		return next
	}
	c := later(t, 3)
	require.Empty(t, known(update(c, comes("x"))), "nobody asked")
	Seen(c, 0, "", 15, nobody)
	Seen(c, 0, "", 25, nobody)
	next := update(c, comes("x"))
	require.Len(t, known(next), 2)
	require.Same(t, known(next)[0].seen, Seen(next, 0, "", 15, nobody))
	require.Len(t, known(update(next, comes("y"))), 1, "nobody asked for the other one again")
	require.Empty(t, known(update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"g-0": nil}})))
	require.Empty(t, known(update(next, cluster.Delta{Observed: true, Place: []cluster.Running{{Gang: "nameless"}}})), "some is left out")
	fresh := cluster.Node{Name: "c", Allocatable: muster.Resources{"gpu": 4}}
	require.Empty(t, known(update(next, cluster.Delta{SetNodes: []cluster.Node{fresh}})), "the cluster is built anew")

	bare, back := Meanwhile(next, "", 15)
	require.Same(t, known(next)[0].seen, bare)
	entered, err := bare.Update(comes("z"))
	require.NoError(t, err)
	after, err := back(entered)
	require.NoError(t, err)
	require.Len(t, Of(after), 3)
	require.Len(t, known(after), 1)
	require.Same(t, entered, Seen(after, 0, "", 15, nobody))
}
