// Which domain of the gang's tier is the best one? The general search compares all keys; plainSearch reads the answer
// off the index where slots alone decide.

package gather

import (
	"iter"
	"math"
	"math/bits"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// best is the first domain of rankDomains, -1 if there is none. It does not order the others: a later key of two
// domains is computed only if they are equal in the earlier ones. O(domains), beside the intact groups and spans that
// it computes; with an index most of the tree is passed over.
func (f *found) best() layout.Vertex {
	if f.m.LCA >= 0 { // there is at most one, and nothing to compare
		if d := f.m.AboveRunning(f.strategy.Gang); d >= 0 && f.sums.takes(d) {
			return d
		}
		return -1
	}
	if d := topOf(&f.ask.slots); f.isAtInside() {
		if f.sums.takes(d) {
			return d
		}
		return -1
	}
	if f.ask.groupsFrom > 0 {
		if g := f.asMembers(); g != nil {
			return g.best()
		}
	}
	if d, ok := f.plainBest(); ok {
		return d
	}
	if d, ok := f.narrowBest(); ok {
		return d
	}
	if d, ok := f.groupBest(); ok {
		return d
	}
	return f.bestOfAll()
}

// bestOfAll is best by all keys of the domains, those passed over of which the index proves that they are worse.
func (f *found) bestOfAll() layout.Vertex {
	best := candidate{domain: -1} // no span either until two domains are equal in what comes before it
	best.intact = f.ask.scratch.carve(len(f.m.Levels) * len(f.m.View.Tiers))[:0]
	var skip func(x layout.Vertex) bool
	if f.ask.takesAt(features.AllWorse, f.strategy.Gang) && f.ask.plainTier(f.m.View.TierIndex(f.strategy.Gang)) {
		skip = func(x layout.Vertex) bool { return best.domain >= 0 && f.allWorse(&best, x) }
	}
	equals := 0 // domains equal to the best in all but the scores, itself included; 1 if no score can differ
	for d := range f.domains(skip) {
		switch order := f.compareTo(&best, d); {
		case order < 0:
			equals = 1
		case order == 0 && f.scoresTell(best.domain, d):
			equals++
		}
	}
	if equals <= 1 {
		return best.domain
	}
	return f.bestByScore(best, skip)
}

// bestByScore is the best of those domains that are equal to the best so far in all keys before scores.
func (f *found) bestByScore(best candidate, skip func(x layout.Vertex) bool) layout.Vertex {
	// Scores cost a placement for each domain, so only those that are equal otherwise are collected and rated. The best
	// is put in by hand: it is no better than itself, so skip may pass it over. None of the others is better, so
	// compareTo changes neither other nor the intact groups that it shares with the best.
	same := []candidate{{domain: best.domain}}
	for d := range f.domains(skip) {
		if other := best; d != best.domain && f.compareTo(&other, d) == 0 {
			same = append(same, candidate{domain: d})
		}
	}
	return f.rankEqual(same)[0]
}

// domains iterates over the domains that can hold the ask under the strategy, in the order of paths. A vertex for which
// skip is true is passed over with everything below it; nil skips nothing. While members of the gang run there is at
// most one domain: it is above them all.
func (f *found) domains(skip func(x layout.Vertex) bool) iter.Seq[layout.Vertex] {
	return func(yield func(layout.Vertex) bool) {
		if f.m.LCA < 0 {
			l := lister{f, f.m.View.TierIndex(f.strategy.Gang), skip, yield}
			walk(f.m.View, f.strategy.Gang, topOf(&f.ask.slots), l.enter, l.visit)
			return
		}
		if d := f.m.AboveRunning(f.strategy.Gang); d >= 0 && f.sums.takes(d) {
			yield(d)
		}
	}
}

// lister is the walk behind found.domains.
type lister struct {
	found *found
	place int                        // of the gang's tier in the view's Tiers
	skip  func(x layout.Vertex) bool // nil: no vertex is skipped
	yield func(layout.Vertex) bool
}

// enter says whether a domain above the gang's tier may have a candidate below it.
func (l *lister) enter(x layout.Vertex) verdict {
	if l.hasSlots(x) && (l.found.ask.slots.Flat != nil || l.found.mayHold(x, l.place)) && (l.skip == nil || !l.skip(x)) {
		return goOn
	}
	return pass
}

// visit yields a domain of the gang's tier if it holds the ask.
func (l *lister) visit(d layout.Vertex) verdict {
	f := l.found
	up := f.m.View.Above(d)
	// The cheapest test comes first: with more slots than the best so far, under the same parent, it is packed worse.
	if enough := f.known.below(up).enough; enough > 0 && int64(f.ask.slots.Ix.Domains.At(d)) > enough {
		return goOn
	}
	if !l.hasSlots(d) || l.skip != nil && l.skip(d) || !f.sums.takes(d) {
		return goOn
	}
	better := f.better
	switch {
	case !l.yield(d):
		return stop
	// The caller made d the best. What was known below the parent was about the best before it, so skip is asked again.
	case f.better != better && up >= 0 && l.skip != nil && l.skip(up):
		return leave
	}
	return goOn
}

// hasSlots says whether all new members fit below x. Its slots are what is left beside the members that multiples force
// there, so these are added.
func (l *lister) hasSlots(x layout.Vertex) bool {
	return l.found.ask.slots.At(x)+l.found.m.Forced.At(x) >= l.found.ask.members
}

// mayHold is false if the index proves that no domain of the tier at place i below x can hold the ask: none has the
// slots, or none has room for the whole groups.
func (f *found) mayHold(x layout.Vertex, i int) bool {
	if int64(f.ask.slots.Ix.Most[i].At(x)) < f.ask.members {
		return false
	}
	if !f.ask.isCounted() {
		return true
	}
	for level, tier := range f.strategy.Groups {
		if f.ask.areTooMany(i, level) {
			return false
		}
		// A group tier at or above the gang's binds nothing more than the slots do.
		if t := f.m.View.TierIndex(tier); t < i && f.ask.counted(level).Most(i, t, x) < f.ask.unitsOf(level) {
			return false
		}
	}
	return true
}

// verdict says where a walk goes on after a domain.
type verdict int8

const (
	goOn  verdict = iota
	pass          // not below the domain that was entered, but to the next
	leave         // not to the rest of its parent's children
	stop
)

// walk visits the domains of a tier at or below x in the order of paths: the highest vertices of at most that tier, so
// a lower one stands for a domain that its branch lacks. A vertex above the tier is entered only if enter allows it:
// there a search tests the bounds of what lies below. The functions are parameters so that they stay on the stack.
func walk(v *layout.View, tier int32, x layout.Vertex, enter, visit func(x layout.Vertex) verdict) verdict {
	if v.TierOf(x) <= tier {
		return visit(x)
	}
	switch into := enter(x); into {
	case leave, stop:
		return into
	case pass:
		return goOn
	case goOn:
	}
	lo, end := v.Kids(x)
	for c := lo; c < end; c++ {
		switch walk(v, tier, c, enter, visit) {
		case stop:
			return stop
		case leave: // the rest of x's children, not what comes after x
			return goOn
		case goOn, pass:
		}
	}
	return goOn
}

// plainSearch looks for the best domain of a tier where slots alone tell domains apart: the narrowest span, then the
// fewest slots, then the fewest of the parents, and so on up. For tier 0 it compares domains of nodes instead of nodes,
// and only those that have a node with the fewest slots that suffice: their nodes of that size are equal in slots, so
// the slots of the parents decide.
type plainSearch struct {
	found *found
	place int           // of the tier in the view's Tiers
	least int32         // slots that a compared domain has at least: the members, for tier 0 those of the best node
	span  int32         // for a tier above 0: children; no domain holds the members in fewer
	bit   uint64        // for tier 0: the bit of the best node's slots in the index's Values; 0 for other tiers
	gap   int8          // see View.Gaps: the parents of compared domains have this gap to the tier
	best  layout.Vertex // so far, -1 if there is none
	free  int32         // its slots, math.MaxInt32 if there is none
	mixed bool          // for a tier above 0: nodes stand for some of its domains, and the search gives up
}

// topOf is the domain whose nodes alone take members by the index; the root: there is none.
func topOf(slots *model.SlotTable) layout.Vertex { return max(slots.Inside, layout.Root) }

// isAtInside says whether the index counts the members in one domain, in which they must be, and the gang's tier is that domain's or a higher
// one: there is nothing to compare.
func (f *found) isAtInside() bool {
	d := topOf(&f.ask.slots)
	return d != layout.Root && f.m.View.TierOf(d) <= f.strategy.Gang
}

// isAboveInside says whether the gang's tier is above such a domain. Then the candidate is the one domain of the tier around it.
func (f *found) isAboveInside() bool {
	return f.isAtInside() && f.m.View.TierOf(topOf(&f.ask.slots)) < f.strategy.Gang
}

// slotsTell says whether slots alone tell the domains of the gang's tier apart, so that a shortcut may be taken: nodes outside the tree are no domain of a
// tier below the root's.
func (f *found) slotsTell(s features.Shortcut) bool {
	return f.ask.takesAt(s, f.strategy.Gang) && f.ask.plainTier(f.m.View.TierIndex(f.strategy.Gang)) && f.strategy.Gang < f.m.View.RootTop &&
		(topOf(&f.ask.slots) != layout.Root || f.ask.slots.Ix.Domains.At(f.m.View.Outside) == 0)
}

// plainBest is best for a gang without groups where slots alone tell domains apart; d is -1 if no domain holds the
// members. It is not ok if the index cannot tell.
//
// The entry of the root, or of the domain in which the members must be, tells the narrowest span, or the fewest slots of a node, of all
// domains below it. With this number fixed, the search enters only vertices whose own entry says that a domain below them reaches it.
//
// Same answer as order: domain.3, domain.5, faster.
func (f *found) plainBest() (d layout.Vertex, ok bool) {
	i, top := f.m.View.TierIndex(f.strategy.Gang), topOf(&f.ask.slots)
	if !f.slotsTell(features.PlainBest) {
		return -1, false
	}
	if int64(f.ask.slots.Ix.Most[i].At(top)) < f.ask.members {
		return -1, true
	}
	// Nodes outside the tree have none of the slots here, so the index's entries at the root speak of the tree alone.
	p := plainSearch{found: f, place: i, least: int32(f.ask.members), gap: 1, best: -1, free: math.MaxInt32}
	switch {
	case i == 0:
		return p.bestNode()
	case f.ask.slots.Ix.Tops == nil:
		return -1, false
	}
	for p.span = 1; p.span <= index.TopSize; p.span++ {
		if i == f.ask.within()+1 && i > 0 && int64(p.span) > f.ask.mayUse() {
			return -1, true // in no domain do so few hold the members
		}
		if p.mayHold(top) {
			walk(f.m.View, f.strategy.Gang, top, p.enter, p.visit)
			return p.best, !p.mixed // a node has the span 0, which the index does not compare with p.span
		}
	}
	return -1, false
}

// bestNode is plainBest for tier 0: of the nodes with the fewest slots that suffice, the first one in the best domain.
func (p *plainSearch) bestNode() (d layout.Vertex, ok bool) {
	ix, top := p.found.ask.slots.Ix, topOf(&p.found.ask.slots)
	p.bit = ix.Values.At(top) >> p.least << p.least // without too small ones
	p.bit &= -p.bit                                 // the lowest one is left
	// The last bit stands for all sizes from 63 on, and zones and waste come before slots.
	if p.bit == 0 || p.bit == 1<<63 || p.found.ask.has(features.Aligned) || p.found.ask.has(features.Wasteful) {
		return -1, false
	}
	// Domains of nodes are compared, so their parents have gap 2. None of them has fewer slots than its node.
	p.gap, p.least = 2, int32(bits.TrailingZeros64(p.bit))
	walk(p.found.m.View, p.found.strategy.Gang, top, p.enter, p.visit)
	for pos := p.found.m.View.FirstPos[p.best]; ; pos++ { // it ends: the domain has such a node
		if ix.Slots.At(pos) == p.least {
			return p.found.m.View.NodeVertex(pos), true
		}
	}
}

// mayHold says whether a domain to be compared lies at or below x: one that holds all members in the span or, for tier
// 0, has a node with the fewest slots.
func (p *plainSearch) mayHold(x layout.Vertex) bool {
	if p.bit != 0 {
		return p.found.ask.slots.Ix.Values.At(x)&p.bit != 0
	}
	return int64(p.found.ask.slots.Ix.Tops[p.place].At(x*index.TopSize+p.span-1)) >= p.found.ask.members
}

// enter compares the children of x itself if they are what is compared. Else it says whether to go further down.
func (p *plainSearch) enter(x layout.Vertex) verdict {
	v := p.found.m.View
	lo, _ := v.Kids(x)
	switch {
	case p.mixed || !p.mayHold(x):
		return pass
	case v.IsNode(lo):
		if p.mixed = p.bit == 0; !p.mixed { // x is a domain of nodes, in a tree of uneven depth
			p.look(x, x+1)
		}
		return pass
	case v.Gaps[p.place][x] == p.gap:
		p.lookInto(x)
		return pass
	}
	return goOn
}

// visit compares a domain whose parent has children of several kinds.
func (p *plainSearch) visit(d layout.Vertex) verdict {
	p.look(d, d+1)
	return goOn
}

// lookInto compares the children of x with the best so far. If that has as few slots as a domain can have, they are at
// best equal to it, and the parents decide: then x must be better than the best's parent.
func (p *plainSearch) lookInto(x layout.Vertex) {
	if p.free == p.least && p.found.comparePacking(x, p.found.m.View.Above(p.best)) >= 0 {
		return
	}
	lo, end := p.found.m.View.Kids(x)
	if row := p.found.ask.slots.Ix.Row(x, p.span, p.found.ask.members); row >= 0 && p.bit == 0 {
		p.lookAlong(row, lo, end)
	} else {
		p.look(lo, end)
	}
}

// look compares the domains [lo, end), all children of one domain, with the best so far. O(end - lo).
func (p *plainSearch) look(lo, end layout.Vertex) {
	most := p.free // slots that a better domain has at most; at first equal ones, which the parents may decide
	for lo < end {
		slots := p.found.ask.slots.Ix.Domains.From(lo)
		n := min(int(end-lo), len(slots))
		for i, free := range slots[:n] {
			// Neither difference is negative: least <= free <= most.
			if (free-p.least)|(most-free) >= 0 && p.holds(lo+layout.Vertex(i)) {
				p.take(lo+layout.Vertex(i), free)
				most = p.free - 1 // a later one with as many slots has the same parents, and comes behind
			}
		}
		lo += layout.Vertex(n)
	}
}

// holds says whether a domain with enough slots holds all members in the span or, for tier 0, has a node with the
// fewest slots.
func (p *plainSearch) holds(x layout.Vertex) bool {
	if p.bit != 0 {
		return p.mayHold(x)
	}
	sums := p.found.ask.slots.Ix.SumsOf(x)
	return sums.Len <= p.span || sums.Of(p.span) >= p.found.ask.members
}

// lookAlong is look for domains whose row in the index starts at this place. The row has, child by child, the slots
// that the child holds in the span, so holds is one more comparison.
func (p *plainSearch) lookAlong(row int32, lo, end layout.Vertex) {
	ix, most := p.found.ask.slots.Ix, p.free
	for lo < end {
		slots, held := ix.Domains.From(lo), ix.Rows.From(row)
		n := min(int(end-lo), len(slots), len(held))
		held = held[:n]
		for i, free := range slots[:n] {
			// Whether one of these is negative is easier for the processor to predict than which one.
			if (free-p.least)|(most-free)|(int32(held[i])-p.least) >= 0 {
				p.take(lo+layout.Vertex(i), free)
				most = p.free - 1
			}
		}
		lo, row = lo+layout.Vertex(n), row+int32(n)
	}
}

// take makes a domain the best if it has fewer slots, or as many and its parents fewer. Of equal ones the first stays.
func (p *plainSearch) take(x layout.Vertex, free int32) {
	if free < p.free || p.best < 0 || p.found.comparePacking(x, p.best) < 0 {
		p.best, p.free = x, free
	}
}
