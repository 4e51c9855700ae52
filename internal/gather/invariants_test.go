//go:build invariants

package gather

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// With the build tag `invariants` a plan that is wrong is seen.
func TestInvariantsSeeWrongPlans(t *testing.T) {
	decided := func() (*found, *model.Answer, *share) {
		req := &gang.Request{Name: "g", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
		for i := range 4 {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m-", i)})
		}
		var nodes []cluster.Node
		for i := range 3 {
			nodes = append(nodes, cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 2}})
		}
		c, err := snapshot.New(cluster.Spec{Nodes: nodes, Running: []cluster.Running{{Gang: "x", Member: "x-0", Node: "n1", Resources: muster.Resources{"gpu": 1}}}})
		require.NoError(t, err)
		p, err := problem.New(c, req, nil, bounds.Search{})
		require.NoError(t, err)
		_, err = problem.RefusedTogether(p)
		require.NoError(t, err)
		p.Ready()
		for f := range newAsk(&p.Model, p.Model.Room.Table(), 4).feasible(nil) {
			if d := f.best(); d >= 0 {
				o := f.decide(d)
				sh := f.sums.placer().place(d, f.ask.everything())
				return &f, o, &sh
			}
		}
		return nil, nil, nil
	}
	for want, spoil := range map[string]func(f *found, o *model.Answer, sh *share){
		"invariant: 5 members are shared out, not 4": func(f *found, o *model.Answer, sh *share) {
			sh.demand.units[0]++
			sh.parts[0].demand.units[0]++
			sh.parts[0].parts[0].demand.units[0]++
		},
		"invariant: vertex 0 keeps -1 members to itself": func(f *found, o *model.Answer, sh *share) { sh.demand.units[0]-- },
		"invariant: 3 of 4 members have a position":      func(f *found, o *model.Answer, sh *share) { o.Positions = o.Positions[:3] },
		"invariant: the gang reaches more than tier 0":   func(f *found, o *model.Answer, sh *share) { f.strategy.Gang = 0 },
		"invariant: vertex 1 gets a part of vertex 1":    func(f *found, o *model.Answer, sh *share) { sh.at = 1 },
	} {
		f, o, sh := decided()
		f.checkPlan(o, sh)
		spoil(f, o, sh)
		require.PanicsWithValue(t, want, func() { f.checkPlan(o, sh) })
	}
}
