// What becomes of those behind a gang that waits? A queue that is planned by its discipline.

package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/victims"
)

// BatchOptions say by which discipline a queue is planned. The zero value is what [Batch] does.
type BatchOptions struct {
	// Discipline says what becomes of those behind a gang that waits; empty: [queue.NextThatFits].
	Discipline queue.Discipline
	// Now is the first instant at which a gang may start for which room is held, as in [EarliestOptions]. Other disciplines do not look at it.
	Now int64
}

// BatchBy is [Batch] by a discipline. [queue.NextThatFits] is Batch itself. By the others every gang is planned once, in the order of the queue, with victims,
// under its own limit of quotas or [quota.Fair]; a host that lets gangs borrow says so in their QuotaLimit.
//
// By [queue.Strict] all behind the first gang that is refused are refused unplanned, at no cost ([Unschedulable.Behind]). By [queue.EASY] room is held for the first one that
// is refused and has an earliest start ([Earliest]), by [queue.Conservative] for each of these; its Start is told ([Planned]). The cluster that is returned has
// what is held, and what was held before. Nothing is held for gangs that start together, for a gang that is asked for a second time, and where no start is known:
// these may be delayed. A request that cannot be planned at all waits for nothing, and stops nobody.
//
// No plan delays a gang for which room is held in front of it: once those have ended that are to end by its Start.At, its plan can be carried out. What ends later
// lies beside it, and nobody of its own members leaves; a plan that would evict some is made without victims. Gangs of a higher priority than a gang are not bound
// so: they take what is held for it (cluster.Hold), and room is held for it anew beside them, if it has a start then. The promise is for what was known: who runs longer than
// expected, or comes into the cluster or the demand of quotas later, may break it.
//
// What is held from an instant on for gangs of the queue itself ends with the next call, which holds it anew. So the Start of a gang may move from one call to
// the next, by conservative backfill to a later instant too, as those in front of it find other places: the promise to the first one that waits carries over, no other.
//
// BatchBy is a pure function and safe for concurrent use, as Batch is; it has no goroutines. Each gang costs what it costs there, and each for which room is
// held an Earliest and an Update; once more where a higher priority takes that. An unknown discipline is a [muster.InvalidError] of every gang.
func BatchBy(c *Cluster, requests []*gang.Request, opt BatchOptions) (*Cluster, []Planned) {
	return BatchByContext(context.Background(), c, requests, opt)
}

// BatchByContext is [BatchBy] for a caller who may stop waiting, as in [BatchContext]: nothing is held from then on.
//
// order: time.7
func BatchByContext(ctx context.Context, c *Cluster, requests []*gang.Request, opt BatchOptions) (*Cluster, []Planned) {
	switch d := opt.Discipline; {
	case !d.Known():
		return c, allInvalid(c, requests, muster.Invalid("options.Discipline", string(d), "unknown discipline"))
	case d.PassesBy() && !d.Holds(0):
		return BatchContext(ctx, c, requests)
	}
	q := disciplined{ctx: orBackground(ctx), opt: opt, turns: turnsOf(requests)}
	c = withDemand(withoutStarts(c, requests), requests)
	for i := range q.turns {
		c = q.take(c, i)
	}
	return c, plannedOf(q.ctx, q.turns)
}

// withoutStarts is the snapshot without what is held from an instant on for gangs of a queue: those in front of them are not to wait for it.
//
// order: time.8
func withoutStarts(c *Cluster, requests []*gang.Request) *Cluster {
	s, err := c.made()
	if err != nil {
		return c
	}
	now, gone := map[string]bool{}, map[string][]cluster.Hold{}
	for _, h := range holds.Of(s) {
		now[h.Gang] = now[h.Gang] || h.From == 0
	}
	for _, req := range requests {
		if req == nil {
			continue
		}
		if atOnce, held := now[req.Name]; held && !atOnce {
			gone[req.Name] = nil
		}
	}
	next, err := c.Update(cluster.Delta{Holds: gone})
	if len(gone) == 0 || err != nil { // never: they are there
		return c
	}
	return next
}

