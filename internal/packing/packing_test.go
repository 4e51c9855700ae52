package packing

import (
	"slices"
	"testing"

	"github.com/muster-sched/muster/internal/steps"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// question is some members and some nodes.
type question struct {
	asks  [][]int64
	kinds []Kind
	nodes []int32
	want  []int32
}

func draw(t *rapid.T) question {
	resources := rapid.IntRange(1, 3).Draw(t, "resources")
	amount := func(most int64) []int64 {
		return rapid.SliceOfN(rapid.Int64Range(0, most), resources, resources).Draw(t, "amounts")
	}
	var q question
	for range rapid.IntRange(1, 4).Draw(t, "roles") {
		q.asks = append(q.asks, amount(6))
		q.want = append(q.want, rapid.Int32Range(0, 3).Draw(t, "want"))
	}
	for range rapid.IntRange(1, 3).Draw(t, "kinds") {
		kind := Kind{Free: amount(12), Open: make([]bool, len(q.asks))}
		for r := range kind.Open {
			kind.Open[r] = rapid.IntRange(0, 5).Draw(t, "open") > 0
		}
		if rapid.IntRange(0, 4).Draw(t, "takes") == 0 { // at most so many members
			most := rapid.Int32Range(0, 4).Draw(t, "most")
			kind.Takes = func(some []int32) bool { return sum(some) <= most }
		}
		q.kinds = append(q.kinds, kind)
	}
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		q.nodes = append(q.nodes, rapid.Int32Range(0, int32(len(q.kinds)-1)).Draw(t, "kind"))
	}
	return q
}

func sum(some []int32) (n int32) {
	for _, m := range some {
		n += m
	}
	return n
}

// takes says whether a node takes some members.
func (q *question) takes(kind int32, some []int32) bool {
	k := &q.kinds[kind]
	for i, free := range k.Free {
		used := int64(0)
		for r, n := range some {
			used += int64(n) * q.asks[r][i]
		}
		if used > max(0, free) {
			return false
		}
	}
	for r, n := range some {
		if n > 0 && !k.Open[r] {
			return false
		}
	}
	return k.Takes == nil || k.Takes(some)
}

// fits tries everything: member by member, each on each node.
func (q *question) fits() bool {
	on, left := make([][]int32, len(q.nodes)), slices.Clone(q.want)
	for i := range on {
		on[i] = make([]int32, len(q.want))
	}
	var place func(role, from int) bool
	place = func(role, from int) bool {
		for role < len(left) && left[role] == 0 {
			role, from = role+1, 0
		}
		if role == len(left) {
			return true
		}
		left[role]--
		defer func() { left[role]++ }()
		for i := from; i < len(on); i++ { // equal members in the order of nodes
			on[i][role]++
			if q.takes(q.nodes[i], on[i]) && place(role, i) {
				return true
			}
			on[i][role]--
		}
		return false
	}
	return place(0, 0)
}

// requirePacked fails unless all members are placed, and every node takes what it gets.
func (q *question) requirePacked(t require.TestingT, on [][]int32) {
	got := make([]int32, len(q.want))
	for i, some := range on {
		if some == nil {
			continue
		}
		require.True(t, q.takes(q.nodes[i], some), "node %d takes %v", i, some)
		for r, n := range some {
			got[r] += n
		}
	}
	require.Equal(t, q.want, got)
}

// Whatever is said of a packing is true: bounds never refuse what fits, and what is packed fits.
func TestPackingEqualsEnumeration(t *testing.T) {
	verdicts := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		fits, left := q.fits(), steps.New(1<<30, nil)
		p := New(q.asks, q.kinds, q.want, &left)
		if p.Refuses(countKinds(q.nodes), q.want) {
			require.False(t, fits, "refused by a bound")
		}
		if on, ok := p.Fill(q.nodes, q.want); ok {
			q.requirePacked(t, on)
		}
		on, v := p.Decide(q.nodes, q.want)
		verdicts[v]++
		switch v {
		case Fits:
			q.requirePacked(t, on)
		case FitsNot:
			require.False(t, fits, "refused by prices")
		}
		most := int64(0)
		for _, kind := range q.nodes {
			most += p.Most(kind)
		}
		require.True(t, !fits || most >= int64(sum(q.want)), "members by their number")
	})
	require.Positive(t, verdicts[Fits])
	require.Positive(t, verdicts[FitsNot])
}

// The dearest members of a node are a set that it takes, and no set pays more than the bound.
func TestDearestEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		price := rapid.SliceOfN(rapid.Int64Range(0, 9), len(q.want), len(q.want)).Draw(t, "price")
		left := steps.New(1<<30, nil)
		p := New(q.asks, q.kinds, q.want, &left)
		kind := q.nodes[0]
		q.kinds[kind].Takes = nil // bounds look at amounts alone
		some, bound := p.dearest(kind, price, q.want)
		require.True(t, q.takes(kind, some))
		best := int64(0)
		var each func(role int, some []int32, paid int64)
		each = func(role int, some []int32, paid int64) {
			if !q.takes(kind, some) {
				return
			}
			if best = max(best, paid); role == len(some) {
				return
			}
			for n := range q.want[role] + 1 {
				next := slices.Clone(some)
				next[role] = n
				each(role+1, next, paid+int64(n)*price[role])
			}
		}
		each(0, make([]int32, len(q.want)), 0)
		require.Equal(t, best, bound)
	})
}

// Where steps are spent the first sequence is tried all the same, and nothing is refused for want of them.
func TestWithoutSteps(t *testing.T) {
	left := steps.New(-1, nil)
	kinds := []Kind{{Free: []int64{4}, Open: []bool{true, true}}}
	p := New([][]int64{{1}, {3}}, kinds, []int32{1, 1}, &left)
	_, ok := p.Fill([]int32{0}, []int32{1, 1})
	require.True(t, ok)
	_, v := p.Decide([]int32{0}, []int32{1, 1})
	require.Equal(t, Unknown, v)
}

// Amounts as large as they can be overflow nothing.
func TestLargeAmounts(t *testing.T) {
	const large = int64(1) << 62
	left := steps.New(1<<20, nil)
	kinds := []Kind{{Free: []int64{large, large}, Open: []bool{true, true}}, {Free: []int64{-large, 0}, Open: []bool{true, true}}}
	want := []int32{1 << 20, 1}
	p := New([][]int64{{1, 0}, {large - 1<<20, large}}, kinds, want, &left)
	require.False(t, p.Refuses([]Count{{0, 1}}, want))
	on, ok := p.Fill([]int32{1, 0}, want)
	require.True(t, ok)
	require.Nil(t, on[0])
	_, v := p.Decide([]int32{1, 0}, want)
	require.Equal(t, Fits, v)
	require.True(t, p.Refuses([]Count{{0, 1}}, []int32{1 << 20, 2}))
}
