package gather

import (
	"math"
	"math/bits"

	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// plainSearch looks for the best domain of a tier where slots alone tell domains apart: the narrowest span, then the fewest
// slots, then those of the parents. For tier 0 it looks for the domain of the best node: of those that have a node with the
// fewest slots.
type plainSearch struct {
	found *found
	place int           // of the tier
	least int32         // slots of a domain
	span  int32         // for a tier above 0: no domain has a narrower one
	bit   uint64        // for tier 0: of the fewest slots that suffice, see values
	gap   int8          // to what is compared
	best  layout.Vertex // so far, -1 if there is none
	free  int32         // its slots
	mixed bool          // for a tier above 0: there are nodes among its domains
}

// plainBest is best for members alone, between which slots alone decide; false if this takes more than the index knows. The
// narrowest span of all domains stands at the root, and the slots of nodes do, so only what holds the like is looked into.
//
// Same answer as order: domain.3, domain.5, faster.
func (f *found) plainBest() (d layout.Vertex, ok bool) {
	i := f.p.View.TierIndex(f.strategy.Gang)
	if len(f.p.Levels) > 0 || !f.ask.isOrdinary() || f.strategy.Gang >= f.p.View.RootTop || f.ask.slots.Ix.Domains.At(f.p.View.Outside) > 0 {
		return -1, false
	}
	if int64(f.ask.slots.Ix.Most[i].At(layout.Root)) < f.ask.members {
		return -1, true
	}
	p := plainSearch{found: f, place: i, least: int32(f.ask.members), gap: 1, best: -1, free: math.MaxInt32}
	if i == 0 {
		return p.bestNode()
	}
	for p.span = 1; p.span <= index.TopSize; p.span++ {
		if p.mayHold(layout.Root) {
			walk(f.p.View, f.strategy.Gang, layout.Root, p.enter, p.visit)
			return p.best, !p.mixed
		}
	}
	return -1, false
}

// bestNode is plainBest for tier 0.
func (p *plainSearch) bestNode() (d layout.Vertex, ok bool) {
	ix := p.found.ask.slots.Ix
	p.bit = ix.Values.At(layout.Root) >> p.least << p.least
	p.bit &= -p.bit
	if p.bit == 0 || p.bit == 1<<63 || p.found.p.ZoneState.Aligned {
		return -1, false
	}
	p.gap, p.least = 2, int32(bits.TrailingZeros64(p.bit))
	walk(p.found.p.View, p.found.strategy.Gang, layout.Root, p.enter, p.visit)
	for pos := p.found.p.View.FirstPos[p.best]; ; pos++ {
		if ix.Slots.At(pos) == p.least {
			return p.found.p.View.NodeVertex(pos), true
		}
	}
}

// mayHold says whether there is something below x to be compared.
func (p *plainSearch) mayHold(x layout.Vertex) bool {
	if p.bit != 0 {
		return p.found.ask.slots.Ix.Values.At(x)&p.bit != 0
	}
	return int64(p.found.ask.slots.Ix.Tops[p.place].At(x*index.TopSize+p.span-1)) >= p.found.ask.members
}

// enter looks into x itself where its children are what is compared.
func (p *plainSearch) enter(x layout.Vertex) bool {
	v := p.found.p.View
	lo, _ := v.Kids(x)
	switch {
	case p.mixed || !p.mayHold(x):
		return false
	case v.IsNode(lo):
		if p.mixed = p.bit == 0; !p.mixed {
			p.look(x, x+1)
		}
		return false
	case v.Gaps[p.place][x] == p.gap:
		p.lookInto(x)
		return false
	}
	return true
}

func (p *plainSearch) visit(d layout.Vertex) verdict {
	p.look(d, d+1)
	return goOn
}

// lookInto compares the children of x. Where the best so far has as few slots as it can have, they are as good only at best, and
// what is above them decides.
func (p *plainSearch) lookInto(x layout.Vertex) {
	if p.free == p.least && p.found.comparePacking(x, p.found.p.View.Above(p.best)) >= 0 {
		return
	}
	lo, end := p.found.p.View.Kids(x)
	if row := p.found.ask.slots.Ix.Row(x, p.span, p.found.ask.members); row >= 0 && p.bit == 0 {
		p.lookAlong(row, lo, end)
	} else {
		p.look(lo, end)
	}
}

// look compares the domains [lo, end), all in one, with the best so far. Of equal ones only the first can be better.
func (p *plainSearch) look(lo, end layout.Vertex) {
	most := p.free
	for lo < end {
		slots := p.found.ask.slots.Ix.Domains.From(lo)
		n := min(int(end-lo), len(slots))
		for i, free := range slots[:n] {
			if (free-p.least)|(most-free) >= 0 && p.holds(lo+layout.Vertex(i)) {
				p.take(lo+layout.Vertex(i), free)
				most = p.free - 1
			}
		}
		lo += layout.Vertex(n)
	}
}

// holds says whether a domain holds all in the span, or has a node with the fewest slots.
func (p *plainSearch) holds(x layout.Vertex) bool {
	if p.bit != 0 {
		return p.mayHold(x)
	}
	sums := p.found.ask.slots.Ix.SumsOf(x)
	return sums.Len <= p.span || sums.Of(p.span) >= p.found.ask.members
}

// lookAlong is look for domains whose row starts at a place.
func (p *plainSearch) lookAlong(row int32, lo, end layout.Vertex) {
	ix, most := p.found.ask.slots.Ix, p.free
	for lo < end {
		slots, held := ix.Domains.From(lo), ix.Rows.From(row)
		n := min(int(end-lo), len(slots), len(held))
		held = held[:n]
		for i, free := range slots[:n] {
			// Whether one of these is negative is easier to foretell than which.
			if (free-p.least)|(most-free)|(int32(held[i])-p.least) >= 0 {
				p.take(lo+layout.Vertex(i), free)
				most = p.free - 1
			}
		}
		lo, row = lo+layout.Vertex(n), row+int32(n)
	}
}

// take makes a domain the best, unless it is as large as the best so far and comes behind it.
func (p *plainSearch) take(x layout.Vertex, free int32) {
	if free < p.free || p.best < 0 || p.found.comparePacking(x, p.best) < 0 {
		p.best, p.free = x, free
	}
}
