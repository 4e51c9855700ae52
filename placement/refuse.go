package placement

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// refuse explains why not even the least number of members can be placed, leaving members being gone.
func (p *problem) refuse() *Unschedulable {
	p.leavingGone = !p.req.IgnoreLeaving && len(p.c.Leaving) > 0
	kept := *p
	kept.scratch, kept.pending, kept.levels = nil, nil, nil // they go to other plans
	u := &Unschedulable{Gang: p.req.Name, Kind: KindRule, Wanted: p.least, nodes: kept.causes}
	if len(p.running) > 0 && p.team == nil {
		u.inTheWay = kept.inTheWay
	}
	if p.least > len(p.pending) {
		u.Rule, u.Fits = minMember, len(p.pending)
	}
	if p.inParts() {
		p.newCast(nil).refuse(u)
		return u
	}
	slots := p.slotTable()
	a := p.newAsk(slots, len(p.pending))
	s, fits := a.newSums(a.p.loosest(p.gather.must).groups)
	for _, t := range p.v.Tiers {
		if t > p.gather.must {
			break
		}
		if fit, ok := s.bestAt(slots, t, fits); ok {
			u.Tiers = append(u.Tiers, fit)
			if u.Rule == "" {
				u.Fits = max(u.Fits, fit.Members)
			}
		}
	}
	p.nameRule(u)
	u.Proven = p.zonesProven(p.excluded(), p.leavingGifts()) && !p.unsettled
	if p.unsettled && u.RefusedBy == nil {
		u.Kind = KindBudget
	}
	p.countMembersOf(u)
	return u
}

// nameRule names what binds.
func (p *problem) nameRule(u *Unschedulable) {
	switch {
	case u.Rule != "":
	case p.refusedBy != nil:
		u.Kind, u.RefusedBy, u.Fits = KindQuota, p.refusedBy, 0
		if wholes := p.wholes(1, p.admitted); p.inParts() {
			u.Fits = p.mostAdmitted()
		} else if len(wholes) > 0 {
			u.Fits = wholes[len(wholes)-1]
		}
		u.Rule = fmt.Sprintf("quota %s %s", strings.Join(p.refusedBy.Path, "/"), p.refusedBy.Rule)
	default:
		if u.Rule = p.binding(); u.Rule == "" {
			u.Kind = KindNodes
		}
	}
}

// countMembersOf turns counts of units into counts of members.
func (p *problem) countMembersOf(u *Unschedulable) {
	if p.members == nil {
		return
	}
	u.Wanted, u.Fits = p.members.least, u.Fits*p.size()
	for i := range u.Tiers {
		t := &u.Tiers[i]
		if len(p.levels) == 0 {
			t.Groups = t.Members
		}
		t.Members *= p.size()
	}
}

// bestAt finds the domain of a tier that could take the most new members, whole groups under the groups' rules; of
// equals that with the most slots, then the first in path order.
func (s *sums) bestAt(slots slotTable, t int32, fits bool) (TierFit, bool) {
	p := s.p
	best := widest{sums: s, table: slots, fits: fits, tier: t, domain: -1, members: -1}
	if s.p.lca < 0 && slots.flat == nil && (len(s.p.levels) == 0 || s.ask.indexed != nil) {
		i := s.p.v.TierIndex(t)
		if len(s.p.levels) == 0 && t < s.p.v.RootTop && slots.ix.Domains.At(s.p.v.Outside) == 0 {
			// The one to be found has the most slots of all.
			best.slots = int64(slots.ix.Most[i].At(layout.Root)) - 1
			best.members = min(best.slots+1, int64(len(s.p.pending)))
		}
		best.walk(layout.Root, i)
	} else {
		for _, d := range s.p.candidates(t) {
			best.look(d)
		}
	}
	if best.domain < 0 {
		return TierFit{}, false
	}
	fit := TierFit{Tier: int(t), Layer: p.v.LayerName(t), Domain: p.v.Path(best.domain, p.c.Lineage.NodeName), Members: int(best.members)}
	if len(p.levels) > 0 {
		fit.Groups = int(best.members / p.levels[0].size)
	}
	return fit, true
}

// widest is the domain of a tier that could take the most new members so far.
type widest struct {
	sums    *sums
	table   slotTable
	fits    bool
	tier    int32
	domain  layout.Vertex
	members int64
	slots   int64
}

func (w *widest) look(d layout.Vertex) {
	n, slots := w.sums.p.capacity(w.sums, d, w.table, w.fits), w.table.at(d)
	if n > w.members || n == w.members && slots > w.slots {
		w.domain, w.members, w.slots = d, n, slots
	}
}

// walk looks at the domains below x, except where the index says that none is better; i is the place of the tier.
func (w *widest) walk(x layout.Vertex, i int) {
	if w.sums.p.v.TierOf(x) <= w.tier {
		w.look(x)
		return
	}
	slots := int64(w.table.ix.Most[i].At(x))
	n := min(slots, int64(len(w.sums.p.pending)))
	if w.sums.ask.indexed != nil {
		groups := slots / w.sums.ask.sizes[0]
		if t := w.sums.p.v.TierIndex(w.sums.tiers[0]); t < i {
			groups = int64(w.sums.ask.indexed.Most[i][t].At(x))
		}
		if groups < w.sums.ask.full {
			n = groups * w.sums.ask.sizes[0]
		}
	}
	if n < w.members || n == w.members && slots <= w.slots {
		return
	}
	lo, end := w.sums.p.v.Kids(x)
	for c := lo; c < end; c++ {
		if n > w.members || w.table.at(c) > w.slots {
			w.walk(c, i)
		}
	}
}

