package gather

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// decide places the ask below a domain.
func (f *found) decide(d layout.Vertex) *problem.Outcome {
	sh := f.sums.placer().place(d, f.ask.everything())
	o := &problem.Outcome{Of: f.p, Domain: d, Tier: f.strategy.Gang, Positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 {
		ar := arranger{f.p, f.ask}
		o.Positions = ar.assign(ar.arrange(&sh))
	}
	f.checkPlan(o, &sh)
	return o
}
