package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
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
