package sets

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/keys"
)

// Every algorithm of the chooser is held to plain enumeration: all subsets, compared by the keys of section 4 of the
// order one by one, and filled one unit after the other.

// rates is a scorer by tables.
type rates struct {
	host, zones []int64
	c           *Chooser
}

func (r *rates) Host(i int) int64 { return r.host[i] }

func (r *rates) Score(i int, units int64, short bool) Score {
	members := 3 * units
	if !r.c.Groups {
		members = units
	}
	if short {
		members += 1 + r.c.Place
	}
	return Score{Zones: r.zones[i] * (members % 4), Host: r.host[i] * members}
}

// trial is a set that suffices, filled.
type trial struct {
	set   []int // in the order of items
	given []int64
	short int // -1: none
	score Score
}

// fillOrder compares two items by the order in which they are filled.
func fillOrder(c *Chooser, i, j int) int {
	a, b := &c.Items[i], &c.Items[j]
	room := cmp.Compare(b.Slots, a.Slots)
	if c.Policy == gang.ByScore && c.Nodes {
		room = cmp.Compare(c.Scorer.Host(j), c.Scorer.Host(i))
	}
	return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.Keys[keys.Zones], b.Keys[keys.Zones]), room, cmp.Compare(i, j))
}

// tryFill fills a set, nil if it does not suffice.
func tryFill(c *Chooser, set []int, short int) *trial {
	t := &trial{set: set, given: make([]int64, len(c.Items)), short: short}
	order := slices.Clone(set)
	slices.SortFunc(order, func(i, j int) int { return fillOrder(c, i, j) })
	left := c.Units
	most := func(i int) int64 {
		if i == short {
			return c.Items[i].WithRest
		}
		return c.Items[i].Hi
	}
	for _, i := range order {
		t.given[i] = c.Items[i].Lo
		if i != short {
			t.given[i] = max(1, t.given[i])
		}
		if t.given[i] > most(i) {
			return nil
		}
		left -= t.given[i]
	}
	even := func(i int) int64 {
		if i == short || c.Items[i].HasShort {
			return t.given[i] + c.Place
		}
		return t.given[i]
	}
	for ; left > 0; left-- {
		next := -1
		for _, i := range order {
			if t.given[i] < most(i) && (next < 0 || (c.Policy == gang.Spread || c.Policy == gang.Balanced) && even(i) < even(next)) {
				next = i
			}
		}
		if next < 0 {
			return nil
		}
		t.given[next]++
	}
	if left < 0 {
		return nil
	}
	for _, i := range set {
		t.score = t.score.Plus(c.Scorer.Score(i, t.given[i]*c.Multiple, i == short || c.Items[i].HasShort))
	}
	return t
}

// tryShort fills a set with the short group in the last item in fill order that can hold it, or in an item that can
// take nothing else.
func tryShort(c *Chooser, set []int) *trial {
	order := slices.Clone(set)
	slices.SortFunc(order, func(i, j int) int { return fillOrder(c, i, j) })
	for _, i := range order {
		if c.Items[i].Hi == 0 {
			return tryFill(c, set, i)
		}
	}
	for _, i := range slices.Backward(order) {
		if t := tryFill(c, set, i); t != nil {
			return t
		}
	}
	return nil
}

// share is the smallest share that all of a set can take.
func share(c *Chooser, set []int) int64 {
	for level := c.Units; ; level-- {
		var sum int64
		fits := true
		for _, i := range set {
			sum += max(level, c.Items[i].Lo)
			fits = fits && level <= c.Items[i].Hi
		}
		if level == 0 || fits && sum <= c.Units {
			return level
		}
	}
}

