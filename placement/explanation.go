// What is there to say about a gang beside its plan: why does it wait, and what would make it start?

package placement

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/remedies"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// ExplainOptions say how much is looked into. The zero value is the default.
type ExplainOptions struct {
	// Plans is how many trial plans may be made to find relaxations. 0: 200; negative: none.
	Plans int
	// Lost is the work that is lost if a gang ends, by name, as [Mover.Lost]: where gangs have to end for this one, those that lose the least are told as well. What is not between
	// 0 and 1,099,511,627,776 counts as the nearest.
	Lost map[string]int64
	// Err is what a queue said of the gang, such as that gangs which start together with it cannot. Nil: what [Plan] says.
	Err error
}

// trialPlans is the default of [ExplainOptions.Plans].
const trialPlans = 200

// trialsShare: all trial plans may take what the plan of the gang left of its steps, or one such part of them in any case.
const trialsShare = 4

// Explanation is what [Explain] finds. It belongs to the caller.
type Explanation struct {
	// Gang is its name.
	Gang string

	// Verdict says what becomes of the gang.
	Verdict Verdict
	// Plan is the plan of the gang, nil if there is none; Err then says why, as [Plan] does.
	Plan *Result
	Err  error
	// Facts are what stands in its way, the reason first, then what keeps members away from nodes, then why nobody leaves for it.
	// Empty for a gang that fits on what is free.
	Facts []explain.Fact
	// Fragmentation says per tier, lowest first, how far its best domain is from holding the gang. Empty for a gang that fits on
	// what is free.
	Fragmentation []explain.Fragmentation
	// Relaxations are changes of the arguments, each of which makes the gang start, in the order of [explain.Kinds]. Each was planned on
	// a changed copy. Empty for a gang that has a plan.
	Relaxations []explain.Relaxation
	// NotTried lists, in the order of [explain.Kinds], what was not looked into, or not to its end, and why.
	NotTried []explain.NotTried
	// Plans is how many plans were made.
	Plans int
}

// Verdict says what becomes of a gang.
type Verdict string

// The verdicts.
const (
	// VerdictPlaced says that it fits on what is free.
	VerdictPlaced Verdict = "placed"
	// VerdictWaits says that it fits once leaving members are gone.
	VerdictWaits Verdict = "waits"
	// VerdictNeedsVictims says that it fits once members are evicted.
	VerdictNeedsVictims Verdict = "needs victims"
	// VerdictRefused says that there is no plan.
	VerdictRefused Verdict = "refused"
	// VerdictInvalid says that it cannot be planned at all.
	VerdictInvalid Verdict = "invalid"
)

// Explain says what becomes of a gang, and if it does not start, why, and which changes would make it start. Like [Plan] it
// changes neither argument, and equal arguments give an equal answer. All trial plans share the steps of one plan, so
// that they cost no more searching than that; what was not tried is listed.
//
// A trial plan costs what [Plan] and [Cluster.Update] cost for what changed; bounds on slots, O(nodes * resources + running
// members), say which sets of nodes or gangs are worth one.
func Explain(c *Cluster, req *gang.Request, opt ExplainOptions) *Explanation {
	return ExplainContext(context.Background(), c, req, opt)
}

