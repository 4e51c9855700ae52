package cow

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tally is a value that a memo keeps: the sum of all nodes that changed before a snapshot.
type tally struct{ key, sum int }

// asked asks the memo of a snapshot for a tally, and says whether one was made anew.
func asked(m *Memo[int, tally], clock *Clock, most, key, sum int) (got tally, made bool) {
	got = m.Get(clock, most,
		func(k int) bool { return k == key },
		func(old tally, nodes []int32) tally {
			for _, n := range nodes {
				old.sum += int(n)
			}
			return old
		},
		func() (int, tally) { made = true; return key, tally{key, sum} })
	return got, made
}

// Whatever snapshot is asked, and in whatever order, it has the value of its own: made, updated, or as it was. The values
// that were used last are not made again.
func TestMemosAnswerForTheirSnapshot(t *testing.T) {
	const most = 3
	rapid.Check(t, func(t *rapid.T) {
		clock := &Clock{}
		memos, sums := []*Memo[int, tally]{{}}, []int{0}
		kept := [][]int{nil} // keys by snapshot, used last at the end; exact while one line of snapshots is asked
		line := rapid.Bool().Draw(t, "one line")
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			at := len(memos) - 1
			if !line {
				at = rapid.IntRange(0, at).Draw(t, "snapshot")
			}
			if rapid.IntRange(0, 2).Draw(t, "step") == 0 {
				changed := rapid.SliceOfN(rapid.Int32Range(0, 9), 0, 4).Draw(t, "nodes")
				next, sum := &Memo[int, tally]{}, sums[at]
				memos[at].PassOn(next, changed, 1<<20)
				for _, n := range changed {
					sum += int(n)
				}
				memos, sums, kept = append(memos, next), append(sums, sum), append(kept, slices.Clone(kept[at]))
				require.Equal(t, memos[at].Kept(), next.Kept())
				continue
			}
			key := rapid.IntRange(0, 4).Draw(t, "key")
			got, made := asked(memos[at], clock, most, key, sums[at])
			require.Equal(t, tally{key, sums[at]}, got)
			if line {
				require.Equal(t, !slices.Contains(kept[at], key), made)
				kept[at] = append(slices.DeleteFunc(kept[at], func(k int) bool { return k == key }), key)
				kept[at] = kept[at][max(0, len(kept[at])-most):]
			}
			require.True(t, memos[at].Kept())
			require.LessOrEqual(t, len(*memos[at].entries.Load()), most)
		}
	})
}

// A value that lags too far behind is left out; one that does not is kept, however many others were left out.
func TestMemosLeaveFarValuesBehind(t *testing.T) {
	clock, first, second, third := &Clock{}, &Memo[int, tally]{}, &Memo[int, tally]{}, &Memo[int, tally]{}
	asked(first, clock, 3, 1, 0)
	first.PassOn(second, []int32{1, 2}, 3)
	asked(second, clock, 3, 2, 3)
	second.PassOn(third, []int32{3, 4}, 3)
	_, made := asked(third, clock, 3, 2, 10)
	require.False(t, made)
	_, made = asked(third, clock, 3, 1, 10)
	require.True(t, made, "four changes behind")
	_, made = asked(first, clock, 3, 1, 0)
	require.False(t, made, "the earlier snapshot keeps its own")
}

// A value that is as it should be is read without an allocation.
func TestReadingAMemoAllocatesNothing(t *testing.T) {
	clock, m := &Clock{}, &Memo[int, tally]{}
	asked(m, clock, 2, 1, 0)
	is, update := func(k int) bool { return k == 1 }, func(v tally, _ []int32) tally { return v }
	create := func() (int, tally) { return 1, tally{} }
	require.Zero(t, testing.AllocsPerRun(10, func() { m.Get(clock, 2, is, update, create) }))
}

// Many may ask the snapshots of one lineage at once.
func TestMemosAreConcurrent(t *testing.T) {
	clock, m := &Clock{}, &Memo[int, tally]{}
	var all sync.WaitGroup
	wrong := make([]int, 4)
	for g := range wrong {
		all.Go(func() {
			at, sum := m, 0
			for i := range 200 {
				if got, _ := asked(at, clock, 3, (i+g)%5, sum); got.sum != sum {
					wrong[g]++
				}
				asked(m, clock, 3, i%5, 0)
				if i%7 == 0 {
					next := &Memo[int, tally]{}
					at.PassOn(next, []int32{int32(g), 1}, 1<<20)
					at, sum = next, sum+g+1
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, make([]int, 4), wrong)
}
