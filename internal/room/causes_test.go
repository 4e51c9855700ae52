// Why does a node take no member, and is it said as the definition says it?

package room_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
)

// cause is the first cause for which a node takes no unit.
func (a *asked) cause(t require.TestingT, name string) string {
	if cause := a.refusal(name); cause != "" {
		return cause
	}
	inZones := a.zoneCause(t, name)
	if inZones == numa.CausePolicy {
		return string(inZones)
	}
	sum := muster.Resources{}
	for _, s := range a.Shapes {
		sum.Add(s.Resources)
	}
	for _, resource := range sum.Names() { // in natural order
		if free, bounded := validity.Free(a.node(name), resource, a.on(name)); bounded && sum[resource] > 0 && free < sum[resource] {
			return "resource:" + resource
		}
	}
	return string(inZones)
}

// zoneCause is that of the zones: of the members that fit not even alone the first, one of another policy before all; else there is no room
// for all of a unit.
func (a *asked) zoneCause(t require.TestingT, name string) (cause numa.Cause) {
	state := a.zones(t, name)
	if state == nil {
		return ""
	}
	needs := a.needs(t, name)
	for _, need := range needs {
		fit := need.Fit(state)
		if !fit.Fits && fit.Cause == numa.CausePolicy {
			return fit.Cause
		}
		if !fit.Fits && cause == "" {
			cause = fit.Cause
		}
	}
	if cause == "" && inZones(needs, state, 1) == nil {
		return numa.CauseCapacity
	}
	return cause
}

// A node without slots has one cause, the first that applies; and a node with slots has none.
func TestCausesOfRefusal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		if rapid.Bool().Draw(t, "in zones") {
			a = drawUnits(t)
		}
		a.Model.Hard, a.Spared = false, draws.Chance(t, 30, "without nodes for others")
		excluded, released := a.Slots().Excluded(), a.Slots().LeavingReleased()
		opening := a.Slots().Opening(a.Slots().RefusalForGood)
		for pos := range a.Model.View.Nodes {
			id, name := a.Model.View.Node(pos), a.name(pos)
			kept := a.refusal(name) == "closed" || a.refusal(name) == "occupied"
			require.Equal(t, kept || a.refusal(name) == "", opening(pos), name)
			if a.node(name) == nil {
				require.Equal(t, "not-ready", a.Slots().Cause(id, excluded, released))
				continue
			}
			cause := a.Slots().Cause(id, excluded, released)
			require.Equal(t, a.cause(t, name), cause, name)
			require.Equal(t, a.takes(t, name) > 0, cause == "", "%s takes no member, or one", name)
			if a.refusal(name) == "" || kept {
				require.Equal(t, kept, a.Slots().KeptOff(id), name)
				require.True(t, excluded.Has(id) || a.Slots().SuitsInService(id), name)
			}
		}
	})
}

// Another room of the request, for somebody who asks at the same time, gives the same causes, and leaves the first one's answers alone.
func TestFreshRoomsSayTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawUnits(t)
		a.Nodes().Table()
		prepared := len(a.ZoneState.OwnNeeds)
		fresh := a.Fresh(func(gang string) bool { return gang == a.Request.Name })
		for id := range int32(len(a.Snapshot.Lineage.Names)) {
			require.Equal(t, a.cause(t, a.Snapshot.Lineage.Names[id]), fresh.Slots().Cause(id, room.Excluded{}, fresh.Slots().LeavingReleased()))
		}
		require.Len(t, a.ZoneState.OwnNeeds, prepared, "both prepare members, each for itself")
	})
}

// A node outside the tree is open only to gangs that may be there.
func TestNodesOutsideTheTreeOpen(t *testing.T) {
	a := onePlainNode(t, cluster.Node{}, nil)
	open := a.Slots().Opening(func(int32) string { return "" })
	require.True(t, open(0))
	a.Model.Hard = true
	open = a.Slots().Opening(func(int32) string { return "" })
	require.False(t, open(0), "without a topology all nodes are outside")
}

// onePlainNode is a room on one node, which has a device, for members that ask for one, and what else a request says.
func onePlainNode(t *testing.T, n cluster.Node, with func(req *gang.Request)) *asked {
	t.Helper()
	n.Name, n.Allocatable = "n", muster.Resources{"gpu": 3}
	req := &gang.Request{Name: "g", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	if with != nil {
		with(req)
	}
	return newAsked(t, cluster.Spec{Nodes: []cluster.Node{n}}, req, &req.Shape)
}

// A node that is out of service suits members that tolerate all taints but those that go when it returns.
func TestWhoSuitsOnceInService(t *testing.T) {
	outage, lasting := gang.Taint{Key: "node.kubernetes.io/unreachable", Effect: gang.NoSchedule}, gang.Taint{Key: "own", Value: "yes", Effect: gang.NoSchedule}
	tolerates := func(req *gang.Request) { req.Shape.Tolerations = []gang.Toleration{{Key: "own", Exists: true}} }
	for name, c := range map[string]struct {
		node  cluster.Node
		with  func(req *gang.Request)
		suits bool
	}{
		"out of service":                  {cluster.Node{Cordoned: true}, nil, true},
		"its taint goes":                  {cluster.Node{NotReady: true, Taints: []gang.Taint{outage}}, nil, true},
		"a taint stays":                   {cluster.Node{NotReady: true, Taints: []gang.Taint{outage, lasting}}, nil, false},
		"a taint stays and is tolerated":  {cluster.Node{Cordoned: true, Taints: []gang.Taint{outage, lasting}}, tolerates, true},
		"nothing changes in service":      {cluster.Node{Taints: []gang.Taint{outage}}, nil, false},
		"it is tolerated in service, too": {cluster.Node{Taints: []gang.Taint{lasting}}, tolerates, true},
		"another label is asked for":      {cluster.Node{Cordoned: true}, func(req *gang.Request) { req.Shape.Selector = map[string]string{"zone": "b"} }, false},
		"the host filters it":             {cluster.Node{Cordoned: true}, func(req *gang.Request) { req.Eligible = func(string) bool { return false } }, false},
	} {
		a := onePlainNode(t, c.node, c.with)
		require.Equal(t, c.suits, a.Slots().SuitsInService(0), name)
		require.Equal(t, c.suits, a.Slots().ServesAgain(0), name)
	}
	spec := cluster.Spec{
		Nodes:   []cluster.Node{{Name: "n", Cordoned: true, Allocatable: muster.Resources{"gpu": 1}}},
		Running: []cluster.Running{{Gang: "other", Member: "m", Node: "n", Resources: muster.Resources{}, Alone: "node"}},
	}
	a := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{})
	require.True(t, a.Slots().SuitsInService(0))
	require.False(t, a.Slots().ServesAgain(0), "somebody is alone there")
}

