package placement

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// leave says who may leave for a gang.
type leave int8

const (
	// anybody that is legal.
	anybody leave = iota
	// ifAdmitted: those that make room on nodes, if the quota admits the gang.
	ifAdmitted
	// nobody leaves.
	nobody
)

// evict plans the least number of members with victims gone, and further ones on what is free then. Nil if the legal victims do not help, or if the
// gang may not preempt.
func evict(p *problem, who leave) *eviction {
	if who == nobody || p.req.NeverPreempts || p.req.QuotaLimit == quota.Borrow || who == ifAdmitted && p.refusedBy != nil {
		return nil
	}
	if p.c.Lowest >= p.req.Priority && (p.req.Quota == "" || p.c.Quotas == nil) {
		return nil // nobody is below, and nothing is reclaimed
	}
	least, whole := engineOf(p).Minimal()
	p.unsettled = !whole && p.req.Priority > p.c.Lowest
	for _, one := range least {
		e := evictForAll(one)
		if p.unsettled = p.unsettled || one.unsettled; e != nil {
			return e
		}
	}
	return nil
}

// evictForAll is evict for a gang of which nothing can be left out but the members of the highest ranks.
func evictForAll(p *problem) *eviction {
	e := newEvicting(p)
	if e == nil {
		return nil
	}
	s := e.solve()
	if !s.Found {
		p.unsettled = !s.Proven
		return nil
	}
	return e.withoutVictims(&s)
}

// solve finds the victims.
func (e *evicting) solve() preempt.Solution {
	all := e.question
	if s, ok := e.oneByOne(); ok {
		return s
	}
	e.question = all
	return e.together()
}

// together solves a problem whose candidates may depend on each other: it reads all of them.
func (e *evicting) together() preempt.Solution {
	if e.findCandidates(); len(e.question.Candidates) == 0 {
		return preempt.Solution{Proven: true}
	}
	e.findNodes()
	if e.p.c.Quotas != nil {
		e.withQuotas()
	}
	return preempt.Solve(e.question)
}

// evicting is a problem with the members that may leave for it.
type evicting struct {
	p          *problem
	question   preempt.Problem
	units      int
	members    []*snapshot.Member // by candidate
	strategies []strategy
	preemptor  preempt.Preemptor
	kinds      map[kindKey]int32
	plain      map[*int64]int32 // of those with neither quota, zones nor budgets
	tags       map[kindKey]int32
	gone       muster.Resources // what the candidates of the gang's own quota hold
}

// newEvicting brings everything inside that decides about victims; nil if no set can help.
func newEvicting(p *problem) *evicting {
	e := &evicting{p: p, kinds: map[kindKey]int32{}, plain: map[*int64]int32{}, tags: map[kindKey]int32{}}
	counts := p.wholes(max(1, p.least), len(p.pending))
	if len(counts) == 0 {
		return nil
	}
	e.units = counts[0]
	e.preemptor = preempt.Preemptor{Priority: p.req.Priority, Quotas: p.c.Quotas}
	if p.req.Quota != "" {
		e.preemptor.Ask = p.asks(e.units)
		if helps, err := e.preemptor.Limit(p.demand(), p.req.QuotaLimit); !helps || err != nil {
			return nil
		}
	}
	e.question = preempt.Problem{
		Units: int64(e.units), Order: p.req.Preempt.Ranked(), Steps: p.req.Preempt.Steps, Tiers: p.v.Intervals(), First: 0, Last: -1,
		Lowest: math.MaxInt64, Fits: e.fits,
	}
	for _, n := range p.needs {
		e.question.Request = append(e.question.Request, n.amount)
	}
	e.addStrategies()
	return e
}

// findNodes lists what every position has free once the leaving members are gone. The slots of nodes with zones are counted by the problem.
func (e *evicting) findNodes() {
	gifts, refusal := e.p.leavingGifts(), e.p.refusal
	room := engineOf(e.p).Room()
	if room != nil {
		e.question.Slots, refusal = e.slotsOfRoles(room), e.refusalOfRoles()
	}
	free := make([]int64, int(e.p.v.Nodes)*len(e.p.needs))
	e.question.Nodes = make([]preempt.Node, e.p.v.Nodes)
	e.question.Exact = engineOf(e.p).Exact() && e.p.req.Quota == ""
	open := e.p.opening(refusal)
	for pos := range e.p.v.Nodes {
		if !open(pos) {
			continue
		}
		id, n := e.p.v.Node(pos), &e.question.Nodes[pos]
		n.Outside = pos >= e.p.v.FirstPos[e.p.v.Outside]
		e.question.Exact = e.question.Exact && !n.Outside
		n.Free, free = free[:len(e.p.needs):len(e.p.needs)], free[len(e.p.needs):]
		for r, need := range e.p.needs {
			n.Free[r] = e.p.freeOf(id, need, gifts[id].amounts)
		}
		if e.p.zones().bound(e.p.c.FlagsOf(id)) && room == nil {
			e.question.Slots = e.slotsWithout
		}
	}
	for i, m := range e.p.running {
		if i == 0 {
			e.question.First, e.question.Last = m.pos, m.pos
		}
		e.question.First, e.question.Last = min(e.question.First, m.pos), max(e.question.Last, m.pos)
	}
}

