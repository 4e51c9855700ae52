//go:build invariants

package snapshot

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/sorted"
)

// With the build tag `invariants` a snapshot that is wrong is seen.
func TestInvariantsSeeDefects(t *testing.T) {
	fresh := func() *Snapshot {
		spec := cluster.Spec{Running: []cluster.Running{{Gang: "x", Member: "x-0", Node: "n1", Resources: muster.Resources{"gpu": 1}}}}
		for i := range 3 {
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 2}})
		}
		c, err := New(spec)
		require.NoError(t, err)
		return c
	}
	gpu := fresh().Lineage.resource("gpu")
	for want, spoil := range map[string]func(c *Snapshot){
		"invariant: node n0 has 1 of gpu free, not 2":                  func(c *Snapshot) { c.Free[gpu].Set(0, 1) },
		"invariant: the leaving members are not those of the gangs":    func(c *Snapshot) { c.Leaving = c.sortedOn(1) },
		"invariant: the members on node n1 are not those of the gangs": func(c *Snapshot) { c.on.Set(1, hosted{}) },
		"invariant: gang y has no members":                             func(c *Snapshot) { c.Gangs.ReplaceOrInsert(&GangMembers{Name: "y"}) },
		"invariant: members run on absent node n1":                     func(c *Snapshot) { c.Static.set(1, static{}) },
		"invariant: the members on node n0 are not those of the gangs": func(c *Snapshot) { c.on.Set(0, c.on.At(1)) },
		"invariant: member x x-0 is out of order": func(c *Snapshot) {
			m := c.on.At(1).m
			c.Gangs.ReplaceOrInsert(&GangMembers{Name: "x", Members: sorted.Of([]*Member{m, m})})
		},
	} {
		c := fresh()
		c.checkSnapshot()
		spoil(c)
		require.PanicsWithValue(t, want, c.checkSnapshot)
	}
}