// capacity is how many new members a domain could take under the groups' rules, at most all pending ones.
func (p *problem) capacity(s *sums, d layout.Vertex, slots slotTable, fits bool) int64 {
	total := int64(len(p.pending))
	if len(p.levels) == 0 {
		n := min(total, slots.at(d))
		if p.mult != nil {
			n -= n % p.mult[p.v.RootTop]
		}
		return n
	}
	if len(s.ask.begun) > 0 {
		return p.capacityWithBegun(s.tiers, d, slots)
	}
	if !fits {
		return 0
	}
	if s.takes(d) {
		return total
	}
	groups := min(s.whole(0, s.tiers[0], d), s.ask.full)
	return groups * s.ask.sizes[0]
}

// capacityWithBegun is the capacity for a gang with begun groups: of these all that is missing is placed, or nothing.
func (p *problem) capacityWithBegun(tiers []int32, d layout.Vertex, slots slotTable) int64 {
	some := *p
	some.least = 1
	counts := some.counts()
	i := sort.Search(len(counts), func(i int) bool {
		s, fits := p.newAsk(slots, counts[i]).newSums(tiers)
		return !fits || !s.takes(d)
	})
	if i == 0 {
		return 0
	}
	return int64(counts[i-1])
}

// binding names the first rule without which the members would fit: a multiple, the groups' rules, the gang's. Empty if
// the free slots of the whole cluster do not suffice.
func (p *problem) binding() string {
	if !p.withoutAnyRule() {
		return ""
	}
	if (p.mult != nil || len(p.evens) > 0) && p.withoutMultiples().possible() {
		return p.multipleName()
	}
	if p.inParts() {
		if rule := p.bindingRule(); rule != "" {
			return rule
		}
	} else if p.gather.hard && (p.mult == nil || p.withoutRules().possible()) {
		return "MustGather " + p.gather.name
	}
	for _, l := range p.levels {
		if l.gather.hard {
			return fmt.Sprintf("MustGather %s for groups of %d", l.gather.name, l.size)
		}
	}
	switch {
	case len(p.running) > 0:
		return "running members"
	case p.members != nil:
		return fmt.Sprintf("MustGather node for groups of %d", p.size())
	}
	return "groups"
}

// withoutAnyRule says whether the whole cluster holds the least number of members, whatever the rules are.
func (p *problem) withoutAnyRule() bool {
	if p.inParts() {
		loose := p.withoutRules().withoutMultiples()
		return loose.with(loose.firstOnes(p.least)).newCast(nil).possible()
	}
	return p.freeSlots() >= int64(p.least)
}

// freeSlots is what the whole cluster has free, whatever the rules are.
func (p *problem) freeSlots() int64 {
	if ix := p.ownIndex(); ix != nil {
		return int64(ix.Domains.At(layout.Root))
	}
	free := p.withoutRules().withoutMultiples()
	return free.countSlots()[layout.Root]
}

func (p *problem) withoutMultiples() *problem {
	plain := *p
	plain.mult, plain.forced, plain.evens = nil, nil, nil
	return &plain
}

// withoutRules is the gang without groups, free to lie anywhere.
func (p *problem) withoutRules() *problem {
	loose := *p
	loose.together = false
	loose.gather, loose.levels = p.free(), nil
	if p.inParts() {
		loose.whole = &part{gather: loose.gather, ranks: p.whole.all()}
		slices.Sort(loose.whole.ranks)
	}
	return &loose
}

// possible says whether the least number of members can be placed at all.
func (p *problem) possible() bool {
	if p.inParts() {
		return p.parting.few != nil && p.with(p.parting.few).newCast(nil).possible()
	}
	counts := p.counts()
	return len(counts) > 0 && p.fits(p.slotTable(), counts[0])
}

// causes counts the nodes that take no member by the first cause that applies.
func (p *problem) causes() NodeCauses {
	own := *p // what it prepares is its own: others may ask at the same time
	own.alignment.ownNeeds, p = nil, &own
	counts := map[string]int{}
	out := NodeCauses{}
	excluded := p.excluded()
	extra := p.leavingGifts()
	roles := []*problem{p}
	if p.hasRoles() {
		roles = p.ofRoles()
	}
	for id := range int32(len(p.c.Lineage.Names)) {
		if p.c.FlagsOf(id)&snapshot.Present == 0 {
			continue
		}
		out.Total++
		if cause := causeForAll(roles, func(one *problem) string { return one.cause(id, excluded, extra) }); cause != "" {
			counts[cause]++
		}
	}
	first := []string{"cordoned", "not-ready", "taint", "selector", "eligible", string(numa.CausePolicy)}
	last := []string{string(numa.CauseExclusive), string(numa.CauseCapacity)}
	middle := slices.SortedFunc(maps.Keys(counts), muster.CompareNatural)
	middle = slices.DeleteFunc(middle, func(name string) bool { return slices.Contains(first, name) || slices.Contains(last, name) })
	for _, name := range slices.Concat(first, middle, last) {
		if counts[name] > 0 {
			out.Rejected = append(out.Rejected, CauseCount{name, counts[name]})
		}
	}
	return out
}

func (p *problem) cause(id int32, excluded map[int32]bool, extra map[int32]gift) string {
	if cause := p.refusal(id); cause != "" {
		return cause
	}
	if excluded[id] {
		return "eligible"
	}
	inZones := p.zoneCause(id, extra[id])
	if inZones == numa.CausePolicy {
		return string(inZones)
	}
	for _, n := range p.needs {
		if p.freeOf(id, n, extra[id].amounts) < n.amount {
			return "resource:" + n.name
		}
	}
	return string(inZones)
}
