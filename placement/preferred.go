// Which of the limits that a gang prefers does its plan keep?

package placement

import (
	"context"
	"iter"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/preferred"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// decidePreferring is decide for a gang that prefers limits. kept is the request with those hard that the plan keeps, as far as it keeps
// them, and without the others. Where members leave for the gang, the plan keeps none.
func decidePreferring(ctx context.Context, p *problem.Problem, leave victims.Leave) (r *Result, kept *gang.Request, err error) {
	k, err := preferred.Read(p)
	if err != nil {
		return nil, nil, err
	}
	defer k.Done()
	r, err = decideHard(ctx, p, leave)
	if err != nil || len(r.Victims) > 0 {
		return r, k.Kept, err
	}
	best := preferred.Plan{Ranks: make([]int, len(r.Assignments)), Waits: r.Waits(), Proven: r.Proven}
	for i := range r.Assignments {
		best.Ranks[i] = r.Assignments[i].Rank
	}
	o, err := k.Keep(best)
	if err != nil {
		return nil, nil, err
	}
	if o != nil {
		next := resultOf(o)
		next.alone = r.alone // by the hard limits: preferred ones close nothing
		r = next
	}
	r.Proven = r.Proven && !k.Doubt
	return r, k.Kept, nil
}

// planKeeping is planOn for such a gang, with the request as decidePreferring has it.
func planKeeping(s *snapshot.Snapshot, req *gang.Request, leave victims.Leave) (r *Result, kept *gang.Request, err error) {
	p, err := search.New(s, req, nil, bounds.Search{})
	if err != nil {
		return nil, nil, err
	}
	defer p.Done()
	return decidePreferring(context.Background(), p, leave)
}

// candidatesPreferring is candidatesOn for such a gang.
func candidatesPreferring(s *snapshot.Snapshot, req *gang.Request) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		first, kept, err := planKeeping(s, req, victims.Anybody)
		if err != nil {
			yield(nil, err)
			return
		}
		for r, err := range candidatesOn(s, kept) {
			if err == nil {
				r.alone = first.alone
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// prefersLimits says whether a gang, a part of it, or a level of groups prefers any limit. It allocates nothing: every plan asks.
func prefersLimits(req *gang.Request) bool {
	return prefersAny(req.Limits, req.Groups) || slices.ContainsFunc(req.Parts, prefersInside)
}

func prefersAny(own []gang.Limit, groups []gang.Groups) bool {
	is := func(l gang.Limit) bool { return l.Preferred }
	return slices.ContainsFunc(own, is) || slices.ContainsFunc(groups, func(g gang.Groups) bool { return slices.ContainsFunc(g.Limits, is) })
}

func prefersInside(p gang.Part) bool {
	return prefersAny(p.Limits, p.Groups) || slices.ContainsFunc(p.Parts, prefersInside)
}
