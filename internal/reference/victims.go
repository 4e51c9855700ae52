package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// MaxCandidates bounds the members that may leave, since every set of them is looked at.
const MaxCandidates = 14

// Victims are the best that sets of victims can be.
type Victims struct {
	Cost preempt.Cost
	// Strategy is the number of members outside the tree, then the worth of the gang's tier and of every level of groups.
	Strategy []int
	// Sets are all that have this cost and strategy, each in natural order of gang and name.
	Sets [][]cluster.MemberRef
	// Candidates is the number of members that may leave, Legal that of sets of them that may.
	Candidates, Legal int
}

// evictor tries sets of victims.
type evictor struct {
	in    *Input
	rules *validity.Evictions
	who   []int // candidates, of the spec's running members
	order []gang.Cost
	// lowest is the priority from which priorities are counted where they are added up.
	lowest int64
	// For the gang, or for the units that it is made of.
	solver *solver
	least  int
	among  []gang.Member    // the members to place that a quota guarantees, where it does not guarantee the lowest ranks; nil: all
	roles  []gang.Member    // the members to place of a gang of several shapes without groups; nil: it is none
	known  map[string][]int // strategies by what the nodes take; nil: the gang does not fit
	core   []string         // the members to place of a gang in parts; nil: it is in none
}

// legalSet is a legal set of victims, of the spec's running members.
type legalSet struct {
	members  []int
	cost     preempt.Cost
	strategy []int
}

// SolveVictims finds the best sets of victims by docs/order.md, section 6, by looking at all; nil if there is none, or if the gang
// preempts nobody. Whether it fits without victims is not asked. ForTier is not looked at.
func SolveVictims(in Input) (*Victims, error) {
	e, err := newEvictor(&in)
	if err != nil || e == nil {
		return nil, err
	}
	return e.best()
}

// best finds the best sets; nil if there is none.
func (e *evictor) best() (*Victims, error) {
	if len(e.who) > MaxCandidates {
		return nil, fmt.Errorf("%w: %d", ErrTooMany, len(e.who))
	}
	sets := e.legal()
	slices.SortStableFunc(sets, func(a, b legalSet) int { return e.compareBefore(&a, &b) })
	out := &Victims{Candidates: len(e.who), Legal: len(sets)}
	for len(sets) > 0 && out.Sets == nil {
		alike := 1 // as many cost the same, but for the strategy and what is less than that
		for alike < len(sets) && e.compareBefore(&sets[0], &sets[alike]) == 0 {
			alike++
		}
		if err := e.keepBest(out, sets[:alike]); err != nil {
			return nil, err
		}
		sets = sets[alike:]
	}
	if out.Sets == nil {
		return nil, nil
	}
	return out, nil
}

// keepBest keeps the best of the sets that the gang fits with; none, if it does with none.
func (e *evictor) keepBest(out *Victims, sets []legalSet) error {
	var fit []legalSet
	for _, s := range sets {
		var err error
		if s.strategy, err = e.strategy(s.members); err != nil {
			return err
		}
		if s.strategy != nil {
			fit = append(fit, s)
		}
	}
	slices.SortStableFunc(fit, func(a, b legalSet) int { return e.compare(&a, &b) })
	for _, s := range fit {
		if e.compare(&s, &fit[0]) == 0 {
			out.Cost, out.Strategy, out.Sets = s.cost, s.strategy, append(out.Sets, e.names(s.members))
		}
	}
	return nil
}

// newEvictor is nil if the gang preempts nobody.
func newEvictor(in *Input) (*evictor, error) {
	if in.Request.NeverPreempts || in.Request.QuotaLimit == quota.Borrow {
		return nil, nil
	}
	units, _ := unitsOf(in)
	s, err := newSolver(&units)
	if err != nil {
		return nil, err
	}
	s.look(true)
	units.refused = 0
	least := s.smallestAdmissible(s.wanted())
	if least == 0 {
		return nil, nil
	}
	if hasRoles(in) {
		r, err := newRoleSolver(in)
		if err != nil {
			return nil, err
		}
		return r.evictor(s, least)
	}
	sets := guaranteedSets(in, least)
	if sets == nil || len(sets[0]) < least {
		return evictorOf(in, s, validity.Lowest(&in.Spec, &in.Request, least*len(s.shapes)), least)
	}
	e, err := evictorOf(in, s, sets[0][:least], least)
	if err == nil {
		e.among = sets[0]
	}
	return e, err
}

// evictor tries victims for the first set of so many members that they help, or more where multiples want it; else for the first.
func (s *roleSolver) evictor(of *solver, least int) (first *evictor, err error) {
	for _, set := range slices.Concat(s.lowest(), s.anybody()) {
		if len(set) < least || len(set) > least && !validity.HasMultiples(&s.solver.in.Request) {
			continue
		}
		e, err := evictorOf(s.solver.in, of, set, len(set))
		if err != nil || e.helps() {
			return e, err
		}
		if first == nil {
			first = e
		}
	}
	return first, nil
}

// helps holds if there are victims.
func (e *evictor) helps() bool {
	best, err := e.best()
	return err == nil && best != nil
}