// Refusals name the taints, or the labels, each once, whichever members of a unit they keep away.
func TestKeysOfRefusals(t *testing.T) {
	taints := []gang.Taint{
		{Key: "a", Value: "1", Effect: gang.NoSchedule}, {Key: "b", Effect: gang.NoExecute}, {Key: "c", Effect: gang.PreferNoSchedule},
	}
	n := cluster.Node{Name: "n", Taints: taints, Labels: map[string]string{"zone": "a"}}
	s := &gang.Shape{Selector: map[string]string{"zone": "b", "rack": "7"}}
	other := &gang.Shape{
		Tolerations: []gang.Toleration{{Key: "a", Exists: true}},
		Affinity:    []gang.NodeTerm{{Labels: []gang.Expression{{Key: "disk", Operator: gang.Exists}}}},
	}
	a := newAsked(t, cluster.Spec{Nodes: []cluster.Node{n}}, &gang.Request{Name: "g"}, s, other)
	require.Equal(t, []string{"a=1:NoSchedule", "b:NoExecute"}, a.Slots().Keys(0, "taint"))
	require.Equal(t, []string{"rack", "zone", "disk"}, a.Slots().Keys(0, "selector"))
	require.Empty(t, a.Slots().Keys(0, "cordoned"))
	require.Equal(t, "rack", a.Slots().Which(0, "selector"))
	require.Empty(t, a.Slots().Which(0, "cordoned"))
}

// Where the host tells the slots, amounts are not compared, and what it says is bounded on both sides.
func TestHostsTellSlots(t *testing.T) {
	for told, want := range map[int]int64{-3: 0, 0: 0, 7: 7, boundless + 1: boundless} {
		a := onePlainNode(t, cluster.Node{}, func(req *gang.Request) {
			req.Shape.Resources["gpu"] = 9 // more than there are
			req.Slots = func(node string) int {
				require.Equal(t, "n", node)
				return told
			}
		})
		require.Equal(t, want, a.Slots().Room(0, nil))
		require.Equal(t, []int64{want, want, want}, a.Slots().Count(), "the root, what is outside, and the node")
		require.Nil(t, a.Nodes().Table().Ix, "an index would be shared with others")
		require.Equal(t, map[bool]string{true: "slots"}[want == 0], a.Slots().Cause(0, room.Excluded{}, nil))
		a.Needs = []room.Need{{Name: "of other members"}}
		require.NoError(t, a.SumNeeds())
		require.Empty(t, a.Needs)
	}
}

// Requests that look at names or labels, or must keep to some nodes, ask for causes one by one.
func TestWhoIsSelective(t *testing.T) {
	shapes := map[string]gang.Shape{
		"nothing":  {},
		"selector": {Selector: map[string]string{"a": "b"}},
		"affinity": {Affinity: []gang.NodeTerm{{Fields: []gang.Expression{{Key: "metadata.name", Operator: gang.In, Values: []string{"n"}}}}}},
	}
	for name, s := range shapes {
		a := onePlainNode(t, cluster.Node{}, func(req *gang.Request) { req.Shape = s })
		require.Equal(t, name != "nothing", a.Slots().Selective(), name)
		a.Spared = true
		require.True(t, a.Slots().Selective(), name)
	}
	a := onePlainNode(t, cluster.Node{}, nil)
	a.Allowed = room.Allowed{}
	require.True(t, a.Slots().Selective(), "it must stay in domains")
}

// Members are of units, or of roles, or all alike.
func TestShapesOfMembers(t *testing.T) {
	one, two := &gang.Shape{}, &gang.Shape{}
	m := &model.Model{}
	r := &room.Room{Shapes: []*gang.Shape{one, two}, Model: m}
	require.Equal(t, 2, r.Size())
	require.Same(t, two, r.ShapeOf(3), "the second member of the second unit")
	m.RoleOf = []int32{1, 1, 0}
	require.Same(t, two, r.ShapeOf(1))
	require.Same(t, one, r.ShapeOf(2))
	require.Equal(t, 1, (&room.Room{Model: m}).Size())
}
