// Which children take how many units if the vertices in use below them count?

package sets

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
)

// narrower chooses among children whose span below counts (sets.1). It is a dynamic program over the children in the order of items: a state is the
// units, and the short group, that are still to be placed. All keys are sums, or compare sorted lists as sums would, so that only the best choice from
// a state need be kept. O(children * units * numbers of a child).
type narrower struct {
	c     *Chooser
	most  []int64       // units that the children from each one on take at most
	taken [][]int64     // by portion
	memo  []knownNarrow // by state
}

// knownNarrow is the best choice for a state, once it is known: nil if there is none.
type knownNarrow struct {
	known bool
	best  *narrowSet
}

// portion is what a child takes; none: it is not in the set.
type portion struct {
	item  int
	units int64
	short bool
	none  bool
}

// narrowState is what the children from one on are to take.
type narrowState struct {
	item  int
	units int64
	short bool
}

// narrowSet is the best choice from a child on: whether it is in the set, and the choice from the next one on, nil at the end.
type narrowSet struct {
	item      int
	in        bool
	spans     []int64 // children in use, then layer by layer what is in use below them
	own       int64   // running members of the gang in the children of the set
	withShort int64   // 1 if one of them has the short group already
	sums      keys.Values
	next      *narrowSet
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
	n := &narrower{c: c, most: make([]int64, len(c.Items)+1)}
	n.taken, n.memo = make([][]int64, n.place(len(c.Items), -1, false)), make([]knownNarrow, n.place(len(c.Items), -1, false))
	for i := len(c.Items) - 1; i >= 0; i-- {
		n.most[i] = n.most[i+1] + max(0, c.Items[i].Hi)
	}
	best := n.best(narrowState{0, c.Units, c.Short})
	if best == nil || c.Units == 0 && !c.Short { // the caller has seen that the children suffice; nothing is placed
		return
	}
	set := best.items()
	if c.scored() && !c.counting {
		set = n.bestScored()
	}
	n.fill(set)
}

// place is that of a portion, or of a state, in a list of all; units -1 are those of a child that is not in the set.
func (n *narrower) place(item int, units int64, short bool) int {
	at := 2 * (int64(item)*(n.c.Units+2) + units + 1)
	if short {
		at++
	}
	return int(at)
}

// below is what is in use of a child and below it, in the layers that count.
func (n *narrower) below(p portion) []int64 {
	at := n.place(p.item, p.units, p.short)
	if p.none {
		at = n.place(p.item, -1, false)
	}
	if known := n.taken[at]; known != nil {
		return known
	}
	it := &n.c.Items[p.item]
	var spans []int64
	if !n.uses(p) {
		spans = make([]int64, n.c.Width+1)
	} else {
		spans = append([]int64{1}, n.c.Below(p.item, p.units*n.c.Multiple+it.rest, p.short || it.HasShort)...)
	}
	n.taken[at] = spans
	return spans
}

// plus are spans with what a child uses.
func (n *narrower) plus(spans []int64, p portion) []int64 {
	spans = slices.Clone(spans)
	for i, x := range n.below(p) {
		spans[i] += x
	}
	return spans
}

// uses says whether a child is in use with a portion: the first of the numbers of below, which is known without them.
func (n *narrower) uses(p portion) bool {
	it := &n.c.Items[p.item]
	return !p.none || it.Used > 0 || it.HasShort
}