// allInvalid refuses every gang of a queue for what it has no part in.
func allInvalid(c *Cluster, requests []*gang.Request, err error) []Planned {
	all := make([]Planned, len(requests))
	for i, req := range requests {
		all[i] = Planned{Index: i, Request: req, Cluster: c, Err: err}
	}
	return all
}

// disciplined is a queue that is planned once, turn after turn.
type disciplined struct {
	ctx     context.Context
	opt     BatchOptions
	turns   []turn
	first   string // the gang behind which nobody is planned; empty: everybody is
	holders []int  // turns for which room is held, in the order of the queue: gangs of different names
}

// take plans a turn on what the ones before it left, and returns the snapshot for the next one.
func (q *disciplined) take(c *Cluster, i int) *Cluster {
	t := &q.turns[i]
	if q.first != "" && t.request() != nil {
		t.refuse(c, behind(q.first, "which waits"))
		return c
	}
	a := t.decide(q.ctx, c, victims.Anybody)
	if q.evictsHolders(t, &a) {
		a = t.decide(q.ctx, c, victims.Nobody)
	}
	if a.err == nil {
		if k := q.outstayed(c, t); k >= 0 {
			t.refuse(c, behind(q.nameOf(k), "which waits for its end"))
			return c
		}
	}
	c = t.settle(c, &a)
	switch {
	case t.err == nil:
		return q.holdAnew(c, t, &a)
	case !errors.Is(t.err, ErrUnschedulable):
	case !q.opt.Discipline.PassesBy():
		q.first = t.request().Name
	case q.opt.Discipline.Holds(len(q.holders)):
		if next, held := q.hold(c, i); held {
			return q.holdAnew(next, t, nil)
		}
	}
	return c
}

// evictsHolders says whether members of a gang leave for a turn that is not above it, and room is held for the others.
//
// order: time.8
func (q *disciplined) evictsHolders(t *turn, a *answer) bool {
	return slices.ContainsFunc(q.holders, func(k int) bool { return a.evicts(q.nameOf(k)) && q.priorityOf(k) >= t.priority() })
}

// outstayed is the first one not below a turn whose start takes the end of running members, and would not have it in time if those came to them that the turn
// places; -1: there is none.
//
// order: time.8
func (q *disciplined) outstayed(c *Cluster, t *turn) int {
	for _, k := range q.holders {
		if q.priorityOf(k) >= t.priority() && slices.ContainsFunc(t.requests, func(r *gang.Request) bool { return q.outstays(c, r, k) }) {
			return k
		}
	}
	return -1
}

// outstays says whether a start takes the end of a gang that would end later with those that come now.
func (q *disciplined) outstays(c *Cluster, r *gang.Request, k int) bool {
	end := ends.With(c.snapshot, r.Name, r.End)
	return q.waitsFor(k, r.Name) && (end == 0 || end > q.turns[k].planned[0].Start.At)
}

// waitsFor says whether the start of a turn for which room is held takes the end of a gang.
func (q *disciplined) waitsFor(k int, name string) bool {
	return slices.ContainsFunc(q.turns[k].planned[0].Start.WaitsFor, func(e Ending) bool { return e.Gang == name })
}

// hold holds room for a turn from its earliest start on; false: there is none, somebody who starts before it takes the end of its gang, or that has a hold by
// another turn.
//
// order: time.8
func (q *disciplined) hold(c *Cluster, i int) (*Cluster, bool) {
	t := &q.turns[i]
	if !t.isPlain() {
		return c, false
	}
	for _, k := range q.holders {
		if q.nameOf(k) == q.nameOf(i) || q.priorityOf(k) >= q.priorityOf(i) && q.waitsFor(k, q.nameOf(i)) {
			return c, false
		}
	}
	next, start, err := earliestHeld(q.ctx, c, t.request(), EarliestOptions{Now: q.opt.Now})
	if err != nil || !holds.Any(next.snapshot, q.nameOf(i)) {
		return c, false
	}
	t.planned[0].Start = start
	at, _ := slices.BinarySearch(q.holders, i)
	q.holders = slices.Insert(q.holders, at, i)
	return next, true
}

