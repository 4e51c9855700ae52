// Package limits answers: where must the members of a gang keep apart, be alone, or use few domains, and who keeps them off a node?
// [Read] resolves the limits of a request for a topology; [Company] says who is near, on a snapshot.
//
// Limits never change once they are read, and may be shared. A nil *Limits has none, and all its methods say so. A Company belongs to
// one plan and one goroutine.
package limits

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
)

// Limits are the hard limits of a gang and of its levels of groups.
type Limits struct {
	Alone   int32                   // nobody else is in the domains of this tier that the gang uses; -1: there is no such limit
	AloneIn string                  // its layer as it is written
	Apart   []index.Cap             // members in every domain of a tier
	Within  []index.Cap             // domains of a tier
	Groups  [][]index.Cap           // by level, outermost first: groups in every domain of a tier
	each    []one                   // all of them, in their order
	by      []func(*Limits) *Limits // what was made of them since
	levels  int                     // of groups that the gang was read with
}

// one is a hard limit as it is read, of a level of groups or (-1) of the gang.
type one struct {
	limit gang.Limit
	name  string // as refusals use it
	tier  int32
	level int
}

// Implied are rules with those that limits imply: groups that are limited lie within a domain of the layer each, and within one domain is
// what MustGather says. rules stay as they are. O(limits).
func Implied(rules []gang.Rule, limits []gang.Limit, groups bool) []gang.Rule {
	out := rules[:len(rules):len(rules)]
	for _, l := range limits {
		if !l.Preferred && (groups || isOne(l)) {
			out = append(out, gang.Rule{Layer: l.Layer, Strength: gang.MustGather})
		}
	}
	return out
}

// isOne says whether a limit is nothing but a MustGather.
func isOne(l gang.Limit) bool { return l.Kind == gang.Within && l.Most == 1 }

