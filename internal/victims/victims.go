// Package victims answers: who must leave so that a gang fits? It puts the question to package preempt, on plain data, and
// plans with the victims gone. Where victims leave one by one and slots decide, nodes are told apart by classes and only
// the domains in which the best set can lie are read member by member; else all candidates are.
//
// The rules are section 6 of docs/order.md and the README of the cases of preemption. Everything belongs to one plan.
package victims

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/sets"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// Leave says who may leave for a gang.
type Leave int8

const (
	// Anybody leaves that may by the rules.
	Anybody Leave = iota
	// IfAdmitted is Anybody, but only if the quota admits the gang without victims.
	IfAdmitted
	// Nobody leaves.
	Nobody
)

// Evict plans the least number of members with victims gone, and further ones on what is free then. Nil if the legal victims
// do not help, or if the gang may not preempt.
//
// order: victims.1
func Evict(p *problem.Problem, who Leave) *Eviction {
	if who == Nobody || p.Request.NeverPreempts || p.Request.QuotaLimit == quota.Borrow || who == IfAdmitted && p.RefusedBy != nil {
		return nil
	}
	if p.Snapshot.Lowest >= p.Request.Priority && (p.Request.Quota == "" || p.Snapshot.Quotas == nil) {
		return nil // no gang is below, and nothing is reclaimed
	}
	least, whole := search.For(p).Minimal()
	p.Unsettled = !whole && p.Request.Priority > p.Snapshot.Lowest
	for _, one := range least {
		e := evictForAll(one)
		if p.Unsettled = p.Unsettled || one.Unsettled; e != nil {
			return e
		}
	}
	return nil
}

// evictForAll is [Evict] for a minimal selection: only members of the highest ranks can be left out.
func evictForAll(p *problem.Problem) *Eviction {
	e := newVictimSearch(p)
	if e == nil {
		return nil
	}
	s := e.solve()
	if !s.Found {
		p.Unsettled = !s.Proven
		return nil
	}
	return e.withoutVictims(&s)
}

// solve finds the victims.
func (e *victimSearch) solve() preempt.Solution {
	all := e.question
	if s, ok := e.oneByOne(); ok {
		return s
	}
	e.question = all
	return e.together()
}

// together solves a problem whose candidates may depend on each other: it reads all of them.
func (e *victimSearch) together() preempt.Solution {
	if e.findCandidates(); len(e.question.Candidates) == 0 {
		return preempt.Solution{Proven: true}
	}
	e.findNodes()
	if e.p.Snapshot.Quotas != nil {
		e.withQuotas()
	}
	return preempt.Solve(e.question)
}

// victimSearch is a problem with its candidates: the members that may leave for it.
type victimSearch struct {
	p          *problem.Problem
	question   preempt.Problem
	units      int
	members    []*snapshot.Member // by candidate
	strategies []problem.Strategy
	preemptor  preempt.Preemptor
	holdings   sets.Intern[holdingKey]
	plain      map[*int64]int32        // of candidates with neither quota, zones nor budgets
	tags       sets.Intern[holdingKey] // of quotas and zones
	gone       muster.Resources        // what the candidates of the gang's own quota hold
}

// newVictimSearch prepares the question; nil if no set of victims can help.
func newVictimSearch(p *problem.Problem) *victimSearch {
	e := &victimSearch{p: p, plain: map[*int64]int32{}}
	counts := p.Wholes(max(1, p.Least), len(p.Pending))
	if len(counts) == 0 {
		return nil
	}
	e.units = counts[0]
	e.preemptor = preempt.Preemptor{Priority: p.Request.Priority, Quotas: p.Snapshot.Quotas}
	if p.Request.Quota != "" {
		e.preemptor.Ask = p.Asks(e.units)
		if helps, err := e.preemptor.Limit(p.Demand(), p.Request.QuotaLimit); !helps || err != nil {
			return nil
		}
	}
	e.question = preempt.Problem{
		Units: int64(e.units), Order: p.Request.Preempt.Ranked(), Steps: p.Request.Preempt.Steps, Tiers: p.View.Intervals(), First: 0, Last: -1,
		Lowest: math.MaxInt64, Fits: e.fits,
	}
	for _, n := range p.Needs {
		e.question.Request = append(e.question.Request, n.Amount)
	}
	e.addStrategies()
	return e
}

