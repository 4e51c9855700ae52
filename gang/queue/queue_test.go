package queue_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
)

// drawQueued draws gangs that often agree in everything but the name.
func drawQueued(name string) *rapid.Generator[queue.Entry] {
	return rapid.Custom(func(rt *rapid.T) queue.Entry {
		return queue.Entry{
			Name:        name,
			UID:         rapid.SampledFrom([]string{"", "", "u1", "u10", "u2"}).Draw(rt, "uid"),
			Priority:    rapid.Int64Range(-1, 1).Draw(rt, "priority"),
			Created:     rapid.Int64Range(0, 2).Draw(rt, "created"),
			LastFailure: rapid.Int64Range(0, 3).Draw(rt, "failed at"),
			Failed:      rapid.Bool().Draw(rt, "failed"),
			NotBefore:   rapid.SampledFrom([]int64{0, 0, 1, 2, 5}).Draw(rt, "not before"),
		}
	})
}

var queuedNames = []string{"ns/a-1", "ns/a-01", "ns/a-2", "ns/a-10", "ns/b", "p"}

func TestQueueOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var list []queue.Entry
		for _, name := range queuedNames {
			list = append(list, drawQueued(name).Draw(rt, name))
		}
		for _, a := range list {
			for _, b := range list {
				ab := queue.Compare(&a, &b)
				require.Equal(rt, -ab, queue.Compare(&b, &a), "antisymmetric")
				require.Equal(rt, a.Name == b.Name, ab == 0, "only one and the same is equal")
				for _, c := range list {
					if ab < 0 && queue.Compare(&b, &c) < 0 {
						require.Negative(rt, queue.Compare(&a, &c), "transitive: %v %v %v", a, b, c)
					}
				}
			}
		}
	})
}

// The order as the proposal writes it, for pairs of which both have a UID or neither has.
func TestQueueOrderIsTheProposals(t *testing.T) {
	time := func(g queue.Entry) int64 {
		if g.Failed {
			return g.LastFailure
		}
		return g.Created
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawQueued("ns/a-2").Draw(rt, "a"), drawQueued("ns/a-10").Draw(rt, "b")
		want := -1 // by name
		switch {
		case a.Priority != b.Priority:
			want = cmp.Compare(b.Priority, a.Priority)
		case time(a) != time(b):
			want = cmp.Compare(time(a), time(b))
		case a.UID == "" && b.UID != "":
			want = 1
		case a.UID != b.UID && a.UID != "" && b.UID != "":
			want = cmp.Compare(a.UID, b.UID)
		}
		require.Equal(rt, want, queue.Compare(&a, &b))
	})
}

func TestPodsOfOneGangAreContiguous(t *testing.T) {
	type pod struct {
		gang   *queue.Entry
		member gang.Member
	}
	rapid.Check(t, func(rt *rapid.T) {
		var pods []pod
		for _, name := range queuedNames {
			g := drawQueued(name).Draw(rt, name)
			for i := range rapid.IntRange(0, 4).Draw(rt, "members") {
				m := gang.Member{Name: fmt.Sprint("m-", i*7), Indexed: rapid.Bool().Draw(rt, "indexed")}
				m.Index = rapid.IntRange(0, 2).Draw(rt, "index")
				pods = append(pods, pod{&g, m})
			}
		}
		order := func(a, b pod) int { return queue.ComparePods(a.gang, &a.member, b.gang, &b.member) }
		for _, a := range pods {
			for _, b := range pods {
				require.Equal(rt, -order(a, b), order(b, a))
			}
		}
		sorted := slices.SortedFunc(slices.Values(rapid.Permutation(pods).Draw(rt, "input")), order)
		slices.SortFunc(pods, order)
		require.Equal(rt, pods, sorted, "the order of the input does not matter")
		done := map[string]bool{}
		for i, p := range sorted {
			if i == 0 || sorted[i-1].gang == p.gang {
				if i > 0 {
					requireRankOrder(rt, sorted[i-1].member, p.member)
				}
				continue
			}
			done[sorted[i-1].gang.Name] = true
			require.False(rt, done[p.gang.Name])
		}
	})
}

func requireRankOrder(rt *rapid.T, a, b gang.Member) {
	switch {
	case a.Indexed != b.Indexed:
		require.True(rt, a.Indexed, "members without an index come last")
	case a.Indexed && a.Index != b.Index:
		require.Less(rt, a.Index, b.Index)
	default:
		require.Negative(rt, muster.CompareNatural(a.Name, b.Name))
	}
}

