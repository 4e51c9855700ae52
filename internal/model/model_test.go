package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/spec"
)

// Numbers that may be placed tear no group, keep the multiple of all members, and complete what running members began.
func TestWholesTearNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		var want []int
		for n := 1; n <= len(m.Pending); n++ {
			placed, torn := map[int]bool{}, false
			for i, rank := range m.Pending {
				if len(m.Levels) > 0 {
					group := rank / int(m.Levels[0].Size)
					torn = torn || i >= n && placed[group]
					placed[group] = placed[group] || i < n
				}
			}
			all := int64(1)
			if m.Multiple != nil {
				all = m.Multiple[m.View.RootTop]
			}
			if !torn && int64(n+m.Running.Len())%all == 0 && int64(n) >= m.Forced.At(layout.Root) {
				want = append(want, n)
			}
		}
		require.Equal(t, want, m.Wholes(1, len(m.Pending)))
		between := slices.DeleteFunc(want, func(n int) bool { return n < m.Least || n > m.Admitted })
		if len(between) == 0 {
			between = nil
		}
		require.Equal(t, between, m.Counts())
	})
}

// A group reaches the tier of the lowest vertex above all its members.
func TestReachedByGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		var positions []int32
		for range rapid.IntRange(0, len(m.Pending)).Draw(t, "placed") {
			positions = append(positions, int32(rapid.IntRange(0, int(m.View.Nodes)-1).Draw(t, "position")))
		}
		var want []int32
		for _, l := range m.Levels {
			groups, highest := map[int][]int32{}, int32(0)
			add := func(rank int, pos int32) {
				groups[rank/int(l.Size)] = append(groups[rank/int(l.Size)], pos)
			}
			for i, pos := range positions {
				add(m.Pending[i], pos)
			}
			for r := range m.Running.All() {
				add(r.Rank, r.Pos)
			}
			for _, at := range groups {
				highest = max(highest, m.View.TierOf(m.View.Lowest(at)))
			}
			want = append(want, highest)
		}
		require.Equal(t, want, m.ReachedByGroups(positions))
	})
}

// Strategies come in lexicographic order, and each vector of worths binds as one of them does. What is tried in vain is left out.
func TestStrategiesAreAllInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		var all [][]int32
		for st := range m.Strategies(nil) {
			all = append(all, append([]int32{st.Gang}, st.Groups...))
		}
		require.True(t, slices.IsSortedFunc(all, slices.Compare))
		bound := func(tiers []int32) []int32 { // what binds on each level
			out := slices.Clone(tiers)
			for i := 1; i < len(out); i++ {
				out[i] = min(out[i], out[i-1])
			}
			return out
		}
		seen := map[string]bool{}
		for _, tiers := range all {
			seen[string(toBytes(bound(tiers)))] = true
		}
		require.Len(t, seen, len(all), "two strategies bind alike")
		drawn := []int32{rapid.SampledFrom(m.Gather.Worths).Draw(t, "gang")}
		for _, l := range m.Levels {
			drawn = append(drawn, rapid.SampledFrom(l.Gather.Worths).Draw(t, "groups"))
		}
		require.True(t, seen[string(toBytes(bound(drawn)))], "%v", drawn)

		only := m.Gather.Worths[len(m.Gather.Worths)-1]
		for st := range m.Strategies(func(st model.Strategy) bool { return st.Gang == only }) {
			require.True(t, st.Gang == only || len(m.Levels) == 0)
		}
		for range m.Strategies(nil) {
			break // and no panic
		}
	})
}

func toBytes(tiers []int32) (out []byte) {
	for _, t := range tiers {
		out = append(out, byte(t))
	}
	return out
}

// Candidates are the domains of a tier that hold all running members.
func TestCandidatesHoldWhoRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		tier := int32(rapid.IntRange(0, int(m.View.RootTop)).Draw(t, "tier"))
		var want []layout.Vertex
		for _, d := range m.View.DomainsOf(tier) {
			if !slices.ContainsFunc(slices.Collect(m.Running.Positions()), func(pos int32) bool { return !m.View.Contains(d, m.View.NodeVertex(pos)) }) {
				want = append(want, d)
			}
		}
		require.Equal(t, want, m.Candidates(tier), "tier %d\n%s", tier, spec.Text(m))
	})
}

// The slots of an index are those that are counted, with and without nodes outside the tree.
func TestIndexHasTheSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		r := m.Room.(*spec.Room)
		r.Indexed = false
		flat := r.Table()
		r.Indexed = true
		known := r.Table()
		for x := layout.Root; int(x) < m.View.NumDomains()+int(m.View.Nodes); x++ {
			require.Equal(t, flat.At(x), known.At(x), "vertex %d\n%s", x, spec.Text(m))
		}
	})
}

// Each thing that is not plain has its feature.
func TestFeaturesTellWhatIsNotPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		f, l := m.Features(), m.Limits
		for bit, want := range map[features.Set]bool{
			features.Groups: len(m.Levels) == 1, features.Nested: len(m.Levels) > 1, features.Sibling: m.Running.Len() > 0, features.Friend: len(m.Friends) > 0,
			features.Multiple: m.Multiple != nil, features.Spread: m.Policy == gang.Spread, features.Balanced: m.Policy == gang.Balanced,
			features.ByScore: m.Policy == gang.ByScore, features.Apart: l != nil && len(l.Apart) > 0, features.Within: l != nil && len(l.Within) > 0,
			features.ApartGroups: l.CountGroups(), features.Uncounted: l.CountGroups() && (len(l.Groups) > 1 || len(l.Groups[0]) > 1), features.Scored: m.Room.(*spec.Room).Scored,
		} {
			require.Equal(t, want, f.Has(bit), "%b\n%s", bit, spec.Text(m))
		}
	})
	m := &model.Model{Room: &spec.Room{}, Limits: &limits.Limits{Alone: 1}}
	require.Zero(t, m.Features(), "who must be alone sees it in the slots")
}

// A child of a vertex stands for all missing tiers up to it, so that all multiples below the vertex's own tier bind there.
func TestUnitIsOfTheParent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := spec.Draw(t)
		for x := layout.Root; int(x) < m.View.NumDomains()+int(m.View.Nodes); x++ {
			want := int64(1)
			if m.Multiple != nil && !m.View.IsNode(x) {
				want = m.Multiple[m.View.TierOf(x)-1]
			}
			require.Equal(t, want, m.Unit(x))
		}
	})
}

// The greatest common divisor divides both numbers, and what is left of them has none.
func TestGCD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, 1<<40).Draw(t, "a"), rapid.Int64Range(1, 1<<40).Draw(t, "b")
		d := model.GCD(a, b)
		require.Zero(t, a%d+b%d)
		require.EqualValues(t, 1, model.GCD(a/d, b/d))
		require.Equal(t, d, model.GCD(b, a))
	})
}