// compareTrials compares two sets by the rules of docs/order.md; below 0 if the first is better.
func compareTrials(c *Chooser, a, b *trial) int {
	sum := func(t *trial, of func(it *Item) int64) (n int64) {
		for _, i := range t.set {
			n += of(&c.Items[i])
		}
		return n
	}
	fewer := func(of func(it *Item) int64) int { return cmp.Compare(sum(a, of), sum(b, of)) }
	byKeys := func(from, end keys.Key) (order int) {
		for k := from; k < end; k++ {
			order = cmp.Or(order, fewer(func(it *Item) int64 { return it.Keys[k] }))
		}
		return order
	}
	one := func(is bool) int64 {
		if is {
			return 1
		}
		return 0
	}
	sizes := func(t *trial) (list []int64) {
		for _, i := range t.set {
			list = append(list, c.Items[i].Slots)
		}
		slices.SortFunc(list, func(x, y int64) int { return cmp.Compare(y, x) })
		return list
	}
	order := cmp.Or(
		fewer(func(it *Item) int64 { return one(it.Used == 0 && !it.HasShort) }), // sets.1
		-fewer(func(it *Item) int64 { return it.Used }),                          // sets.2
		-fewer(func(it *Item) int64 { return one(it.HasShort) }),
		byKeys(0, keys.Packing), // sets.3, sets.4
	)
	if order == 0 && c.Policy == gang.Balanced {
		order = cmp.Compare(share(c, b.set), share(c, a.set)) // sets.5
	}
	if order == 0 { // sets.6
		switch {
		case c.Policy == gang.ByScore && c.Nodes:
			order = cmp.Compare(b.score.Host, a.score.Host)
		case c.Policy == gang.Spread:
			order = -cmp.Or(fewer(func(it *Item) int64 { return it.Slots }), slices.Compare(sizes(a), sizes(b)))
		default:
			order = cmp.Or(fewer(func(it *Item) int64 { return it.Slots }), slices.Compare(sizes(a), sizes(b)))
		}
	}
	return cmp.Or(order, byKeys(keys.Packing+1, keys.Count), b.score.Compare(a.score), slices.Compare(a.set, b.set)) // sets.7, sets.8
}

// allSets yields the sets that have all items with a lower bound.
func allSets(c *Chooser) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for bits := 1; bits < 1<<len(c.Items); bits++ {
			var set []int
			all := true
			for i := range c.Items {
				if bits>>i&1 == 1 {
					set = append(set, i)
				} else if c.Items[i].Lo > 0 {
					all = false
				}
			}
			if all && !yield(set) {
				return
			}
		}
	}
}

// bestTrial is the best of all sets, nil if none suffices.
func bestTrial(c *Chooser) (best *trial) {
	for set := range allSets(c) {
		var t *trial
		if c.Short {
			t = tryShort(c, set)
		} else {
			t = tryFill(c, set, -1)
		}
		if t != nil && (best == nil || compareTrials(c, t, best) < 0) {
			best = t
		}
	}
	return best
}

// asked is the question in the chooser's units: those of its multiple.
func asked(c *Chooser) *Chooser {
	q := *c
	q.Items, q.Units, q.Place = slices.Clone(c.Items), c.Units*c.Multiple, c.Place*c.Multiple
	for i := range q.Items {
		it := &q.Items[i]
		it.Lo, it.Hi, it.Slots = it.Lo*c.Multiple, it.Hi*c.Multiple, it.Slots*c.Multiple
	}
	return &q
}

// checkChoosers draws questions of every policy, with a short group and without.
func checkChoosers(t *testing.T, check func(t *rapid.T, c *Chooser)) {
	for _, policy := range []gang.Policy{gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore} {
		for _, short := range []bool{false, true} {
			t.Run(fmt.Sprintf("policy=%s/short=%v", policy, short), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { check(t, drawChooser(t, policy, short)) })
			})
		}
	}
}

func TestChooserEqualsEnumeration(t *testing.T) {
	checkChoosers(t, func(t *rapid.T, c *Chooser) {
		want := bestTrial(c)
		if want == nil {
			t.Skip("no set suffices")
		}
		requireChosen(t, c, want)
	})
}

// requireChosen holds what a chooser gives to a set that is filled.
func requireChosen(t require.TestingT, c *Chooser, want *trial) {
	q := asked(c)
	q.Choose()
	for i, it := range q.Items {
		require.Equal(t, want.given[i]*c.Multiple, it.Given, "item %d of %s", i, c)
		require.Equal(t, i == want.short || c.Items[i].HasShort, it.HasShort, "short group in item %d of %s", i, c)
	}
}

