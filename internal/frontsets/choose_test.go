package frontsets

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/steps"
)

// The chooser over fronts is held to plain enumeration as the one over slots is: all subsets, compared by the keys of
// docs/order/7-shapes.md, and all vectors that an item can take.

// allWithin lists the vectors within another, zero first.
func allWithin(most front.Vector) []front.Vector {
	out := []front.Vector{{}}
	for _, n := range most {
		var next []front.Vector
		for _, v := range out {
			for k := range n + 1 {
				next = append(next, append(slices.Clone(v), k))
			}
		}
		out = next
	}
	return out
}

// drawFront draws what one item can take: its largest vectors, or all of them if fronts are exact.
func drawFront(t *rapid.T, space *front.Space, all []front.Vector) front.Front {
	some := front.Front(rapid.SliceOfN(rapid.SampledFrom(all[1:]), 1, 3).Draw(t, "front"))
	if space.Exact {
		return new(front.Space).InFewest(append(front.Front{all[0]}, some...))
	}
	var out front.Front
	for i, v := range some {
		if !slices.ContainsFunc(some[:i], func(o front.Vector) bool { return slices.Equal(o, v) }) &&
			!slices.ContainsFunc(some, func(o front.Vector) bool { return v.Within(o) && !slices.Equal(o, v) }) {
			out = append(out, v)
		}
	}
	return new(front.Space).InFewest(out)
}

// drawFronts draws a question that has an answer.
func drawFronts(t *rapid.T) *Chooser {
	most := front.Vector{3, 3}
	left := steps.New(1<<40, nil)
	space := front.NewSpace(most, 1<<16, &left)
	space.Exact = rapid.Bool().Draw(t, "exact")
	weight := rapid.Int64Range(0, 3)
	c := &Chooser{
		Policy: rapid.SampledFrom([]gang.Policy{gang.BestFit, gang.Spread}).Draw(t, "policy"), Space: space, Left: &left,
		Sizes: front.Weights{1, 1}, Scales: []front.Weights{{1, 1}, {weight.Draw(t, "weight"), weight.Draw(t, "weight")}},
	}
	c.Features = keys.RulesOf(c.Policy).Feature
	var compared []keys.Key
	for k := range keys.Count {
		if row := &keys.Table[k]; !row.Sorted && !row.Nodes && rapid.Bool().Draw(t, row.Set) {
			compared, c.Features = append(compared, k), c.Features|row.Needs
		}
	}
	room, used, plain := space.Zero, rapid.Bool().Draw(t, "used"), rapid.Bool().Draw(t, "plain")
	for range rapid.IntRange(1, 6).Draw(t, "items") {
		it := Item{Slots: rapid.Int64Range(0, 3).Draw(t, "slots")}
		for _, k := range compared {
			it.Keys[k] = rapid.Int64Range(0, 1).Draw(t, "key")
		}
		if used {
			it.Used = rapid.Int64Range(0, 2).Draw(t, "running")
		}
		it.Front = drawFront(t, space, allWithin(most))
		if plain { // as children are that slots alone tell apart
			it.Slots, it.Keys = max(it.Slots, int64(it.Front.Most(0))), keys.Values{}
		}
		c.Items, room = append(c.Items, it), space.Sum(room, it.Front)
	}
	fits := slices.DeleteFunc(allWithin(most)[1:], func(v front.Vector) bool { return !space.Holds(room, v) })
	if len(fits) == 0 {
		t.Skip("nothing fits")
	}
	c.Want = rapid.SampledFrom(fits).Draw(t, "want")
	return c
}

// takesOf lists what an item can take of a vector.
func (c *Chooser) takesOf(i int, want front.Vector) []front.Vector {
	return slices.DeleteFunc(allWithin(want), func(v front.Vector) bool {
		return !slices.ContainsFunc(c.Items[i].Front, func(p front.Vector) bool {
			return slices.Equal(v, p) || !c.Space.Exact && v.Within(p)
		})
	})
}

