// What does a search enumerate (strategies, domains of a tier, numbers of members), and what does it return (outcome,
// evidence)?

package problem

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Strategy bounds the tier of the gang and of each group level.
type Strategy struct {
	Gang   int32
	Groups []int32 // by level, outermost first; for a gang in parts the miss allowed on that level
}

// Strategies enumerates the strategies that the rules of a gang of one shape allow, best first: by the gang's tier,
// then the groups', outermost first. Worths are ascending, so that nested loops give this order. For k tiers and one
// level of groups these are k(k+1)/2 strategies, and about as many times k for each further level: so whoever looks for
// the ones that fit gives try. It is asked before the tiers of a level are gone through, with this level and those
// inside it bound by their hard rules alone; if even that does not fit, no strategy with the same outer tiers does, and
// all of them are left out. With nil none is. The slices of groups are the iterator's.
//
// order: strategy.3
func (p *Problem) Strategies(try func(Strategy) bool) iter.Seq[Strategy] {
	return func(yield func(Strategy) bool) {
		st := Strategy{Groups: make([]int32, len(p.Levels))}
		for _, t := range p.Gather.Worths {
			st.Gang = t
			if !p.groupTiers(st, 0, t, try, yield) {
				return
			}
		}
	}
}

// groupTiers enumerates the tiers of group levels i and inwards; outer is the tier of the level around, at most the
// gang's. A tier at or above outer binds no more than outer does. The first such tier stands for the looser ones,
// which are left out. It is false if yield ended the enumeration.
func (p *Problem) groupTiers(st Strategy, i int, outer int32, try, yield func(Strategy) bool) bool {
	if i == len(st.Groups) {
		return yield(st)
	}
	if try != nil {
		for k := i; k < len(st.Groups); k++ {
			st.Groups[k] = p.Levels[k].Gather.Must
		}
		if !try(st) {
			return true
		}
	}
	for _, t := range p.Levels[i].Gather.Worths {
		st.Groups[i] = t
		if !p.groupTiers(st, i+1, min(t, outer), try, yield) {
			return false
		}
		if t >= outer {
			break
		}
	}
	return true
}

// Loosest is the strategy for a gang tier that binds groups by the hard rules alone: if the gang does not fit under
// it, no strategy of that tier helps.
func (p *Problem) Loosest(gang int32) Strategy {
	s := Strategy{Gang: gang}
	for _, l := range p.Levels {
		s.Groups = append(s.Groups, l.Gather.Must)
	}
	return s
}

// Candidates lists the domains of a tier that may hold the gang, in the order of paths. If members run there is at
// most one, above them all. O(domains) without running members, else O(tiers).
func (p *Problem) Candidates(t int32) []layout.Vertex {
	if p.LCA < 0 {
		return p.View.DomainsOf(t)
	}
	if d := p.AboveRunning(t); d >= 0 {
		return []layout.Vertex{d}
	}
	return nil
}

// AboveRunning is the domain of a tier that holds all running members of the gang, -1 if there is none.
func (p *Problem) AboveRunning(t int32) layout.Vertex {
	if p.View.TierOf(p.LCA) > t {
		return -1
	}
	return p.View.Named(p.View.Highest(p.LCA, t)) // nodes outside the tree have no domain but the root
}

// Within is the highest worth of at most that miss, and the smallest worth where all are above it. A miss of 0 stands
// for the smallest worth.
//
// order: parts.7
func (g GatherRules) Within(miss int32) int32 {
	bound := g.Worths[0]
	for _, t := range g.Worths {
		if t <= miss {
			bound = max(bound, t)
		}
	}
	return bound
}

// CompareFree prefers fewer free slots, under Spread more.
func (p *Problem) CompareFree(a, b int64) int { return sets.CompareSlots(p.Policy, a, b) }

// Scored says whether the host or the shapes give scores to nodes.
func (p *Problem) Scored() bool {
	return p.Request.Score != nil || slices.ContainsFunc(p.Shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 })
}

// Counts lists the numbers of new members that may be placed, ascending.
func (p *Problem) Counts() []int { return p.Wholes(max(1, p.Least), p.Admitted) }