// Read resolves the hard limits of a request; nil: it has none. Preferred ones are up to the caller of the plan. The error is an
// InvalidError. O(limits).
//
// order: limits.1
func Read(v *layout.View, req *gang.Request) (*Limits, error) {
	r := reader{view: v, levels: len(req.Groups)}
	if err := r.each("request.Limits", req.Limits, -1, ""); err != nil {
		return nil, err
	}
	for i, g := range req.Groups {
		if err := r.each(fmt.Sprintf("request.Groups[%d].Limits", i), g.Limits, i, fmt.Sprintf(" for groups of %d", g.Size)); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// reader reads limits.
type reader struct {
	view   *layout.View
	levels int
	out    *Limits
}

// each reads the limits of a level of groups; -1: of the gang. of names whose they are.
func (r *reader) each(field string, limits []gang.Limit, level int, of string) error {
	for i, l := range limits {
		tier, ok := r.view.TierNamed(l.Layer)
		if !ok {
			return r.view.UnknownLayer(fmt.Sprintf("%s[%d].Layer", field, i), l.Layer)
		}
		if l.Preferred || isOne(l) {
			continue
		}
		name := NameOf(l) + of
		if l.Kind == gang.Within && level >= 0 {
			return muster.Unsupported(fmt.Sprintf("%s[%d]", field, i), name, "groups in more than one domain of a layer")
		}
		r.add(one{l, name, min(tier, r.view.RootTop-1), level})
	}
	return nil
}

// add adds a hard limit.
func (r *reader) add(o one) {
	if r.out == nil {
		r.out = &Limits{Alone: -1, Groups: make([][]index.Cap, r.levels), levels: r.levels}
	}
	r.out.each = append(r.out.each, o)
	most := index.Cap{Tier: o.tier, Most: int64(o.limit.Most)}
	if o.limit.OfParts { // is up to the problem, which knows these
		return
	}
	if o.limit.Kind == gang.Alone {
		*r.out = *r.out.With(o.tier, o.limit.Layer)
		most.Most = 1 // group in a domain
	}
	switch {
	case o.level >= 0:
		r.out.Groups[o.level] = append(r.out.Groups[o.level], most)
	case o.limit.Kind == gang.Within:
		r.out.Within = append(r.out.Within, most)
	case o.limit.Kind == gang.Apart:
		r.out.Apart = append(r.out.Apart, most)
	}
}

// With are the limits of members that must be alone in the domains of a tier, too; the widest counts.
func (l *Limits) With(tier int32, layer string) *Limits {
	next := Limits{Alone: -1}
	if l != nil {
		next = *l
	}
	if tier > next.Alone {
		next.Alone, next.AloneIn = tier, layer
	}
	return &next
}

// NameOf is a limit as refusals name it, without whose it is.
func NameOf(l gang.Limit) string {
	if l.Most > 0 {
		return fmt.Sprintf("%s %s at most %d", l.Kind, l.Layer, l.Most)
	}
	return fmt.Sprintf("%s %s", l.Kind, l.Layer)
}

// Name is the first limit, as refusals name it; empty: there is none.
func (l *Limits) Name() string {
	if l == nil || len(l.each) == 0 {
		return ""
	}
	return l.each[0].name
}

// Names are the limits in their order, as refusals name them.
func (l *Limits) Names() (out []string) {
	for i := 0; l != nil && i < len(l.each); i++ {
		out = append(out, l.each[i].name)
	}
	return out
}

// Without are the limits without those of one name; nil: none is left.
func (l *Limits) Without(name string) *Limits {
	if l == nil {
		return nil
	}
	r := reader{levels: l.levels}
	for _, o := range l.each {
		if o.name != name {
			r.add(o)
		}
	}
	for _, by := range l.by {
		if r.out != nil {
			r.out = by(r.out)
		}
	}
	return r.out
}

// made are limits that were made of these.
func (l *Limits) made(next Limits, by func(*Limits) *Limits) *Limits {
	next.each, next.levels, next.by = l.each, l.levels, append(slices.Clip(l.by), by)
	return &next
}

// OfUnits are the limits of a gang whose innermost groups, of so many members, are placed like members.
//
// order: limits.2
func (l *Limits) OfUnits(size int) *Limits {
	if l == nil {
		return nil
	}
	next, last := *l, len(l.Groups)-1
	next.Apart, next.Groups = slices.Clone(l.Groups[last]), l.Groups[:last]
	for _, c := range l.Apart {
		next.Apart = append(next.Apart, index.Cap{Tier: c.Tier, Most: c.Most / int64(size)})
	}
	return l.made(next, func(l *Limits) *Limits { return l.OfUnits(size) })
}

// WithoutGroups are the limits without those on numbers of groups; nil: none is left.
func (l *Limits) WithoutGroups() *Limits {
	if len(l.Apart)+len(l.Within) == 0 {
		return l.WithoutCaps()
	}
	next := *l
	next.Groups = make([][]index.Cap, len(l.Groups))
	return l.made(next, (*Limits).WithoutGroups)
}

// WithoutCaps are the limits with no bound on any number; nil: none is left.
func (l *Limits) WithoutCaps() *Limits {
	if !l.AreAlone() {
		return nil
	}
	return l.made(Limits{Alone: l.Alone, AloneIn: l.AloneIn, Groups: make([][]index.Cap, len(l.Groups))}, (*Limits).WithoutCaps)
}

// AreAlone says whether others keep the gang off nodes.
func (l *Limits) AreAlone() bool { return l != nil && l.Alone >= 0 }

// CountMembers says whether the number of members in domains is bounded.
func (l *Limits) CountMembers() bool { return l != nil && len(l.Apart) > 0 }

// CountGroups says whether the number of groups in domains is bounded.
func (l *Limits) CountGroups() bool {
	for i := 0; l != nil && i < len(l.Groups); i++ {
		if len(l.Groups[i]) > 0 {
			return true
		}
	}
	return false
}

// CountDomains says whether the number of domains is bounded in which the gang lies, and one is not the bound.
func (l *Limits) CountDomains() bool { return l != nil && len(l.Within) > 0 }

// CapAbove says whether a number of members or groups is bounded in domains above those that are counted. What these take together is then
// less than the sum of what each takes.
func (l *Limits) CapAbove() bool {
	return l.CountDomains() && slices.ContainsFunc(append(slices.Concat(l.Groups...), l.Apart...), func(c index.Cap) bool {
		return c.Tier > l.Within[0].Tier
	})
}

// CapOf is the only limit on the number of groups of a level, as an index counts it; zero without a limit.
func (l *Limits) CapOf(level int) (c index.Cap) {
	if l != nil && level < len(l.Groups) && len(l.Groups[level]) == 1 {
		c = l.Groups[level][0]
	}
	return c
}

// Counted says whether an index can count whole groups under the limits: at most one limits them, on the only level.
func (l *Limits) Counted() bool {
	return !l.CountGroups() || len(l.Groups) == 1 && len(l.Groups[0]) == 1
}

// AreHard says whether a limit of the gang speaks of domains above nodes: nodes outside the tree satisfy it no more than a MustGather.
func (l *Limits) AreHard() bool {
	if l == nil {
		return false
	}
	hard := l.Alone > 0 || len(l.Within) > 0
	for _, c := range l.Apart {
		hard = hard || c.Tier > 0
	}
	return hard
}

// LowestTier is the lowest tier of whose domains a limit speaks; MaxInt32 without one.
func (l *Limits) LowestTier() int32 {
	low := int32(math.MaxInt32)
	if l.AreAlone() {
		low = l.Alone
	}
	if l != nil {
		for _, c := range append(slices.Concat(l.Groups...), slices.Concat(l.Apart, l.Within)...) {
			low = min(low, c.Tier)
		}
	}
	return low
}

// Spans says whether the domains are counted that the gang uses below x: x is above their tier. O(1).
func (l *Limits) Spans(v *layout.View, x layout.Vertex) bool {
	return l != nil && len(l.Within) > 0 && v.TierOf(x) > l.Within[0].Tier
}

// DomainsBelow adds the domains that are counted below x to a list, in the order of paths. O(domains).
//
// order: limits.8
func (l *Limits) DomainsBelow(v *layout.View, x layout.Vertex, list []layout.Vertex) []layout.Vertex {
	if v.TierOf(x) <= l.Within[0].Tier {
		return append(list, x)
	}
	lo, end := v.Kids(x)
	for c := lo; c < end; c++ {
		if c != v.Outside { // a limit on domains keeps members in the tree
			list = l.DomainsBelow(v, c, list)
		}
	}
	return list
}

// MostIn is the most units that fit into at most the number of domains that there may be; room has, for each domain, what fits there,
// used whether running members lie in it already. O(domains * log).
//
// order: limits.7
func (l *Limits) MostIn(room []int64, used func(i int) bool) (sum int64) {
	left := l.Within[0].Most
	fresh := make([]int64, 0, len(room))
	for i, n := range room {
		if used(i) {
			sum, left = sum+max(0, n), left-1
		} else if n > 0 {
			fresh = append(fresh, n)
		}
	}
	slices.SortFunc(fresh, func(a, b int64) int { return cmp.Compare(b, a) })
	for _, n := range fresh[:max(0, min(int(left), len(fresh)))] {
		sum += n
	}
	return sum
}

// Most is how many members x may take beside those that run, siblings by vertex, by what keeps them apart. A vertex below a domain of
// the layer takes no more than that. O(limits * tiers).
//
// order: limits.2
func (l *Limits) Most(v *layout.View, siblings layout.Tally, x layout.Vertex) int64 {
	most := int64(math.MaxInt64)
	for i := 0; l != nil && i < len(l.Apart); i++ {
		if c := l.Apart[i]; v.TierOf(x) <= c.Tier {
			most = min(most, max(0, c.Most-siblings.At(v.Highest(x, c.Tier))))
		}
	}
	return most
}

// MostGroups is n groups of a level below x, or fewer where limits keep them, or inner groups, apart. running has, by level, the groups
// of which members run, nil: none do; sizes those of the levels. O(limits * tiers).
//
// order: limits.2
func (l *Limits) MostGroups(v *layout.View, running []layout.Tally, sizes []int64, level int, x layout.Vertex, n int64) int64 {
	for j := level; l != nil && j < len(l.Groups); j++ {
		for _, c := range l.Groups[j] {
			if v.TierOf(x) > c.Tier {
				continue
			}
			most := c.Most
			if running != nil {
				most -= running[j].At(v.Highest(x, c.Tier))
			}
			n = min(n, max(0, most)*sizes[j]/sizes[level])
		}
	}
	return n
}

// OnNode is how many members a node may take at most, whatever runs.
func (l *Limits) OnNode() int64 {
	most := int64(math.MaxInt64)
	for i := 0; l != nil && i < len(l.Apart); i++ {
		most = min(most, l.Apart[i].Most)
	}
	return most
}

// Caps are the bounds that an index puts on domains, whatever runs.
func (l *Limits) Caps() []index.Cap {
	if l == nil {
		return nil
	}
	return l.Apart
}

// GroupsBroken says whether more groups run in a domain than there may be; running is as for MostGroups.
//
// order: limits.4
func (l *Limits) GroupsBroken(v *layout.View, running []layout.Tally) bool {
	for i := 0; l != nil && i < len(l.Groups); i++ {
		for _, c := range l.Groups[i] {
			for x, n := range running[i] {
				if n > c.Most && v.TierOf(x) <= c.Tier {
					return true
				}
			}
		}
	}
	return false
}
