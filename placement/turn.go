// What does a queue plan at once? A gang, or gangs that start together.

package placement

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/quota"
)

// turn is one step of a queue: a gang, or gangs that start together. It is never empty.
type turn struct {
	planned []Planned // by gang, in the order of the queue
	// By gang: the request as it is planned, perhaps under a limit that the queue chose. Planned has the caller's.
	requests []*gang.Request
	gather   []gang.Rule // common rules of gangs that start together, each once
	alone    error       // why the turn cannot be one of several; nil: it can
	err      error       // the last refusal of all of them; nil: they have a plan, or had no turn yet
}

// turnsOf cuts a queue into turns, in its order. Gangs with one name in Together have the place of the first of them. A
// missing request has a turn of its own, which refuses it. O(queue).
//
// order: queue.3
func turnsOf(queue []*gang.Request) []turn {
	turns := make([]turn, 0, len(queue))
	planned, requests := make([]Planned, len(queue)), make([]*gang.Request, len(queue))
	named := map[string]int{} // turns by the name in Together
	for i, req := range queue {
		planned[i], requests[i] = Planned{Index: i, Request: req}, req
		if req == nil || req.Together == "" {
			// Parts of one block, with no capacity beyond: an append copies.
			turns = append(turns, turn{planned: planned[i : i+1 : i+1], requests: requests[i : i+1 : i+1]})
			continue
		}
		at, known := named[req.Together]
		if !known {
			at = len(turns)
			named[req.Together] = at
			turns = append(turns, turn{})
		}
		turns[at].add(planned[i])
	}
	for i := 0; len(queue) > 1 && i < len(turns); i++ {
		turns[i].alone = turns[i].notBehindOthers()
	}
	return turns
}

// notBehindOthers says why the turn cannot be planned behind others: the host tells slots, and does not know of plans.
func (t *turn) notBehindOthers() error {
	if !slices.ContainsFunc(t.requests, func(r *gang.Request) bool { return r != nil && r.Slots != nil }) {
		return nil
	}
	return muster.Unsupported("request.Slots", "", "slots that the host tells, in a queue: it does not know of the plans before")
}

// add adds a gang that starts together with those of the turn.
func (t *turn) add(p Planned) {
	t.planned, t.requests = append(t.planned, p), append(t.requests, p.Request)
	for _, rule := range p.Request.GatherTogether {
		if !slices.Contains(t.gather, rule) {
			t.gather = append(t.gather, rule)
		}
	}
}

// request is that of the first gang, nil if it is missing. In the fields that are read here the others agree with it,
// or there is no plan (see checkEqual).
func (t *turn) request() *gang.Request { return t.requests[0] }

// pass is the limit of quotas under which the gangs are planned.
func (t *turn) pass() quota.Limit { return cmp.Or(t.limit(), quota.Fair) }

// limit is the limit of quotas under which the gangs are to be planned, empty for the default.
func (t *turn) limit() quota.Limit {
	if t.request() == nil {
		return ""
	}
	return t.request().QuotaLimit
}

// withLimit is a copy of the turn, not planned yet, with a limit for each gang. The caller's requests stay as they are.
func (t *turn) withLimit(limit quota.Limit) turn {
	next := turn{planned: slices.Clone(t.planned), gather: t.gather}
	for _, req := range t.requests {
		limited := *req
		limited.QuotaLimit = limit
		next.requests = append(next.requests, &limited)
	}
	return next
}

// leaveFirst says who may leave in the first pass. A gang without a limit of its own comes again in later passes; so it
// takes no victims while its quota refuses it.
func (t *turn) leaveFirst() victims.Leave {
	if t.limit() != "" {
		return victims.Anybody
	}
	return victims.IfAdmitted
}

// plan plans the turn and notes the outcome of each gang: all have a result, or all have the same error. It returns the
// snapshot for the next turn, c itself if there is no plan.
func (t *turn) plan(ctx context.Context, c *Cluster, leave victims.Leave) *Cluster {
	a := t.decide(ctx, c, leave)
	return t.settle(c, &a)
}

