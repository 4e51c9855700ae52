package placement

import (
	"sort"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// outcome is a decided plan: where the new members go, and for whom they wait.
type outcome struct {
	of        *problem // with the members that are placed the first ones
	domain    layout.Vertex
	tier      int32   // that the strategy allows the gang
	positions []int32 // of new members by rank; of units where whole groups are placed like members
	waits     []*snapshot.Member
}

// search finds the best plan for as many new members as there is room for, between p.least and all. Nil if not even
// the least fit.
func (p *problem) search() *outcome {
	if p.inParts() {
		return p.newCast(nil).search()
	}
	slots := p.slotTable()
	if n, ok := p.most(slots); ok {
		return p.searchFor(slots, n)
	}
	return nil
}

// searchFor finds the best plan for the first n pending members, nil if there is none.
func (p *problem) searchFor(slots slotTable, n int) *outcome {
	for f := range p.newAsk(slots, n).feasible() {
		if d := f.best(); d >= 0 {
			return f.decide(d)
		}
	}
	return nil
}

// decide places the ask below a domain.
func (f *found) decide(d layout.Vertex) *outcome {
	sh := f.sums.place(d, f.sums.everything())
	o := &outcome{of: f.p, domain: d, tier: f.strategy.gang, positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 {
		o.positions = f.sums.assign(f.sums.arrange(&sh))
	}
	f.checkPlan(o, &sh)
	return o
}

// most is the largest number of new members that the hard rules allow, ok unless it is below the least.
func (p *problem) most(slots slotTable) (n int, ok bool) {
	counts := p.counts()
	switch len(counts) {
	case 0:
		return 0, false
	case 1:
		return counts[0], true // the search itself finds out
	}
	// Fewer members never need more room, so the counts that fit are the first ones.
	i := sort.Search(len(counts), func(i int) bool { return !p.fits(slots, counts[i]) })
	if i == 0 {
		return 0, false
	}
	return counts[i-1], true
}

// fits says whether the first n pending members can be placed at all.
func (p *problem) fits(slots slotTable, n int) bool {
	a := p.newAsk(slots, n)
	return a.holds(a.p.loosest(a.p.gather.must))
}

// counts lists the numbers of new members that may be placed, ascending.
func (p *problem) counts() []int { return p.wholes(max(1, p.least), p.admitted) }

// wholes lists the numbers of new members from low to high that rules allow, whatever room there is: with groups only whole ones,
// the last stay out first.
func (p *problem) wholes(low, high int) []int {
	total := len(p.pending)
	var counts []int
	unit := int64(1)
	if p.mult != nil {
		unit = p.mult[p.v.RootTop]
		low = max(low, int(p.forced.At(layout.Root)))
	}
	add := func(n int) {
		if n >= low && n <= high && int64(n+len(p.running))%unit == 0 {
			counts = append(counts, n)
		}
	}
	if len(p.levels) == 0 {
		for n := low; n <= min(total, high); n++ {
			add(n)
		}
		return counts
	}
	size := int(p.levels[0].size)
	for n := 1; n <= total; n++ {
		if n == total || p.pending[n].rank/size != p.pending[n-1].rank/size {
			add(n)
		}
	}
	return counts
}
