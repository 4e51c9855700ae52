package apart_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/topology"
)

// What is supported is what the planner does not refuse; and whatever the limits were, without them nothing is left to be refused.
func TestSupportedIsWhatThePlannerTakes(t *testing.T) {
	var nodes []topology.LabeledNode
	spec := cluster.Spec{}
	for i := range 8 {
		n := cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 4}}
		spec.Nodes = append(spec.Nodes, n)
		nodes = append(nodes, topology.LabeledNode{Name: n.Name, Labels: map[string]string{"leaf": fmt.Sprint("l", i/4), "unit": fmt.Sprint("u", i/2)}})
	}
	tree, err := topology.FromLabels(topology.LabelLayers{Layers: []topology.LabelLayer{{Keys: []string{"leaf"}}, {Keys: []string{"unit"}}}}, nodes)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	rapid.Check(t, func(t *rapid.T) {
		d := drawer{t}
		q := d.request()
		of := spec
		runs := 0
		for i := range q.Members[:d.number(0, 1)*d.number(0, len(q.Members)-1)] {
			m := &q.Members[i]
			of.Running = append(of.Running, cluster.Running{
				Gang: q.Name, Member: m.Name, Node: fmt.Sprint("n", i), Resources: muster.Resources{"gpu": 1}, Index: m.Index, Indexed: true,
			})
			runs++
		}
		q.Members = q.Members[runs:]
		c, err := placement.NewCluster(of)
		require.NoError(t, err)
		_, err = placement.Plan(c, q)
		var invalid *muster.InvalidError
		if errors.As(err, &invalid) && !strings.Contains(invalid.Field, "Limits") {
			t.Skip("something else is the matter")
		}
		require.Equal(t, !errors.Is(err, muster.ErrNotSupported), apart.Supported(q), "%v", err)
		apart.Drop(q)
		require.False(t, apart.Any(q))
		require.True(t, apart.Supported(q))
		if _, err = placement.Plan(c, q); errors.As(err, &invalid) && !strings.Contains(invalid.Field, "Limits") {
			return // that was the matter already, but limits made parts of the gang
		}
		require.NotErrorIs(t, err, muster.ErrNotSupported)
	})
}

// drawer draws requests of limits with all that may stand beside them.
type drawer struct{ *rapid.T }

func (d drawer) number(low, high int) int { return rapid.IntRange(low, high).Draw(d.T, "number") }

func (d drawer) rarely(n int) bool { return d.number(1, n) == n }

// limits draws at most one limit, for groups or parts too.
func (d drawer) limits() []gang.Limit {
	kind := rapid.SampledFrom([]gang.LimitKind{"", "", gang.Alone, gang.Apart}).Draw(d.T, "kind")
	if kind == "" {
		return nil
	}
	l := gang.Limit{Layer: rapid.SampledFrom([]string{"node", "unit", "leaf"}).Draw(d.T, "layer"), Kind: kind}
	if kind == gang.Apart {
		l.Most = 1
	}
	return []gang.Limit{l}
}

// request draws a gang, all of whose members are known.
func (d drawer) request() *gang.Request {
	q := &gang.Request{Name: "ns/gang", Limits: d.limits()}
	shapes := []*gang.Shape{{Resources: muster.Resources{"gpu": 1}}, {Resources: muster.Resources{"gpu": 2}}}
	q.Shape = *shapes[0]
	mixed := d.rarely(4)
	known := d.number(1, 6)
	for i := range known {
		m := gang.Member{Name: fmt.Sprint("m-", i), Index: i, Indexed: true}
		if mixed {
			m.Shape = shapes[i%2]
		}
		q.Members = append(q.Members, m)
	}
	if d.rarely(6) {
		q.Gather = []gang.Rule{{Layer: "node", Multiple: 2}}
	}
	switch d.number(0, 4) {
	case 0:
		q.PP = d.number(1, known)
	case 1:
		outer := d.number(1, known)
		q.Groups = []gang.Groups{{Size: outer, Limits: d.limits()}}
		if d.rarely(2) {
			q.Groups = append(q.Groups, gang.Groups{Size: 1, Limits: d.limits()})
		}
	case 2:
		names := []string{}
		for _, m := range q.Members[:d.number(1, known)] {
			names = append(names, m.Name)
		}
		q.Parts = []gang.Part{{Name: "part", Members: names, Limits: d.limits(), Groups: []gang.Groups{{Size: 1, Limits: d.limits()}}}}
		for i := range q.Limits {
			q.Limits[i].OfParts = d.rarely(2)
		}
		if d.rarely(8) {
			q.Parts[0].Gather = []gang.Rule{{Layer: "unit", Multiple: 2}}
		}
	}
	return q
}