// evictorOf tries victims for members, which are so many units.
func evictorOf(in *Input, s *solver, members []gang.Member, least int) (e *evictor, err error) {
	e = &evictor{in: in, solver: s, order: in.Request.Preempt.Ranked(), known: map[string][]int{}, least: least}
	if hasRoles(in) {
		e.roles = members
	}
	if e.rules, err = validity.NewEvictions(&in.Spec, &in.Request, members); err != nil {
		return nil, err
	}
	e.who, e.lowest = e.rules.Candidates(), e.rules.Lowest()
	return e, nil
}

func (e *evictor) names(set []int) []cluster.MemberRef {
	var out []cluster.MemberRef
	for _, i := range set {
		out = append(out, cluster.MemberRef{Gang: e.in.Spec.Running[i].Gang, Member: e.in.Spec.Running[i].Member})
	}
	return out
}

// legal lists all legal sets but the empty one.
func (e *evictor) legal() []legalSet {
	var out []legalSet
	for bits := 1; bits < 1<<len(e.who); bits++ {
		var members []int
		for k, i := range e.who {
			if bits>>k&1 == 1 {
				members = append(members, i)
			}
		}
		if e.rules.Illegal(members) == "" {
			out = append(out, legalSet{members: members, cost: e.rules.Cost(members)})
		}
	}
	return out
}

// compareBefore compares by the costs that stand before the strategy.
func (e *evictor) compareBefore(a, b *legalSet) int {
	return e.compareCosts(&a.cost, &b.cost, e.order[:slices.Index(e.order, gang.CostStrategy)])
}

// compare compares by all costs.
func (e *evictor) compare(a, b *legalSet) int {
	at := slices.Index(e.order, gang.CostStrategy)
	return cmp.Or(e.compareBefore(a, b), slices.Compare(a.strategy, b.strategy), e.compareCosts(&a.cost, &b.cost, e.order[at+1:]))
}

// compareCosts compares by some costs, the most important first.
func (e *evictor) compareCosts(a, b *preempt.Cost, order []gang.Cost) int {
	for _, by := range order {
		c := 0
		switch by {
		case gang.CostBudgets:
			c = cmp.Compare(a.Budgets, b.Budgets)
		case gang.CostHighestPriority:
			c = cmp.Compare(a.HighestPriority, b.HighestPriority)
		case gang.CostBelowMin:
			c = validity.CompareBelowMin(a.BelowMin, b.BelowMin)
		case gang.CostGangsEnded:
			c = cmp.Compare(a.GangsEnded, b.GangsEnded)
		case gang.CostMembers:
			c = cmp.Compare(a.Members, b.Members)
		case gang.CostPrioritySum:
			c = cmp.Compare(a.PrioritySum-int64(a.Members)*e.lowest, b.PrioritySum-int64(b.Members)*e.lowest)
		case gang.CostStrategy: // is no cost of the set alone
		case gang.CostLostWork:
			c = cmp.Or(cmp.Compare(a.Unknown, b.Unknown), cmp.Compare(a.LostWork, b.LostWork))
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// without is the cluster with a set gone, for the gang or its units.
func (e *evictor) without(set []int) (Input, error) {
	names := e.names(set)
	in := *e.in
	in.Spec = validity.Without(&e.in.Spec, func(ref cluster.MemberRef) bool { return slices.Contains(names, ref) })
	if e.core != nil {
		return in, nil
	}
	var err error
	if e.among != nil {
		in.refused, err = refusedAmong(&in, e.among)
		in.Request.Members = e.among
		return in, err
	}
	if in.refused, err = refusedByQuota(&in); err != nil {
		return in, err
	}
	units, _ := unitsOf(&in)
	return units, nil
}

// strategy is the best one with a set gone, and all that leave; nil if the gang does not fit. It follows from what the nodes take.
func (e *evictor) strategy(set []int) ([]int, error) {
	in, err := e.without(set)
	if err != nil {
		return nil, err
	}
	if e.core != nil {
		return strategyInParts(&in, e.core)
	}
	s := *e.solver
	s.in = &in
	if e.roles != nil {
		return strategyByRole(&in, e.roles)
	}
	if e.least > s.most() {
		return nil, nil
	}
	s.look(true)
	var fits []int
	for _, v := range s.vertices {
		fits = append(fits, v.fits)
	}
	key := fmt.Sprint(fits, s.broken(true))
	found, ok := e.known[key]
	if !ok {
		if p := s.fit(e.least); p != nil {
			p.settleStrategy()
			found = append([]int{p.outside}, p.tiers...)
		}
		e.known[key] = found
	}
	return found, nil
}

// After is the plan that has these victims gone: the least number of members, then further ones.
func After(in Input, gone []cluster.MemberRef) (*Answer, error) {
	e, err := newEvictor(&in)
	if err != nil || e == nil {
		return &Answer{}, err
	}
	var set []int
	for i, r := range in.Spec.Running {
		if slices.Contains(gone, cluster.MemberRef{Gang: r.Gang, Member: r.Member}) {
			set = append(set, i)
		}
	}
	left, err := e.without(set)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Wanted: e.least}
	s := *e.solver
	s.in = &left
	if e.roles != nil {
		return answer, afterByRole(&left, e.roles, answer)
	}
	s.look(true)
	if e.least <= s.most() {
		if p := s.fit(e.least); p != nil {
			p.wait(answer)
		}
	}
	if _, members := unitsOf(&in); members != nil {
		levels := validity.Levels(&in.Request, len(members))
		return answer.ofMembers(members, len(left.unit), levels[0].Size), nil
	}
	return answer.ofAll(&in, e.least), nil
}
