package fronts

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/steps"
	"github.com/muster-sched/muster/topology"
)

// drawMaker draws a vertex at which groups of up to two classes are made of members of up to two roles.
func drawMaker(t *rapid.T) *groupMaker {
	roles, classes := rapid.IntRange(1, 2).Draw(t, "roles"), rapid.IntRange(1, 2).Draw(t, "classes")
	dims := roles + classes
	m := &groupMaker{useful: make(front.Vector, dims), sides: make(front.Vector, dims), at: make(front.Vector, dims)}
	totals := make(front.Vector, dims)
	for i := range totals {
		totals[i] = rapid.Int32Range(1, 5).Draw(t, "total")
		if i >= roles || rapid.Bool().Draw(t, "useful") {
			m.useful[i] = totals[i]
		}
	}
	for k := range classes {
		needs := make(front.Vector, dims)
		needs[rapid.IntRange(0, roles-1).Draw(t, "role")] = rapid.Int32Range(1, 3).Draw(t, "needs")
		m.classes = append(m.classes, madeClass{dim: roles + k, needs: needs})
		m.sides[roles+k] = totals[roles+k]
	}
	for i := range m.classes {
		m.classes[i].free = m.isFree(i)
	}
	left := steps.New(1<<40, nil)
	m.capacity = &capacity{search: &Search{totals: totals}, tables: &tables{space: front.NewSpace(totals, 1<<16, &left)}}
	return m
}

// madeByTrial lists every vector that any numbers of groups leave of those below, as far as it is of use.
func madeByTrial(m *groupMaker, below front.Front) (out front.Front) {
	var walk func(i int, left, made front.Vector)
	walk = func(i int, left, made front.Vector) {
		if i == len(m.classes) {
			out = append(out, left.Least(m.useful).Plus(made))
			return
		}
		k := m.classes[i]
		for n := int32(0); n <= m.capacity.search.totals[k.dim]; n++ {
			next, groups := slices.Clone(left), slices.Clone(made)
			groups[k.dim] = n
			for dim, need := range k.needs {
				next[dim] -= n * need
			}
			if !slices.ContainsFunc(next, func(n int32) bool { return n < 0 }) {
				walk(i+1, next, groups)
			}
		}
	}
	for _, p := range below {
		walk(0, p, make(front.Vector, len(p)))
	}
	return out
}

// The front after groups are made holds what any numbers of groups hold, and nothing else.
func TestGroupsMadeAreThoseOfAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMaker(t)
		var below front.Front
		for range rapid.IntRange(1, 3).Draw(t, "below") {
			p := make(front.Vector, len(m.at))
			for i := range len(p) - len(m.classes) {
				p[i] = rapid.Int32Range(0, m.capacity.search.totals[i]).Draw(t, "members")
			}
			below = append(below, p)
		}
		made, forgot := m.front(below)
		require.False(t, forgot)
		trials := madeByTrial(m, below)
		for _, p := range trials {
			require.True(t, made.Holds(p), "%v of %v is not within %v", p, below, made)
		}
		for _, p := range made {
			require.True(t, trials.Holds(p), "%v of %v cannot be made", p, below)
		}
	})
}

// The exact front after groups are made has the vectors that use up all members, by every number of groups.
func TestExactGroupsUseUpAllMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMaker(t)
		p := make(front.Vector, len(m.at))
		for i := range len(p) - len(m.classes) {
			p[i] = rapid.Int32Range(0, m.capacity.search.totals[i]).Draw(t, "members")
		}
		got := front.Front{}
		m.list(0, p, -1, &got)
		useful := m.useful
		m.useful = m.capacity.search.totals // nothing is dropped
		want := slices.DeleteFunc(madeByTrial(m, front.Front{p}), func(q front.Vector) bool {
			for i := range len(q) - len(m.classes) {
				if useful[i] == 0 && q[i] > 0 {
					return true
				}
			}
			return false
		})
		require.Equal(t, new(front.Space).InFewest(want), new(front.Space).InFewest(got))
	})
}