// Wholes lists, ascending, the numbers of new members from low to high that the rules allow, whatever room there is.
// n stands for the first n pending members: all or none of each outermost group, and with the running members a
// multiple. Running members may force a minimum. O(members).
//
// order: howmany.2
func (p *Problem) Wholes(low, high int) []int {
	total := len(p.Pending)
	var counts []int
	unit := int64(1)
	if p.Multiple != nil {
		unit = p.Multiple[p.View.RootTop] // of all members, wherever they lie
		low = max(low, int(p.Forced.At(layout.Root)))
	}
	add := func(n int) {
		if n >= low && n <= high && int64(n+len(p.Running))%unit == 0 {
			counts = append(counts, n)
		}
	}
	if len(p.Levels) == 0 {
		for n := low; n <= min(total, high); n++ {
			add(n)
		}
		return counts
	}
	size := int(p.Levels[0].Size)
	for n := max(1, low); n <= min(total, high); n++ { // a number that ends where the next member is of another group, by rank
		if n == total || p.Pending[n].Rank/size != p.Pending[n-1].Rank/size {
			add(n)
		}
	}
	return counts
}

// RefusedTogether is the state of the quotas that refuses all new members at once; nil if they are admitted together,
// or if the gang has no quota. All of them count as demand in that state. Admitted is all units until the engine
// asks the state for fewer.
//
// order: howmany.3
func RefusedTogether(p *Problem) (*quota.State, error) {
	p.Admitted = len(p.Pending)
	if err := p.Snapshot.CheckQuota("request.Quota", p.Request.Quota); err != nil || p.Request.Quota == "" {
		return nil, err
	}
	whole := p.Asks(len(p.Pending))
	state, err := p.Snapshot.Quotas.Wanting(whole)
	if err != nil {
		return nil, err
	}
	refusal, err := state.Admit(whole, p.Request.QuotaLimit)
	if err == nil && refusal != nil && leaveOut(p, state) {
		p.wants = &whole
		refusal, err = state.Admit(p.Asks(len(p.Pending)), p.Request.QuotaLimit)
	}
	if err != nil || refusal == nil {
		return nil, err
	}
	return state, nil
}

// Outcome is a decided plan: where the new members go, and which leaving members they wait for.
type Outcome struct {
	Of        *Problem // the members that are placed are its first pending ones
	Domain    layout.Vertex
	Tier      int32              // bound of the gang by the strategy; Domain may be lower
	Misses    []int32            // of a gang in parts, by level: the miss that the strategy allows
	Positions []int32            // of new members by rank; of units where whole groups are placed like members
	Waits     []*snapshot.Member // leaving members that must be gone first; nil: none
}

// OutsideTree counts the members, or units, on nodes outside the tree. O(members).
func (o *Outcome) OutsideTree() (n int) {
	first := o.Of.View.FirstPos[o.Of.View.Outside]
	for _, pos := range o.Positions {
		if pos >= first {
			n++
		}
	}
	return n
}

// ProvenBest says whether nothing better was left out: no search ran out of steps, and zones were counted exactly.
// Cost of ZonesProven.
func (p *Problem) ProvenBest() bool {
	if p.whole != nil { // there the strategy was found, and that is what proofs are about
		return p.whole.ProvenBest()
	}
	if p.Parts.Doubt != nil && *p.Parts.Doubt {
		return false
	}
	return !p.ZoneState.inexact || p.Zones().ZonesProven(p.Slots().Excluded(), p.Slots().LeavingReleased())
}

// GangLeast is the number of members that must run together once the gang is placed. A gang of one that declares no
// minimum is a plain pod: 0.
func (p *Problem) GangLeast() int {
	n := len(p.Pending) + len(p.Running)
	switch {
	case p.Request.MinMember > 0 || n == 1:
		return p.Request.MinMember
	case p.InParts():
		return p.Parts.MustRun
	}
	return n
}

// AllByRank has the position of each member by rank, new ones at these positions; -1: neither placed nor running.
func (p *Problem) AllByRank(positions []int32) []int32 {
	at := p.PositionsByRank()
	for i, pos := range positions {
		at[p.Pending[i].Rank] = pos
	}
	return at
}