// A queue and a list that is sorted anew for every answer.
func TestQueueEqualsSortedList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var q queue.Queue
		list, due := map[string]queue.Entry{}, map[string]bool{}
		name := rapid.SampledFrom(queuedNames)
		insert := func(g queue.Entry) { list[g.Name], due[g.Name] = g, g.NotBefore == 0 }
		rt.Repeat(map[string]func(*rapid.T){
			"add": func(rt *rapid.T) {
				g := drawQueued(name.Draw(rt, "name")).Draw(rt, "gang")
				require.NoError(rt, q.Add(g))
				insert(g)
			},
			"remove": func(rt *rapid.T) {
				name := name.Draw(rt, "name")
				g, ok := q.Remove(name)
				want, known := list[name]
				require.Equal(rt, known, ok)
				require.Equal(rt, want, g)
				delete(list, name)
			},
			"fail": func(rt *rapid.T) {
				name := name.Draw(rt, "name")
				now, later := rapid.Int64Range(0, 9).Draw(rt, "now"), rapid.Int64Range(-1, 9).Draw(rt, "not before")
				g, known := list[name]
				require.Equal(rt, known, q.Failed(name, now, later))
				if !known {
					return
				}
				if !g.Failed {
					g.LastFailure = g.Created
				}
				g.LastFailure, g.Failed, g.NotBefore = max(g.LastFailure, now), true, max(later, 0)
				insert(g)
			},
			"next": func(rt *rapid.T) {
				now := rapid.Int64Range(0, 9).Draw(rt, "now")
				var best *queue.Entry
				for name, g := range list {
					due[name] = due[name] || g.NotBefore <= now
					if due[name] && (best == nil || queue.Compare(&g, best) < 0) {
						best = &g
					}
				}
				got, ok := q.Next(now)
				require.Equal(rt, best != nil, ok)
				if ok {
					require.Equal(rt, *best, got)
				}
			},
			"": func(rt *rapid.T) { requireListed(rt, &q, list, due) },
		})
	})
}

func requireListed(rt *rapid.T, q *queue.Queue, list map[string]queue.Entry, due map[string]bool) {
	var ready, parked []queue.Entry
	for name, g := range list {
		if due[name] {
			ready = append(ready, g)
		} else {
			parked = append(parked, g)
		}
	}
	slices.SortFunc(ready, func(a, b queue.Entry) int { return queue.Compare(&a, &b) })
	slices.SortFunc(parked, func(a, b queue.Entry) int {
		return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), queue.Compare(&a, &b))
	})
	want := slices.Concat(ready, parked)
	require.Equal(rt, len(want), q.Len())
	require.Equal(rt, want, slices.Collect(q.All()))
	for i := range want { // an iteration may end anywhere
		for g := range q.All() {
			if g == want[i] {
				break
			}
		}
	}
	at, ok := q.Due()
	require.Equal(rt, len(parked) > 0, ok)
	if ok {
		require.Equal(rt, parked[0].NotBefore, at)
	}
}

// Everybody fails, always, and still each has its turn before anybody of its priority has a second one.
func TestWhoeverFailsLetsOthersGoFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var q queue.Queue
		for _, name := range queuedNames {
			g := drawQueued(name).Draw(rt, name)
			g.Priority, g.NotBefore = 0, 0
			require.NoError(rt, q.Add(g))
		}
		now := int64(3) // nobody has failed later
		for range 3 {
			turns := map[string]bool{}
			for range queuedNames {
				now += rapid.Int64Range(1, 3).Draw(rt, "time")
				g, _ := q.Next(now)
				require.False(rt, turns[g.Name], "a second turn of %s", g.Name)
				turns[g.Name] = true
				require.True(rt, q.Failed(g.Name, now, 0))
			}
		}
	})
}

// A higher priority comes back first, so it is kept away for a while; then the lower ones have their turns too.
func TestPrioritiesStarveNobodyWhoFailsWithDelay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var q queue.Queue
		for _, name := range queuedNames {
			g := drawQueued(name).Draw(rt, name)
			g.NotBefore = 0
			require.NoError(rt, q.Add(g))
		}
		turns := map[string]bool{}
		for now := int64(4); len(turns) < len(queuedNames); now++ {
			require.Less(rt, now, int64(4+len(queuedNames)))
			g, ok := q.Next(now)
			require.True(rt, ok)
			turns[g.Name] = true
			q.Failed(g.Name, now, now+int64(len(queuedNames)))
		}
	})
}

func TestQueueRefuses(t *testing.T) {
	var q queue.Queue
	require.EqualError(t, q.Add(queue.Entry{}), "entry.Name: a gang has no name")
	require.EqualError(t, q.Add(queue.Entry{Name: "a", Created: -1}), `entry.Created "-1": negative time`)
	require.EqualError(t, q.Add(queue.Entry{Name: "a", LastFailure: -1}), `entry.LastFailure "-1": negative time`)
	require.EqualError(t, q.Add(queue.Entry{Name: "a", NotBefore: -1}), `entry.NotBefore "-1": negative time`)
	require.Zero(t, q.Len())
	_, ok := q.Next(0)
	require.False(t, ok)
	_, ok = q.Due()
	require.False(t, ok)
	require.False(t, q.Failed("a", 0, 0))
	require.Empty(t, slices.Collect(q.All()))
	require.NoError(t, q.Add(queue.Entry{Name: "a", NotBefore: 5}))
	_, ok = q.Next(4)
	require.False(t, ok, "the only one may not come to the head yet")
}
