// Package victims answers: who must leave so that a gang fits? It puts the question to package preempt, on plain data,
// and plans with the victims gone. Where victims leave one by one and slots decide, nodes are told apart by classes,
// and only the domains in which the best set can lie are read member by member; else all candidates are.
//
// The rules are page 6 of docs/order. Everything here belongs to one plan and to one goroutine.
package victims

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// Leave says who may leave for a gang. The zero value is Anybody.
type Leave int8

const (
	// Anybody leaves that may by the rules.
	Anybody Leave = iota
	// IfAdmitted is Anybody, but only if the quota admits the gang without victims.
	IfAdmitted
	// Nobody leaves.
	Nobody
)

// Evict plans the least number of members with victims gone, and further ones on what is free then. Nil if no legal set
// of victims helps, or if the gang may not preempt; then p.Unsettled says whether the search ended before that was
// known. The caller calls [Eviction.Done].
//
// A gang in parts has several least selections. They are tried in their order, and the first one for which victims are
// found is taken: selections count before costs. It is not proven to be the first one for which there are any where
// the search for one before it ended early.
//
// order: victims.1
func Evict(p *problem.Problem, who Leave) *Eviction {
	if who == Nobody || who == IfAdmitted && p.RefusedBy != nil || !mayPreempt(p) {
		return nil
	}
	least, whole := search.For(p).Minimal()
	left, gone := p.NewBudget().Part(evictShare), &allGone{}
	defer gone.forget()
	if p.Bounds.Left != nil {
		had := *left
		defer func() { p.Bounds.Left.Spend(&had, left) }()
	}
	doubt := false
	for _, one := range least {
		if e := evictForAll(one, left, gone); e != nil {
			e.Proven, e.Found.Proven = e.Proven && !doubt, e.Found.Proven && !doubt
			return e
		}
		doubt = doubt || one.Unsettled
	}
	p.Unsettled = doubt || !whole
	return nil
}

// mayPreempt says whether the rules of a gang let anybody leave for it: a member of a lower priority, or one whose quota has more than its min.
func mayPreempt(p *problem.Problem) bool {
	if p.Request.NeverPreempts || p.Request.Slots != nil || p.Request.QuotaLimit == quota.Borrow {
		return false
	}
	reclaims := p.Request.Quota != "" && p.Snapshot.Quotas != nil
	return reclaims || p.Snapshot.Lowest < p.Request.Priority
}

// evictForAll is [Evict] for a minimal selection: only members of the highest ranks can be left out.
func evictForAll(p *problem.Problem, left *front.Budget, gone *allGone) *Eviction {
	e := newVictimSearch(p, left)
	if e == nil {
		return nil
	}
	e.all = gone
	s := e.solve()
	if !s.Found {
		p.Unsettled = !s.Proven
		return nil
	}
	return e.withoutVictims(&s)
}

// solve finds the victims: one by one if it can be, else together. The first way writes the question even where it
// gives up, so the second one begins with a copy from before. Slices in that copy are replaced, never written to.
func (e *victimSearch) solve() (s preempt.Solution) {
	had := *e.reserve
	defer func() {
		if left := e.p.Bounds.Left; left != nil {
			left.Packing.Spend(looksInStep * int64(s.Steps))
			left.Spend(&had, e.reserve)
		}
	}()
	all := e.question
	if s, ok := e.oneByOne(); ok {
		return s
	}
	e.question = all
	return e.together()
}

// looksInStep is how many looks at nodes and members a step of package preempt counts as, where plans share their steps. Each search ends
// as it does in any other plan, so that it finds the same.
const looksInStep = 64

// together solves a problem whose candidates may depend on each other: it reads all of them. O(nodes + members), then
// what [preempt.Solve] costs. No candidate: proven that there is no set.
func (e *victimSearch) together() preempt.Solution {
	if e.findCandidates(); len(e.question.Candidates) == 0 {
		return preempt.Solution{Proven: true}
	}
	e.findNodes()
	if e.p.Snapshot.Quotas != nil {
		e.withQuotas()
	}
	if e.p.InParts() && !e.fitsWithoutAll() {
		return preempt.Solution{Proven: !e.doubt}
	}
	return preempt.Solve(e.question)
}

