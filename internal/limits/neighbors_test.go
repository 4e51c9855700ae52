package limits

import (
	"iter"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
)

func runs(gang, node string) cluster.Running {
	return cluster.Running{Gang: gang, Member: gang + " on " + node, Node: node}
}

func leaves(r cluster.Running) cluster.Running {
	r.Leaving = true
	return r
}

func isAlone(r cluster.Running, layer string) cluster.Running {
	r.Alone = layer
	return r
}

func is(gang string) func(string) bool { return func(g string) bool { return g == gang } }

// Who is near keeps a gang off nodes: by node, for an index that all share, without those of its own, and without those that leave.
func TestNeighborsKeepsOff(t *testing.T) {
	c, v := rackCluster(t,
		runs("mine", "n1"), leaves(runs("goes", "n2")), isAlone(leaves(runs("hermit", "n3")), "rack"), runs("other", "n5"))
	lonely := read(t, v, []gang.Limit{alone("rack")})
	for _, test := range []struct {
		name      string
		l         *Limits
		tolerated bool
		state     State
		want      [5]string
	}{
		{"everybody is another", lonely, false, Everybody, [5]string{"occupied", "occupied", "closed", "closed", "occupied"}},
		{"its own are none", lonely, false, Others, [5]string{"occupied", "occupied", "closed", "closed", "occupied"}},
		{"nor those that leave", lonely, false, Staying, [5]string{4: "occupied"}},
		{"no limit", nil, false, Others, [5]string{2: "closed", 3: "closed"}},
		{"no limit, once they left", nil, false, Staying, [5]string{}},
		{"tolerated", lonely, true, Others, [5]string{"occupied", "occupied", "occupied", "occupied", "occupied"}},
	} {
		n := Near(c, v, test.l, nil, test.tolerated, "mine", is("mine"))
		for pos := range v.Nodes {
			require.Equal(t, test.want[v.Node(pos)], n.KeepsOff(v.Node(pos), test.state), "%s: n%d", test.name, v.Node(pos)+1)
		}
	}
	require.Nil(t, Near(c, v, nil, nil, true, "mine", is("mine")), "to a tolerated gang without limits nobody matters")
}

// A domain is looked at once for each state, however many of its nodes are asked for.
func TestNeighborsLooksOnceAtADomain(t *testing.T) {
	c, v := rackCluster(t, runs("mine", "n1"), runs("mine", "n2"))
	asked := 0
	n := Near(c, v, read(t, v, []gang.Limit{alone("rack")}), nil, true, "mine", func(gang string) bool { asked++; return gang == "mine" })
	asked = 0
	require.False(t, n.Meets(0, Others))
	once := asked
	require.Positive(t, once)
	require.False(t, n.Meets(1, Others))
	require.Equal(t, once, asked)
	require.False(t, n.Meets(0, Staying))
	require.Greater(t, asked, once)
}

// A gang alone in its rack with members of its own is not kept off, and others in the same rack keep it off.
func TestNeighborsOfItsOwn(t *testing.T) {
	c, v := rackCluster(t, isAlone(runs("mine", "n1"), "rack"), runs("other", "n4"))
	n := Near(c, v, read(t, v, []gang.Limit{alone("rack")}), nil, false, "mine", is("mine"))
	require.True(t, n.HasOwn())
	require.Equal(t, "", n.KeepsOff(1, Others), "its own close the node, and are no others")
	require.Equal(t, "closed", n.KeepsOff(1, Everybody))
	require.Equal(t, "occupied", n.KeepsOff(2, Others))
	require.Equal(t, []int32{1}, n.Tiers())
	require.Equal(t, []int32{2, 1}, Near(c, v, read(t, v, []gang.Limit{alone("rack")}), []int32{2}, false, "mine", is("mine")).Tiers())

	fresh := n.Fresh(is("other"))
	require.Equal(t, "occupied", fresh.KeepsOff(1, Others), "its own are others to who is asked now")
	c, v = rackCluster(t, runs("mine", "n1"))
	n = Near(c, v, read(t, v, []gang.Limit{alone("rack")}), nil, false, "mine", is("mine"))
	require.Equal(t, [2]string{"occupied", ""}, [2]string{n.KeepsOff(1, Everybody), n.KeepsOff(1, Others)})

	var nobody *Neighbors
	require.Nil(t, nobody.Of(nil, "mine"))
	require.Nil(t, nobody.Fresh(is("mine")))
	require.Nil(t, nobody.Tiers())
	require.False(t, nobody.HasOwn())
	require.Empty(t, nobody.KeepsOff(0, Others))
	require.Nil(t, nobody.Leaving(nil, nil))
	require.Equal(t, []int32{7}, nobody.Apart([]int32{7}, Others))
}

