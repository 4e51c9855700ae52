package kinds

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// cluster are the kinds that change the cluster, and the one that has no change of its own.
var cluster = []explain.Kind{explain.KindNodes, explain.KindQuota, explain.KindGangs, explain.KindAdd, explain.KindCombination}

// Every kind has all parts of its row, and there is no row of something else.
func TestEveryKindHasARow(t *testing.T) {
	require.Len(t, rows, len(explain.Kinds()))
	things := map[string]bool{}
	for _, k := range explain.Kinds() {
		row, known := rows[k]
		require.True(t, known, k)
		require.NotEmpty(t, row.Things, k)
		require.False(t, things[row.Things], "%s is called like another kind", k)
		require.NotEmpty(t, row.Perhaps, k)
		things[row.Things] = true
		require.Equal(t, slices.Contains(cluster, k), row.Edit == nil, "%s changes either the request or the cluster", k)
		words, fields, line := row.Told(&explain.Change{Kind: k, Quotas: []explain.QuotaChange{{Quota: "a"}}}, "ns/job", nil)
		if k == explain.KindCombination {
			require.Empty(t, fields)
			continue
		}
		require.NotContains(t, words, "otherwise", k)
		require.NotEmpty(t, fields, k)
		require.NotEmpty(t, line, k)
		for i, key := range fields {
			if i%2 == 0 {
				require.IsType(t, "", key, "%s: keys and values come in turn", k)
			}
		}
	}
}

// A kind that nobody knows has its name and no words of its own.
func TestUnknownKinds(t *testing.T) {
	row := Of("other")
	words, fields, line := row.Told(&explain.Change{Kind: "other"}, "ns/job", nil)
	require.Equal(t, "other", row.Things)
	require.Equal(t, "something were otherwise", words)
	require.Empty(t, fields)
	require.Empty(t, line)
	require.Nil(t, row.Edit)
}

// What is told of a change, in all three languages.
func TestChangesAreTold(t *testing.T) {
	for _, c := range []struct {
		change explain.Change
		words  string
		fields []any
		line   string
	}{
		{
			explain.Change{Kind: explain.KindMembers, Part: "decode", MinMember: 3, GangMinMember: 5},
			"3 members of decode were enough",
			[]any{"gang", "ns/job", "part", "decode", "minMember", 3, "gangMinMember", 5},
			" min=3 of 5",
		},
		{explain.Change{Kind: explain.KindMembers, Parts: true}, "no group were needed", []any{"gang", "ns/job", "minParts", 0}, " parts=0"},
		{
			explain.Change{Kind: explain.KindLayer, From: "leaf", Level: 2, Part: "decode"},
			"each group of decode at level 2 did not have to be in one leaf",
			[]any{"rule", "MustGather", "from", "leaf", "to", "", "part", "decode", "level", 2},
			" leaf -> none",
		},
		{explain.Change{Kind: explain.KindLayer, From: "leaf", To: "2"}, "its members had to be in one domain of tier 2 instead of one leaf", []any{"rule", "MustGather", "from", "leaf", "to", "2"}, " leaf -> 2"},
		{explain.Change{Kind: explain.KindGroup, Size: 4, Part: "decode", Level: 1}, "the members of decode were not kept in groups of 4", []any{"drop", "groups", "size", 4, "part", "decode", "level", 1}, " size=4"},
		{explain.Change{Kind: explain.KindMultiple, Multiple: 4, From: "leaf"}, "its members did not have to come by multiples of 4 in each leaf", []any{"drop", "multiple", "multiple", 4, "layer", "leaf"}, " 4 at leaf"},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Apart, From: "leaf", Most: 2, OfParts: true}, "2 of its parts could be in one leaf", []any{"limit", "Apart", "layer", "leaf", "most", 2, "ofParts", true}, " of parts Apart at leaf -> 2"},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Within, From: "leaf"}, "its members did not have to be in few domains of leaf", []any{"limit", "Within", "layer", "leaf", "most", 0}, " Within at leaf -> none"},
		{explain.Change{Kind: explain.KindRequest, Resource: "cpu", Before: 1500, Amount: 1000}, "no member asked for more than 1 CPU instead of 1500m", []any{"resource", "cpu", "from", int64(1500), "to", int64(1000)}, " cpu=1500 -> 1000"},
		{explain.Change{Kind: explain.KindNodes, Nodes: []string{"a", "b"}}, "a and b returned to service", []any{"returnToService", []string{"a", "b"}}, " a,b"},
		{
			explain.Change{Kind: explain.KindTaint, Taint: gang.Taint{Key: "k", Value: "v", Effect: gang.NoSchedule}},
			"its members tolerated the taint k=v:NoSchedule",
			[]any{"tolerate", []any{"key", "k", "value", "v", "effect", "NoSchedule"}},
			" k=v:NoSchedule",
		},
		{explain.Change{Kind: explain.KindSelector, Label: "zone"}, "its members did not select nodes by the label zone", []any{"drop", "zone"}, " zone"},
		{explain.Change{Kind: explain.KindSelector, Affinity: true}, "its members had no node affinity", []any{"drop", "affinity"}, " affinity"},
		{
			explain.Change{Kind: explain.KindQuota, Quotas: []explain.QuotaChange{{Quota: "a", Max: muster.Resources{"gpu": 12}, Min: muster.Resources{"gpu": 4}}}},
			"quota a had a maximum of 12 gpu and a minimum of 4 gpu",
			[]any{"quotas", [][]any{{"quota", "a", "max", muster.Resources{"gpu": 12}, "min", muster.Resources{"gpu": 4}}}},
			" a max=map[gpu:12] min=map[gpu:4]",
		},
		{explain.Change{Kind: explain.KindGangs, Gangs: []string{"a", "b"}, FewestMembers: true}, "a and b, which have fewer members, ended", []any{"end", []string{"a", "b"}, "fewestMembers", true}, " of fewest members a,b"},
		{explain.Change{Kind: explain.KindGangs, Gangs: []string{"a"}, LeastLost: true}, "a, which loses less work, ended", []any{"end", []string{"a"}, "leastLost", true}, " of least lost work a"},
		{explain.Change{Kind: explain.KindPriority, Priority: 8, Preempts: true}, "it had priority 8 and were allowed to evict others", []any{"priority", int64(8), "preempts", true}, " 8 preempts=true"},
		{explain.Change{Kind: explain.KindPriority, Priority: 7, Preempts: true}, "it were allowed to evict others", []any{"priority", int64(7), "preempts", true}, " 7 preempts=true"},
		{explain.Change{Kind: explain.KindAdd, Add: 2, Like: "n", Domain: []string{"s", "l"}}, "2 nodes like n were added to s/l", []any{"nodes", 2, "like", "n", "domain", "s/l"}, " 2 like n to s/l"},
	} {
		words, fields, line := Of(c.change.Kind).Told(&c.change, "ns/job", &gang.Request{Priority: 7})
		require.Equal(t, c.words, words)
		require.Equal(t, c.fields, fields)
		require.Equal(t, c.line, line)
	}
}
