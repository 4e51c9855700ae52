package placers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

// fixed is a placer that always says the same.
type fixed struct {
	place *simulate.Place
	err   error
	mute  bool // it has no word for anything
}

func (f fixed) Place(*placement.Cluster, *gang.Request) (*simulate.Place, error) {
	return f.place, f.err
}
func (f fixed) CanAsk(*gang.Request) bool { return !f.mute }

// What a placer says is compared with a plan on the same cluster: refused though there is one, or wider than it.
func TestJudged(t *testing.T) {
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{
		{Name: "a", Tier: 1, Nodes: []string{"n0", "n1"}}, {Name: "b", Tier: 1, Nodes: []string{"n2", "n3"}},
	}})
	require.NoError(t, err)
	spec := cluster.Spec{Trees: []cluster.NamedTree{{Tree: tree}}}
	for _, name := range []string{"n0", "n1", "n2", "n3", "n4"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 1}})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "g", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Members: []gang.Member{{Name: "g-0"}, {Name: "g-1"}}}
	large := *req
	large.Members = make([]gang.Member, 6)
	for i := range large.Members {
		large.Members[i].Name = string(rune('a' + i))
	}
	failed := errors.New("it is gone")
	for name, tc := range map[string]struct {
		of   fixed
		req  *gang.Request
		want Judged
	}{
		"refused":           {fixed{}, req, Judged{Asked: 1, Refused: 1}},
		"as the plan":       {fixed{place: &simulate.Place{Nodes: []string{"n3", "n2"}}}, req, Judged{Asked: 1, Placed: 1, Units: 1, Planned: 1}},
		"wider":             {fixed{place: &simulate.Place{Nodes: []string{"n1", "n2"}}}, req, Judged{Asked: 1, Placed: 1, Wider: 1, Units: 2, Planned: 1}},
		"outside":           {fixed{place: &simulate.Place{Nodes: []string{"n1", "n4"}}}, req, Judged{Asked: 1, Placed: 1, Wider: 1, Units: 2, Planned: 1}},
		"both refuse":       {fixed{}, &large, Judged{Asked: 1}},
		"no word":           {fixed{mute: true}, req, Judged{Unasked: 1}},
		"a plan of its own": {fixed{place: &simulate.Place{Plan: &placement.Result{Assignments: []placement.Assignment{{Node: "n0"}, {Node: "n2"}}}}}, req, Judged{Asked: 1, Placed: 1, Wider: 1, Units: 2, Planned: 1}},
		"an error":          {fixed{err: failed}, req, Judged{}},
	} {
		j := Judged{Placer: tc.of}
		place, err := j.Place(c, tc.req)
		require.Equal(t, tc.of.err, err, name)
		require.Equal(t, tc.of.place, place, name)
		tc.want.Placer = tc.of
		require.Equal(t, tc.want, j, name)
	}
}
