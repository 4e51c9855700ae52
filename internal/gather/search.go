package gather

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// decide places the ask below a domain.
func (f *found) decide(d layout.Vertex) *problem.Outcome {
	sh := f.sums.place(d, f.sums.everything())
	o := &problem.Outcome{Of: f.p, Domain: d, Tier: f.strategy.Gang, Positions: sh.run}
	if sh.run == nil || f.ask.bottom() > 0 {
		o.Positions = f.sums.ranker().assign(f.sums.ranker().arrange(&sh))
	}
	f.checkPlan(o, &sh)
	return o
}