// holds says whether items hold a vector together, by trying everything.
func (c *Chooser) holds(set []int, want front.Vector) bool {
	if len(set) == 0 {
		return want.Total() == 0
	}
	return slices.ContainsFunc(c.takesOf(set[0], want), func(v front.Vector) bool { return c.holds(set[1:], want.Minus(v)) })
}

// compareSets compares sets by the keys of order: roles.9.
func (c *Chooser) compareSets(a, b []int) int {
	sums := func(set []int) (of keys.Values, sum int64, slots []int64) {
		for _, i := range set {
			of, sum, slots = of.With(1, &c.Items[i].Keys), sum+c.Items[i].Slots, append(slots, c.Items[i].Slots)
		}
		slices.SortFunc(slots, func(x, y int64) int { return cmp.Compare(y, x) })
		return of, sum, slots
	}
	ofA, sumA, slotsA := sums(a)
	ofB, sumB, slotsB := sums(b)
	free := cmp.Or(cmp.Compare(sumA, sumB), slices.Compare(slotsA, slotsB))
	if c.Policy == gang.Spread {
		free = -free
	}
	return cmp.Or(
		cmp.Compare(len(a), len(b)), ofA.Compare(&ofB, 0, keys.Packing), free, ofA.Compare(&ofB, keys.Packing+1, keys.Count), slices.Compare(a, b),
	)
}

// bestByEnumeration is the best set in the order of items.
func (c *Chooser) bestByEnumeration() (best []int) {
	var used, others []int
	for i, it := range c.Items {
		if it.Used > 0 {
			used = append(used, i)
		} else {
			others = append(others, i)
		}
	}
	for m := range len(others) + 1 {
		var found [][]int
		for some := range uint(1) << len(others) {
			var set []int
			for i, child := range others {
				if some>>i&1 > 0 {
					set = append(set, child)
				}
			}
			if len(set) == m && c.holds(slices.Concat(used, set), c.Want) {
				found = append(found, set)
			}
		}
		if len(found) > 0 {
			best = append(used, slices.MinFunc(found, c.compareSets)...)
			slices.Sort(best)
			return best
		}
	}
	return nil
}

func TestChooserEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawFronts(t)
		set := c.Choose()
		require.True(t, slices.IsSortedFunc(set, c.compareFill))
		got := slices.Clone(set)
		slices.Sort(got)
		require.Equal(t, c.bestByEnumeration(), got)
	})
}

func TestFrontFillEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawFronts(t)
		set, left := c.Choose(), c.Want
		for n, take := range c.Fill(set) {
			var most front.Vector
			for _, v := range c.takesOf(set[n], left) { // ascending: of equal sizes the last is the greatest
				if c.holds(set[n+1:], left.Minus(v)) && (most == nil || c.Sizes.Of(v) >= c.Sizes.Of(most)) {
					most = v
				}
			}
			if take == nil {
				take = make(front.Vector, len(c.Want))
			}
			require.Equal(t, most, take, "item %d of %v", n, set)
			left = left.Minus(take)
		}
		require.Zero(t, left.Total())
	})
}

// Without steps the answer is the first items that suffice, in fill order.
func TestChooserWithoutSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawFronts(t)
		c.Left = new(steps.Budget)
		set := c.Choose()
		require.True(t, c.holds(set, c.Want), "%v", set)
	})
}

// Where domains are counted several sets may suffice and leave more or fewer of these over. The best of them is taken, which the program over all numbers
// once was not.
func TestBestSetWhereDomainsAreCounted(t *testing.T) {
	left := steps.New(1<<40, nil)
	space := front.NewSpace(front.Vector{4, 0}, 1<<16, &left)
	space.Domains = []int32{2}
	one := keys.Values{keys.Anchors: 1} // so that two numbers do not decide
	c := &Chooser{
		Want: front.Vector{4, -2}, Space: space, Left: &left, Sizes: front.Weights{1, 0}, Scales: []front.Weights{{1, 0}},
		Items: []Item{{Slots: 5, Keys: one, Front: front.Front{{4, -1}}}, {Slots: 4, Keys: one, Front: front.Front{{4, -2}}}},
	}
	require.Equal(t, []int{1}, c.Choose(), "the fewest slots")
}
