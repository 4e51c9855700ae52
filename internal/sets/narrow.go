// Which children take how many units if the vertices in use below them count?

package sets

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
)

// Narrower chooses among children whose span below counts (sets.1). It is a dynamic program over the children in the order of items: a state is the
// units, and the short group, that are still to be placed. All keys are sums, or compare sorted lists as sums would, so that only the best choice from
// a state need be kept. O(children * units * numbers of a child). Its memory may serve one search after the other.
type Narrower struct {
	c       *Chooser
	kids    []int       // the items that may be in the best set
	most    []int64     // units that the kids from each one on take at most
	taken   []int32     // by portion: where its numbers begin; 0: they are not known yet
	numbers []int64     // what is in use with a portion; the first ones are 0
	memo    []int32     // by state: 2 and the place of the best choice, 1 if there is none; 0: it is not known yet
	sets    []narrowSet // the first is that of the end
	spans   []int64     // of the sets: children in use, then layer by layer what is in use below them
	sizes   [2][]int64  // of two sets that are compared
	filling narrowFill
}

// portion is what a child takes; none: it is not in the set.
type portion struct {
	item  int
	units int64
	short bool
	none  bool
}

// narrowState is what the kids from one on are to take.
type narrowState struct {
	kid   int
	units int64
	short bool
}

// narrowSet is the best choice from a child on: whether it is in the set, and the choice from the next one on.
type narrowSet struct {
	item      int
	in        bool
	own       int64 // running members of the gang in the children of the set
	withShort int64 // 1 if one of them has the short group already
	sums      keys.Values
	next      int32
}

// mayNarrow says whether the program is within what is left of its bound, and takes it off.
func (c *Chooser) mayNarrow() bool {
	var additions int64
	for i := range c.Items {
		additions += (min(c.Items[i].Hi, c.Units) + 2) * (c.Units + 1)
	}
	if c.Short {
		additions *= 2
	}
	if additions > *c.Additions {
		return false
	}
	*c.Additions -= additions
	return true
}

// chooseNarrow is choose where the span below the children counts.
//
// order: sets.1
func (c *Chooser) chooseNarrow() {
	n := c.Narrower
	if n == nil {
		n = &Narrower{}
	}
	n.begin(c)
	best := n.best(narrowState{0, c.Units, c.Short})
	if best < 0 || c.Units == 0 && !c.Short { // the caller has seen that the children suffice; nothing is placed
		return
	}
	set := n.items(best)
	if c.scored() && !c.counting {
		set = n.bestScored()
	}
	n.fill(set)
}

// begin makes it ready for a search.
func (n *Narrower) begin(c *Chooser) {
	n.c = c
	n.listKids()
	n.most = append(n.most[:0], make([]int64, len(n.kids)+1)...)
	for i := len(n.kids) - 1; i >= 0; i-- {
		n.most[i] = n.most[i+1] + max(0, c.Items[n.kids[i]].Hi)
	}
	n.taken = append(n.taken[:0], make([]int32, n.place(len(c.Items), -1, false))...)
	n.memo = append(n.memo[:0], make([]int32, n.place(len(n.kids), -1, false))...)
	n.numbers = append(n.numbers[:0], make([]int64, n.width())...)
	n.spans = append(n.spans[:0], make([]int64, n.width())...)
	n.sets = append(n.sets[:0], narrowSet{})
}

// listKids finds the items that may be in the best set. Where those that are in use, or in every set, hold all, one more would be one too many. What
// is below it is then not asked for, which must not leave more of the additions: where only one layer counts, that costs none.
func (n *Narrower) listKids() {
	c, room := n.c, int64(0)
	n.kids = n.kids[:0]
	if c.Width == 1 && !c.Short {
		for i := range c.Items {
			if it := &c.Items[i]; it.inEverySet() || it.Used > 0 || it.HasShort {
				n.kids, room = append(n.kids, i), room+max(0, it.Hi)
			}
		}
		if room >= c.Units {
			return
		}
	}
	n.kids = n.kids[:0]
	for i := range c.Items {
		n.kids = append(n.kids, i)
	}
}

// width is how many numbers say what is in use: children, and layer by layer what is below them.
func (n *Narrower) width() int { return n.c.Width + 1 }

