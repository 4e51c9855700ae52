package ends

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
)

// roomThen says by counting whether some domain has room for all that is asked for at an instant.
func roomThen(c *snapshot.Snapshot, line *Timeline, i int, ask Ask, hidden map[*snapshot.GangMembers]int) bool {
	gone := map[string]bool{}
	for _, g := range line.Ended(i) {
		gone[g.Name] = true
	}
	for g, until := range hidden {
		gone[g.Name] = gone[g.Name] || i < until
	}
	sums := make([]int64, ask.Domains)
	for id, d := range ask.Domain {
		slots := ask.Members
		for r, amount := range ask.Amounts {
			free := c.Free[r].At(int32(id))
			if amount == 0 || free == snapshot.Boundless {
				continue
			}
			for m := range snapshot.MembersOn(c, int32(id)) {
				if m.Leaving || gone[m.Class.Gang] {
					free += m.Class.Holds[r]
				}
			}
			slots = min(slots, max(0, free)/amount)
		}
		if d >= 0 {
			sums[d] += slots
		}
	}
	for _, sum := range sums {
		if sum >= ask.Members {
			return true
		}
	}
	return false
}

// drawBound draws a cluster whose gangs end, what is asked for, and who is hidden.
func drawBound(t *rapid.T) (c *snapshot.Snapshot, ask Ask, hidden map[*snapshot.GangMembers]int) {
	var spec cluster.Spec
	amount := func(most int64, what string) int64 { return rapid.Int64Range(0, most).Draw(t, what) }
	nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
	for i := range nodes {
		n := cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"cpu": amount(8, "cpu"), "gpu": amount(8, "gpu")}}
		if rapid.Bool().Draw(t, "bounds pods") {
			n.Allocatable[muster.Pods] = amount(4, "pods")
		}
		spec.Nodes = append(spec.Nodes, n)
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "members") {
		spec.Running = append(spec.Running, cluster.Running{
			Gang: rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "own"}).Draw(t, "gang"), Member: fmt.Sprint("m", i), Node: fmt.Sprint("n", rapid.IntRange(0, nodes-1).Draw(t, "node")),
			Resources: muster.Resources{"cpu": amount(5, "cpu"), "gpu": amount(5, "gpu"), muster.Pods: 1}, End: amount(6, "end"), Leaving: amount(5, "leaving") == 0,
		})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	ask = Ask{
		Amounts: c.Lineage.Amounts().Vector(muster.Resources{"cpu": amount(3, "asks cpu"), "gpu": amount(3, "asks gpu"), muster.Pods: amount(1, "asks pods")}, 0),
		Members: 1 + amount(6, "asks members"), Domains: 2,
	}
	for range nodes {
		ask.Domain = append(ask.Domain, int32(rapid.IntRange(-1, 1).Draw(t, "domain")))
	}
	hidden = map[*snapshot.GangMembers]int{}
	c.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if until := rapid.IntRange(-6, 6).Draw(t, "until"); until >= 0 {
			hidden[g] = until
		}
		return true
	})
	return c, ask, hidden
}

// Asked is at those instants at which amounts leave room, and at the last one: as counting says, instant by instant.
func TestBoundEqualsCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, ask, hidden := drawBound(t)
		line := New(c, rapid.Int64Range(0, 3).Draw(t, "now"), "own", nil)
		var want, got []int64
		for i := range line.Len() {
			if i == line.Len()-1 || roomThen(c, line, i, ask, hidden) {
				want = append(want, line.At(i))
			}
		}
		line.Asks(ask, maps.All(hidden))
		i, err := line.First(false, func(at int64, now *snapshot.Snapshot) (bool, error) {
			got = append(got, at)
			return false, nil
		})
		require.NoError(t, err)
		require.Equal(t, -1, i)
		require.Equal(t, want, got)
	})
}

// Where what fits stays, halving begins where amounts leave room: the start is the same as without, and so is the cluster then.
func TestBoundKeepsTheStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, ask, _ := drawBound(t)
		later := rapid.IntRange(0, 2).Draw(t, "later")
		first := func(line *Timeline) int {
			start, err := line.First(true, func(at int64, now *snapshot.Snapshot) (bool, error) {
				i := 0
				for line.At(i) != at {
					i++
				}
				require.Equal(t, c.Gangs.Len()-len(line.Ended(i)), now.Gangs.Len())
				return i >= later && roomThen(c, line, i-later, ask, nil), nil
			})
			require.NoError(t, err)
			return start
		}
		bound := New(c, 0, "own", nil)
		bound.Asks(ask, maps.All(map[*snapshot.GangMembers]int{}))
		require.Equal(t, first(New(c, 0, "own", nil)), first(bound))
	})
}
