package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/steps"
)

// This file answers: over how many domains is the gang spread, where only so many are allowed? Vectors have a last number for that, below
// zero: what fits in few domains fits where more are allowed.

// countedDomains is a limit on the number of domains that the gang lies in. Nil: it may lie in any number.
type countedDomains struct {
	view *layout.View
	tier int32
	used map[layout.Vertex]bool // members run there
	left int32                  // beside these
}

// countedOf reads the limit of a gang; nil: it has none. O(running members * tiers).
func countedOf(p *problem.Problem) *countedDomains {
	if !p.Model.Limits.CountDomains() {
		return nil
	}
	w := &countedDomains{view: p.Model.View, tier: p.Model.Limits.Within[0].Tier, used: map[layout.Vertex]bool{}}
	for _, m := range p.Model.Running {
		w.used[p.Model.View.DomainAt(m.Pos, w.tier)] = true
	}
	w.left = int32(max(0, min(p.Model.Limits.Within[0].Most-int64(len(w.used)), int64(len(p.Model.Pending)))))
	return w
}

// bound lets a vector that is wanted use no more domains than are left.
func (w *countedDomains) bound(want front.Vector) {
	if w != nil {
		want[len(want)-1] = -w.left
	}
}

// space is a space for vectors. Its tables have room for the number of domains at least.
func (w *countedDomains) space(totals front.Vector, limit int, left *steps.Budget) *front.Space {
	if w == nil {
		return front.NewSpace(totals, limit, left)
	}
	space := front.NewSpace(totals, max(limit, int(w.left)+1), left)
	space.Domains = w.left
	return space
}

// at is the domain that members in x use beside those in which some run: x is it or lies in it. Not ok: they use none.
func (w *countedDomains) at(x layout.Vertex) (d layout.Vertex, ok bool) {
	if w == nil || w.view.TierOf(x) > w.tier {
		return 0, false
	}
	d = w.view.Highest(x, w.tier)
	return d, !w.used[d]
}

// above is the front of x as it counts above: whatever lies there uses one domain, if it is counted.
//
// order: limits.10
func (w *countedDomains) above(x layout.Vertex, f front.Front, space *front.Space) front.Front {
	if d, ok := w.at(x); !ok || d != x || f.IsZero() {
		return f
	}
	if w.left == 0 {
		return space.Zero
	}
	space.Spend(int64(len(f)))
	out := make(front.Front, 0, len(f)+1)
	for _, p := range f {
		p = slices.Clone(p)
		p[len(p)-1] = -1
		out = append(out, p)
	}
	return append(out, space.Zero[0])
}
