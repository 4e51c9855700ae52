// What does room cost in every domain, where victims leave one by one?

package victims

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/preempt"
)

// roomCosts is what room for a gang costs in domains, once members up to a priority may leave. It never changes.
type roomCosts struct {
	Ceiling, Lowest int64     // the priority, and the lowest one of all that may leave
	Keys            [][]int64 // by domain; nil: not known; empty: there is no room
	Members         []int64   // by domain: how many leave
}

// cheapest lists those of some domains with room in which it costs least; false where names must be known for that. What
// room costs is kept for the last gangs: only domains with nodes that changed are looked into again. Domains that cannot be among
// them are not looked into at all.
func (o *oneByOneSearch) cheapest(ceiling int64, domains []layout.Vertex) (out []layout.Vertex, ok bool) {
	p := o.e.p
	if slices.ContainsFunc(domains, p.Model.View.IsNode) {
		return nil, false
	}
	var known *roomCosts
	if len(p.Request.Exclude) > 0 || p.Room.Inside != layout.Root { // of use to nobody else
		known = o.costsOf(nil, nil, ceiling, domains)
	} else {
		key := o.costKey()
		known = p.Snapshot.Caches.Costs.Get(&p.Snapshot.Lineage.Clock, p.Snapshot.Lineage.KeptShapes,
			func(other []byte) bool { return bytes.Equal(other, key) },
			func(before any, nodes []int32) any { return o.costsOf(before.(*roomCosts), nodes, ceiling, domains) },
			func() ([]byte, any) { return key, o.costsOf(nil, nil, ceiling, domains) }).(*roomCosts)
	}
	if known == nil {
		return nil, false
	}
	if best := least(known, domains); best >= 0 {
		for _, d := range domains {
			if slices.Equal(known.Keys[d], known.Keys[best]) {
				out = append(out, d)
			}
		}
	}
	return out, true
}

// least is the first of some domains where room costs least, as far as that is known; -1 if there is none.
func least(known *roomCosts, domains []layout.Vertex) layout.Vertex {
	best := layout.Vertex(-1)
	for _, d := range domains {
		if key := known.Keys[d]; len(key) > 0 && (best < 0 || slices.Compare(key, known.Keys[best]) < 0) {
			best = d
		}
	}
	return best
}

// costKey is all that costs of room depend on, beside the snapshot: the shape, what is to be placed and where, whose
// members may leave, and the order of costs.
func (o *oneByOneSearch) costKey() []byte {
	question := &o.e.question
	key := bytes.Clone(o.e.p.Room.Slots().Key())
	number := func(n int64) { key = binary.BigEndian.AppendUint64(key, uint64(n)) }
	number(question.Units)
	number(o.e.p.Request.Priority)
	number(int64(room.Bit(o.e.p.Room.LeavingGone)))
	last := &question.Strategies[len(question.Strategies)-1]
	number(int64(last.Gang))
	number(int64(len(last.Groups)))
	for _, tier := range last.Groups {
		number(int64(tier))
	}
	number(int64(len(question.Groups)))
	for _, size := range question.Groups {
		number(size)
	}
	for _, c := range question.Order {
		key = append(append(key, c...), 0)
	}
	return key
}

// costsOf finds what room costs in those of some domains that may be the cheapest: of what was known before, only nodes that changed
// make it unknown. Nil where names must be known. They are looked into a few at a time, those first in which fewer members may do.
func (o *oneByOneSearch) costsOf(before *roomCosts, changed []int32, ceiling int64, domains []layout.Vertex) *roomCosts {
	v, tier := o.e.p.Model.View, o.widestTier()
	n := v.NumDomains()
	next := &roomCosts{Ceiling: ceiling, Lowest: o.e.question.Lowest, Keys: make([][]int64, n), Members: make([]int64, n)}
	if before != nil && before.Ceiling == ceiling && before.Lowest == next.Lowest {
		copy(next.Keys, before.Keys)
		copy(next.Members, before.Members)
		for _, id := range changed {
			if d := v.DomainAt(v.At(id), tier); !v.IsNode(d) {
				next.Keys[d] = nil
			}
		}
	}
	missing := slices.DeleteFunc(slices.Clone(domains), func(d layout.Vertex) bool { return next.Keys[d] != nil })
	bounds := o.fewest(missing)
	slices.SortStableFunc(missing, func(a, b layout.Vertex) int { return cmp.Compare(bounds[a], bounds[b]) })
	few := fewDomains
	if bounds == nil {
		few = len(missing)
	}
	for ; len(missing) > 0; few *= 2 {
		best, n := least(next, domains), 0
		for n < min(few, len(missing)) && (best < 0 || bounds[missing[n]] <= next.Members[best]) {
			n++
		}
		if n == 0 {
			break
		}
		if !o.surveyed(next, ceiling, missing[:n]) {
			return nil
		}
		missing = missing[n:]
	}
	return next
}

// fewDomains is in how many domains costs are found at once at first.
const fewDomains = 4

// fewest bounds from below how many members must leave for room in some domains: the slots that are lacking, by the most that one of
// them makes. Nil where that bounds no cost.
func (o *oneByOneSearch) fewest(domains []layout.Vertex) map[layout.Vertex]int64 {
	constant := func(c gang.Cost) bool { // for members that leave one by one: they are in no budget, and end no gang
		return c == gang.CostBudgets || c == gang.CostHighestPriority || c == gang.CostBelowMin || c == gang.CostGangsEnded
	}
	p, question := o.e.p, &o.e.question
	first := slices.IndexFunc(question.Order, func(c gang.Cost) bool { return !constant(c) })
	if first < 0 || question.Order[first] != gang.CostMembers || p.Model.Limits != nil {
		return nil
	}
	gain := int64(1)
	for _, h := range question.Holdings {
		for r, amount := range h.Amounts {
			gain = max(gain, (amount-1)/question.Request[r]+1)
		}
	}
	bounds, slots := make(map[layout.Vertex]int64, len(domains)), p.Model.Room.Table()
	for _, d := range domains {
		bounds[d] = (max(0, question.Units-slots.At(d)) + gain - 1) / gain
	}
	return bounds
}

// surveyed finds what room costs in some domains; false where names must be known.
func (o *oneByOneSearch) surveyed(costs *roomCosts, ceiling int64, domains []layout.Vertex) bool {
	v, tier, all := o.e.p.Model.View, o.widestTier(), o.e.question
	defer func() { o.e.question, o.at = all, nil }()
	slices.SortFunc(domains, func(a, b layout.Vertex) int { return cmp.Compare(v.First(a), v.First(b)) })
	o.confine(domains)
	if !o.classify() {
		return false
	}
	o.list()
	found, ok := preempt.Survey(o.e.question, o.classOf, ceiling)
	if !ok {
		return false
	}
	for _, d := range domains {
		costs.Keys[d] = []int64{} // no room, unless there is some
	}
	for i := range found {
		d := v.DomainAt(o.at[found[i].First], tier)
		costs.Keys[d], costs.Members[d] = slices.Clone(found[i].Key), found[i].Members
	}
	return true
}
