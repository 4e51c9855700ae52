// Which plan does a gang get? The whole way of a request, step by step.

package placement

import (
	"cmp"
	"context"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// Behavior is the version of the decisions: it is raised whenever the same arguments may give a different plan.
const Behavior = 16

// Plan places a gang on a snapshot, or says why it cannot: on free capacity, else with the leaving members gone, else
// with the cheapest legal victims gone ([gang.Preempt]). It is a pure function: neither argument changes, and equal
// arguments give an equal result. Safe for concurrent use. The error is an [Unschedulable] (errors.Is
// [ErrUnschedulable]) or holds [muster.InvalidError]s.
//
// The first plan of a shape in a lineage of snapshots costs O(nodes * resources), each later one O(touched nodes +
// domains looked at) and the choice of children. A search for victims costs O(nodes) where members leave one by one,
// with O(running members) once in a lineage; elsewhere O(nodes + running members); then the cost of [preempt.Solve].
// It costs nothing where no running member has a lower priority and the gang is in no quota. Nodes refused for some members cost
// O(members + pairs), a matching of those who change places, and where that does not do up to 64 further plans.
func Plan(c *Cluster, req *gang.Request) (*Result, error) {
	return PlanContext(context.Background(), c, req)
}

// PlanContext is [Plan] for a caller who may stop waiting. Once the context is done, searches end as if their steps were
// spent: the answer is the best plan so far, not Proven, or an [Unschedulable] that holds the context's error (errors.Is
// finds it) unless the refusal is proven. A context that is done before anything was searched gives that error at once.
// Until it is done the plan is that of Plan.
//
// The context is looked at every few thousand steps. After that: O(nodes * groups) to build a plan greedily (parts, many
// shapes); otherwise the current plan is finished.
func PlanContext(ctx context.Context, c *Cluster, req *gang.Request) (*Result, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return planOn(orBackground(ctx), s, req, victims.Anybody, bounds.Search{})
}

// orBackground is a context that is never done, where none is given.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// planOn is Plan on a snapshot. It brings the request inside, where names are ids, rules are tiers and the quota has
// capped the number of members, and decides it: first with a layer that is worth victims made a rule, then without. b
// says what the search may spend.
func planOn(ctx context.Context, s *snapshot.Snapshot, req *gang.Request, leave victims.Leave, b bounds.Search) (*Result, error) {
	return planFor(ctx, s, req, nil, leave, b)
}

// planFor is planOn also for gangs that start together, t, of which req is the common request; nil: it is that of one gang.
func planFor(
	ctx context.Context, s *snapshot.Snapshot, req *gang.Request, t problem.Team, leave victims.Leave, b bounds.Search,
) (*Result, error) {
	b.Stop = ctx.Done()
	if req != nil && len(s.Reserved) > 0 {
		if r := bindingReserve(s, req, t); r != nil {
			return planBeside(ctx, r, req, t, leave, b)
		}
	}
	if req != nil && len(req.Refused) > 0 {
		return planRefused(ctx, s, req, t, leave, b)
	}
	p, err := search.New(s, req, t, b)
	if err != nil {
		return nil, err
	}
	defer p.Done()
	if t == nil && p.Model.Running.Len() > 0 {
		if holder, is := holds.Outstayed(s, req.Priority, req.Name, req.End); is {
			why := behind(holder, "which waits for its end")
			why.Gang, why.Wanted = req.Name, p.Model.Least*p.Room.Size()
			return nil, &why
		}
	}
	if req.Preempt.ForTier == "" {
		return decide(ctx, p, leave)
	}
	tighter, err := forTier(p)
	if err != nil {
		return nil, err
	}
	if len(tighter.Gather) > len(p.Request.Gather) { // else it must gather there anyway
		if r, err := planFor(ctx, s, tighter, t, leave, b); err == nil {
			return r, nil
		}
	}
	return decide(ctx, p, leave)
}

// decide is the whole way of a gang: its plan under hard limits, then, for the limits that it prefers, the one with the least excess.
func decide(ctx context.Context, p *problem.Problem, leave victims.Leave) (*Result, error) {
	if !prefersLimits(p.Request) {
		return decideHard(ctx, p, leave)
	}
	r, _, err := decidePreferring(ctx, p, leave)
	return r, err
}

// decideHard is decide under hard limits alone. The engine searches on free capacity: slots of nodes, sums of domains, strategy,
// domain, counts of children, members to nodes. What follows is tried only where that finds no place.
func decideHard(ctx context.Context, p *problem.Problem, leave victims.Leave) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, &Unschedulable{Gang: p.Request.Name, Refuser: RefuserSteps, Wanted: p.Model.Least * p.Room.Size(), AtLeast: true, Stopped: err}
	}
	defer func() {
		if p.Bounds.Rest != nil {
			*p.Bounds.Rest = *cmp.Or(p.Model.Left, p.NewBudget())
		}
	}()
	if p.Bounds.Bare {
		if hopeless, proven := victims.Hopeless(p, leave); hopeless {
			return nil, &Unschedulable{Gang: p.Request.Name, Refuser: RefuserRule, Wanted: p.Model.Least * p.Room.Size(), AtLeast: true, Proven: proven}
		}
	}
	if o := search.Best(p); o != nil {
		return resultOf(o), nil
	}
	return otherwise(ctx, p, leave)
}

// otherwise is the answer where nothing fits now: wait for leaving members, else evict victims, else say why not. From
// the second step on leaving members count as gone, so that no victim leaves for room that comes anyway.
func otherwise(ctx context.Context, p *problem.Problem, leave victims.Leave) (*Result, error) {
	if o := search.Wait(p); o != nil {
		return resultOf(o), nil
	}
	p.Room.LeavingGone = search.Awaits(p)
	if e := victims.Evict(p, leave); e != nil {
		defer e.Done()
		return resultOfEviction(e), nil
	}
	u := refuse(p)
	if !u.Proven {
		u.Stopped = ctx.Err()
	}
	return nil, u
}

// forTier is a copy of the request with the layer that is worth victims made a rule.
//
// order: victims.9
func forTier(p *problem.Problem) (*gang.Request, error) {
	return gathered(p.Model.View, withoutTier(p.Request), "request.Preempt.ForTier", p.Request.Preempt.ForTier)
}

// gathered is a request, a copy of the caller's, that must gather in a layer as well. Where there is no topology the plan says so.
func gathered(v *layout.View, req *gang.Request, field, layer string) (*gang.Request, error) {
	if v != nil {
		if _, ok := v.TierNamed(layer); !ok {
			return nil, v.UnknownLayer(field, layer)
		}
	}
	return mustGather(v, req, layer), nil
}

// mustGather is a request, a copy of the caller's, that must gather in a layer as well, unless it must anyway.
func mustGather(v *layout.View, req *gang.Request, layer string) *gang.Request {
	if v != nil {
		tier, _ := v.TierNamed(layer)
		if slices.ContainsFunc(req.Gather, func(r gang.Rule) bool {
			t, ok := v.TierNamed(r.Layer)
			return ok && t == tier && r.Strength == gang.MustGather
		}) {
			return req
		}
	}
	req.Gather = append(slices.Clone(req.Gather), gang.Rule{Layer: layer, Strength: gang.MustGather})
	return req
}

// withoutTier is a copy of the request without the layer that is worth victims.
func withoutTier(req *gang.Request) *gang.Request {
	next := *req
	next.Preempt.ForTier = ""
	return &next
}
