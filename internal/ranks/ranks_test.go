package ranks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/ranks"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/validity"
)

// New and running members are in one order: by index where they have one, then by name. So are a few that come to many.
func TestOrderOfMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := cluster.Spec{Nodes: []cluster.Node{{Name: "a"}, {Name: "b"}}}
		req := &gang.Request{Name: "g", IgnoreLeaving: rapid.Bool().Draw(t, "ignores who leaves")}
		nodes := map[string]string{} // of those that stay
		for i := range rapid.IntRange(1, 24).Draw(t, "members") {
			name, index, indexed := fmt.Sprint("m", i), rapid.IntRange(-1, 24).Draw(t, "index"), draws.Chance(t, 60, "has an index")
			if rapid.Bool().Draw(t, "is new") {
				req.Members = append(req.Members, gang.Member{Name: name, Index: index, Indexed: indexed})
				continue
			}
			r := cluster.Running{Gang: "g", Member: name, Node: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "node"), Leaving: draws.Chance(t, 20, "leaves")}
			if indexed {
				r.Index, r.Indexed = max(0, index), true
			}
			if spec.Running = append(spec.Running, r); validity.Stays(req, &r) {
				nodes[name] = r.Node
			}
		}
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		v := c.Lineage.Tree("")
		all := ranks.Of(req, c.MembersOf("g"), v)
		require.Len(t, all, len(req.Members)+len(nodes))
		for i, m := range all {
			if node, runs := nodes[m.Name]; runs {
				id, _ := c.Lineage.ID(node)
				require.Equal(t, v.At(id), m.Pos)
			} else {
				require.Negative(t, m.Pos)
			}
			if i == 0 {
				continue
			}
			switch before := all[i-1]; {
			case before.Indexed != m.Indexed:
				require.True(t, before.Indexed)
			case m.Indexed && before.Index != m.Index:
				require.Less(t, before.Index, m.Index)
			default:
				require.Negative(t, muster.CompareNatural(before.Name, m.Name))
			}
		}
	})
}

// Indexes are ranks, and who has none gets a rank that is left; those that stand twice, or beyond the members, only order.
func TestIndexesAreRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := make([]ranks.Ranked, rapid.IntRange(1, 8).Draw(t, "members"))
		taken, plain := map[int]bool{}, true
		for i := range all {
			all[i] = ranks.Ranked{Name: fmt.Sprint("m", i), Pos: -1}
			if rapid.Bool().Draw(t, "has an index") {
				index := rapid.IntRange(-1, len(all)).Draw(t, "index")
				all[i].Index, all[i].Indexed = index, true
				plain, taken[index] = plain && index >= 0 && index < len(all) && !taken[index], true
			}
		}
		slices.SortFunc(all, ranks.Compare)
		got := ranks.AtIndexes(all)
		if !plain {
			require.Equal(t, all, got)
			return
		}
		require.ElementsMatch(t, all, got)
		var others []ranks.Ranked
		for rank, m := range got {
			if m.Indexed {
				require.Equal(t, m.Index, rank)
			} else {
				others = append(others, m)
			}
		}
		require.True(t, slices.IsSortedFunc(others, ranks.Compare))
	})
}

// New members beside running ones that stand in rank order have the ranks that all have together.
func TestNewMembersBesideRunningOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := cluster.Spec{Nodes: []cluster.Node{{Name: "a"}, {Name: "b"}}}, &gang.Request{Name: "g"}
		indexed := rapid.IntRange(0, 12).Draw(t, "members with an index")
		for i := range rapid.IntRange(1, 12).Draw(t, "members") {
			m := gang.Member{Name: fmt.Sprintf("m%02d", i), Index: i, Indexed: i < indexed}
			if rapid.Bool().Draw(t, "is new") {
				req.Members = append(req.Members, m)
			} else {
				spec.Running = append(spec.Running, cluster.Running{Gang: "g", Member: m.Name, Index: m.Index, Indexed: m.Indexed, Node: "b"})
			}
		}
		req.Members = rapid.Permutation(req.Members).Draw(t, "order")
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		v, members := c.Lineage.Tree(""), c.MembersOf("g")
		running := ranks.Stand(&members)
		all := ranks.Of(req, members, v)
		fresh, at := ranks.Beside(req, running)
		require.Len(t, fresh, len(req.Members))
		for i, m := range fresh {
			require.Equal(t, all[at[i]], m)
		}
		for i := range running.Len() {
			require.Equal(t, "b", c.Lineage.NodeName(running.At(i)))
		}
	})
}