// findNodes lists the free amounts of every position once the leaving members are gone. The slots of nodes with zones are
// counted by the problem.
func (e *victimSearch) findNodes() {
	released, refusal := e.p.Slots().LeavingReleased(), e.p.Slots().Refusal
	room := search.For(e.p).Room()
	if room != nil {
		e.question.Slots, refusal = e.slotsOfRoles(room), e.refusalOfRoles()
	}
	free := make([]int64, int(e.p.View.Nodes)*len(e.p.Needs))
	e.question.Nodes = make([]preempt.Node, e.p.View.Nodes)
	e.question.Exact = search.For(e.p).Exact() && e.p.Request.Quota == ""
	open := e.p.Slots().Opening(refusal)
	for pos := range e.p.View.Nodes {
		if !open(pos) {
			continue
		}
		id, n := e.p.View.Node(pos), &e.question.Nodes[pos]
		n.Outside = pos >= e.p.View.FirstPos[e.p.View.Outside]
		e.question.Exact = e.question.Exact && !n.Outside
		n.Free, free = free[:len(e.p.Needs):len(e.p.Needs)], free[len(e.p.Needs):]
		for r, need := range e.p.Needs {
			n.Free[r] = e.p.Slots().FreeOf(id, need, released[id].Amounts)
		}
		if e.p.Zones().BindsOn(e.p.Snapshot.FlagsOf(id)) && room == nil {
			e.question.Slots = e.slotsWithout
		}
	}
	for i, m := range e.p.Running {
		if i == 0 {
			e.question.First, e.question.Last = m.Pos, m.Pos
		}
		e.question.First, e.question.Last = min(e.question.First, m.Pos), max(e.question.Last, m.Pos)
	}
}

// addStrategies lists the strategies and the sizes of groups. Begun groups bind by Fits alone.
func (e *victimSearch) addStrategies() {
	whole := len(e.p.Running) == 0
	for st := range search.For(e.p).Strategies() {
		e.strategies = append(e.strategies, problem.Strategy{Gang: st.Gang, Groups: slices.Clone(st.Groups)})
		above := e.p.View.TierIndex(st.Gang)
		plain := preempt.Strategy{Gang: above}
		for i := range e.p.Levels {
			if whole { // no group reaches higher than what it is part of
				above = min(above, e.p.View.TierIndex(st.Groups[i]))
				plain.Groups = append(plain.Groups, above)
			}
		}
		e.question.Strategies = append(e.question.Strategies, plain)
	}
	if whole {
		for _, l := range e.p.Levels {
			e.question.Groups = append(e.question.Groups, l.Size)
		}
	}
}

// fits says whether the gang fits with candidates gone, under a strategy.
func (e *victimSearch) fits(gone []int32, strategy int) (outside int64, ok bool) {
	p := e.without(gone)
	if p == nil {
		return 0, false
	}
	defer p.Done()
	if counts := p.Counts(); len(counts) == 0 || counts[0] != e.units {
		return 0, false
	}
	return search.For(p).Allows(e.units, e.strategies[strategy])
}

// without is the problem on a snapshot without some candidates, the leaving members being gone as well; nil if there is none.
func (e *victimSearch) without(gone []int32) *problem.Problem {
	var d cluster.Delta
	for _, i := range gone {
		d.Remove = append(d.Remove, cluster.MemberRef{Gang: e.members[i].Class.Gang, Member: e.members[i].Name})
	}
	c, err := e.p.Snapshot.Update(d)
	if err != nil {
		return nil // never: they run
	}
	p, err := search.New(c, e.p.Request, e.p.Team)
	if err != nil {
		return nil // never: it was one before
	}
	p.LeavingGone = e.p.LeavingGone
	if e.p.Parts.Selection != nil {
		return p.Only(e.p.Parts.Selection)
	}
	return p
}

// Eviction is a plan with victims.
type Eviction struct {
	Plan    *problem.Outcome
	Victims []victim
	Found   *preempt.Solution
	Proven  bool // whether the plan itself is, victims apart
	p       *problem.Problem
}

// Done gives back what the plan was made on; the plan is not looked at any more.
func (e *Eviction) Done() { e.p.Done() }

// victim is a member that leaves, and why it may.
type victim struct {
	Member   *snapshot.Member
	Priority int64  // of its gang
	OverMin  string // a resource of which its quota has more than its min; empty: it leaves by its priority
}

// withoutVictims plans the gang without the victims.
func (e *victimSearch) withoutVictims(s *preempt.Solution) *Eviction {
	p := e.without(s.Gone)
	o := search.For(p).LeastAndMore()
	if o == nil {
		p.Done()
		return nil // never: the set makes room
	}
	out := &Eviction{Plan: o, Victims: make([]victim, 0, len(s.Gone)), Found: s, Proven: e.p.ProvenBest(), p: p}
	for _, i := range s.Gone {
		m := e.members[i]
		v := victim{Member: m, Priority: e.question.Gangs[e.question.Candidates[i].Gang].Priority}
		if e.preemptor.Reclaims(m.Class.Quota) {
			v.OverMin, _ = e.preemptor.OverMin(m.Class.Quota, e.heldWith(i, s.Gone))
		}
		out.Victims = append(out.Victims, v)
	}
	slices.SortFunc(out.Victims, func(a, b victim) int { return snapshot.CompareMembers(a.Member, b.Member) })
	return out
}
