// Which plans come after the best one?

package placement

import (
	"context"
	"fmt"
	"iter"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// Candidates iterates over plans for a gang, best first, no domain twice, for hosts whose own filters may reject one.
// The first is the plan that [Plan] returns; if that is an error, the error comes alone. Every plan places as many
// members as the first, and where a tier is worth victims and can be had, gathers there. A request with Refused is not supported
// ([muster.ErrNotSupported]): Plan keeps to that.
func Candidates(c *Cluster, req *gang.Request) iter.Seq2[*Result, error] {
	s, err := c.made()
	if err != nil {
		return func(yield func(*Result, error) bool) { yield(nil, err) }
	}
	return candidatesOn(s, req)
}

// candidatesOn is Candidates on a snapshot: plans with the layer that is worth victims made a rule, if there are any;
// else plans on free capacity; else the one plan that waits or has victims, or the refusal.
func candidatesOn(s *snapshot.Snapshot, req *gang.Request) iter.Seq2[*Result, error] {
	if req != nil && len(req.Refused) > 0 {
		return func(yield func(*Result, error) bool) {
			yield(nil, muster.Unsupported("request.Refused", req.Refused[0].Node, "candidates of a gang with refused nodes: a plan keeps them"))
		}
	}
	if req != nil && req.Preempt.ForTier == "" && prefersLimits(req) {
		return candidatesPreferring(s, req)
	}
	return func(yield func(*Result, error) bool) {
		p, err := search.New(s, req, nil, bounds.Search{})
		if err != nil {
			yield(nil, err)
			return
		}
		if req.Preempt.ForTier != "" {
			tighter, err := forTier(p)
			if err != nil {
				yield(nil, err)
				return
			}
			if anyPlan(candidatesOn(s, tighter), yield) {
				return
			}
			if prefersLimits(req) {
				candidatesPreferring(s, withoutTier(req))(yield)
				return
			}
		}
		if !anyPlan(onePerDomain(p), yield) {
			yield(otherwise(context.Background(), p, victims.Anybody))
		}
	}
}

// onePerDomain iterates over the plans of a problem on free capacity, best first. The best plan in a large domain may
// lie in a small one, which came before: it is left out.
//
// order: candidates.1
func onePerDomain(p *problem.Problem) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		shown := map[string]bool{}
		for o := range search.Outcomes(p) {
			res := resultOf(o)
			key := fmt.Sprintf("%d %q", res.Tier, res.Domain)
			if shown[key] {
				continue
			}
			shown[key] = true
			if !yield(res, nil) {
				return
			}
		}
	}
}

// anyPlan passes plans on until an error or until the caller has enough, and says whether there was any.
func anyPlan(plans iter.Seq2[*Result, error], yield func(*Result, error) bool) (found bool) {
	for r, err := range plans {
		if err != nil {
			return found // it comes alone
		}
		if found = true; !yield(r, nil) {
			break
		}
	}
	return found
}
