package placement

import (
	"fmt"
	"iter"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// Behavior is the version of the decisions: it is raised whenever the same arguments may give a different plan.
const Behavior = 5

// Plan places a gang on a snapshot, or says why it cannot: on what is free, else with the leaving members gone, else with the
// cheapest legal victims gone ([gang.Preempt]). It is a pure function: neither argument changes, and equal
// arguments give an equal result. Safe for concurrent use. The error is an [Unschedulable] (errors.Is
// [ErrUnschedulable]) or holds [muster.InvalidError]s. O(nodes * resources) for the first plan of a shape in a lineage of
// snapshots, then O(touched nodes + domains looked at), and what the choice of children costs. Victims: O(nodes) where they
// leave one by one, and O(running members) for the first such plan in a lineage, elsewhere O(nodes + running members); then what [preempt.Solve]
// costs; nothing of that where nobody has a lower priority and the gang is in no quota.
func Plan(c *Cluster, req *gang.Request) (*Result, error) { return planFrom(c, req, victims.Anybody) }

// planFrom is Plan that says who may leave.
func planFrom(c *Cluster, req *gang.Request, who victims.Leave) (*Result, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return planOn(s, req, who)
}

// planFor is plan for the common request of gangs that start together.
func planFor(c *snapshot.Snapshot, req *gang.Request, t problem.Team, who victims.Leave) (*Result, error) {
	p, err := search.New(c, req, t)
	if err != nil {
		return nil, err
	}
	defer p.Done()
	if o := search.For(p).Search(); o != nil {
		return resultOf(o), nil
	}
	return otherwise(p, who)
}

// planOn is planFrom for a snapshot.
func planOn(c *snapshot.Snapshot, req *gang.Request, who victims.Leave) (*Result, error) {
	if req != nil && req.Preempt.ForTier != "" {
		p, err := search.New(c, req, nil)
		if err != nil {
			return nil, err
		}
		tighter, err := forTier(p)
		p.Done()
		if err != nil {
			return nil, err
		}
		if r, err := planOn(c, tighter, who); err == nil {
			return r, nil
		}
	}
	return planFor(c, req, nil, who)
}

// forTier is the request with the tier that is worth victims made a rule.
func forTier(p *problem.Problem) (*gang.Request, error) {
	layer := p.Request.Preempt.ForTier
	if _, ok := p.Tier(layer); !ok {
		return nil, muster.Invalid("request.Preempt.ForTier", layer, "unknown layer")
	}
	req := *p.Request
	req.Preempt.ForTier = ""
	req.Gather = append(slices.Clone(req.Gather), gang.Rule{Layer: layer, Strategy: gang.MustGather})
	return &req, nil
}

// otherwise is the answer where nothing fits now: a plan that waits, or one with victims, else the reason.
func otherwise(p *problem.Problem, who victims.Leave) (*Result, error) {
	if o := search.Wait(p); o != nil {
		return resultOf(o), nil
	}
	p.LeavingGone = !p.Request.IgnoreLeaving && len(p.Snapshot.Leaving) > 0
	if e := victims.Evict(p, who); e != nil {
		defer e.Done()
		return resultWithout(e), nil
	}
	return nil, refuse(p)
}

// Candidates iterates over plans for a gang, best first, no domain twice, for hosts whose own filters may reject one.
// The first is the plan that [Plan] returns; if that is an error, the error comes alone. Every plan places as many
// members as the first, and where a tier is worth victims and can be had, gathers there.
func Candidates(c *Cluster, req *gang.Request) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		s, err := c.made()
		if err != nil {
			yield(nil, err)
			return
		}
		p, err := search.New(s, req, nil)
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
			if !refuses(c, tighter, yield) {
				return
			}
		}
		shown := map[string]bool{}
		for o := range search.For(p).Outcomes() {
			res := resultOf(o)
			// The best plan in a large domain may lie in a small one, which came before.
			key := fmt.Sprintf("%d %q", res.Tier, res.Domain)
			if shown[key] {
				continue
			}
			shown[key] = true
			if !yield(res, nil) {
				return
			}
		}
		if len(shown) == 0 {
			yield(otherwise(p, victims.Anybody))
		}
	}
}

// refuses passes the plans of a request on, and says whether there are none.
func refuses(c *Cluster, req *gang.Request, yield func(*Result, error) bool) bool {
	for r, err := range Candidates(c, req) {
		if err != nil {
			return true // it comes alone
		}
		if !yield(r, nil) {
			break
		}
	}
	return false
}