// decide plans the gangs of the turn, which stays as it is. A gang alone, with a name in Together but no common rules or limits,
// is planned like any other.
func (t *turn) decide(ctx context.Context, c *Cluster, leave victims.Leave) (a answer) {
	s, err := c.made()
	switch {
	case err != nil:
		a.err = err
	case t.alone != nil:
		a.err = t.alone
	case t.isPlain():
		a.results = make([]*Result, 1)
		a.results[0], a.err = planOn(ctx, s, t.request(), leave, bounds.Search{})
	default:
		a.results, a.err = togetherOn(ctx, s, t.gather, leave, t.requests)
	}
	return a
}

// isPlain says whether the turn is a gang that is planned like any other.
func (t *turn) isPlain() bool {
	return len(t.requests) == 1 && len(t.gather) == 0 && (t.request() == nil || len(t.request().LimitsTogether) == 0)
}

// answer is what a turn finds on a snapshot: a result for each gang, or an error; nothing, if it was passed over.
type answer struct {
	results []*Result
	err     error
}

// settle carries out what decide found on a snapshot and notes the outcome of each gang; what cannot be carried out is
// the answer's error from then on. It returns the snapshot for the next turn.
func (t *turn) settle(c *Cluster, a *answer) *Cluster {
	next := c
	if a.err == nil {
		var after *Cluster
		if after, a.err = newCluster(carryOut(c.snapshot, a.results...)); a.err == nil {
			next = after
		}
	}
	t.err = a.err
	for i := range t.planned {
		p := &t.planned[i]
		p.Pass, p.Cluster, p.Err = t.pass(), c, a.err
		if a.err == nil {
			p.Result = a.results[i]
		}
	}
	return next
}

// pending is the turn as its quota sees it, wanted being the least number of members that must be placed: members of
// one shape with that minimum. If shapes differ, it is one member with the resources of all.
func (t *turn) pending(wanted int) quota.Pending {
	first := t.request()
	out := quota.Pending{Quota: first.Quota, Member: first.Shape.Resources, MinMember: wanted}
	equal := true
	for _, req := range t.requests {
		out.Members += len(req.Members)
		own := func(m gang.Member) bool { return m.Shape != nil }
		equal = equal && maps.Equal(req.Shape.Resources, first.Shape.Resources) && !slices.ContainsFunc(req.Members, own)
	}
	if !equal {
		out.Member, out.Members, out.MinMember = muster.Resources{}, 1, 1
		for _, req := range t.requests {
			out.Member.Add(wholeRequest(req))
		}
	}
	return out
}

// refuseApart gives each of several refused gangs its own refusal, if it cannot be placed by itself, on the snapshot of
// the turn; the others wait for these. If each could be placed alone, all keep the refusal of all of them. What the
// others wait for is proven only if all refusals that they wait for are. A plan for each gang.
//
// order: queue.3
func (t *turn) refuseApart(ctx context.Context) {
	if t.err == nil || len(t.planned) == 1 {
		return
	}
	var refused []string
	proven := true
	for i := range t.planned {
		p := &t.planned[i]
		s, err := p.Cluster.made()
		if err == nil {
			_, err = planOn(ctx, s, p.Request, t.leaveFirst(), bounds.Search{})
		}
		if err == nil {
			continue
		}
		p.Err, refused = err, append(refused, p.Request.Name)
		var why *Unschedulable
		proven = proven && (!errors.As(err, &why) || why.Proven) // an invalid request is refused for sure
	}
	if len(refused) == 0 {
		return
	}
	for i := range t.planned {
		if p := &t.planned[i]; !slices.Contains(refused, p.Request.Name) {
			why := waitsForOthers(p.Request, refused)
			why.Proven, p.Err = proven, why
		}
	}
}

// waitsForOthers refuses a gang because of others, by name, that start together with it and cannot.
func waitsForOthers(req *gang.Request, refused []string) *Unschedulable {
	return &Unschedulable{
		Gang: req.Name, Refuser: RefuserRule, Rule: "together with " + strings.Join(refused, ", "), Together: refused,
		Wanted: len(req.Members),
	}
}
