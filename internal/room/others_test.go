// Are nodes meant for others left out where that makes a difference, and only there?

package room_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/validity"
)

// nodeOfKind is a node with devices, or a taint or a label by which it may be meant for others.
func nodeOfKind(t *rapid.T, name string) cluster.Node {
	n := cluster.Node{Name: name, Allocatable: muster.Resources{muster.CPU: 8000}, Labels: map[string]string{"kind": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind")}}
	switch rapid.IntRange(0, 3).Draw(t, "node") {
	case 1:
		n.Allocatable["gpu"] = rapid.Int64Range(0, 1).Draw(t, "devices")
	case 2:
		n.Taints = []gang.Taint{{Key: "soft", Effect: gang.PreferNoSchedule}, {Key: "hard", Effect: gang.NoSchedule}}
	case 3:
		n.Allocatable["fpga"] = 1
	}
	return n
}

// shapeOfKind asks for devices, or none; some tolerate the taint, or prefer a label.
func shapeOfKind(t *rapid.T) *gang.Shape {
	s := &gang.Shape{Resources: muster.Resources{muster.CPU: 1000}}
	for _, device := range []string{"gpu", "fpga"} {
		if rapid.Bool().Draw(t, "asks for "+device) {
			s.Resources[device] = 1
		}
	}
	if rapid.Bool().Draw(t, "tolerates") {
		s.Tolerations = []gang.Toleration{{Key: "soft", Exists: true}}
	}
	if draws.Chance(t, 60, "prefers") {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"b"}}}}
		s.Preferred = []gang.Preference{{Weight: rapid.Int64Range(0, 2).Draw(t, "weight"), Nodes: term}}
	}
	return s
}

// drawOthers draws members, in units or of roles, and nodes that may be meant for others.
func drawOthers(t *rapid.T) *asked {
	spec := cluster.Spec{}
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		spec.Nodes = append(spec.Nodes, nodeOfKind(t, fmt.Sprint("n-", i)))
	}
	var shapes []*gang.Shape
	for range rapid.IntRange(1, 3).Draw(t, "shapes") {
		shapes = append(shapes, shapeOfKind(t))
	}
	a := newAsked(t, spec, &gang.Request{Name: "g", TakesAnyNode: draws.Chance(t, 20, "takes any node")}, shapes...)
	if rapid.Bool().Draw(t, "roles") {
		for range rapid.IntRange(1, 4).Draw(t, "members") {
			a.Model.RoleOf = append(a.Model.RoleOf, int32(rapid.IntRange(0, len(shapes)-1).Draw(t, "role")))
		}
	}
	return a
}

// comeTogether are the shapes that come to a node together: those of a unit, or of one role.
func (a *asked) comeTogether() (list [][]*gang.Shape) {
	if a.Model.RoleOf == nil {
		return [][]*gang.Shape{a.Shapes}
	}
	for role := range a.Shapes {
		if slices.Contains(a.Model.RoleOf, int32(role)) {
			list = append(list, a.Shapes[role:role+1])
		}
	}
	return list
}

// spares says whether some nodes are meant for others than some members, and for none all are.
func (a *asked) spares() (some bool) {
	for _, shapes := range a.comeTogether() {
		theirs := 0
		for i := range a.spec.Nodes {
			if validity.MeantForOthers(shapes, &a.spec.Nodes[i]) {
				theirs++
			}
		}
		if theirs == len(a.spec.Nodes) {
			return false
		}
		some = some || theirs > 0
	}
	return some
}

// Nodes meant for others are left out if that makes a difference and leaves some, on every snapshot. Without preferences the kinds of nodes
// tell; with them they may only say that nothing is to be left out if that is so.
func TestNodesForOthersAreLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawOthers(t)
		for range rapid.IntRange(1, 3).Draw(t, "snapshots") {
			alone := func(role int) *room.Room {
				shapes := a.Shapes
				if a.Model.RoleOf != nil {
					shapes = shapes[role : role+1]
				}
				one := onSnapshot(t, a.Snapshot, a.Request, shapes...)
				one.Spared = true
				return one.Room
			}
			require.Equal(t, a.spares(), a.SparesSome(alone))
			prefer := slices.ContainsFunc(a.comeTogether(), func(shapes []*gang.Shape) bool {
				return slices.ContainsFunc(shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 && s.Preferred[0].Weight > 0 })
			})
			switch {
			case a.Request.TakesAnyNode:
				require.False(t, a.MaySpare(), "it takes any node")
			case !prefer:
				require.Equal(t, a.spares(), a.MaySpare())
			case a.spares():
				require.True(t, a.MaySpare())
			}
			a.Spared = true
			require.False(t, a.MaySpare(), "they are left out already")
			next, err := a.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{nodeOfKind(t, a.spec.Nodes[0].Name)}})
			require.NoError(t, err)
			roles := a.Model.RoleOf
			a = onSnapshot(t, next, a.Request, a.Shapes...)
			a.Model.RoleOf = roles
		}
	})
}

// Where all nodes are meant for others than the members of one role, none is left out, whatever the other roles need.
func TestRolesForWhichAllNodesAreOthers(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "a", Allocatable: muster.Resources{"gpu": 1, "fpga": 1}}, {Name: "b", Allocatable: muster.Resources{"gpu": 1}}}}
	device, nothing, both := &gang.Shape{Resources: muster.Resources{"gpu": 1}}, &gang.Shape{}, &gang.Shape{Resources: muster.Resources{"gpu": 1, "fpga": 1}}
	for _, c := range []struct {
		of   []*gang.Shape
		some bool
	}{{[]*gang.Shape{device, both}, true}, {[]*gang.Shape{both, device}, true}, {[]*gang.Shape{nothing, device}, false}, {[]*gang.Shape{device, nothing}, false}, {[]*gang.Shape{both, both}, false}} {
		a := newAsked(t, spec, &gang.Request{Name: "g"}, c.of...)
		a.Model.RoleOf = []int32{0, 1}
		require.Equal(t, c.some, a.SparesSome(nil))
		require.Equal(t, c.some, a.MaySpare())
	}
}

// A cluster in which each node is of its own kind has too many of them to count: nodes are asked one by one.
func TestManyKindsOfNodes(t *testing.T) {
	spec := cluster.Spec{}
	for i := range 70 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n-", i), Taints: []gang.Taint{{Key: fmt.Sprint(i), Effect: gang.PreferNoSchedule}}})
	}
	for tolerated, want := range map[int]bool{0: false, 3: true, 70: false} { // all nodes are meant for others, some are, none is
		s := &gang.Shape{}
		for i := range tolerated {
			s.Tolerations = append(s.Tolerations, gang.Toleration{Key: fmt.Sprint(i), Exists: true})
		}
		a := newAsked(t, spec, &gang.Request{Name: "g"}, s)
		require.True(t, a.MaySpare(), "the kinds do not tell")
		a.Spared = true
		require.Equal(t, want, a.SparesSome(func(int) *room.Room { return a.Room }), "%d taints are tolerated", tolerated)
	}
}
