// Package limits answers: where must the members of a gang keep apart, be alone, or use few domains, and who keeps them off a node?
// [Read] resolves the limits of a request for a topology; [Neighbors] says who is near, on a snapshot.
//
// Limits never change once they are read, and may be shared. A nil *Limits has none, and all its methods say so. Neighbors belong to
// one plan and one goroutine.
package limits

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
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
	all     []hardLimit             // in their order
	edits   []func(*Limits) *Limits // made since they were read, in their order
	levels  int                     // of groups in the request
}

// hardLimit is a hard limit of a level of groups, or (level -1) of the gang.
type hardLimit struct {
	limit gang.Limit
	name  string // in refusals
	tier  int32
	level int
}

// Implied adds the MustGathers that limits imply: one for each limited level of groups, and one for a Within of one domain. The slice
// passed stays as it is. O(limits).
func Implied(rules []gang.Rule, limits []gang.Limit, groups bool) []gang.Rule {
	out := rules[:len(rules):len(rules)]
	for _, l := range limits {
		if !l.Preferred && (groups || isOne(l)) {
			out = append(out, gang.Rule{Layer: l.Layer, Strength: gang.MustGather})
		}
	}
	return out
}

// Read resolves the hard limits of a request; nil: it has none. Preferred ones only have their layers checked. The error is an
// InvalidError. O(limits).
//
// order: limits.1
func Read(v *layout.View, req *gang.Request) (*Limits, error) {
	r := reader{view: v, levels: len(req.Groups)}
	if err := r.readLevel("request.Limits", req.Limits, -1, ""); err != nil {
		return nil, err
	}
	for i, g := range req.Groups {
		if err := r.readLevel(fmt.Sprintf("request.Groups[%d].Limits", i), g.Limits, i, fmt.Sprintf(" for groups of %d", g.Size)); err != nil {
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

// readLevel reads the limits of a level of groups; -1: of the gang. of ends their names.
func (r *reader) readLevel(field string, limits []gang.Limit, level int, of string) error {
	for i, l := range limits {
		tier, ok := r.view.TierNamed(l.Layer)
		if !ok {
			return r.view.UnknownLayer(fmt.Sprintf("%s[%d].Layer", field, i), l.Layer)
		}
		if l.Preferred || isOne(l) {
			continue
		}
		name := nameOf(l) + of
		if countsDomains(l) && level >= 0 {
			return muster.Unsupported(fmt.Sprintf("%s[%d]", field, i), name, "groups in more than one domain of a layer")
		}
		r.put(hardLimit{l, name, min(tier, r.view.RootTop-1), level})
	}
	return nil
}

// put files a hard limit under what it bounds.
func (r *reader) put(o hardLimit) {
	if r.out == nil {
		r.out = &Limits{Alone: -1, Groups: make([][]index.Cap, r.levels), levels: r.levels}
	}
	r.out.all = append(r.out.all, o)
	if o.limit.OfParts { // the problem counts parts, see OfGang
		return
	}
	if kinds[o.limit.Kind].alone {
		*r.out = *r.out.With(o.tier, o.limit.Layer)
	}
	each := index.Cap{Tier: o.tier, Most: most(o.limit, o.level >= 0)}
	switch {
	case countsDomains(o.limit):
		r.out.Within = append(r.out.Within, index.Cap{Tier: o.tier, Most: int64(o.limit.Most)})
	case o.level >= 0:
		r.out.Groups[o.level] = append(r.out.Groups[o.level], each)
	case each.Most > 0:
		r.out.Apart = append(r.out.Apart, each)
	}
}

// With adds an Alone at a tier. Of several the widest tier binds. A nil receiver has no limits yet.
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

// nameOf is the name of a limit in refusals, without its owner.
func nameOf(l gang.Limit) string {
	if l.Most > 0 {
		return fmt.Sprintf("%s %s at most %d", l.Kind, l.Layer, l.Most)
	}
	return fmt.Sprintf("%s %s", l.Kind, l.Layer)
}

// Names are the names of all limits, in their order.
func (l *Limits) Names() (out []string) {
	for i := 0; l != nil && i < len(l.all); i++ {
		out = append(out, l.all[i].name)
	}
	return out
}

// Without are the limits without those of one name; nil: none is left.
func (l *Limits) Without(name string) *Limits {
	if l == nil {
		return nil
	}
	r := reader{levels: l.levels}
	for _, o := range l.all {
		if o.name != name {
			r.put(o)
		}
	}
	for _, edit := range l.edits {
		if r.out != nil {
			r.out = edit(r.out)
		}
	}
	return r.out
}

// edited makes next the successor of l, and remembers the edit: Without repeats it.
func (l *Limits) edited(next Limits, edit func(*Limits) *Limits) *Limits {
	next.all, next.levels, next.edits = l.all, l.levels, append(slices.Clip(l.edits), edit)
	return &next
}

// OfUnits counts in units in place of members: innermost groups of this size, each placed like one member.
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
	return l.edited(next, func(l *Limits) *Limits { return l.OfUnits(size) })
}

// WithoutGroups drops the limits on numbers of groups; nil: none is left.
func (l *Limits) WithoutGroups() *Limits {
	if len(l.Apart)+len(l.Within) == 0 {
		return l.WithoutCaps()
	}
	next := *l
	next.Groups = make([][]index.Cap, len(l.Groups))
	return l.edited(next, (*Limits).WithoutGroups)
}

// WithoutCaps drops the limits on numbers: only Alone stays; nil: there is none.
func (l *Limits) WithoutCaps() *Limits {
	if !l.AreAlone() {
		return nil
	}
	return l.edited(Limits{Alone: l.Alone, AloneIn: l.AloneIn, Groups: make([][]index.Cap, len(l.Groups))}, (*Limits).WithoutCaps)
}

// AreAlone says whether the gang has an Alone.
func (l *Limits) AreAlone() bool { return l != nil && l.Alone >= 0 }

// CountMembers says whether an Apart counts members.
func (l *Limits) CountMembers() bool { return l != nil && len(l.Apart) > 0 }

// CountGroups says whether a limit counts groups.
func (l *Limits) CountGroups() bool {
	for i := 0; l != nil && i < len(l.Groups); i++ {
		if len(l.Groups[i]) > 0 {
			return true
		}
	}
	return false
}

// CountDomains says whether there is a Within of several domains.
func (l *Limits) CountDomains() bool { return l != nil && len(l.Within) > 0 }

// CapAbove says whether members or groups are counted at a layer above that of the Within. Several counted domains may then take less
// together than the sum of their capacities.
func (l *Limits) CapAbove() bool {
	return l.CountDomains() && slices.ContainsFunc(append(slices.Concat(l.Groups...), l.Apart...), func(c index.Cap) bool {
		return c.Tier > l.Within[0].Tier
	})
}

// CapOf is the limit on the groups of a level, if it has exactly one; else zero.
func (l *Limits) CapOf(level int) (c index.Cap) {
	if l != nil && level < len(l.Groups) && len(l.Groups[level]) == 1 {
		c = l.Groups[level][0]
	}
	return c
}

// Features are what limits on numbers ask of an engine. An index counts whole groups if there is one level, with one limit at most.
func (l *Limits) Features() features.Set {
	return features.Apart.When(l.CountMembers()) | features.ApartGroups.When(l.CountGroups()) | features.Within.When(l.CountDomains()) |
		features.Uncounted.When(l.CountGroups() && (len(l.Groups) != 1 || len(l.Groups[0]) != 1))
}

// AreHard says whether the gang has a limit at a layer above nodes. Like a MustGather it keeps the gang off nodes outside the tree.
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

// LowestTier is the lowest tier with a limit; MaxInt32: there is none.
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

// OnNode is the most members on one node, before running ones are counted.
func (l *Limits) OnNode() int64 {
	most := int64(math.MaxInt64)
	for i := 0; l != nil && i < len(l.Apart); i++ {
		most = min(most, l.Apart[i].Most)
	}
	return most
}

// Caps are the Aparts, for an index: running members are not counted.
func (l *Limits) Caps() []index.Cap {
	if l == nil {
		return nil
	}
	return l.Apart
}

// Broken says whether running members, at these positions, break a limit already: too many in a domain, or in too many domains; others near
// an Alone; or a node outside the tree under a limit above nodes. siblings counts running members by vertex. O(members * tiers).
//
// order: limits.4
func (l *Limits) Broken(v *layout.View, positions func(yield func(pos int32) bool), siblings *layout.Census, near *Neighbors, state State) bool {
	if l == nil {
		return false
	}
	hard, lie := l.AreHard(), make([]map[layout.Vertex]bool, len(l.Within))
	for pos := range positions {
		for i, c := range l.Within {
			if lie[i] == nil {
				lie[i] = map[layout.Vertex]bool{}
			}
			if lie[i][v.DomainAt(pos, c.Tier)] = true; int64(len(lie[i])) > c.Most {
				return true
			}
		}
		if hard && pos >= v.FirstPos[v.Outside] {
			return true
		}
		for _, c := range l.Apart {
			if siblings.At(v.DomainAt(pos, c.Tier)) > c.Most {
				return true
			}
		}
		if near.Meets(pos, state) {
			return true
		}
	}
	return false
}