// Of several gangs that start together each is another to the others where they leave.
func TestNeighborsOfOneOfSeveral(t *testing.T) {
	c, v := rackCluster(t, runs("a", "n1"), leaves(runs("b", "n3")))
	own := func(g string) bool { return g == "a" || g == "b" }
	l := read(t, v, []gang.Limit{alone("rack")})
	n := Near(c, v, nil, []int32{1}, false, "", own)
	require.True(t, n.HasOwn())
	for gang, want := range map[string][2]string{"a": {"", "occupied"}, "b": {"", ""}, "": {"", ""}} {
		of := n.Of(l, gang)
		require.Equal(t, want, [2]string{of.KeepsOff(0, Others), of.KeepsOff(2, Others)}, "of %q", gang)
	}
}

// Where one of a gang that is alone stays, its domain stays closed though another leaves; and of several own gangs the other one's stays so.
func TestNeighborsStaysClosed(t *testing.T) {
	c, v := rackCluster(t, isAlone(runs("hermit", "n1"), "rack"), isAlone(leaves(cluster.Running{Gang: "hermit", Member: "second", Node: "n3"}), "rack"),
		isAlone(leaves(runs("b", "n4")), "rack"))
	n := Near(c, v, nil, []int32{1}, false, "", func(g string) bool { return g == "a" || g == "b" })
	require.Equal(t, "closed", n.KeepsOff(1, Staying))
	require.Equal(t, "", n.KeepsOff(2, Staying))
	require.Equal(t, "closed", n.Of(nil, "a").KeepsOff(2, Others), "b is another to a until it is gone")
}

// Waited for are those that leave where the plan must be alone, and those whose own limit closes nodes that it takes.
func TestNeighborsLeaving(t *testing.T) {
	c, v := rackCluster(t,
		leaves(runs("near", "n2")), isAlone(leaves(runs("hermit", "n3")), "rack"), leaves(runs("far", "n5")))
	lonely := read(t, v, []gang.Limit{alone("rack")})
	rack := v.DomainAt(v.At(0), 1)
	at := func(nodes ...int32) iter.Seq2[int32, string] {
		return func(yield func(int32, string) bool) {
			for _, id := range nodes {
				if !yield(v.At(id), "mine") {
					return
				}
			}
		}
	}
	for _, test := range []struct {
		name      string
		l         *Limits
		tolerated bool
		nodes     []int32
		alone     map[layout.Vertex]string
		want      []string
	}{
		{"alone in the rack", lonely, false, []int32{0}, map[layout.Vertex]string{rack: "mine"}, []string{"near on n2"}},
		{"its own leave", lonely, false, []int32{0}, map[layout.Vertex]string{rack: "near"}, nil},
		{"on a closed node", nil, false, []int32{3}, nil, []string{"hermit on n3"}},
		{"beside it", nil, false, []int32{4}, nil, nil},
		{"tolerated", lonely, true, []int32{3}, map[layout.Vertex]string{rack: "mine"}, []string{"near on n2"}},
	} {
		n := Near(c, v, test.l, nil, test.tolerated, "mine", is("mine"))
		var names []string
		for _, m := range n.Leaving(at(test.nodes...), maps.All(test.alone)) {
			names = append(names, m.Name)
		}
		require.Equal(t, test.want, names, test.name)
	}
}

// An index that all gangs share sees some nodes otherwise than the plan: those that its own close, and those near its own where it is alone.
func TestNodesSeenApart(t *testing.T) {
	c, v := rackCluster(t, isAlone(runs("mine", "n1"), "rack"), runs("other", "n4"))
	has := func(l *Limits, state State) map[int32]bool {
		out := map[int32]bool{}
		for _, id := range Near(c, v, l, nil, false, "mine", is("mine")).Apart(nil, state) {
			out[id] = true
		}
		return out
	}
	require.Equal(t, map[int32]bool{0: true, 1: true}, has(nil, Others))
	require.Equal(t, map[int32]bool{0: true, 1: true}, has(read(t, v, []gang.Limit{alone("rack")}), Others))
	require.Empty(t, has(nil, Everybody))

	c, v = rackCluster(t, runs("mine", "n1"), leaves(runs("other", "n4")))
	require.Equal(t, map[int32]bool{0: true, 1: true}, has(read(t, v, []gang.Limit{alone("rack")}), Others))
	require.Equal(t, map[int32]bool{0: true, 1: true, 2: true, 3: true}, has(read(t, v, []gang.Limit{alone("rack")}), Staying))
	n := Near(c, v, nil, nil, false, "mine", is("mine"))
	require.Equal(t, []int32{3}, n.Domains([]int32{3}), "who comes matters to the node alone")
	n = Near(c, v, nil, []int32{1, 0}, false, "mine", is("mine"))
	require.Equal(t, []int32{0, 1, 2, 3}, n.Domains([]int32{3, 0, 2}))
}
