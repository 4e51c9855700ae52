// Look: where the best set lies, before anybody's name is read. It narrows problems of large clusters.

package preempt

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Outlook says where the best set of candidates lies, whoever they are.
type Outlook struct {
	// Ceiling is the lowest priority so that there is room once all candidates of gangs up to it are gone: none of a gang
	// above it leaves.
	Ceiling int64
	// Domains are intervals of positions, first and end, ascending. The best set makes room in one of them; none: there
	// is no room at all. The slice is the caller's.
	Domains [][2]int32
}

// Look finds what a problem's best set depends on apart from the names and the starts of candidates. Positions that are
// alike in all else are a class: the problem lists classes in place of nodes, and the candidates of a class once, while
// Tiers are of positions. Their classes are listed; -1: the position takes no unit.
//
// False if more must be known: where candidates do not leave one by one, or where costs that count more than the highest
// priority differ between sets; or if the problem is not valid. O(positions + classes * what is on them) for each bit of
// the number of priorities, then what merging curves costs, as in [Solve].
//
// order: costs.2
func Look(p Problem, classOf []int32) (Outlook, bool) {
	s, ok := onlooker(&p, classOf)
	if !ok {
		return Outlook{}, false
	}
	last := len(p.Strategies) - 1
	ceilings := s.ceilings(last)
	if len(ceilings) == 0 {
		return Outlook{}, true
	}
	s.below(ceilings[0])
	s.relaxed.survey(&p.Strategies[last])
	out := Outlook{Ceiling: ceilings[0]}
	domains := s.relaxed.domains
	for _, d := range domains {
		if d.cost == domains[0].cost {
			out.Domains = append(out.Domains, [2]int32{d.lo, d.end})
		}
	}
	slices.SortFunc(out.Domains, func(a, b [2]int32) int { return int(a[0]) - int(b[0]) })
	return out, true
}

// DomainCost is what room for the gang costs at least within a domain.
type DomainCost struct {
	First, End int32 // positions; End is behind the last one
	// Key are the costs up to those that depend on who leaves or where the gang goes, in their order: of two domains the one
	// with the smaller key, compared lexicographically, is cheaper.
	Key []int64
	// Members is how many candidates leave for that.
	Members int64
}

// Survey finds every domain with room for the gang once all candidates of gangs up to a priority are gone, in the order
// of positions, and what that costs. It asks as [Look] does, and is false where that is. Keys of problems with the same
// Lowest compare. O(positions + what merging curves costs in each domain). The slice is the caller's.
func Survey(p Problem, classOf []int32, ceiling int64) ([]DomainCost, bool) {
	s, ok := onlooker(&p, classOf)
	if !ok {
		return nil, false
	}
	s.below(ceiling)
	last := &p.Strategies[len(p.Strategies)-1]
	var out []DomainCost
	for lo, end := range s.tree.withRoom(last, s.table.byPos) {
		cost := s.relaxed.cost(last, lo, end)
		out = append(out, DomainCost{First: lo, End: end, Key: s.model.key(cost, nil, ceiling), Members: int64(s.model.layout.fields[memberCount].get(&cost))})
	}
	return out, true
}

// onlooker makes a solver for a problem without names; false where more must be known.
func onlooker(p *Problem, classOf []int32) (*solver, bool) {
	if p.check(len(classOf)) != nil || slices.ContainsFunc(classOf, func(c int32) bool { return c < -1 || int(c) >= len(p.Nodes) }) {
		return nil, false
	}
	if p.Order = anonymous(p.Order); !p.Exact || !slices.Contains(p.Order, gang.CostHighestPriority) {
		return nil, false
	}
	s, ok := newSolver(p, classOf)
	if !ok || s.model.coupled || !s.model.layout.constant(slices.Index(p.Order, gang.CostHighestPriority)) {
		return nil, false
	}
	return s, true
}

// anonymous are the first costs of an order that depend neither on who leaves nor on where the gang goes. Sets that are
// not the best by them are not the best.
func anonymous(order []gang.Cost) []gang.Cost {
	if len(order) == 0 {
		order = gang.Costs()
	}
	for i, c := range order {
		if c == gang.CostStrategy || c == gang.CostLostWork {
			return order[:i:i]
		}
	}
	return order
}