// What counting says of the number of items is what choosing says.
func TestCountEqualsChoose(t *testing.T) {
	checkChoosers(t, func(t *rapid.T, c *Chooser) {
		if bestTrial(c) == nil {
			t.Skip("no set suffices")
		}
		size := func(q *Chooser) (n int) {
			for _, it := range q.Items {
				if it.Given > 0 || it.HasShort || it.Used > 0 {
					n++
				}
			}
			return n
		}
		chosen, counted := asked(c), asked(c)
		chosen.Choose()
		counted.Count()
		require.Equal(t, size(chosen), size(counted), "%s", c)
	})
}

// chosenSlots are the slots of the items that are given anything, largest first.
func chosenSlots(c *Chooser) (list []int64) {
	for _, it := range c.Items {
		if it.Given > 0 || it.HasShort {
			list = append(list, it.Slots)
		}
	}
	slices.SortFunc(list, func(a, b int64) int { return cmp.Compare(b, a) })
	return list
}

// drawSlots draws the slots of some items, largest first, their sums, and the groups of a size in all of them.
func drawSlots(t *rapid.T, size int64) (slots []int64, sums []int32, groups int64) {
	slots = rapid.SliceOfN(rapid.Int64Range(0, size*5), 1, 9).Draw(t, "slots")
	slices.SortFunc(slots, func(a, b int64) int { return cmp.Compare(b, a) })
	var sum int64
	for _, n := range slots {
		sum, groups = sum+n, groups+n/size
		sums = append(sums, int32(sum))
	}
	return slots, sums, groups
}

// Where slots alone decide, the chooser and [LeastSum] over the same slots take the same sizes.
func TestLeastSumEqualsChooser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots, sums, total := drawSlots(t, 1)
		if total == 0 {
			t.Skip("no room")
		}
		need := rapid.Int64Range(1, total).Draw(t, "units")
		c, l := &Chooser{Units: need, Multiple: 1}, &LeastSum{}
		l.Reset()
		for _, n := range slots {
			c.Items = append(c.Items, Item{Slots: n, Hi: n, WithRest: -1})
			l.Add(n)
		}
		run := index.ChildSums{Run: sums, Len: int32(len(sums))}
		size, _ := run.Fewest(need)
		var got []int64
		for i, n := range l.Pick(int(size), need) {
			got = append(got, slices.Repeat([]int64{l.Values[i]}, n)...)
		}
		c.Choose()
		require.Equal(t, chosenSlots(c), got, "%d of %v", need, slots)
	})
}

// Where the slots of an item say how many groups it holds, the chooser and [LeastGroups] take the same sizes.
func TestLeastGroupsEqualsChooser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 5).Draw(t, "size")
		short := rapid.Int64Range(0, size-1).Draw(t, "short")
		slots, sums, groups := drawSlots(t, size)
		if short > 0 {
			groups-- // one is to spare
		}
		if groups < 1 {
			t.Skip("no room")
		}
		n := rapid.Int64Range(1, groups).Draw(t, "groups")
		c, l := &Chooser{Units: n, Multiple: 1, Groups: true, Place: 1, Short: short > 0}, &LeastGroups{}
		for _, s := range slots {
			it := Item{Slots: s, Hi: s / size, WithRest: s / size}
			if s%size < short {
				it.WithRest--
			}
			c.Items = append(c.Items, it)
		}
		require.True(t, l.Begin(&index.ChildSums{Run: sums, Len: int32(len(sums))}, size, short, n))
		var got []int64
		for _, i := range l.Pick() {
			got = append(got, l.Slots[i])
		}
		c.Choose()
		require.Equal(t, chosenSlots(c), got, "%d groups of %d and one of %d in %v", n, size, short, slots)
	})
}

func (c *Chooser) String() string {
	s := fmt.Sprintf("policy %s: %d units, multiple %d, short %v nodes %v groups %v zoned %v scored %v\n",
		c.Policy, c.Units, c.Multiple, c.Short, c.Nodes, c.Groups, c.Zoned, c.scored())
	for i, it := range c.Items {
		s += fmt.Sprintf("%d: %+v host %d\n", i, it, c.Scorer.Host(i))
	}
	return s
}