// isWider says whether spans with what a child uses come behind others, which is known before they are added up, and mostly before it is known what is
// in use below the child.
func (n *narrower) isWider(spans []int64, p portion, than []int64) bool {
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

// best is the best choice for a state, nil if the children from there on cannot take that. Of equal ones it takes the earlier children.
func (n *narrower) best(st narrowState) *narrowSet {
	switch {
	case st.item == len(n.c.Items):
		if st.units > 0 || st.short {
			return nil
		}
		return &narrowSet{item: st.item, spans: make([]int64, n.c.Width+1)}
	case st.units > n.most[st.item]:
		return nil
	}
	at := n.place(st.item, st.units, st.short)
	if n.memo[at].known {
		return n.memo[at].best
	}
	var best *narrowSet
	for p := range n.c.portions(st) {
		next := n.best(narrowState{st.item + 1, st.units - p.units, st.short && !p.short})
		if next == nil || best != nil && n.isWider(next.spans, p, best.spans) {
			continue
		}
		some := n.join(p, next)
		if best == nil || cmp.Or(n.compare(some, best), slices.Compare(some.items(), best.items())) < 0 {
			best = some
		}
	}
	n.memo[at] = knownNarrow{true, best}
	return best
}

// portions yields what the first child of a state may take: first that it is not in the set, which is often the best and makes others wider.
func (c *Chooser) portions(st narrowState) iter.Seq[portion] {
	return func(yield func(portion) bool) {
		it := &c.Items[st.item]
		if !it.inEverySet() && !yield(portion{item: st.item, none: true}) {
			return
		}
		for units := it.least(); units <= min(it.Hi, st.units); units++ {
			if !yield(portion{item: st.item, units: units}) {
				return
			}
		}
		for units := it.Lo; st.short && units <= min(it.WithRest, st.units); units++ {
			if !yield(portion{item: st.item, units: units, short: true}) {
				return
			}
		}
	}
}

// join puts a child before a choice among those behind it.
func (n *narrower) join(p portion, next *narrowSet) *narrowSet {
	out := &narrowSet{item: p.item, in: !p.none, spans: n.plus(next.spans, p), own: next.own, withShort: next.withShort, sums: next.sums, next: next}
	if it := &n.c.Items[p.item]; out.in {
		out.own += it.Used
		if it.HasShort {
			out.withShort++
		}
		values := it.Keys.WithSlots(it.Slots, n.c.rules)
		out.sums = out.sums.With(1, &values)
	}
	return out
}

// compare is below 0 if a comes before b by all keys before scores.
func (n *narrower) compare(a, b *narrowSet) int {
	order := cmp.Or(slices.Compare(a.spans, b.spans), cmp.Compare(b.own, a.own), cmp.Compare(b.withShort, a.withShort), a.sums.Compare(&b.sums, 0, keys.Packing+1))
	if order != 0 {
		return order
	}
	return cmp.Or(slices.Compare(n.sizes(a), n.sizes(b)), a.sums.Compare(&b.sums, keys.Packing+1, keys.Count))
}

// items are the children of a choice.
func (s *narrowSet) items() (out []int) {
	for ; s.next != nil; s = s.next {
		if s.in {
			out = append(out, s.item)
		}
	}
	return out
}

// sizes are the slots of the children of a choice, largest first.
func (n *narrower) sizes(s *narrowSet) (out []int64) {
	for _, i := range s.items() {
		out = append(out, n.c.Items[i].Slots)
	}
	slices.SortFunc(out, func(a, b int64) int { return cmp.Compare(b, a) })
	return out
}

// fill gives the children of a set, in fill order, the largest numbers with which as little as can be is in use below them. The short group goes to
// the last of them with which that is so.
//
// order: fill.1, short.2
func (n *narrower) fill(set []int) {
	slices.SortStableFunc(set, n.c.compareFill)
	var best *narrowFill
	for i := len(set) - 1; i >= 0; i-- {
		f := &narrowFill{n: n, set: set, short: i, memo: map[narrowState]*narrowPart{}}
		if !n.c.Short {
			f.short, i = -1, 0
		}
		if f.first = f.best(0, n.c.Units); f.first != nil && (best == nil || slices.Compare(f.first.spans, best.first.spans) < 0) {
			best = f
		}
	}
	for i, part := 0, best.first; i < len(set); i, part = i+1, part.next {
		it := &n.c.Items[set[i]]
		it.Given, it.HasShort = part.units, it.HasShort || i == best.short
	}
}

// narrowFill shares the units among the children of a set, in fill order, with the short group in one of them.
type narrowFill struct {
	n     *narrower
	set   []int
	short int // place in the set; -1: none is placed
	memo  map[narrowState]*narrowPart
	first *narrowPart
}

// narrowPart is what one child takes, and the children behind it.
type narrowPart struct {
	units int64
	spans []int64
	next  *narrowPart
}

// best shares units among the children from place i on, nil if these do not take so many.
func (f *narrowFill) best(i int, units int64) *narrowPart {
	if i == len(f.set) {
		if units > 0 {
			return nil
		}
		return &narrowPart{spans: make([]int64, f.n.c.Width+1)}
	}
	key := narrowState{item: i, units: units}
	if known, ok := f.memo[key]; ok {
		return known
	}
	it := &f.n.c.Items[f.set[i]]
	least, most := it.least(), it.Hi
	if i == f.short {
		least, most = it.Lo, it.WithRest
	}
	var best *narrowPart
	for k := min(most, units); k >= least; k-- { // the largest first
		next := f.best(i+1, units-k)
		if next == nil {
			continue
		}
		spans := f.n.plus(next.spans, portion{item: f.set[i], units: k, short: i == f.short})
		if best == nil || slices.Compare(spans, best.spans) < 0 {
			best = &narrowPart{k, spans, next}
		}
	}
	f.memo[key] = best
	return best
}

// bestScored is, of the sets that are as good as the best one by all keys before scores, that with the highest score. Only the first maxMixed of them,
// in the order of paths, are compared.
//
// order: sets.7
func (n *narrower) bestScored() (set []int) {
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
func (n *narrower) equals(states []narrowState, set []int, yield func([]int) bool) bool {
	i := states[0].item
	if i == len(n.c.Items) {
		return yield(set)
	}
	var with, without []narrowState
	for _, st := range states {
		for p := range n.c.portions(st) {
			after := narrowState{i + 1, st.units - p.units, st.short && !p.short}
			next := n.best(after)
			switch {
			case next == nil || n.compare(n.join(p, next), n.best(st)) != 0:
			case p.none:
				without = append(without, after)
			case !slices.Contains(with, after):
				with = append(with, after)
			}
		}
	}
	return (len(with) == 0 || n.equals(with, append(slices.Clip(set), i), yield)) && (len(without) == 0 || n.equals(without, set, yield))
}
