// What does room cost in every domain, where victims leave one by one?

package victims

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/preempt"
)

// cheapest lists those of some domains with room in which it costs least; false where names must be known for that. What
// room costs is kept for the last gangs: only domains with nodes that changed are looked into again. Domains that cannot be among
// them are not looked into at all.
func (o *oneByOneSearch) cheapest(ceiling int64, domains []layout.Vertex) (out []layout.Vertex, ok bool) {
	p := o.e.p
	if slices.ContainsFunc(domains, p.View.IsNode) {
		return nil, false
	}
	var known *snapshot.RoomCosts
	if len(p.Request.Exclude) > 0 {
		known = o.costsOf(nil, nil, ceiling, domains)
	} else {
		key := o.costKey()
		known = p.Snapshot.Caches.Costs.Get(&p.Snapshot.Lineage.Clock, p.Snapshot.Lineage.KeptShapes,
			func(other []byte) bool { return bytes.Equal(other, key) },
			func(s *snapshot.RoomCosts, nodes []int32) *snapshot.RoomCosts {
				return o.costsOf(s, nodes, ceiling, domains)
			},
			func() ([]byte, *snapshot.RoomCosts) { return key, o.costsOf(nil, nil, ceiling, domains) })
	}
	if known == nil {
		return nil, false
	}
	best := least(known, domains)
	for _, d := range domains {
		if best != nil && slices.Equal(known.Of[d].Key, best.Key) {
			out = append(out, d)
		}
	}
	return out, true
}

// least is the least known cost of room in some domains; nil if there is none.
func least(known *snapshot.RoomCosts, domains []layout.Vertex) (best *snapshot.RoomCost) {
	for _, d := range domains {
		of := &known.Of[d]
		if len(of.Key) > 0 && (best == nil || slices.Compare(of.Key, best.Key) < 0) {
			best = of
		}
	}
	return best
}

// costKey is all that costs of room depend on, beside the snapshot: the shape, what is to be placed and where, whose
// members may leave, and the order of costs.
func (o *oneByOneSearch) costKey() []byte {
	question := &o.e.question
	key := bytes.Clone(o.e.p.Slots().Key())
	number := func(n int64) { key = binary.BigEndian.AppendUint64(key, uint64(n)) }
	number(question.Units)
	number(o.e.p.Request.Priority)
	number(int64(problem.Bit(o.e.p.LeavingGone)))
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
func (o *oneByOneSearch) costsOf(before *snapshot.RoomCosts, changed []int32, ceiling int64, domains []layout.Vertex) *snapshot.RoomCosts {
	v, tier := o.e.p.View, o.widestTier()
	next := &snapshot.RoomCosts{Ceiling: ceiling, Lowest: o.e.question.Lowest, Of: make([]snapshot.RoomCost, v.NumDomains())}
	if before != nil && before.Ceiling == ceiling && before.Lowest == next.Lowest {
		copy(next.Of, before.Of)
		for _, id := range changed {
			if d := v.Highest(v.NodeVertex(v.At(id)), tier); !v.IsNode(d) {
				next.Of[d] = snapshot.RoomCost{}
			}
		}
	}
	best, missing := least(next, domains), slices.DeleteFunc(slices.Clone(domains), func(d layout.Vertex) bool { return next.Of[d].Key != nil })
	bounds := o.fewest(missing)
	slices.SortStableFunc(missing, func(a, b layout.Vertex) int { return cmp.Compare(bounds[a], bounds[b]) })
	few := fewDomains
	if bounds == nil {
		few = len(missing)
	}
	for ; len(missing) > 0; few *= 2 {
		n := 0
		for n < min(few, len(missing)) && (best == nil || bounds[missing[n]] <= best.Members) {
			n++
		}
		if n == 0 {
			break
		}
		if !o.surveyed(next, ceiling, missing[:n]) {
			return nil
		}
		if of := least(next, missing[:n]); of != nil && (best == nil || slices.Compare(of.Key, best.Key) < 0) {
			best = of
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
	if first < 0 || question.Order[first] != gang.CostMembers || p.Limits != nil {
		return nil
	}
	gain := int64(1)
	for _, h := range question.Holdings {
		for r, amount := range h.Amounts {
			gain = max(gain, (amount-1)/question.Request[r]+1)
		}
	}
	bounds, slots := make(map[layout.Vertex]int64, len(domains)), p.Slots().Table()
	for _, d := range domains {
		bounds[d] = (max(0, question.Units-slots.At(d)) + gain - 1) / gain
	}
	return bounds
}

// surveyed finds what room costs in some domains; false where names must be known.
func (o *oneByOneSearch) surveyed(costs *snapshot.RoomCosts, ceiling int64, domains []layout.Vertex) bool {
	v, tier, all := o.e.p.View, o.widestTier(), o.e.question
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
		costs.Of[d].Key = []int64{} // no room, unless there is some
	}
	for i := range found {
		d := v.Highest(v.NodeVertex(o.at[found[i].First]), tier)
		costs.Of[d] = snapshot.RoomCost{Key: slices.Clone(found[i].Key), Members: found[i].Members}
	}
	return true
}
