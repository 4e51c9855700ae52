package victims

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/drawn"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Where victims leave one by one the search that tells nodes apart by classes finds the very set of the one that reads all members.
func TestOneByOneIsAsTogether(t *testing.T) {
	found := 0
	onDraw := func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		spec := drawn.Crowd(t, nodes, false)
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		req := &gang.Request{Name: "preemptor", Priority: rapid.Int64Range(1, 3).Draw(t, "preemptor's priority")}
		req.Shape.Resources = muster.Resources{"gpu": rapid.Int64Range(1, 8).Draw(t, "asks")}
		for i := range rapid.IntRange(1, 12).Draw(t, "wanted") {
			req.Members = append(req.Members, gang.Member{Name: strconv.Itoa(i)})
		}
		if layer := rapid.SampledFrom([]string{"", "rack", "block"}).Draw(t, "within"); layer != "" {
			req.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
		}
		if size := rapid.IntRange(0, 3).Draw(t, "group"); size > 0 && size <= len(req.Members) {
			req.Groups = []gang.Groups{{Size: size}}
		}
		if rapid.Bool().Draw(t, "other order") {
			req.Preempt.Order = rapid.Permutation(gang.Costs()).Draw(t, "order")
		}
		p, err := search.New(c, req, nil, problem.Bounds{})
		require.NoError(t, err)
		p.LeavingGone = true
		if search.For(p).LeastAndMore() != nil {
			return // it fits without
		}
		one, all := newVictimSearch(p, p.NewBudget()), newVictimSearch(p, p.NewBudget())
		if one == nil {
			return
		}
		got, ok := one.oneByOne()
		if !ok {
			return
		}
		want := all.together()
		got.Steps, want.Steps = 0, 0
		require.Equal(t, one.named(got.Gone), all.named(want.Gone))
		got.Gone, want.Gone = nil, nil
		require.Equal(t, want, got)
		if want.Found {
			found++
		}
	}
	for range 20 { // one draw in twenty has victims
		rapid.Check(t, onDraw)
	}
	require.Positive(t, found, "no draw has victims")
}

// named are the names of candidates, sorted.
func (e *victimSearch) named(set []int32) (out []string) {
	for _, i := range set {
		out = append(out, e.members[i].Name)
	}
	slices.Sort(out)
	return out
}
