package holds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// racks is a cluster of two racks with two nodes of four devices each, a-0 and a-1, b-0 and b-1.
func racks(t *testing.T, running ...cluster.Running) cluster.Spec {
	t.Helper()
	spec := cluster.Spec{Running: running}
	for _, name := range []string{"a-0", "a-1", "b-0", "b-1"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 4}})
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{
		{Name: "a", Tier: 1, Nodes: []string{"a-0", "a-1"}}, {Name: "b", Tier: 1, Nodes: []string{"b-0", "b-1"}},
	}})
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	return spec
}

func made(t *testing.T, spec cluster.Spec) *snapshot.Snapshot {
	t.Helper()
	c, err := New(spec)
	require.NoError(t, err)
	return c
}

func some(gang, rack string, count int, each int64) cluster.DomainHold {
	h := cluster.DomainHold{Gang: gang, Domain: []string{rack}, Count: count}
	if each > 0 {
		h.Resources = muster.Resources{"gpu": each}
	}
	return h
}

func holdIn(c *snapshot.Snapshot, list ...cluster.DomainHold) (*snapshot.Snapshot, error) {
	by := map[string][]cluster.DomainHold{}
	for _, h := range list {
		by[h.Gang] = append(by[h.Gang], h)
	}
	return Update(c, cluster.Delta{DomainHolds: by})
}

func nobodyElse(string) bool { return false }

// needs of all that is held, as far as it is kept.
func kept(c *snapshot.Snapshot) []int {
	if r := Binding(c, -99, "", 0, nobodyElse); r != nil {
		return r.Need
	}
	return nil
}

// What is held in domains stands in the order in which it is kept, and is refused where there is no room for it.
func TestDomainsAreHeld(t *testing.T) {
	c := made(t, racks(t))
	low, high := some("low", "a", 1, 4), some("high", "a", 1, 3)
	high.Priority = 1
	c, err := holdIn(c, low, high)
	require.NoError(t, err)
	require.Equal(t, []cluster.DomainHold{high, low}, InDomains(c))
	require.Equal(t, []int{1, 1}, kept(c))
	_, err = holdIn(c, some("third", "a", 1, 2))
	require.EqualError(t, err, "conflict: gang third: no room is left for 1 of 1 members for whom it is held in a")
	third := some("third", "a", 1, 2)
	third.Priority = 1
	next, err := holdIn(c, third)
	require.NoError(t, err, "the lowest ends")
	require.Equal(t, []cluster.DomainHold{high, third}, InDomains(next))
	next, err = Update(next, cluster.Delta{DomainHolds: map[string][]cluster.DomainHold{"high": nil}})
	require.NoError(t, err)
	require.Len(t, InDomains(next), 1)
	next, err = Update(c, cluster.Delta{Observed: true, DomainHolds: map[string][]cluster.DomainHold{"third": {third, some("third", "c", 1, 1)}}})
	require.NoError(t, err)
	require.Len(t, InDomains(next), 3, "what was seen is taken")
	require.Len(t, next.LeftOut, 1)
	require.Equal(t, []int{1, 1, 0}, kept(next))
	whole := made(t, cluster.Spec{Nodes: racks(t).Nodes, Trees: racks(t).Trees, DomainHolds: []cluster.DomainHold{{Gang: "all", Count: 3}}})
	require.Equal(t, []int{3}, kept(whole))
}

