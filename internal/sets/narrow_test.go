package sets

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// narrowTrial is a set that suffices, filled so that as little as can be is in use below its items.
type narrowTrial struct {
	trial
	spans []int64
}

// spansOf are what all items use, those beside the set too, given what each of the set takes.
func spansOf(c *Chooser, t *trial) []int64 {
	spans := make([]int64, c.Width+1)
	for i := range c.Items {
		it := &c.Items[i]
		if !slices.Contains(t.set, i) && it.Used == 0 && !it.HasShort {
			continue
		}
		c.Below(spans, i, t.given[i]*c.Multiple, i == t.short || it.HasShort)
	}
	return spans
}

// fillings lists the ways to fill a set in fill order, the largest numbers first, with the short group in an item of it.
func fillings(c *Chooser, order []int, short int, left int64, given []int64) (out [][]int64) {
	if len(order) == 0 {
		if left == 0 {
			out = append(out, slices.Clone(given))
		}
		return out
	}
	i := order[0]
	least, most := max(1, c.Items[i].Lo), c.Items[i].Hi
	if i == short {
		least, most = c.Items[i].Lo, c.Items[i].WithRest
	}
	for n := min(most, left); n >= least; n-- {
		given[i] = n
		out = append(out, fillings(c, order[1:], short, left-n, given)...)
	}
	given[i] = 0
	return out
}

// tryNarrow is a set filled by fill.1 and short.2; nil if it does not suffice.
func tryNarrow(c *Chooser, set []int) (best *narrowTrial) {
	order := slices.Clone(set)
	slices.SortFunc(order, func(i, j int) int { return fillOrder(c, i, j) })
	shorts := []int{-1}
	if c.Short {
		shorts = slices.Clone(order)
		slices.Reverse(shorts)
	}
	for _, short := range shorts {
		for _, given := range fillings(c, order, short, c.Units, make([]int64, len(c.Items))) {
			t := &narrowTrial{trial: trial{set: set, given: given, short: short}}
			if t.spans = spansOf(c, &t.trial); best == nil || slices.Compare(t.spans, best.spans) < 0 {
				best = t
			}
		}
	}
	if best != nil {
		for _, i := range set {
			best.score = best.score.Plus(c.Scorer.Score(i, best.given[i]*c.Multiple, i == best.short || c.Items[i].HasShort))
		}
	}
	return best
}

// fresh is how many items of a set are not in use before.
func fresh(c *Chooser, t *trial) (n int) {
	for _, i := range t.set {
		if c.Items[i].Used == 0 && !c.Items[i].HasShort {
			n++
		}
	}
	return n
}

// Where the span below the items counts, the chooser is held to all sets and all numbers. What a search left in its memory changes no other.
func TestNarrowEqualsEnumeration(t *testing.T) {
	var memory Narrower
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]gang.Policy{gang.BestFit, gang.ByScore}).Draw(t, "policy")
		c := drawChooser(t, policy, rapid.Bool().Draw(t, "short"))
		if c.Nodes {
			t.Skip("nodes have nothing below them")
		}
		c.Width = rapid.IntRange(1, 2).Draw(t, "width")
		table := rapid.SliceOfN(rapid.Int64Range(0, 2), 61, 61).Draw(t, "below")
		c.Below = func(spans []int64, i int, units int64, short bool) {
			spans[0]++
			for j := range c.Width {
				at := 7*i + 5*int(units) + 11*j
				if short {
					at += 3
				}
				spans[j+1] += table[at%len(table)]
			}
		}
		additions := int64(1 << 20)
		c.Additions, c.Narrower = &additions, &memory
		var want *narrowTrial
		for set := range allSets(c) {
			some := tryNarrow(c, set)
			if some == nil {
				continue
			}
			if want == nil || cmp.Or(cmp.Compare(fresh(c, &some.trial), fresh(c, &want.trial)), slices.Compare(some.spans, want.spans), compareTrials(c, &some.trial, &want.trial)) < 0 {
				want = some
			}
		}
		if want == nil {
			t.Skip("no set suffices")
		}
		requireChosen(t, c, &want.trial)
	})
}

// Where too many additions would be needed, only the items count.
func TestNarrowIsBounded(t *testing.T) {
	choose := func(additions int64) (given []int64) {
		c := &Chooser{
			Units: 3, Multiple: 1, Width: 1, Additions: &additions,
			Items: []Item{{Slots: 2, Hi: 2, WithRest: -1}, {Slots: 2, Hi: 2, WithRest: -1}},
			Below: func(spans []int64, i int, units int64, _ bool) { // the first has two vertices of a slot each
				spans[0], spans[1] = spans[0]+1, spans[1]+1+(units-1)*int64(1-i)
			},
		}
		c.Choose()
		for _, it := range c.Items {
			given = append(given, it.Given)
		}
		return given
	}
	require.Equal(t, []int64{1, 2}, choose(100))
	require.Equal(t, []int64{2, 1}, choose(10))
}

// Where the items in use hold all, nobody asks what would be below others.
func TestNarrowAsksOfItemsInUse(t *testing.T) {
	asked := func(width int, units int64) (items []int) {
		additions := int64(1 << 20)
		c := &Chooser{
			Units: units, Multiple: 1, Width: width, Additions: &additions,
			Items: []Item{{Slots: 1, Hi: 1, Used: 3, WithRest: -1}, {Slots: 2, Hi: 2, Used: 1, WithRest: -1}, {Slots: 9, Hi: 9, WithRest: -1}},
			Below: func(spans []int64, i int, _ int64, _ bool) {
				if spans[0]++; !slices.Contains(items, i) {
					items = append(items, i)
				}
			},
		}
		c.Choose()
		slices.Sort(items)
		return items
	}
	require.Equal(t, []int{0, 1}, asked(1, 3))
	require.Equal(t, []int{0, 1, 2}, asked(1, 4), "they hold three")
	require.Equal(t, []int{0, 1, 2}, asked(2, 3), "what is below others may take additions")
}
