package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/topology"
)

// The list of the members on a node is a set that keeps its earlier versions.
func TestHostedMembersEqualASet(t *testing.T) {
	class := &MemberClass{Gang: "g"}
	rapid.Check(t, func(t *rapid.T) {
		all := make([]*Member, rapid.IntRange(1, 30).Draw(t, "members"))
		for i := range all {
			all[i] = &Member{Class: class, Name: fmt.Sprint("m-", i)}
		}
		list := func(h hosted) (out []*Member) {
			for at := &h; at != nil && at.m != nil; at = at.next {
				out = append(out, at.m)
			}
			return out
		}
		lists, want := []hosted{{}}, [][]*Member{nil}
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			from := rapid.IntRange(0, len(lists)-1).Draw(t, "from")
			h, w := lists[from], slices.Clone(want[from])
			if rapid.Bool().Draw(t, "gone") && len(w) > 0 {
				gone := rapid.SliceOfNDistinct(rapid.SampledFrom(w), 1, len(w), rapid.ID).Draw(t, "members")
				sortMembers(gone)
				h = h.without(gone)
				w = slices.DeleteFunc(w, func(m *Member) bool { return slices.Contains(gone, m) })
			} else if m := rapid.SampledFrom(all).Draw(t, "member"); !slices.Contains(w, m) {
				h, w = h.with(m), append(w, m)
			}
			lists, want = append(lists, h), append(want, w)
		}
		for i := range lists {
			require.ElementsMatch(t, want[i], list(lists[i]))
		}
	})
}

// Members are sorted by gang and name in natural order, and stay in their order where these are the same.
func TestSortedMembersAreInNaturalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SampledFrom([]string{"m-(0|[1-9][0-9]{0,2})", "m-[01]{1,3}", "[ab]?[01]{0,2}", "m-9{16,19}"}).Draw(t, "pattern")
		gangs := rapid.SampledFrom([][]string{{"g"}, {"g", "g-10", "g-9"}}).Draw(t, "gangs")
		var members []*Member
		for range rapid.IntRange(0, 30).Draw(t, "members") {
			class := &MemberClass{Gang: rapid.SampledFrom(gangs).Draw(t, "gang")}
			members = append(members, &Member{Class: class, Name: rapid.StringMatching(pattern).Draw(t, "name")})
		}
		want := slices.Clone(members)
		slices.SortStableFunc(want, func(a, b *Member) int {
			return cmp.Or(muster.CompareNatural(a.Class.Gang, b.Class.Gang), muster.CompareNatural(a.Name, b.Name))
		})
		sortMembers(members)
		require.Len(t, members, len(want))
		for i := range want {
			require.Same(t, want[i], members[i])
		}
	})
}

// Every node is found by its name, whatever the guess: those of the first tree, of another one, and of none.
func TestNodesAreFoundByName(t *testing.T) {
	tree := func(names ...string) *topology.Tree {
		out, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "r", Tier: 1, Nodes: names}}})
		require.NoError(t, err)
		return out
	}
	spec := cluster.Spec{
		Trees: []cluster.NamedTree{{Name: "one", Tree: tree("b-1", "b-2", "b-10")}, {Name: "two", Tree: tree("b-2", "a-9", "a-10")}},
		Nodes: []cluster.Node{{Name: "z"}, {Name: "b-10"}, {Name: "a-10"}, {Name: "c"}},
	}
	for trees, want := range [][]string{
		{"a-10", "b-10", "c", "z"}, {"b-1", "b-2", "b-10", "a-10", "c", "z"}, {"b-1", "b-2", "b-10", "a-9", "a-10", "c", "z"},
	} {
		l := newLineage(cluster.Spec{Trees: spec.Trees[:trees], Nodes: spec.Nodes}, nil)
		require.Equal(t, want, l.Names)
		for i, name := range want {
			for guess := int32(-1); int(guess) <= len(want); guess++ {
				id, ok := l.near(name, guess)
				require.True(t, ok)
				require.Equal(t, int32(i), id)
			}
		}
		_, ok := l.near("nobody", 0)
		require.False(t, ok)
	}
}

// Equal amounts are one vector, however many others there are.
func TestEqualAmountsAreShared(t *testing.T) {
	l := &Lineage{Resources: []string{"gpu", "pods"}, pods: 1}
	vectors := l.Amounts()
	seen := map[string]*int64{}
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.Int64Range(0, 40).Draw(t, "gpus")
		v := vectors.Vector(map[string]int64{"gpu": gpus}, 7)
		require.Equal(t, []int64{gpus, 7}, v)
		require.False(t, vectors.dropped)
		if first := seen[fmt.Sprint(v)]; first != nil {
			require.Same(t, first, &v[0])
		}
		seen[fmt.Sprint(v)] = &v[0]
	})
	require.Nil(t, vectors.Vector(map[string]int64{"gpu": -1}, 0))
	require.Nil(t, vectors.Vector(map[string]int64{"": 1}, 0))
	require.Equal(t, []int64{0, 3}, vectors.Vector(map[string]int64{"pods": 3, "fpga": 1}, 7))
	require.True(t, vectors.dropped)
}