// A hold on nodes of a lower priority ends too, where it is in the way.
func TestDomainsTakeLowerHolds(t *testing.T) {
	spec := racks(t)
	spec.Holds = []cluster.Hold{on("low", "a-0", 0), on("low", "b-0", 0)}
	c := made(t, spec)
	h := some("g", "a", 2, 0)
	_, err := holdIn(c, h)
	require.ErrorContains(t, err, "no room is left")
	h.Priority = 1
	next, err := holdIn(c, h)
	require.NoError(t, err)
	require.Empty(t, Of(next))
	_, err = Update(next, cluster.Delta{Holds: map[string][]cluster.Hold{"h": {on("h", "a-1", 0)}}})
	require.ErrorContains(t, err, "no room is left for 1 of 2 members")
	_, err = Update(next, cluster.Delta{Place: []cluster.Running{{Gang: "r", Member: "m", Node: "a-1", Resources: muster.Resources{"gpu": 1}}}})
	require.ErrorContains(t, err, "no room is left for 1 of 2 members")
	next, err = Update(next, cluster.Delta{Observed: true, Place: []cluster.Running{{Gang: "r", Member: "m", Node: "a-1", Resources: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	require.Equal(t, []int{1}, kept(next), "as much of it is kept as there is room for")
}

// Each member that comes to run in the domain ends the hold of one.
func TestMembersComeToDomains(t *testing.T) {
	c := made(t, racks(t))
	c, err := holdIn(c, some("g", "a", 2, 0), some("g", "b", 1, 1))
	require.NoError(t, err)
	member := func(name, node string) cluster.Running {
		return cluster.Running{Gang: "g", Member: name, Node: node, Resources: muster.Resources{"gpu": 4}}
	}
	c, err = Update(c, cluster.Delta{Place: []cluster.Running{member("m-1", "a-0")}})
	require.NoError(t, err)
	require.Equal(t, []cluster.DomainHold{some("g", "a", 1, 0), some("g", "b", 1, 1)}, InDomains(c))
	c, err = Update(c, cluster.Delta{Observed: true, Place: []cluster.Running{member("m-1", "a-0")}})
	require.NoError(t, err, "it runs already")
	require.Len(t, InDomains(c), 2)
	c, err = Update(c, cluster.Delta{Place: []cluster.Running{member("m-2", "a-1"), member("m-3", "b-1")}})
	require.NoError(t, err)
	require.Empty(t, InDomains(c))
	require.Nil(t, kept(c))
}

// Whoever is gone by then makes room; who is leaving does, and daemons are in nobody's way.
func TestRoomInDomains(t *testing.T) {
	spec := racks(
		t,
		cluster.Running{Gang: "ends", Member: "m", Node: "a-0", Resources: muster.Resources{"gpu": 4}, End: 5},
		cluster.Running{Gang: "goes", Member: "m", Node: "a-1", Resources: muster.Resources{"gpu": 1}, Leaving: true},
		cluster.Running{Gang: "daemon", Member: "m", Node: "a-1", Resources: muster.Resources{"gpu": 1}, Tolerated: true},
	)
	at := func(from int64) []int {
		h := some("g", "a", 2, 0)
		h.From = from
		c := made(t, cluster.Spec{Nodes: spec.Nodes, Trees: spec.Trees, Running: spec.Running, DomainHolds: []cluster.DomainHold{h}})
		return kept(c)
	}
	require.Equal(t, []int{1}, at(0))
	require.Equal(t, []int{1}, at(4))
	require.Equal(t, []int{2}, at(5))
	spec.Nodes[1].Cordoned = true
	require.Equal(t, []int{1}, at(5))
}

// A plan sees the room of holds of no lower priority, that are not its own, unless it is gone before all of them; what it takes is counted against that.
func TestBinding(t *testing.T) {
	h := some("g", "a", 2, 3)
	h.From, h.Priority = 5, 1
	spec := racks(t, cluster.Running{Gang: "grows", Member: "m", Node: "a-0", Resources: muster.Resources{"gpu": 4}, End: 5})
	spec.DomainHolds = []cluster.DomainHold{h}
	c := made(t, spec)
	require.Nil(t, Binding(c, 2, "x", 0, nobodyElse))
	require.Nil(t, Binding(c, 1, "g", 0, func(gang string) bool { return gang == "g" }))
	require.Nil(t, Binding(c, 1, "x", 5, nobodyElse))
	r := Binding(c, 1, "x", 6, nobodyElse)
	require.Equal(t, []int{2}, r.Need)
	node := c.PresentNode("a-1", -1)
	takes := func(r *Reserve, gpus int64) []int {
		amounts := make([]int64, len(c.Lineage.Resources))
		for i, name := range c.Lineage.Resources {
			if name == "gpu" {
				amounts[i] = gpus
			}
		}
		short, _, exact := r.Short([]Change{{Node: node, Takes: amounts}})
		require.True(t, exact)
		return short
	}
	require.Empty(t, takes(r, 1))
	require.Equal(t, []int{0}, takes(r, 2))
	require.Equal(t, []int{0}, takes(Binding(c, 1, "grows", 0, nobodyElse), 0), "its members stay, which were to be gone")
	require.Empty(t, takes(Binding(c, 1, "grows", 9, nobodyElse).bare(t), 0))
	next, exact := r.With(map[int][]int{0: {1}, 1: {1}})
	require.True(t, exact)
	require.Nil(t, next.Reserved)
	free, _ := next.FreeOn("a-0")
	require.Equal(t, int64(0), free["gpu"], "three of four come free in time")
	free, _ = next.FreeOn("a-1")
	require.Equal(t, int64(1), free["gpu"])
	settled := Settled(c, 1, "x", 0, nobodyElse)
	free, _ = settled.FreeOn("a-1")
	require.Equal(t, int64(1), free["gpu"])
	require.Same(t, c, Settled(c, 2, "x", 0, nobodyElse))
}

// bare is the reserve as if no member stayed behind its end.
func (r *Reserve) bare(t *testing.T) *Reserve {
	t.Helper()
	next := *r
	next.late = map[int32][][]int64{}
	return &next
}

// Who leaves makes room for those for whom it is held first.
func TestLeavingMakesRoomInDomains(t *testing.T) {
	spec := racks(t, cluster.Running{Gang: "goes", Member: "m", Node: "a-0", Resources: muster.Resources{"gpu": 3}, Leaving: true})
	spec.DomainHolds = []cluster.DomainHold{some("g", "a", 1, 2)}
	r := Binding(made(t, spec), 0, "x", 0, nobodyElse)
	next, exact := r.With(map[int][]int{0: {1}})
	require.True(t, exact)
	free, _ := next.FreeOn("a-0")
	require.Equal(t, int64(1), free["gpu"])
	require.Equal(t, muster.Resources{"gpu": 1}, next.ExportMember(next.Member("goes", "m")).Resources, "of three two are given away")
}

// What cannot be is named by its field.
func TestBadDomainHolds(t *testing.T) {
	spec := racks(t)
	for want, h := range map[string]cluster.DomainHold{
		`Gang: missing`: {Domain: []string{"a"}, Count: 1},
		`Gang "held for\x00x": a gang cannot be called so`:                              {Gang: prefix + "x", Count: 1},
		`Count "0": not positive`:                                                       some("g", "a", 0, 1),
		`Tree "other": unknown topology`:                                                {Gang: "g", Tree: "other", Count: 1},
		`Domain "c": no domain of the topology has this path`:                           some("g", "c", 1, 1),
		`End "3": not behind From`:                                                      {Gang: "g", Count: 1, From: 3, End: 3},
		`Resources: members that take nothing need no room; nil stands for whole nodes`: {Gang: "g", Count: 1, Resources: muster.Resources{"gpu": 0}},
	} {
		spec.DomainHolds = []cluster.DomainHold{h}
		_, err := New(spec)
		require.EqualError(t, err, "cluster.DomainHolds[0]."+want)
	}
	spec.DomainHolds = []cluster.DomainHold{{Gang: "g", Count: 1, Resources: muster.Resources{"gpu": -1}}}
	_, err := New(spec)
	require.ErrorContains(t, err, "cluster.DomainHolds[0].Resources")
	_, err = holdIn(made(t, racks(t)), cluster.DomainHold{Gang: "g", Count: 1, Resources: muster.Resources{"fpga": 1}})
	require.ErrorContains(t, err, "no room is left for 1 of 1 members for whom it is held in the topology", "nobody has any")
	_, err = Update(made(t, racks(t)), cluster.Delta{DomainHolds: map[string][]cluster.DomainHold{"h": {some("g", "a", 1, 1)}}})
	require.EqualError(t, err, `delta.DomainHolds[h][0].Gang "g": is listed for h`)
}
