package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// fillsPlainly says whether a demand below x is of members alone, between which slots alone decide: nobody runs, nodes
// have no scores, and the policy is BestFit. Groups that no child of x can hold whole are members. The index then tells at
// once which children take how many.
func (pl placer) fillsPlainly(x layout.Vertex, d *demand) bool {
	if !pl.ask.isOrdinary() || len(d.begun) > 0 || x == layout.Root && pl.ask.slots.InTree {
		return false
	}
	switch {
	case pl.ask.bottom() == 0:
		return true
	case pl.ask.indexed == nil:
		return pl.ask.bottom() == 1 && d.units[0] == 0 && !d.short
	case d.units[0] == 0:
		sums := pl.ask.slots.Ix.SumsOf(x)
		return !d.short || sums.Child(1) < pl.ask.short
	}
	for _, t := range pl.p.View.TiersBelow(pl.p.View.TierOf(x)) {
		if pl.sums.whole(0, t, x) > 0 {
			return false
		}
	}
	return true
}

// isOrdinary says whether nothing but slots tells nodes apart.
func (a *ask) isOrdinary() bool {
	return a.slots.Flat == nil && a.p.Policy == gang.BestFit && a.p.Multiple == nil && a.beyond == 0 && len(a.p.Siblings) == 0 &&
		len(a.p.Friends) == 0 && !a.p.Scored()
}

// fillPlain places n members below x, on the fewest children, the fewest slots in sum, and appends their positions to a
// list. The set of children has less to spare than any of them takes, or one could be left out. So all of them are filled,
// except for the last in fill order.
//
// Same answer as order: sets.1, sets.6, fill.1, faster.
func (pl placer) fillPlain(x layout.Vertex, n int64, list []int32) []int32 {
	if pl.p.View.IsNode(x) || n == pl.ask.slots.At(x) {
		return pl.fillAll(x, n, list)
	}
	if pl.ask.zonesTell(x) {
		return pl.fillZoned(x, n, list)
	}
	kept := len(pl.ask.scratch.picks)
	pl.pickFewest(x, n)
	picks := pl.ask.scratch.picks[kept:]
	last, spare := 0, -n
	for i := range picks {
		spare += picks[i].slots
		if picks[i].slots <= picks[last].slots {
			last = i
		}
	}
	for i, p := range picks {
		if i == last && spare > 0 {
			list = pl.fillPlain(p.at, p.slots-spare, list)
		} else {
			list = pl.fillAll(p.at, p.slots, list)
		}
	}
	pl.ask.scratch.picks = pl.ask.scratch.picks[:kept]
	return list
}

// fillAll fills a vertex with n members, all that it has slots for unless it is a node. The list has room for one more.
func (pl placer) fillAll(x layout.Vertex, n int64, list []int32) []int32 {
	if pl.p.View.IsNode(x) {
		for range n {
			list = append(list, pl.p.View.Position(x))
		}
		return list
	}
	pl.ask.scratch.slots = cow.AppendTo(pl.ask.scratch.slots[:0], &pl.ask.slots.Ix.Slots, pl.p.View.FirstPos[x], pl.p.View.EndPos[x])
	end := len(list)
	list = list[:cap(list)]
	for i, slots := range pl.ask.scratch.slots {
		pos := pl.p.View.FirstPos[x] + int32(i)
		list[end] = pos // where there is no slot the next one comes here; most nodes have one or none
		for k := 1; k < int(slots); k++ {
			list[end+k] = pos
		}
		end += int(slots)
	}
	return list[:end]
}

// chosen is a child of a set.
type chosen struct {
	at    layout.Vertex
	slots int64
}

// pickFewest appends to the scratch's picks, in the order of paths, the best set of children of x for n members.
func (pl placer) pickFewest(x layout.Vertex, n int64) {
	sums := pl.ask.slots.Ix.SumsOf(x)
	size, sum := sums.Fewest(n)
	var take func(slots int64) bool
	if least := sums.Child(size); sum == n { // all that are larger, and the first ones of the least that are taken
		equal := size - sums.AtLeast(least+1)
		take = func(slots int64) bool {
			if slots == least {
				equal--
			}
			return slots > least || slots == least && equal >= 0
		}
	} else {
		l := pl.ask.leastSum(&sums)
		counts := l.Pick(int(size), n)
		take = func(slots int64) bool {
			i, ok := slices.BinarySearchFunc(l.Values, slots, descending)
			if !ok || counts[i] == 0 {
				return false
			}
			counts[i]--
			return true
		}
	}
	lo, _ := pl.p.View.Kids(x)
	for i, slots := range pl.ask.slotsBelow(x) {
		if size == 0 {
			break
		}
		if slots > 0 && take(int64(slots)) {
			pl.ask.scratch.picks = append(pl.ask.scratch.picks, chosen{lo + layout.Vertex(i), int64(slots)})
			size--
		}
	}
}

// slotsBelow are the slots of the children of x, in the scratch.
func (a *ask) slotsBelow(x layout.Vertex) []int32 {
	list := a.scratch.slots[:0]
	if lo, end := a.p.View.Kids(x); a.p.View.IsNode(lo) {
		list = cow.AppendTo(list, &a.slots.Ix.Slots, a.p.View.FirstPos[x], a.p.View.EndPos[x])
	} else {
		list = cow.AppendTo(list, &a.slots.Ix.Domains, lo, end)
	}
	a.scratch.slots = list
	return list
}

func descending(a, b int64) int { return cmp.Compare(b, a) }

// leastSum is the program over the children behind some sums, in the scratch.
func (a *ask) leastSum(sums *index.ChildSums) *sets.LeastSum {
	l := &a.scratch.least
	l.Reset()
	var before int64
	for i := range sums.Len {
		sum := sums.Of(i + 1)
		value := sum - before
		before = sum
		if value == 0 {
			break
		}
		l.Add(value)
	}
	return l
}
