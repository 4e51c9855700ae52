package problem

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
)

// asked is the problem of four members, and what else a request says, on the cluster of racks and feeds.
func asked(t *testing.T, with func(req *gang.Request)) *Problem {
	t.Helper()
	c, err := snapshot.New(richCluster(t))
	require.NoError(t, err)
	req := &gang.Request{Name: "new", Tree: "default", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range 4 {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(i)})
	}
	with(req)
	p, err := New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	return p
}

// Strategies are those of each tier of the gang; where not even the hard rules of groups fit none of the tier is enumerated, and what
// fits is asked once for each level.
func TestStrategiesThatCannotFitAreLeftOut(t *testing.T) {
	prefer := []gang.Rule{{Layer: "rack", Strength: gang.PreferGather}, {Layer: "node", Strength: gang.PreferGather}}
	p := asked(t, func(req *gang.Request) {
		req.Gather, req.Groups = prefer, []gang.Groups{{Size: 2, Gather: prefer}}
	})
	list := func(try func(model.Strategy) bool) (out []string) {
		for st := range p.Model.Strategies(try) {
			out = append(out, fmt.Sprint(st.Gang, st.Groups))
		}
		return out
	}
	all := list(nil)
	require.Equal(t, []string{"0 [0]", "1 [0]", "1 [1]", "3 [0]", "3 [1]", "3 [3]"}, all)
	tried := 0
	require.Equal(t, all[1:], list(func(st model.Strategy) bool {
		tried++
		require.Equal(t, []int32{3}, st.Groups, "groups are bound by the hard rules alone, and there are none")
		return st.Gang > 0
	}))
	require.Equal(t, 3, tried)
	for range p.Model.Strategies(nil) {
		break
	}
}

// A gang spans topologies where rules of a part speak of another one.
func TestGangsThatSpanTopologies(t *testing.T) {
	parts := func(tree string) *Problem {
		return asked(t, func(req *gang.Request) {
			req.Parts = []gang.Part{{Name: "a", Members: []string{"0", "1"}}, {Name: "b", Members: []string{"2", "3"}, Tree: tree}}
			if tree != "" {
				req.Parts[1].Gather = []gang.Rule{{Layer: "feed", Strength: gang.MustGather}}
			}
		})
	}
	require.False(t, parts("").Model.SpansTrees())
	require.True(t, parts("feeds").Model.SpansTrees())
}

// Shapes that say the same are one, whoever has them.
func TestEqualShapesAreOne(t *testing.T) {
	p := asked(t, func(req *gang.Request) {
		for i := range req.Members {
			own := req.Shape
			own.Resources = muster.Resources{"gpu": 1 + int64(i)/4}
			req.Members[i].Shape = &own
		}
	})
	require.False(t, p.InParts())
	require.Len(t, p.Room.Shapes, 1)
	p = asked(t, func(req *gang.Request) { req.Members[3].Shape = &gang.Shape{Resources: muster.Resources{"gpu": 2}} })
	require.True(t, p.InParts())
	require.Len(t, slices.Compact(slices.Clone(p.Room.Shapes)), 2)
}

// Members whose shapes differ in anything are of different roles.
func TestRolesDifferInAnything(t *testing.T) {
	spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"cpu": 1, "memory": 1}}}}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "g"}
	for i := range 1000 {
		s := &gang.Shape{Resources: muster.Resources{"cpu": int64(i % 500), "memory": int64(500 - i%500)}} // all of one sum
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint(i), Shape: s})
	}
	p, err := New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	require.Len(t, p.Room.Shapes, 500)
}
