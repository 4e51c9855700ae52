package render

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/phrases"
)

// amountJSON is an amount, null where there is no limit.
func amountJSON(n int64) any {
	if n == phrases.Unlimited {
		return nil
	}
	return n
}

// amountsObject has resources in natural order.
func amountsObject(r muster.Resources) object {
	out := object{}
	for _, name := range r.Names() {
		out = append(out, field{name, amountJSON(r[name])})
	}
	return out
}