// place is that of a portion, or of a state, in a list of all; units -1 are those of a child that is not in the set.
func (n *Narrower) place(item int, units int64, short bool) int {
	at := 2 * (int64(item)*(n.c.Units+2) + units + 1)
	if short {
		at++
	}
	return int(at)
}

// below is what is in use of a child and below it, in the layers that count.
func (n *Narrower) below(p portion) []int64 {
	if !n.uses(p) {
		return n.numbers[:n.width()]
	}
	at := n.place(p.item, p.units, p.short)
	if p.none {
		at = n.place(p.item, -1, false)
	}
	from := int(n.taken[at])
	if from == 0 {
		from = len(n.numbers)
		n.numbers = append(n.numbers, make([]int64, n.width())...)
		it := &n.c.Items[p.item]
		n.c.Below(n.numbers[from:], p.item, p.units*n.c.Multiple+it.rest, p.short || it.HasShort)
		n.taken[at] = int32(from)
	}
	return n.numbers[from : from+n.width()]
}

// uses says whether a child is in use with a portion: the first of the numbers of below, which is known without them.
func (n *Narrower) uses(p portion) bool {
	it := &n.c.Items[p.item]
	return !p.none || it.Used > 0 || it.HasShort
}

// spansOf are those of a set.
func (n *Narrower) spansOf(set int32) []int64 {
	return n.spans[int(set)*n.width() : (int(set)+1)*n.width()]
}

// isWider says whether spans with what a child uses come behind others, which is known before they are added up, and mostly before it is known what is
// in use below the child.
func (n *Narrower) isWider(spans []int64, p portion, than []int64) bool {
	if n.uses(p) && spans[0]+1 > than[0] {
		return true
	}
	for i, x := range n.below(p) {
		if sum := spans[i] + x; sum != than[i] {
			return sum > than[i]
		}
	}
	return false
}

// best is the best choice for a state, -1 if the children from there on cannot take that. Of equal ones it takes the earlier children.
func (n *Narrower) best(st narrowState) int32 {
	switch {
	case st.kid == len(n.kids):
		if st.units > 0 || st.short {
			return -1
		}
		return 0
	case st.units > n.most[st.kid]:
		return -1
	}
	at := n.place(st.kid, st.units, st.short)
	if known := n.memo[at]; known != 0 {
		return known - 2
	}
	best := int32(-1)
	for p := range n.portions(st) {
		next := n.best(narrowState{st.kid + 1, st.units - p.units, st.short && !p.short})
		if next < 0 || best >= 0 && n.isWider(n.spansOf(next), p, n.spansOf(best)) {
			continue
		}
		some := n.join(p, next)
		if best < 0 {
			best = some
			continue
		}
		if cmp.Or(n.compare(some, best), n.compareItems(some, best)) < 0 {
			n.sets[best] = n.sets[some]
			copy(n.spansOf(best), n.spansOf(some))
		}
		n.drop(some)
	}
	n.memo[at] = best + 2
	return best
}

// portions yields what the first kid of a state may take: first that it is not in the set, which is often the best and makes others wider.
func (n *Narrower) portions(st narrowState) iter.Seq[portion] {
	return func(yield func(portion) bool) {
		item := n.kids[st.kid]
		it := &n.c.Items[item]
		if !it.inEverySet() && !yield(portion{item: item, none: true}) {
			return
		}
		for units := it.least(); units <= min(it.Hi, st.units); units++ {
			if !yield(portion{item: item, units: units}) {
				return
			}
		}
		for units := it.Lo; st.short && units <= min(it.WithRest, st.units); units++ {
			if !yield(portion{item: item, units: units, short: true}) {
				return
			}
		}
	}
}

// join puts a child before a choice among those behind it. The set is the last one.
func (n *Narrower) join(p portion, next int32) int32 {
	rest, some := &n.sets[next], int32(len(n.sets))
	out := narrowSet{item: p.item, in: !p.none, own: rest.own, withShort: rest.withShort, sums: rest.sums, next: next}
	if it := &n.c.Items[p.item]; out.in {
		out.own += it.Used
		if it.HasShort {
			out.withShort++
		}
		values := it.Keys.WithSlots(it.Slots, n.c.rules)
		out.sums = out.sums.With(1, &values)
	}
	n.sets = append(n.sets, out)
	for i, x := range n.below(p) {
		n.spans = append(n.spans, n.spans[int(next)*n.width()+i]+x)
	}
	return some
}

