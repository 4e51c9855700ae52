package gather

import "github.com/muster-sched/muster/internal/layout"

// verdict says where a walk goes on after a domain.
type verdict int8

const (
	goOn  verdict = iota
	leave         // not to the rest of its parent's children
	stop
)

// walk visits the domains of a tier at or below x in the order of paths, and in place of domains of the tier those below it
// whose parents are above it. It enters what is above the tier only where the bound of a search allows that something
// better lies below. The functions are parameters so that they stay on the stack.
func walk(v *layout.View, tier int32, x layout.Vertex, enter func(x layout.Vertex) bool, visit func(d layout.Vertex) verdict) verdict {
	if v.TierOf(x) <= tier {
		return visit(x)
	}
	if !enter(x) {
		return goOn
	}
	lo, end := v.Kids(x)
	for c := lo; c < end; c++ {
		switch walk(v, tier, c, enter, visit) {
		case stop:
			return stop
		case leave:
			return goOn
		case goOn:
		}
	}
	return goOn
}