// victimSearch is a problem with the question that it puts to package preempt: units, nodes by position, and the
// candidates, the members that may leave for it.
type victimSearch struct {
	p          *problem.Problem
	question   preempt.Problem
	units      int                // that must be placed: new members, or groups that are placed like members
	members    []*snapshot.Member // by candidate; after oneByOne nil but for victims
	strategies []model.Strategy   // as in question.Strategies, best first
	rough      bool               // strategies are not all: there are too many
	preemptor  preempt.Preemptor
	holdings   intern.Keys[holdingKey] // places in question.Holdings
	plain      map[*int64]int32        // the same, for members with neither quota, zones nor budgets
	tags       intern.Keys[holdingKey] // of quotas and zones
	shares     map[string]*numa.Placed // of zones, by what they are
	gone       muster.Resources        // amounts of all candidates in the gang's own quota
	read       evictionsRead           // what quotas asked of candidates
	left       *front.Budget           // for all trials of a gang in parts
	reserve    *front.Budget           // for those at the end, of who need not leave
	all        *allGone                // what the trials of several selections have in common
	doubt      bool                    // a trial was refused for want of steps
}

// newVictimSearch prepares the question; nil if no set of victims can help, as rules forbid every number of members, or
// the quota refuses by its min. The least number of members counts, whatever the quota admits now: victims may be in
// that quota.
func newVictimSearch(p *problem.Problem, left *front.Budget) *victimSearch {
	e := &victimSearch{p: p, plain: map[*int64]int32{}, left: left, reserve: p.NewBudget().Part(evictShare * spareShare)}
	counts := p.Model.Wholes(max(1, p.Model.Least), len(p.Model.Pending))
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
		Units: int64(e.units), Order: p.Request.Preempt.Ranked(), Steps: p.Request.Preempt.Steps, Tiers: p.Model.View.Intervals(), First: 0, Last: -1,
		Lowest: math.MaxInt64, Fits: e.fits, FitsAtLast: e.fitsAtLast, Stop: e.spent,
		Doubt: func() bool { return e.doubt },
	}
	for _, n := range p.Room.Needs {
		e.question.Request = append(e.question.Request, n.Amount)
	}
	e.addStrategies()
	return e
}

// findNodes lists the free amounts of every position once the leaving members are gone; nil where a position takes no
// unit whatever leaves. Where amounts alone do not say how many units fit, Slots does: for a gang of several roles, and
// if zones bind on some node. The question stays exact only if slots decide, quotas do not, and no usable node lies
// outside the tree. O(nodes * requested resources).
func (e *victimSearch) findNodes() {
	released, refusal := e.p.Room.Slots().LeavingReleased(), e.p.Room.Slots().RefusalForGood
	room := search.For(e.p).Room()
	if room != nil {
		e.question.Slots, refusal = e.slotsOfRoles(room), e.refusalOfRoles()
	}
	free := make([]int64, int(e.p.Model.View.Nodes)*len(e.p.Room.Needs)) // one block for all nodes
	e.question.Nodes = make([]preempt.Node, e.p.Model.View.Nodes)
	e.question.Exact = search.For(e.p).Exact() && e.p.Request.Quota == ""
	open := e.p.Room.Slots().Opening(refusal)
	for pos := range e.p.Model.View.Nodes {
		if !open(pos) {
			continue
		}
		id, n := e.p.Model.View.Node(pos), &e.question.Nodes[pos]
		n.Outside = pos >= e.p.Model.View.FirstPos[e.p.Model.View.Outside]
		e.question.Exact = e.question.Exact && !n.Outside
		n.Free, free = free[:len(e.p.Room.Needs):len(e.p.Room.Needs)], free[len(e.p.Room.Needs):]
		for r, need := range e.p.Room.Needs {
			n.Free[r] = e.p.Room.Slots().FreeOf(id, need, released[id].Amounts)
		}
		if e.p.Room.Zones().BindsOn(e.p.Snapshot.FlagsOf(id)) && room == nil {
			e.question.Slots = e.slotsWithout
		}
	}
	// A domain that holds the first and the last running member holds all: domains are intervals.
	if running := e.p.Model.Running; running.Len() > 0 {
		e.question.First, e.question.Last = running.At(0), running.At(0)
		for pos := range running.Positions() {
			e.question.First, e.question.Last = min(e.question.First, pos), max(e.question.Last, pos)
		}
	}
}