// addStrategies lists the strategies and the sizes of groups. Begun groups bind by Fits alone.
func (e *evicting) addStrategies() {
	whole := len(e.p.running) == 0
	for st := range engineOf(e.p).Strategies() {
		e.strategies = append(e.strategies, strategy{gang: st.gang, groups: slices.Clone(st.groups)})
		above := e.p.v.TierIndex(st.gang)
		plain := preempt.Strategy{Gang: above}
		for i := range e.p.levels {
			if whole { // no group reaches higher than what it is part of
				above = min(above, e.p.v.TierIndex(st.groups[i]))
				plain.Groups = append(plain.Groups, above)
			}
		}
		e.question.Strategies = append(e.question.Strategies, plain)
	}
	if whole {
		for _, l := range e.p.levels {
			e.question.Groups = append(e.question.Groups, l.size)
		}
	}
}

// fits says whether the gang fits with candidates gone, under a strategy.
func (e *evicting) fits(gone []int32, strategy int) (outside int64, ok bool) {
	p := e.without(gone)
	if p == nil {
		return 0, false
	}
	defer p.done()
	if counts := p.counts(); len(counts) == 0 || counts[0] != e.units {
		return 0, false
	}
	return engineOf(p).Allows(e.units, e.strategies[strategy])
}

// without is the problem on a snapshot without some candidates, the leaving members being gone as well; nil if there is none.
func (e *evicting) without(gone []int32) *problem {
	var d cluster.Delta
	for _, i := range gone {
		d.Remove = append(d.Remove, cluster.MemberRef{Gang: e.members[i].Class.Gang, Member: e.members[i].Name})
	}
	c, err := e.p.c.Update(d)
	if err != nil {
		return nil // never: they run
	}
	p, err := problemOf(c, e.p.req, e.p.team)
	if err != nil {
		return nil // never: it was one before
	}
	p.leavingGone = e.p.leavingGone
	if e.p.parting.content != nil {
		return p.with(e.p.parting.content)
	}
	return p
}

// slotsWithout is the slots of a node without some of its candidates.
func (e *evicting) slotsWithout(pos int32, gone []int32) int64 {
	id := e.p.v.Node(pos)
	room := e.p.room(id, e.givenBack(id, gone))
	if room > 0 && e.p.zones().bound(e.p.c.FlagsOf(id)) {
		room = min(room, e.p.zones().countZones(e.p.zones().needsOn(id), e.zonesWithout(id, gone)).Slots)
	}
	return room
}

// givenBack is what leaving members and candidates give back on a node, by resource.
func (e *evicting) givenBack(id int32, gone []int32) []int64 {
	amounts := make([]int64, len(e.p.c.Lineage.Resources))
	copy(amounts, e.p.leavingGifts()[id].amounts)
	for _, i := range gone {
		for r, amount := range e.members[i].Class.Holds {
			amounts[r] += amount
		}
	}
	return amounts
}

// eviction is a plan with victims.
type eviction struct {
	plan    *outcome
	victims []victim
	found   *preempt.Solution
	proven  bool // whether the plan itself is, victims apart
	p       *problem
}

// done gives back what the plan was made on; the plan is not looked at any more.
func (e *eviction) done() { e.p.done() }

// victim is a member that leaves, and why it may.
type victim struct {
	member   *snapshot.Member
	priority int64  // of its gang
	overMin  string // a resource of which its quota has more than its min; empty: it leaves by its priority
}

// withoutVictims plans the gang without the victims.
func (e *evicting) withoutVictims(s *preempt.Solution) *eviction {
	p := e.without(s.Gone)
	o := engineOf(p).LeastAndMore()
	if o == nil {
		p.done()
		return nil // never: the set makes room
	}
	out := &eviction{plan: o, found: s, proven: e.p.provenBest(), p: p}
	for _, i := range s.Gone {
		m := e.members[i]
		v := victim{member: m, priority: e.question.Gangs[e.question.Candidates[i].Gang].Priority}
		if e.preemptor.Reclaims(m.Class.Quota) {
			v.overMin, _ = e.preemptor.OverMin(m.Class.Quota, e.heldWith(i, s.Gone))
		}
		out.victims = append(out.victims, v)
	}
	slices.SortFunc(out.victims, func(a, b victim) int { return snapshot.CompareMembers(a.member, b.member) })
	return out
}
