package ends

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

// member is one that runs and holds so many devices.
func member(gang, name, node string, devices, end int64) cluster.Running {
	return cluster.Running{Gang: gang, Member: name, Node: node, Resources: muster.Resources{"gpu": devices}, End: end}
}

// runs is a cluster of two nodes of eight devices on which some run.
func runs(t require.TestingT, running ...cluster.Running) *snapshot.Snapshot {
	spec := cluster.Spec{Running: running}
	for _, name := range []string{"n1", "n2"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8}})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return c
}

// Gangs end with their last member; those without an end, or of whom one has none, never do, and members that are leaving do not count.
func TestInstants(t *testing.T) {
	leaving := member("late", "b", "n1", 1, 0)
	leaving.Leaving = true
	c := runs(
		t, member("soon", "a", "n1", 1, 3), member("late", "a", "n1", 1, 7), leaving, member("two", "a", "n2", 1, 5), member("two", "b", "n2", 1, 7),
		member("never", "a", "n1", 1, 0), member("half", "a", "n1", 1, 4), member("half", "b", "n1", 1, 0), member("own", "a", "n2", 1, 5),
	)
	line := New(c, 4, "own", nil)
	require.Equal(t, 2, line.Len())
	require.Equal(t, int64(4), line.At(0))
	require.Equal(t, []Gang{{"soon", 4}}, line.Ended(0), "what should have ended ends now")
	require.Equal(t, int64(7), line.At(1))
	require.Equal(t, []Gang{{"soon", 4}, {"late", 7}, {"two", 7}}, line.Ended(1))
	require.Equal(t, 1, New(runs(t), 4, "", nil).Len(), "now")
}

// The first instant is found, whichever it is, and few are asked; the last yes is of it and the last no of the one before.
func TestFirstInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var running []cluster.Running
		n := rapid.IntRange(0, 40).Draw(t, "gangs")
		for i := range n {
			running = append(running, member(string(rune('a'+i)), "m", "n1", 0, int64(i+1)))
		}
		first, stays := rapid.IntRange(0, n+1).Draw(t, "first"), rapid.Bool().Draw(t, "stays")
		line, asked, yes, no := New(runs(t, running...), 0, "", nil), 0, -1, -1
		got, err := line.First(stays, func(at int64, c *snapshot.Snapshot) (bool, error) {
			asked++
			gone := n - c.Gangs.Len()
			require.Equal(t, int64(gone), at)
			if gone >= first {
				yes = gone
				return true, nil
			}
			no = gone
			return false, nil
		})
		require.NoError(t, err)
		if stays {
			require.LessOrEqual(t, asked, 12)
		}
		require.Equal(t, min(first, n+1)-1, no)
		if first > n {
			require.Equal(t, -1, got)
			return
		}
		require.Equal(t, first, got)
		require.Equal(t, first, yes)
	})
	wrong := errors.New("wrong")
	_, err := New(runs(t), 0, "", nil).First(true, func(int64, *snapshot.Snapshot) (bool, error) { return false, wrong })
	require.ErrorIs(t, err, wrong)
}

// The gangs whose room is needed are such that the members fit without them, and not with any of them; those that end last are left out before others.
func TestGangsForRoom(t *testing.T) {
	c := runs(
		t, member("a", "1", "n1", 2, 1), member("b", "1", "n1", 4, 2), member("b", "2", "n2", 4, 2), member("c", "1", "n1", 2, 3), member("c", "2", "n2", 4, 3),
	)
	ended := New(c, 0, "", nil).Ended(3)
	need := func(n1, n2 int64) (names []string) {
		var needs []Need
		for node, devices := range []int64{n1, n2} {
			if devices > 0 {
				sum := make([]int64, len(c.Lineage.Resources))
				sum[slices.Index(c.Lineage.Resources, "gpu")] = devices
				id, _ := c.Lineage.ID([]string{"n1", "n2"}[node])
				needs = append(needs, Need{id, sum})
			}
		}
		for _, g := range ForRoom(c, ended, needs, nil) {
			names = append(names, g.Name)
		}
		return names
	}
	require.Equal(t, []string{"a"}, need(2, 0))
	require.Equal(t, []string{"b"}, need(3, 0), "a alone does not do, and is not needed beside b")
	require.Equal(t, []string{"a", "b"}, need(6, 0))
	require.Equal(t, []string{"a", "b", "c"}, need(8, 0))
	require.Equal(t, []string{"b"}, need(2, 4), "what b holds on n1 does for both")
	require.Empty(t, need(0, 0))
	leaving := c.Member("a", "1")
	require.Empty(t, ForRoom(c, ended[1:], []Need{{leaving.Node, leaving.Class.Holds}}, []*snapshot.Member{leaving}), "the room of one that is leaving is taken")
}

// Gangs are taken away by name; nobody at all leaves the cluster what it is.
func TestWithout(t *testing.T) {
	c := runs(t, member("a", "1", "n1", 2, 1))
	same, err := Without(c, nil)
	require.NoError(t, err)
	require.Same(t, c, same)
	empty, err := Without(c, []Gang{{"a", 1}})
	require.NoError(t, err)
	require.Zero(t, empty.Gangs.Len())
	_, err = Without(c, []Gang{{"b", 1}})
	require.Error(t, err)
}

// Gangs of one name end together, and one to which members come with the last of all.
func TestGangsThatEndTogether(t *testing.T) {
	c := runs(t, member("a", "1", "n1", 1, 3), member("for a", "1", "n2", 1, 5), member("b", "1", "n1", 1, 4), member("for b", "1", "n2", 1, 0))
	called := func(gang string) string { return strings.TrimPrefix(gang, "for ") }
	require.Equal(t, []Gang{{"a", 5}, {"for a", 5}}, New(c, 0, "", called).Ended(1))
	require.Equal(t, 1, New(c, 0, "a", called).Len())
	require.Equal(t, int64(7), With(c, "a", 7))
	require.Equal(t, int64(3), With(c, "a", 2))
	require.Zero(t, With(c, "a", 0))
	require.Zero(t, With(c, "for b", 2))
	require.Equal(t, int64(2), With(c, "new", 2))
}