// mostStrategies bounds the strategies that a search for victims tells apart: their number grows by the number of
// layers with each level of groups.
const mostStrategies = 1 << 12

// listStrategies lists the strategies, best first. Of too many there is one for each tier of the gang: that which binds
// groups by the hard rules alone, as the last one of all does.
func (e *victimSearch) listStrategies() {
	for st := range search.For(e.p).Strategies() {
		if e.rough = len(e.strategies) == mostStrategies; e.rough {
			break
		}
		e.strategies = append(e.strategies, model.Strategy{Gang: st.Gang, Groups: slices.Clone(st.Groups)})
	}
	if !e.rough {
		return
	}
	groups := make([]int32, len(e.strategies[0].Groups))
	for i := range groups {
		groups[i] = e.p.Model.View.RootTop // for parts: they may miss any tier
		if i < len(e.p.Model.Levels) {
			groups[i] = e.p.Model.Levels[i].Gather.Must
		}
	}
	e.strategies = nil
	for _, t := range e.p.Model.Gather.Worths {
		e.strategies = append(e.strategies, model.Strategy{Gang: t, Groups: groups})
	}
}

// addStrategies adds the strategies, and the sizes of groups, to the question. Beside running members groups may have
// begun, and Fits alone knows what these need: the question has no groups then.
func (e *victimSearch) addStrategies() {
	whole := e.p.Model.Running.Len() == 0
	e.listStrategies()
	for _, st := range e.strategies {
		above := e.p.Model.View.TierIndex(st.Gang)
		plain := preempt.Strategy{Gang: above}
		for i := range e.p.Model.Levels {
			if whole { // no group reaches higher than what it is part of
				above = min(above, e.p.Model.View.TierIndex(st.Groups[i]))
				plain.Groups = append(plain.Groups, above)
			}
		}
		e.question.Strategies = append(e.question.Strategies, plain)
	}
	if whole {
		for _, l := range e.p.Model.Levels {
			e.question.Groups = append(e.question.Groups, l.Size)
		}
	}
}

// Eviction is a plan with victims. It is valid until Done.
type Eviction struct {
	Plan    *outcome.Outcome
	Victims []victim          // in natural order of gang and name
	Found   *preempt.Solution // their cost, and whether they are proven
	Proven  bool              // whether the plan itself is, victims apart
	p       *problem.Problem  // on the snapshot without them
}

// Done gives back what the plan was made on; the plan is not looked at any more.
func (e *Eviction) Done() { e.p.Done() }

// victim is a member that leaves, and why it may.
type victim struct {
	Member   *snapshot.Member
	Priority int64  // of its gang
	OverMin  string // a resource of which its quota has more than its min; empty: it leaves by its priority
}

// withoutVictims plans the gang on the snapshot without the victims. It says of each victim why it may leave: by its
// priority, or as its quota is over its min.
func (e *victimSearch) withoutVictims(s *preempt.Solution) *Eviction {
	s.Proven = s.Proven && !e.rough
	p := e.without(s.Gone, bounds.Search{}) // what is found is planned, though nobody waits
	o := search.For(p).LeastAndMore()
	if o == nil {
		p.Done()
		e.p.Unsettled = true
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