// ReachedByGroups is, by level, the highest tier that any group reaches: that of the lowest vertex above its members,
// running ones included. O(members + groups * tiers) for each level.
func (p *Problem) ReachedByGroups(positions []int32) []int32 {
	if p.InParts() {
		return reachedByParts(p, p.AllByRank(positions))
	}
	if len(p.Levels) == 0 {
		return nil
	}
	// By group, its first and last position; the first is behind the last: it has no member. A vertex is an interval of
	// positions, so what lies above these two lies above all. Groups of an outer level are made of those of the next.
	type span struct{ first, last int32 }
	size := int(p.Levels[len(p.Levels)-1].Size)
	spans := slices.Repeat([]span{{p.View.Nodes, -1}}, p.Ranks/size+1) // some of the ranks may stay out
	add := func(rank int, pos int32) {
		g := &spans[rank/size]
		g.first, g.last = min(g.first, pos), max(g.last, pos)
	}
	for i, pos := range positions {
		add(p.Pending[i].Rank, pos)
	}
	for _, m := range p.Running {
		add(m.Rank, m.Pos)
	}
	out := make([]int32, len(p.Levels))
	for i := len(out) - 1; ; i-- {
		for _, g := range spans {
			if g.first <= g.last {
				out[i] = max(out[i], p.View.TierOf(p.View.LCA(p.View.NodeVertex(g.first), p.View.NodeVertex(g.last))))
			}
		}
		if i == 0 {
			return out
		}
		ratio := int(p.Levels[i-1].Size / p.Levels[i].Size)
		for k, g := range spans { // an outer group stands at or before its first inner one, which was read by then
			outer := &spans[k/ratio]
			if k%ratio == 0 {
				*outer = g
			} else {
				outer.first, outer.last = min(outer.first, g.first), max(outer.last, g.last)
			}
		}
		spans = spans[:(len(spans)-1)/ratio+1]
	}
}

// ShareZones calls share for each new member that gets zones, with its index in pending: members of one node are
// split over its zones at once, as the zones are when the leaving members that the plan waits for are gone. A unit's
// members count one by one. O(members * log), and the splits.
func (z Zones) ShareZones(positions []int32, waits []*snapshot.Member, share func(member int, placed *numa.Placed)) {
	if !z.Bind() {
		return
	}
	gone := z.zonesAfter(waits)
	give := func(pos int32, members []int) {
		id := z.p.View.Node(pos)
		if !z.BindsOn(z.p.Snapshot.FlagsOf(id)) {
			return
		}
		state := z.StateOf(id, Released{zones: gone[id]})
		if z.p.HasRoles() {
			z.giveZones(id, state, members, share)
			return
		}
		s := z.share(id, state, int64(len(members)/z.p.Size()))
		for n := 0; s != nil && n < len(members); n++ {
			if placed := &s.placed[n]; len(placed.Shares) > 0 {
				share(members[n], placed)
			}
		}
	}
	on := make([]int, len(positions)) // members by position; a stable sort keeps the rank order on a node
	for i := range on {
		on[i] = i
	}
	if !slices.IsSorted(positions) { // mostly they are: ranks follow the tree
		slices.SortStableFunc(on, func(i, j int) int { return cmp.Compare(positions[i], positions[j]) })
	}
	for len(on) > 0 {
		pos, n := positions[on[0]], 1
		for n < len(on) && positions[on[n]] == pos {
			n++
		}
		give(pos, on[:n])
		on = on[n:]
	}
}

// Evidence is the ground of a refusal.
type Evidence struct {
	Wanted int   // members that must be placed; 0: the problem's Least
	Fits   []Fit // the best domain of each tier that the rules allow, ascending by tier
	// Proven says whether no plan was left out. It is asked last.
	Proven func() bool
}

// Fit is the number of members, and of whole groups, that the best domain of a tier takes.
type Fit struct {
	Tier            int32
	Domain          layout.Vertex
	Members, Groups int
	AtLeast         bool // perhaps more: the search ended
}

// CompareZones prefers nodes on which the next member gets fewer zones: -1 if a has fewer. 0 unless both are nodes
// and the gang is aligned.
func (z Zones) CompareZones(a, b layout.Vertex) int {
	if !z.p.ZoneState.Aligned || !z.p.View.IsNode(a) || !z.p.View.IsNode(b) {
		return 0
	}
	return cmp.Compare(z.ZonesOn(a), z.ZonesOn(b))
}
