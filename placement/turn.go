package placement

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/quota"
)

// turn is what a queue plans at once: a gang, or gangs that start together.
type turn struct {
	planned []Planned
	// requests as they are planned, each that of a gang.
	requests []*gang.Request
	gather   []gang.Rule // for all members of all of them
	err      error       // why there is no plan, for all of them
}

// turnsOf are the turns of a queue, in its order.
func turnsOf(queue []*gang.Request) []turn {
	turns := make([]turn, 0, len(queue))
	planned, requests := make([]Planned, len(queue)), make([]*gang.Request, len(queue))
	named := map[string]int{} // turns of gangs that start together
	for i, req := range queue {
		planned[i], requests[i] = Planned{Index: i, Request: req}, req
		if req == nil || req.Together == "" {
			turns = append(turns, turn{planned: planned[i : i+1 : i+1], requests: requests[i : i+1 : i+1]})
			continue
		}
		at, known := named[req.Together]
		if !known {
			at = len(turns)
			named[req.Together] = at
			turns = append(turns, turn{})
		}
		turns[at].join(planned[i])
	}
	return turns
}

// join adds a gang that starts together with those of the turn.
func (t *turn) join(p Planned) {
	t.planned, t.requests = append(t.planned, p), append(t.requests, p.Request)
	for _, rule := range p.Request.GatherTogether {
		if !slices.Contains(t.gather, rule) {
			t.gather = append(t.gather, rule)
		}
	}
}

// request is that of the first gang: in what counts here the others agree with it, or there is no plan.
func (t *turn) request() *gang.Request { return t.requests[0] }

// limit is the gangs' own, empty if they have none.
func (t *turn) limit() quota.Limit {
	if t.request() == nil {
		return ""
	}
	return t.request().QuotaLimit
}

// under is the turn with a limit for each gang.
func (t *turn) under(limit quota.Limit) turn {
	next := turn{planned: slices.Clone(t.planned), gather: t.gather}
	for _, req := range t.requests {
		limited := *req
		limited.QuotaLimit = limit
		next.requests = append(next.requests, &limited)
	}
	return next
}

// first plans the turn in the first pass, and returns the snapshot for the next one.
func (t *turn) first(c *Cluster) *Cluster { return t.plan(c, t.leaveFirst()) }

// leaveFirst says who may leave in the first pass.
func (t *turn) leaveFirst() victims.Leave {
	if t.limit() != "" {
		return victims.Anybody
	}
	return victims.IfAdmitted
}

// plan plans the turn and returns the snapshot for the next one, c itself if there is no plan.
func (t *turn) plan(c *Cluster, who victims.Leave) *Cluster {
	results, next, err := t.try(c, who)
	t.err = err
	for i := range t.planned {
		p := &t.planned[i]
		p.Pass, p.Cluster, p.Err = cmp.Or(t.limit(), quota.Fair), c, err
		if err == nil {
			p.Result = results[i]
		}
	}
	if err != nil {
		return c
	}
	return next
}

func (t *turn) try(c *Cluster, who victims.Leave) ([]*Result, *Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, nil, err
	}
	var results []*Result
	if len(t.requests) == 1 && len(t.gather) == 0 {
		results = make([]*Result, 1)
		results[0], err = planOn(s, t.request(), who)
	} else {
		results, err = togetherOn(s, t.gather, who, t.requests)
	}
	if err != nil {
		return nil, nil, err
	}
	next, err := clusterOf(carryOut(s, results...))
	return results, next, err
}

// pending is the turn as its quota waits for it: members of one shape of which so many must start, else one of the size of all.
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

// tellApart says of gangs that start together, and are refused, which of them cannot be placed by itself and why; the others wait for these.
func (t *turn) tellApart() {
	if t.err == nil || len(t.planned) == 1 {
		return
	}
	var refused []string
	proven := true
	for i := range t.planned {
		p := &t.planned[i]
		s, err := p.Cluster.made()
		if err == nil {
			_, err = planOn(s, p.Request, t.leaveFirst())
		}
		if err == nil {
			continue
		}
		p.Err, refused = err, append(refused, p.Request.Name)
		var why *Unschedulable
		proven = proven && (!errors.As(err, &why) || why.Proven)
	}
	if len(refused) == 0 {
		return
	}
	for i := range t.planned {
		if p := &t.planned[i]; !slices.Contains(refused, p.Request.Name) {
			p.Err = waitsForOthers(p.Request, refused, proven)
		}
	}
}

// waitsForOthers refuses a gang because of those that start together with it.
func waitsForOthers(req *gang.Request, refused []string, proven bool) *Unschedulable {
	return &Unschedulable{
		Gang: req.Name, Kind: KindRule, Rule: "together with " + strings.Join(refused, ", "), Together: refused,
		Wanted: len(req.Members), Proven: proven,
	}
}
