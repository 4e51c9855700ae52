package parts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Of 24 parts of different sizes any may be left out: of their 16 million selections a few thousand are reached, and there is doubt.
func TestSelectionsReachedAreBounded(t *testing.T) {
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "node", Allocatable: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	req := &gang.Request{Name: "gang", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, MinParts: 1}
	for i := range 24 {
		p := gang.Part{Name: fmt.Sprint("part-", i)}
		for k := range i + 1 {
			p.Members = append(p.Members, fmt.Sprint(i, "-", k))
			req.Members = append(req.Members, gang.Member{Name: p.Members[k]})
		}
		req.Parts = append(req.Parts, p)
	}
	p, err := problem.New(c, req, nil, problem.Bounds{})
	require.NoError(t, err)
	Engine{p}.Count()
	p.Ready()

	s, reached := selectionsOf(p), 0
	for range s.downFrom(s.everything()) {
		if reached++; reached > mostReached*p.SelectionSteps()+len(req.Parts) {
			require.Fail(t, "too many")
		}
	}
	require.Greater(t, reached, mostReached*p.SelectionSteps()-len(req.Parts))
	require.True(t, s.truncated)
	require.True(t, *p.Model.Doubt)
}
