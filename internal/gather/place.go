package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/sets"
)

// demand is what is placed below a vertex: units of every level, each whole below it. Units of an inner level are
// those of groups that are split above; without groups there are only members.
type demand struct {
	units []int64
	short bool  // the short last group lies whole below the vertex
	begun []int // begun groups that are completed below the vertex
}

// share is the part of a plan below one vertex.
type share struct {
	demand demand
	at     layout.Vertex
	parts  []share // by child, in the order of ranks
	run    []int32 // the positions of the members, in place of parts, where they are all that is shared out
}

// everything is the demand for the whole ask.
func (a *ask) everything() demand {
	d := demand{units: make([]int64, len(a.sizes)), short: a.short > 0}
	d.units[0] = a.full
	for g := range a.begun {
		d.begun = append(d.begun, g)
	}
	return d
}

// newMembers is the number of members of a demand.
func (a *ask) newMembers(d *demand) int64 {
	var n int64
	for level, units := range d.units {
		n += units * a.sizes[level]
	}
	if d.short {
		n += a.short
	}
	for _, g := range d.begun {
		n += a.begun[g].need * a.sizes[a.begun[g].level+1]
	}
	return n
}

// empty says whether nothing is to be placed.
func (d *demand) empty() bool {
	return !d.short && len(d.begun) == 0 && !slices.ContainsFunc(d.units, func(n int64) bool { return n > 0 })
}

// placer decides what the children of a vertex get, and how much each, under one strategy.
type placer struct {
	p    *problem.Problem
	ask  *ask
	sums *sums
}

func (s *sums) placer() placer { return placer{s.p, s.ask, s} }

// spans answers how few children of a domain hold the whole ask, from the index alone.
type spans struct {
	p    *problem.Problem
	ask  *ask
	sums *sums
}

func (s *sums) spans() spans { return spans{s.p, s.ask, s} }

// place decides level by level where a demand goes below x (docs/order.md section 4). The demand must fit.
func (pl placer) place(x layout.Vertex, d demand) share {
	out := share{demand: d, at: x}
	if pl.p.View.IsNode(x) {
		return out
	}
	if pl.fillsPlainly(x, &d) {
		out.run = pl.fillPlain(x, pl.ask.newMembers(&d), pl.ask.scratch.positions(pl.ask.newMembers(&d)))
		return out
	}
	if pl.keepsPlainly(x, &d) && pl.placeGroups(x, &d, &out) {
		return out
	}
	return pl.placeChosen(x, d)
}

// placeChosen is place by the general choice among the children.
func (pl placer) placeChosen(x layout.Vertex, d demand) share {
	out := share{demand: d, at: x}
	kids := pl.distribute(x, d, pl.ask.scratch.enter(), placing)
	pl.ask.scratch.keep(kids)
	n := 0
	for i := range kids.of {
		if !kids.of[i].demand.empty() {
			n++
		}
	}
	out.parts = make([]share, 0, n)
	for i := range kids.of {
		if kid := &kids.of[i]; !kid.demand.empty() {
			if kid.demand.units == nil { // only the short group or begun ones
				kid.demand.units = pl.ask.units()
			}
			out.parts = append(out.parts, pl.place(kid.at, kid.demand))
		}
	}
	pl.ask.scratch.depth--
	if d.short {
		shortLast(out.parts)
	}
	return out
}

// shortLast puts the child with the short group last, so that ranks end there.
//
// order: ranks.2
func shortLast(parts []share) {
	if i := slices.IndexFunc(parts, func(p share) bool { return p.demand.short }); i >= 0 {
		last := parts[i]
		copy(parts[i:], parts[i+1:])
		parts[len(parts)-1] = last
	}
}

// units makes room for one count a level.
func (a *ask) units() []int64 { return a.scratch.carve(len(a.sizes)) }

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