// ExplainContext is [Explain] for a caller who may stop waiting. Once the context is done, searches end as in [PlanContext]; what is
// found until then is told.
func ExplainContext(ctx context.Context, c *Cluster, req *gang.Request, opt ExplainOptions) *Explanation {
	s, err := c.made()
	e, b := &Explanation{}, bounds.Search{Rest: &remedies.Budget{}}
	if req != nil {
		e.Gang = req.Name
	}
	if err == nil {
		e.Plan, err = planOn(orBackground(ctx), s, req, victims.Anybody, b)
	}
	alone := e.Plan != nil // whatever a queue says
	if opt.Err != nil {
		e.Plan, err = nil, opt.Err
	}
	var why *Unschedulable
	switch e.Err = err; {
	case err == nil:
		e.Verdict = verdictOf(e.Plan)
		if e.Verdict == VerdictPlaced {
			return e
		}
		_, err = planOn(orBackground(ctx), s, onFree(req), victims.Nobody, bounds.Search{})
		if errors.As(err, &why) {
			e.tellWhy(ctx, s, onFree(req), why)
			e.Facts = slices.DeleteFunc(e.Facts, func(f explain.Fact) bool { return slices.Contains(whyNobodyLeaves[:], f.Code) })
		}
	case errors.As(err, &why):
		e.Verdict = VerdictRefused
		switch {
		case len(why.Together) > 0:
			e.tellWhy(ctx, s, req, why)
			e.NotTried = notOfIt("it could start by itself: what the gangs need that start together with it is told of them")
		case why.Behind != "":
			e.tellWhy(ctx, s, req, why)
			e.NotTried = notOfIt("the gang in front of it has to start first: what that one needs is told of it")
		case alone:
			e.tellWhy(ctx, s, req, why)
			e.NotTried = notOfIt("it could start by itself, but not with the gangs that start together with it")
		case req.Slots != nil:
			e.tellWhy(ctx, s, req, why)
			e.NotTried = notOfIt("how many members nodes would take then only the host knows")
		case asksHost(req):
			e.tellWhy(ctx, s, req, why)
			e.remedy(ctx, s, req, &opt, b)
		default: // what is in the way and what would help are found apart from each other
			var told sync.WaitGroup
			told.Go(func() { e.tellWhy(ctx, s, req, why) })
			e.remedy(ctx, s, req, &opt, b)
			told.Wait()
		}
	default:
		e.Verdict = VerdictInvalid
		e.Facts = []explain.Fact{{Code: explain.CodeInvalid, Detail: explain.Detail{Reason: err.Error()}, Proven: true}}
	}
	return e
}

// notOfIt says why no change of the gang was tried.
func notOfIt(reason string) []explain.NotTried {
	return []explain.NotTried{{Kind: explain.KindMembers, Reason: reason}}
}

func verdictOf(r *Result) Verdict {
	switch {
	case len(r.Victims) > 0:
		return VerdictNeedsVictims
	case r.Waits():
		return VerdictWaits
	}
	return VerdictPlaced
}

// onFree is a request that nobody leaves for and that waits for nobody.
func onFree(req *gang.Request) *gang.Request {
	now := *req
	now.NeverPreempts, now.IgnoreLeaving, now.Preempt.ForTier = true, true, ""
	return &now
}

// tellWhy finds the facts of a refusal, and how far domains are from holding the gang.
func (e *Explanation) tellWhy(ctx context.Context, s *snapshot.Snapshot, req *gang.Request, why *Unschedulable) {
	p, err := search.New(s, req, nil, bounds.Search{})
	if err != nil {
		return // never: it was planned
	}
	defer p.Done()
	p.Room.LeavingGone = search.Awaits(p)
	f := factFinder{p: p, why: why, wanted: int64(why.Wanted)}
	e.Facts = f.facts(orBackground(ctx))
	e.Fragmentation = f.fragmentation()
}

// remedy looks for changes that make the gang start.
func (e *Explanation) remedy(ctx context.Context, s *snapshot.Snapshot, req *gang.Request, opt *ExplainOptions, planned bounds.Search) {
	plans := cmp.Or(opt.Plans, trialPlans)
	p, err := search.New(s, req, nil, bounds.Search{Stop: orBackground(ctx).Done()})
	if err != nil {
		return // never: it was planned
	}
	defer p.Done()
	plan := func(s *snapshot.Snapshot, req *gang.Request, evict bool, b bounds.Search) (*explain.Plan, bool) {
		leave := victims.Nobody
		if evict {
			leave = victims.Anybody
		}
		res, err := planOn(orBackground(ctx), s, req, leave, b)
		var why *Unschedulable
		if err != nil {
			return nil, !errors.As(err, &why) || why.Proven // what is not supported has no plan
		}
		return summaryOf(res), res.Proven && (res.Preemption == nil || res.Preemption.Proven)
	}
	search := remedies.Search{Plan: plan, Left: planned.Rest.OrPart(p.NewBudget(), trialsShare), Plans: max(0, plans), Lost: map[string]int64{}}
	for name, work := range opt.Lost {
		search.Lost[name] = min(mostLost, max(0, work))
	}
	e.Relaxations, e.NotTried, e.Plans = search.Find(s, req)
}

// summaryOf says where a plan places the gang.
func summaryOf(r *Result) *explain.Plan {
	p := &explain.Plan{Tier: r.Tier, Layer: r.Layer, Domain: r.Domain, Strategy: r.Strategy, Members: len(r.Assignments)}
	for _, w := range r.WaitsFor {
		p.WaitsFor = append(p.WaitsFor, w.MemberRef)
	}
	for i := range r.Victims {
		p.Victims = append(p.Victims, r.Victims[i].MemberRef)
	}
	return p
}
