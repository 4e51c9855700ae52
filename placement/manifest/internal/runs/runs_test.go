package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/runs"
)

func TestCompare(t *testing.T) {
	row := func(member, node string, leaving bool) cluster.Running {
		return cluster.Running{Gang: "g", Member: member, Node: node, Leaving: leaving}
	}
	was := map[cluster.MemberRef]cluster.Running{}
	for _, m := range []cluster.Running{row("same", "n", false), row("leaves", "n", false), row("moves", "n", false), row("gone-10", "n", true), row("gone-9", "n", false)} {
		was[runs.Ref(&m)] = m
	}
	ref := func(member string) cluster.MemberRef { return cluster.MemberRef{Gang: "g", Member: member} }
	d := cluster.Delta{}
	now := []cluster.Running{row("new", "n", false), row("same", "n", false), row("moves", "m", true), row("leaves", "n", true)}
	runs.Compare(was, now, &d)
	require.Equal(t, cluster.Delta{
		Remove:  []cluster.MemberRef{ref("gone-9"), ref("gone-10"), ref("moves")},
		Leaving: []cluster.MemberRef{ref("leaves")},
		Place:   []cluster.Running{row("moves", "m", true), row("new", "n", false)},
	}, d)
}

// What is held for a gang is told whole where some of it is another thing, and as nothing where all of it has ended.
func TestCompareHolds(t *testing.T) {
	on := func(gang, member, node string) cluster.Hold {
		return cluster.Hold{Gang: gang, Member: member, Node: node}
	}
	was := []cluster.Hold{on("a", "2", "n"), on("a", "1", "n"), on("b", "1", "n"), on("c", "1", "n")}
	now := []cluster.Hold{on("c", "1", "m"), on("a", "1", "n"), on("a", "2", "n"), on("d", "1", "n")}
	require.Equal(t, map[string][]cluster.Hold{"b": nil, "c": {on("c", "1", "m")}, "d": {on("d", "1", "n")}}, runs.CompareHolds(was, now))
	require.Nil(t, runs.CompareHolds(was, was))
}