// holdAnew holds room anew for those whose start is not true any more after a turn above them, or one of their own gang, and with them for all of lower priorities, who are
// in each other's way: the highest priority first, of equals the first in the queue. Nobody takes from those before.
//
// order: time.8
func (q *disciplined) holdAnew(c *Cluster, t *turn, a *answer) *Cluster {
	lost := slices.DeleteFunc(slices.Clone(q.holders), func(k int) bool { return !q.losesTo(c, k, t, a) })
	if len(lost) == 0 {
		return c
	}
	least := t.priority()
	for _, k := range lost {
		least = max(least, q.priorityOf(k))
	}
	none := map[string][]cluster.Hold{}
	for _, k := range q.holders {
		if &q.turns[k] != t && q.priorityOf(k) < least && !slices.Contains(lost, k) {
			lost = append(lost, k)
		}
	}
	for _, k := range lost {
		q.turns[k].planned[0].Start, none[q.nameOf(k)] = nil, nil
	}
	q.holders = slices.DeleteFunc(q.holders, func(k int) bool { return slices.Contains(lost, k) })
	if next, err := c.Update(cluster.Delta{Holds: none}); err == nil { // always
		c = next
	}
	slices.SortFunc(lost, func(k, l int) int { return cmp.Or(cmp.Compare(q.priorityOf(l), q.priorityOf(k)), cmp.Compare(k, l)) })
	for _, k := range lost {
		c, _ = q.hold(c, k)
	}
	return c
}

// losesTo says whether the start of a turn for which room is held is not true any more after another one, which has this answer; nil: room is held for that. A hold
// takes room from those below it, and beside that what only a plan looks at: shares of quotas, zones, domains.
func (q *disciplined) losesTo(c *Cluster, k int, t *turn, a *answer) bool {
	if &q.turns[k] == t {
		return false
	}
	below := q.priorityOf(k) < t.priority()
	if below && (a == nil || a.evicts(q.nameOf(k))) {
		return true
	}
	return slices.ContainsFunc(t.requests, func(r *gang.Request) bool {
		return (below || r.Name == q.nameOf(k)) && !holds.Any(c.snapshot, q.nameOf(k)) || below && q.outstays(c, r, k)
	})
}

func (q *disciplined) nameOf(k int) string { return q.turns[k].request().Name }

func (q *disciplined) priorityOf(k int) int64 { return q.turns[k].request().Priority }

// evicts says whether members of a gang leave.
func (a *answer) evicts(name string) bool {
	if a == nil || a.err != nil {
		return false
	}
	return slices.ContainsFunc(a.results, func(r *Result) bool {
		return slices.ContainsFunc(r.Victims, func(v Victim) bool { return v.Gang == name })
	})
}

// priority is what the turn counts in a queue: the lowest of its gangs.
func (t *turn) priority() int64 {
	least := t.request().Priority
	for _, r := range t.requests {
		least = min(least, r.Priority)
	}
	return least
}

// behind refuses a gang, unplanned, for one in front of it.
//
// order: time.7, time.8
func behind(first, why string) Unschedulable {
	return Unschedulable{Refuser: RefuserRule, Rule: fmt.Sprintf("behind %s, %s", first, why), Behind: first, Proven: true}
}

// refuse gives each gang of a turn a refusal.
func (t *turn) refuse(c *Cluster, why Unschedulable) {
	for i := range t.planned {
		p, own := &t.planned[i], why
		own.Gang, own.Wanted = p.Request.Name, len(p.Request.Members)
		p.Pass, p.Cluster, p.Err = t.pass(), c, &own
	}
}
