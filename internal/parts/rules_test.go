package parts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
)

// The rules that may bind are those of the gang and of groups with one name for it, outer ones first; each can be kept alone.
func TestRulesThatMayBind(t *testing.T) {
	must := func(layer string) []gang.Rule { return []gang.Rule{{Layer: layer, Strength: gang.MustGather}} }
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", Gather: must("rack"), Members: members(1, 1, 1, 1), Parts: []gang.Part{
		{Name: "one", Members: []string{"a", "b"}, Groups: []gang.Groups{{Size: 1, Gather: must("node")}}},
		{Name: "two", Members: []string{"c", "d"}, Gather: must("node")},
	}})
	var names []string
	rules := hardRules(e.P)
	for _, r := range rules {
		names = append(names, r.name)
	}
	require.Equal(t, []string{"MustGather rack", "MustGather node for groups of 1", "MustGather node for part two"}, names)
	require.Len(t, rules[1].parts, 2)
	two := under(e.P, rules[2:]).Model.Gang
	require.False(t, two.Gather.Hard)
	require.False(t, two.Parts[0].Parts[0].Gather.Hard)
	require.True(t, two.Parts[1].Gather.Hard)
}

// Of alike parts with multiples the first one is named whose members they do not divide, else the first.
func TestPartsThatMultiplesBind(t *testing.T) {
	multiple := []gang.Rule{{Layer: "node", Multiple: 2}}
	e := ready(t, oneRack(t), &gang.Request{Name: "gang", MinMember: 1, MinParts: -1, Members: members(1, 1, 1, 1, 1, 1, 1), Gather: multiple, Parts: []gang.Part{
		{Name: "one", Members: []string{"a", "b"}, Gather: multiple},
		{Name: "two", Members: []string{"c", "d", "e"}, Gather: multiple},
	}})
	rules := e.P.Model.Multiples
	require.Equal(t, "multiple 2 at node", calledMultiple(e.P, &rules[0]))
	require.Len(t, rules, 2, "the parts share one")
	require.Equal(t, "multiple 2 at node for part two", calledMultiple(e.P, &rules[1]))
	rules[1].Ranks[1] = rules[1].Ranks[1][1:]
	require.Equal(t, "multiple 2 at node for part one", calledMultiple(e.P, &rules[1]))
}
