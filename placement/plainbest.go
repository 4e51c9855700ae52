package placement

import "math"

// plainSearch looks for the best domain of a tier where slots alone tell domains apart: the narrowest span, then the fewest
// slots, then those of the parents.
type plainSearch struct {
	*found
	tier  int32
	place int    // of the tier
	span  int32  // no domain of the tier has a narrower one
	best  vertex // so far, -1 if there is none
	free  int32  // its slots
}

// plainBest is best for members alone, between which slots alone decide; false if this takes more than the index knows. The
// narrowest span of all domains stands at the root, so only what holds domains of that span is looked into.
func (f *found) plainBest() (d vertex, ok bool) {
	i := f.v.tierIndex(f.gang)
	if len(f.levels) > 0 || !f.isOrdinary() || i == 0 || f.gang >= f.v.rootTop || f.slots.ix.domains.at(f.v.outside) > 0 {
		return -1, false
	}
	if int64(f.slots.ix.most[i].at(rootVertex)) < f.members {
		return -1, true
	}
	p := plainSearch{found: f, tier: f.gang, place: i, best: -1, free: math.MaxInt32}
	for p.span = 1; p.span <= topSize; p.span++ {
		if p.mayHold(rootVertex) {
			return p.best, p.walk(rootVertex)
		}
	}
	return -1, false
}

// mayHold says whether some domain of the tier below x holds all members in the span.
func (p *plainSearch) mayHold(x vertex) bool {
	return int64(p.slots.ix.tops[p.place].at(x*topSize+p.span-1)) >= p.members
}

// walk looks at the domains of the tier below x; false if there are nodes among them.
func (p *plainSearch) walk(x vertex) bool {
	lo, end := p.v.kids(x)
	if p.v.isNode(lo) {
		return false
	}
	if row := p.slots.ix.row(x, p.span, p.members); row >= 0 && p.v.gaps[p.place][x] == 1 {
		p.lookAlong(row, lo, end)
		return true
	}
	for c := lo; c < end; c++ {
		switch {
		case p.v.tier[c] <= p.tier:
			p.look(c)
		case p.mayHold(c) && !p.walk(c):
			return false
		}
	}
	return true
}

// look compares a domain of the tier with the best so far.
func (p *plainSearch) look(x vertex) {
	free := p.slots.ix.domains.at(x)
	if int64(free) < p.members || free > p.free {
		return
	}
	if sums := p.slots.ix.sumsOf(x); sums.len <= p.span || sums.of(p.span) >= p.members {
		p.take(x, free)
	}
}

// lookAlong is look for the domains [lo, end), whose row starts at a place.
func (p *plainSearch) lookAlong(row int32, lo, end vertex) {
	ix, least := p.slots.ix, int32(p.members)
	for lo < end {
		slots, held := ix.domains.from(lo), ix.rows.from(row)
		n := min(int(end-lo), len(slots), len(held))
		held = held[:n]
		for i, free := range slots[:n] {
			// Whether one of these is negative is easier to foretell than which.
			if (free-least)|(p.free-free)|(int32(held[i])-least) >= 0 {
				p.take(lo+vertex(i), free)
			}
		}
		lo, row = lo+vertex(n), row+int32(n)
	}
}

// take makes a domain that holds all in the span the best, unless it is as large as the best so far and comes behind it.
func (p *plainSearch) take(x vertex, free int32) {
	if free < p.free || p.best < 0 || p.comparePacking(x, p.best) < 0 {
		p.best, p.free = x, free
	}
}
