package placement

import (
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
