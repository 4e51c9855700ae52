//go:build invariants

package placement

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// With the build tag `invariants` a snapshot that is wrong is seen.
func TestInvariantsSeeDefects(t *testing.T) {
	fresh := func() *Snapshot {
		spec := Spec{Running: []Running{{Gang: "x", Member: "x-0", Node: "n1", Resources: muster.Resources{"gpu": 1}}}}
		for i := range 3 {
			spec.Nodes = append(spec.Nodes, Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 2}})
		}
		c, err := NewSnapshot(spec)
		require.NoError(t, err)
		return c
	}
	gpu := fresh().lineage.resource("gpu")
	for want, spoil := range map[string]func(c *Snapshot){
		"invariant: node n0 has 1 of gpu free, not 2":                  func(c *Snapshot) { c.free[gpu].Set(0, 1) },
		"invariant: the leaving members are not those of the gangs":    func(c *Snapshot) { c.leaving = c.membersOn(1) },
		"invariant: the members on node n1 are not those of the gangs": func(c *Snapshot) { c.on.Set(1, hosted{}) },
		"invariant: gang y has no members":                             func(c *Snapshot) { c.gangs.ReplaceOrInsert(&gangMembers{name: "y"}) },
		"invariant: members run on absent node n1":                     func(c *Snapshot) { c.static.set(1, node{}) },
		"invariant: the members on node n0 are not those of the gangs": func(c *Snapshot) { c.on.Set(0, c.on.At(1)) },
		"invariant: member x x-0 is out of order": func(c *Snapshot) {
			m := c.on.At(1).m
			c.gangs.ReplaceOrInsert(&gangMembers{name: "x", members: []*member{m, m}})
		},
	} {
		c := fresh()
		c.checkSnapshot()
		spoil(c)
		require.PanicsWithValue(t, want, c.checkSnapshot)
	}
}

// With the build tag `invariants` a plan that is wrong is seen.
func TestInvariantsSeeWrongPlans(t *testing.T) {
	decided := func() (*outcome, *share) {
		req := &gang.Request{Name: "g", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
		for i := range 4 {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m-", i)})
		}
		var nodes []Node
		for i := range 3 {
			nodes = append(nodes, Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 2}})
		}
		c, err := NewSnapshot(Spec{Nodes: nodes, Running: []Running{{Gang: "x", Member: "x-0", Node: "n1", Resources: muster.Resources{"gpu": 1}}}})
		require.NoError(t, err)
		p, err := newProblem(c, req)
		require.NoError(t, err)
		o := p.search()
		sh := o.found.sums.place(o.domain, o.found.sums.everything())
		return o, &sh
	}
	for want, spoil := range map[string]func(o *outcome, sh *share){
		"invariant: 5 members are shared out, not 4": func(o *outcome, sh *share) {
			sh.demand.units[0]++
			sh.parts[0].demand.units[0]++
			sh.parts[0].parts[0].demand.units[0]++
		},
		"invariant: vertex 0 keeps -1 members to itself": func(o *outcome, sh *share) { sh.demand.units[0]-- },
		"invariant: 3 of 4 members have a position":      func(o *outcome, sh *share) { o.positions = o.positions[:3] },
		"invariant: the gang reaches more than tier 0":   func(o *outcome, sh *share) { o.found.strategy.gang = 0 },
		"invariant: vertex 1 gets a part of vertex 1":    func(o *outcome, sh *share) { sh.at = 1 },
	} {
		o, sh := decided()
		o.checkPlan(sh)
		spoil(o, sh)
		require.PanicsWithValue(t, want, func() { o.checkPlan(sh) })
	}
}