// drop forgets the last set.
func (n *Narrower) drop(set int32) {
	n.sets, n.spans = n.sets[:set], n.spans[:int(set)*n.width()]
}

// compare is below 0 if a comes before b by all keys before scores.
func (n *Narrower) compare(a, b int32) int {
	x, y := &n.sets[a], &n.sets[b]
	order := cmp.Or(slices.Compare(n.spansOf(a), n.spansOf(b)), cmp.Compare(y.own, x.own), cmp.Compare(y.withShort, x.withShort), x.sums.Compare(&y.sums, 0, keys.Packing+1))
	if order != 0 {
		return order
	}
	n.sizes[0], n.sizes[1] = n.sizesOf(a, n.sizes[0]), n.sizesOf(b, n.sizes[1])
	return cmp.Or(slices.Compare(n.sizes[0], n.sizes[1]), x.sums.Compare(&y.sums, keys.Packing+1, keys.Count))
}

// compareItems compares the children of two choices.
func (n *Narrower) compareItems(a, b int32) int {
	for {
		a, b = n.firstIn(a), n.firstIn(b)
		if a == 0 || b == 0 || n.sets[a].item != n.sets[b].item {
			return cmp.Or(cmp.Compare(min(a, 1), min(b, 1)), cmp.Compare(n.sets[a].item, n.sets[b].item))
		}
		a, b = n.sets[a].next, n.sets[b].next
	}
}

// firstIn is a choice from its first child in the set on, 0 if there is none.
func (n *Narrower) firstIn(set int32) int32 {
	for set > 0 && !n.sets[set].in {
		set = n.sets[set].next
	}
	return set
}

// items are the children of a choice.
func (n *Narrower) items(set int32) (out []int) {
	for set = n.firstIn(set); set > 0; set = n.firstIn(n.sets[set].next) {
		out = append(out, n.sets[set].item)
	}
	return out
}

// sizesOf are the slots of the children of a choice, largest first, in memory that is used again.
func (n *Narrower) sizesOf(set int32, out []int64) []int64 {
	out = out[:0]
	for set = n.firstIn(set); set > 0; set = n.firstIn(n.sets[set].next) {
		out = append(out, n.c.Items[n.sets[set].item].Slots)
	}
	slices.SortFunc(out, func(a, b int64) int { return cmp.Compare(b, a) })
	return out
}

// bestScored is, of the sets that are as good as the best one by all keys before scores, that with the highest score. Only the first maxMixed of them,
// in the order of paths, are compared.
//
// order: sets.7
func (n *Narrower) bestScored() (set []int) {
	var top Score
	tries := 0
	n.equals([]narrowState{{0, n.c.Units, n.c.Short}}, nil, func(some []int) bool {
		score := n.c.scoreFilled(some, n.fill)
		if set == nil || beats(score.Compare(top), some, set) {
			set, top = slices.Clone(some), score
		}
		tries++
		return tries < maxMixed
	})
	return set
}

// equals yields, in the order of paths, the sets that begin with some children and are as good as the best choice from any of the states behind these.
// False: it was told to stop.
func (n *Narrower) equals(states []narrowState, set []int, yield func([]int) bool) bool {
	i := states[0].kid
	if i == len(n.kids) {
		return yield(set)
	}
	var with, without []narrowState
	for _, st := range states {
		for p := range n.portions(st) {
			after := narrowState{i + 1, st.units - p.units, st.short && !p.short}
			switch {
			case !n.isBest(st, p, after):
			case p.none:
				without = append(without, after)
			case !slices.Contains(with, after):
				with = append(with, after)
			}
		}
	}
	return (len(with) == 0 || n.equals(with, append(slices.Clip(set), n.kids[i]), yield)) && (len(without) == 0 || n.equals(without, set, yield))
}

// isBest says whether a portion of the first kid of a state, with the best choice after it, is as good as the best choice for the state.
func (n *Narrower) isBest(st narrowState, p portion, after narrowState) bool {
	best, next := n.best(st), n.best(after)
	if next < 0 {
		return false
	}
	some := n.join(p, next)
	defer n.drop(some)
	return n.compare(some, best) == 0
}
