// Who moves for a gang as its victims would leave, where amounts of whole domains do not tell?

package placement

import (
	"cmp"
	"container/heap"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// mostSets bounds the sets of victims, or of domains, that are tried, and membersOfSets the members that they are chosen from in all.
const (
	mostSets      = 32
	membersOfSets = 1 << 12
)

// sets is how many sets are tried.
func (m *moveSearch) sets() int {
	members := 0
	for i := range m.movers {
		members += len(m.movers[i].members)
	}
	return min(mostSets, 1+membersOfSets/(1+members))
}

// pinning is a question: who leaves, if some must not?
type pinning struct {
	pinned map[*snapshot.Member]bool
	bound  MoveCost // no set costs less
}

// pinnings are the questions that are left, the one with the lowest bound first: a [heap.Interface].
type pinnings []pinning

func (p pinnings) Len() int           { return len(p) }
func (p pinnings) Less(i, j int) bool { return p[i].bound.Compare(p[j].bound) < 0 }
func (p pinnings) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pinnings) Push(x any)        { *p = append(*p, x.(pinning)) }
func (p *pinnings) Pop() any {
	last := len(*p) - 1
	out := (*p)[last]
	*p = (*p)[:last]
	return out
}

// asVictims offers the moves of those who are the cheapest victims of the gang of the goal. Other sets than the cheapest one are without one of
// its members, or have more: so each of it is pinned in turn. never: the gang does not fit with all movers gone.
//
// order: moves.3
func (m *moveSearch) asVictims() (never bool) {
	left, first := pinnings{{}}, true
	for sets := m.sets(); len(left) > 0 && sets > 0 && m.plans < mostMovePlans; sets-- {
		next := heap.Pop(&left).(pinning)
		a, k := m.carry(proposal{}, next.pinned)
		if first {
			m.atLeast(k.bound)
			if first = false; k.never {
				return true
			}
		}
		m.offer(a)
		if len(k.chosen) == 0 || m.best != nil && m.best.Cost.Compare(k.bound) <= 0 {
			continue
		}
		for _, member := range k.chosen {
			pinned := maps.Clone(next.pinned)
			if pinned == nil {
				pinned = map[*snapshot.Member]bool{}
			}
			pinned[member] = true
			heap.Push(&left, pinning{pinned, k.bound})
		}
	}
	return false
}

// asEmptied offers the moves of those who are in the domains of the fewest members, and, one after the other, in another domain in place of the last of these.
func (m *moveSearch) asEmptied() {
	place := m.emptied()
	type domain struct {
		at      layout.Vertex
		members int
	}
	var all []domain
	for _, first := range m.view.Intervals()[place] {
		d := domain{at: m.view.DomainAt(first, m.view.Tiers[place])}
		stays := false
		for pos := m.view.First(d.at); pos < m.view.EndOf(d.at); pos++ {
			for member := range snapshot.MembersOn(m.s, m.view.Node(pos)) {
				_, moves := m.of[member.Class.Gang]
				d.members++
				stays = stays || !moves && !member.IsDaemon() && !member.Leaving
			}
		}
		if !stays {
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b domain) int { return cmp.Compare(a.members, b.members) })
	n := m.goal.Count
	for last := n - 1; last < min(len(all), n-1+m.sets()); last++ {
		var p proposal
		for i := range n - 1 {
			p.goal = append(p.goal, all[i].at)
		}
		p.goal = append(p.goal, all[last].at)
		slices.Sort(p.goal)
		a, _ := m.carry(p, nil)
		m.offer(a)
	}
}

// makeRoom takes away the cheapest victims that a request would have if all movers that did not move yet were of lower priority, each member by itself, and plans it. away are
// the movers of these.
func (k *carried) makeRoom(req *gang.Request, depth int) (r *Result, away []int) {
	found := k.evicting(req, depth)
	if found == nil {
		return nil, nil
	}
	leave := map[int][]*snapshot.Member{}
	for _, v := range found.Victims {
		g := k.m.of[v.Gang]
		if leave[g] == nil {
			away = append(away, g)
		}
		leave[g] = append(leave[g], k.m.s.Member(v.Gang, v.Member))
		if depth == 0 {
			k.chosen = append(k.chosen, k.m.s.Member(v.Gang, v.Member))
		}
	}
	for _, g := range away {
		k.remove(g, leave[g])
	}
	slices.SortStableFunc(away, func(a, b int) int { return cmp.Compare(len(k.gone[b]), len(k.gone[a])) })
	there := map[string]bool{}
	for i := range found.Assignments {
		there[found.Assignments[i].Node] = true
	}
	on := *req
	on.Class, on.Eligible = "", func(node string) bool { return there[node] && (req.Eligible == nil || req.Eligible(node)) }
	return k.planIn(&on, layout.Root), away
}

// lowest is a priority below that of all who do not move.
const lowest = math.MinInt64 / 2

// evicting is the plan of a request with victims among the movers that did not move yet; nil: there is none.
func (k *carried) evicting(req *gang.Request, depth int) *Result {
	if k.c.Lowest <= lowest || k.m.plans > mostMovePlans {
		return nil
	}
	var lowered []*snapshot.Member
	for g := range k.m.movers {
		if k.gone[g] != nil || k.rows[g] != nil {
			continue
		}
		for _, member := range k.m.movers[g].members {
			if depth > 0 || !k.pinned[member] {
				lowered = append(lowered, member)
			}
		}
	}
	twin, err := snapshot.Lowered(k.c, lowered, lowest)
	if err != nil {
		return nil
	}
	asks := *req
	asks.Priority, asks.Quota, asks.QuotaLimit, asks.NeverPreempts = lowest+1, "", "", false
	asks.Preempt = gang.Preempt{Order: []gang.Cost{gang.CostMembers}, Steps: stepsForMovers}
	k.m.plans++
	found, err := planOn(k.m.ctx, twin, &asks, victims.Anybody, bounds.Search{})
	if err != nil || found.Preemption == nil {
		var refused *Unschedulable
		k.never = depth == 0 && errors.As(err, &refused) && refused.Proven
		return nil
	}
	if depth == 0 {
		k.bound = k.boundOf(req, found.Preemption.LowerBound.Members)
	}
	return found
}

// boundOf is the least cost of moves for a gang whose members of the lowest ranks have room once so many leave: that is no bound where fewer members may start than there
// are, and others of them may have room by fewer moves, as they are not alike.
func (k *carried) boundOf(req *gang.Request, leave int) MoveCost {
	hasShape := func(m gang.Member) bool { return m.Shape != nil }
	alike := len(req.Groups) == 0 && req.PP == 0 && req.DP == 0 && len(req.Parts) == 0 && !slices.ContainsFunc(req.Members, hasShape)
	if !alike && leastNew(k.m.s, req) < len(req.Members) {
		leave = 1
	}
	return MoveCost{Members: leave, Gangs: 1}
}
