// Which domain uses the fewest children and grandchildren, and which of its children take how many members, if slots alone decide?

package gather

import (
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// isNarrow says whether prices tell what counts below x: of the layers below its children one counts, and nothing stands for children, nor a child for
// one that is missing. O(children).
func (a *ask) isNarrow(s features.Shortcut, x layout.Vertex) bool {
	return a.takes(s) && hasOneLayer(a, x)
}

// hasOneLayer says whether of the layers below the children of x one counts, and nothing stands for children, nor a child for one that is missing. O(children).
func hasOneLayer(a *ask, x layout.Vertex) bool {
	tier := a.m.View.TierOf(x)
	return a.width(tier) == 1 && !a.jumps(x) && areOf(a.m.View, x, a.m.View.TierIndex(tier)-1)
}

// areOf says whether all children of x in the topology are of the tier at a place. O(children).
func areOf(v *layout.View, x layout.Vertex, place int) bool {
	lo, end := v.Kids(x)
	for c := lo; c < end; c++ {
		if c != v.Outside && v.TierOf(c) != v.Tiers[place] {
			return false
		}
	}
	return true
}

// narrowSearch looks for the best domain of a tier: the fewest children, the fewest grandchildren, then the fewest slots, then those of the parents.
type narrowSearch struct {
	found *found
	place int             // of the tier in the view's Tiers
	span  int64           // children; no domain of the tier holds the members in fewer
	best  leanest         // so far
	mixed bool            // below some domain of the tier prices do not tell
	hold  []layout.Vertex // domains of the tier that hold the members in the span, those packed best: the best first
}

// mostPriced bounds the domains below which grandchildren are counted: of more those with the fewest slots.
const mostPriced = 16

// narrowBest is best for a gang without groups where slots alone tell domains apart, and grandchildren count; not ok if the index cannot tell.
//
// Same answer as order: domain.3, domain.5, faster.
func (f *found) narrowBest() (d layout.Vertex, ok bool) {
	i, root := f.m.View.TierIndex(f.strategy.Gang), topOf(&f.ask.slots)
	if f.ask.width(f.strategy.Gang) != 1 || f.ask.isAbove(i-1) || !f.ask.takes(features.NarrowBest) || f.strategy.Gang >= f.m.View.RootTop || f.ask.slots.Ix.Tops == nil ||
		root == layout.Root && f.ask.slots.Ix.Domains.At(f.m.View.Outside) > 0 {
		return -1, false
	}
	if int64(f.ask.slots.Ix.Most[i].At(root)) < f.ask.members {
		return -1, true
	}
	s := narrowSearch{found: f, place: i, best: leanest{at: -1}}
	s.hold = f.ask.scratch.domains[:0]
	for s.span = 1; s.span <= index.TopSize && len(s.hold) == 0; s.span++ {
		if f.ask.isAbove(i) && s.span > f.ask.mayUse() {
			return -1, true // in no domain do so few hold the members
		}
		if f.ask.slots.Ix.MostInTop(i, root, s.span) >= f.ask.members {
			walk(f.m.View, f.strategy.Gang, root, s.enter, s.visit)
		}
	}
	f.ask.scratch.domains = s.hold
	s.span--
	s.compare()
	return s.best.at, s.best.at >= 0 && !s.mixed
}

// enter says whether a domain below x may hold the members in the span.
func (s *narrowSearch) enter(x layout.Vertex) verdict {
	if s.found.ask.slots.Ix.MostInTop(s.place, x, s.span) < s.found.ask.members {
		return pass
	}
	return goOn
}

// visit lists a domain that holds the members in the span.
func (s *narrowSearch) visit(d layout.Vertex) verdict {
	a := s.found.ask
	if s.mixed = a.m.View.IsNode(d); s.mixed { // it has no children at all
		return stop
	}
	if n := len(s.hold); n == mostPriced && a.slots.At(d) > a.slots.At(s.hold[n-1]) {
		return goOn
	}
	if sums := a.slots.Ix.SumsOf(d); sums.Len > 0 && sums.Of(min(sums.Len, int32(s.span))) >= a.members && a.slots.At(d) >= a.members {
		s.hold = keepFirst(s.hold, d, mostPriced, s.found.comparePacking)
	}
	return goOn
}

// compare finds the best of the domains that are listed.
func (s *narrowSearch) compare() {
	for _, d := range s.hold {
		switch a := s.found.ask; {
		case s.mixed:
			return
		case a.width(a.m.View.TierOf(d)) == 0: // a lower domain, whose layers end first
			s.best.take(d, 0, 1)
		case a.isNarrow(features.NarrowBest, d):
			s.count(d)
		default:
			s.mixed = true
		}
	}
}

// count counts the grandchildren of a domain as far as needed: those before it are packed no worse.
func (s *narrowSearch) count(d layout.Vertex) {
	a := s.found.ask
	if s.best.at >= 0 && a.leastUnits(d, a.members) >= s.best.units {
		return
	}
	if s.best.at < 0 {
		if units, price := a.scratch.prices.ofLargest(counted{ask: a}, d, a.members, s.span); units == max(s.span, a.leastUnits(d, a.members)) {
			s.best.take(d, units, max(1, price))
			return
		}
	}
	s.best.count(counted{ask: a}, d, a.members, s.span)
}

// leanest is the domain that uses the fewest grandchildren, of equal ones the first that is looked at.
type leanest struct {
	at    layout.Vertex // -1: none yet
	units int64         // grandchildren in use
	price int64         // that bounds these well
}

// count counts the grandchildren of one more domain, of which k children hold n, as far as needed.
func (l *leanest) count(of counted, d layout.Vertex, n, k int64) {
	p := &of.ask.scratch.prices
	if l.at >= 0 && p.leastAt(of, d, n, k, l.price) >= l.units {
		return
	}
	p.list(of, d, n, k)
	if p.bound(); l.at < 0 || p.least < l.units {
		p.prove()
		l.take(d, p.units, p.price)
	}
}

// take makes a domain the leanest if it uses fewer grandchildren.
func (l *leanest) take(d layout.Vertex, units, price int64) {
	if l.at < 0 || units < l.units {
		l.at, l.units, l.price = d, units, price
	}
}

// leastUnits is a lower bound: no grandchild of d has more slots than the largest. O(1).
func (a *ask) leastUnits(d layout.Vertex, n int64) int64 {
	each := int64(a.slots.Ix.Most[a.m.View.TierIndex(a.m.View.TierOf(d))-2].At(d))
	return (n + each - 1) / each
}

// part is a child that takes members.
type part struct {
	at layout.Vertex
	n  int64
}

// fillNarrow is fillPlain where grandchildren count: of the sets of the fewest children with the fewest grandchildren in use it takes that with the
// fewest slots in sum, and so on, and in fill order each child takes the most with which so few are in use.
//
// Same answer as order: sets.1, sets.6, fill.1, faster.
func (pl placer) fillNarrow(x layout.Vertex, n int64, list []int32) []int32 {
	from, kept := len(list), len(pl.ask.scratch.picks)
	pl.pickFewest(x, n)
	if pl.areNarrow(x, n, pl.ask.scratch.picks[kept:]) {
		list = pl.fillPicks(kept, n, list)
	} else {
		pl.ask.scratch.picks = pl.ask.scratch.picks[:kept]
		list = pl.fillNarrowest(list)
	}
	if pl.ask.looksFurther(x) {
		if picks := pl.greedy(x, n, list[from:]); picks != nil {
			pl.ask.scratch.picks = append(pl.ask.scratch.picks, picks...)
			list = pl.fillPicks(kept, n, list[:from])
		}
	}
	return list
}

// areNarrow says whether the picks, which have the fewest slots in sum, use as few grandchildren of x as can be with all but the last of them full. If not
// so, the prices know a better choice.
func (pl placer) areNarrow(x layout.Vertex, n int64, picks []chosen) bool {
	k := int64(len(picks))
	last, spare := lastFilled(picks, n)
	var units int64
	for i, p := range picks {
		some := p.slots
		if i == last {
			some -= spare
		}
		sums := pl.ask.slots.Ix.SumsOf(p.at)
		count, _ := sums.Fewest(some)
		units += int64(count)
	}
	if units == max(k, pl.ask.leastUnits(x, n)) {
		return true
	}
	p := &pl.ask.scratch.prices
	p.fewest(counted{ask: pl.ask}, x, n, k, units)
	return units <= p.units
}

// fillNarrowest places the members of the prices at hand on the best choice of children.
func (pl placer) fillNarrowest(list []int32) []int32 {
	p := &pl.ask.scratch.prices
	p.settle()
	for _, part := range p.share() { // from here on the prices serve the children
		list = pl.fillPlain(part.at, part.n, list)
	}
	return list
}

// looksFurther says whether layers count that are below the grandchildren of x, and are not looked at when these are chosen: without a limit on
// members, as the largest vertices of a layer may lie below one that takes no more.
func (a *ask) looksFurther(x layout.Vertex) bool {
	return !a.capped && a.m.View.TierIndex(a.m.View.TierOf(x)-1)-a.layers.cut > a.layers.most
}
