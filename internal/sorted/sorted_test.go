package sorted

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// element has a name, by which the list is in order, and a value that a change may replace.
type element struct{ name, value int }

func byName(a, b *element) int { return cmp.Compare(a.name, b.name) }

// A list that has seen any changes is the slice that has seen them, and the lists before it are what they were.
func TestChangesEqualThoseOfASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []*element
		step := rapid.IntRange(1, 3).Draw(t, "step")
		for i := range rapid.SampledFrom([]int{0, 3, most, most + 1, 3*most + 7}).Draw(t, "elements") {
			want = append(want, &element{step * i, 0})
		}
		l := Of(slices.Clone(want))
		for turn := range rapid.IntRange(1, 6).Draw(t, "changes") {
			gone, fresh, after := change(t, want, turn+1, step)
			next := l.Change(gone, fresh, byName)
			requireList(t, want, l)
			requireList(t, after, next)
			l, want = next, after
		}
	})
}

// change draws who goes, a stretch or some here and there, and who comes, some of them in the place of others.
func change(t *rapid.T, list []*element, value, step int) (gone, fresh, after []*element) {
	by := map[int]*element{}
	for _, e := range list {
		by[e.name] = e
	}
	if len(list) > 0 && rapid.Bool().Draw(t, "some go") {
		from := rapid.IntRange(0, len(list)-1).Draw(t, "from")
		n := rapid.SampledFrom([]int{1, 2, most - 1, most, len(list)}).Draw(t, "go")
		every := rapid.SampledFrom([]int{1, 2, most}).Draw(t, "each")
		for i := from; i < len(list) && len(gone) < n; i += every {
			gone = append(gone, list[i])
			delete(by, list[i].name)
		}
	}
	last := step*len(list) + 9
	for range rapid.SampledFrom([]int{0, 1, 4, most, 2 * most}).Draw(t, "come") {
		name := rapid.IntRange(-9, last).Draw(t, "name")
		if by[name] == nil {
			e := &element{name, value}
			by[name], fresh = e, append(fresh, e)
		}
	}
	for _, e := range by {
		after = append(after, e)
	}
	slices.SortFunc(fresh, byName)
	slices.SortFunc(after, byName)
	return gone, fresh, after
}

func requireList(t require.TestingT, want []*element, l List[*element]) {
	require.Equal(t, len(want), l.Len())
	require.True(t, slices.Equal(want, l.Slice()))
	for i, e := range l.All() {
		require.Same(t, want[i], e)
		require.Same(t, e, l.At(i))
		at, is := l.Search(func(o *element) int { return byName(o, e) })
		require.True(t, is)
		require.Equal(t, i, at)
	}
	odd := func(e *element) bool { return e.name%2 != 0 }
	var those []*element
	for i, e := range l.Those(odd) {
		require.Same(t, want[i], e)
		those = append(those, e)
	}
	require.Equal(t, slices.ContainsFunc(want, odd), l.ContainsFunc(odd))
	require.Len(t, those, len(want)-len(slices.DeleteFunc(slices.Clone(want), odd)))
	for _, name := range []int{-10, 1, most + 1, 1 << 30} {
		at, is := l.Search(func(o *element) int { return cmp.Compare(o.name, name) })
		wantAt, there := slices.BinarySearchFunc(want, &element{name: name}, byName)
		require.Equal(t, wantAt, at)
		require.Equal(t, there, is)
	}
	require.Equal(t, len(want) > most, l.chunks != nil)
	for k, chunk := range l.chunks {
		require.NotEmpty(t, chunk)
		require.LessOrEqual(t, len(chunk), most)
		require.True(t, k == 0 || len(l.chunks[k-1])+len(chunk) > most/2, "short chunks are one")
	}
}

// All may be left early, of a short list and of a long one.
func TestAllMayBeLeft(t *testing.T) {
	for _, n := range []int{3, 2*most + 1} {
		seen := 0
		for i := range Of(make([]int, n)).All() {
			if seen++; i == 2 {
				break
			}
		}
		require.Equal(t, 3, seen)
	}
}

// A change shares the chunks that it does not touch: it costs about what it touches.
func TestChangesShareChunks(t *testing.T) {
	list := make([]*element, 100*most)
	for i := range list {
		list[i] = &element{2 * i, 0}
	}
	l := Of(list)
	fresh := []*element{{1, 1}, {100*most + 1, 1}}
	next := l.Change(nil, fresh, byName)
	same := 0
	for _, chunk := range next.chunks {
		if slices.ContainsFunc(l.chunks, func(was []*element) bool { return &was[0] == &chunk[0] }) {
			same++
		}
	}
	require.Equal(t, 98, same)
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { l.Change(nil, fresh, byName) }), 10.0)
}