// Inner groups that only serve a group made at the same vertex are no class of their own: they count as its members, and nothing of them
// is kept above.
func TestGroupsOfNoUseAboveAreNoClass(t *testing.T) {
	view := oneRack(t)
	rack, asks := view.Above(view.NodeVertex(0)), &model.Model{View: view}
	s := &Search{m: asks, roles: 1, want: front.Vector{0, 1, 0}, totals: front.Vector{4, 1, 2}, groups: []groupClass{
		{needs: front.Vector{0, 0, 2}}, {needs: front.Vector{2, 0, 0}}, // two inner ones, of two members each
	}}
	at := &capacity{m: asks, search: s, tables: &tables{bounds: []int32{1, 1}, homes: []layout.Vertex{-1, -1}}}
	m := at.newGroupMaker(rack)
	require.Equal(t, front.Vector{0, 1, 0}, m.useful)
	require.Len(t, m.classes, 1)
	require.Equal(t, front.Vector{4, 0, 0}, m.classes[0].needs)
}

// oneRack is the tree of a rack of three nodes.
func oneRack(t *testing.T) *layout.View {
	t.Helper()
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{{Name: "rack", Tier: 1, Nodes: []string{"a", "b", "c"}}}})
	require.NoError(t, err)
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Trees: []cluster.NamedTree{{Name: "default", Tree: tree}}})
	require.NoError(t, err)
	return c.View("default")
}

// bounded has so many steps for fronts of these numbers, and a table of so many places.
func bounded(totals front.Vector, places int, left int64) (*capacity, *steps.Budget) {
	budget := steps.New(left, nil)
	return &capacity{search: &Search{totals: totals}, tables: &tables{space: front.NewSpace(totals, places, &budget)}}, &budget
}

// Once steps are spent no more numbers are tried, neither of members on a node nor of groups, and what is missing is noted.
func TestFrontsEndWithTheirSteps(t *testing.T) {
	onNode := func(left int64) (front.Front, bool) {
		c, _ := bounded(front.Vector{100, 50}, 1<<16, left)
		c.search.roles, c.search.asks = 2, [][]int64{{1}, {1}}
		return c.onNode([]int64{1000}, []bool{true, true}, nil)
	}
	f, forgot := onNode(1000)
	require.Equal(t, front.Front{{100, 50}}, f)
	require.False(t, forgot)
	f, forgot = onNode(204 + 10) // the table takes the most of them
	require.True(t, forgot)
	require.Less(t, f.Most(1), int32(20))

	groups := func(left int64) (front.Front, bool) {
		c, _ := bounded(front.Vector{100, 100}, 1<<16, left)
		m := &groupMaker{capacity: c, useful: front.Vector{100, 100}, sides: front.Vector{0, 100}, at: make(front.Vector, 2)}
		m.classes = []madeClass{{dim: 1, needs: front.Vector{1, 0}}}
		return m.front(front.Front{{100, 0}})
	}
	f, forgot = groups(1000)
	require.False(t, forgot)
	require.True(t, f.Holds(front.Vector{50, 50}))
	f, forgot = groups(10)
	require.True(t, forgot)
	require.True(t, f.Holds(front.Vector{100, 0}))
	require.False(t, f.Holds(front.Vector{50, 50}))
}

// Where a table has no room for all vectors below, a few of them stand for the others.
func TestExactFrontsWithoutRoomAreSampled(t *testing.T) {
	v := oneRack(t)
	list := func(places int) (front.Front, bool, int64) {
		c, left := bounded(front.Vector{1000}, places, 1<<20)
		c.search.m, c.search.roles = &model.Model{View: v}, 1
		m := &groupMaker{capacity: c, useful: front.Vector{1000}, sides: front.Vector{0}, at: make(front.Vector, 1)}
		var below front.Front
		for n := range int32(1000) {
			below = append(below, front.Vector{n + 1})
		}
		f, forgot := m.listAll(v.Above(v.NodeVertex(0)), below)
		return f, forgot, 1<<20 - left.Left()
	}
	f, forgot, spent := list(1 << 16)
	require.False(t, forgot)
	require.Len(t, f, 1000)
	require.Greater(t, spent, int64(1000))
	f, forgot, spent = list(4)
	require.True(t, forgot)
	require.Len(t, f, front.KeptPoints)
	require.Less(t, spent, int64(10*front.KeptPoints))
}
