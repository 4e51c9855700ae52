// Multiples of a gang in parts, and of the parts.

package problem

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// MultipleRule binds the number of members of the gang, or of each of some of its parts, to multiples: docs/order.md, sections 7 and 8.
type MultipleRule struct {
	multiples []Multiple
	parts     []*Part
	ranks     [][]int // by part
	Total     int64   // what the number of members of each part is a multiple of
	// Units, by tier: the members in a domain are a multiple of it, those of all parts together too. Nil: each part lies in
	// one domain anyway.
	Units []int64
	Runs  layout.Tally  // of the running members
	Roles front.Weights // 1 where the members count
}

// ofGang says whether a rule is the gang's own.
func (r *MultipleRule) ofGang() bool { return r.parts[0].Level == 0 }

// multipleBinder finds the rules that bind.
type multipleBinder struct {
	p      *Problem
	place  []int32
	shared map[string]int // rules of parts that are alike
}

// bindMultiples finds the multiples that bind, and divides roles whose members they count differently. A multiple that
// groups keep in any case does not bind.
//
// order: parts.6
func bindMultiples(p *Problem) {
	p.Multiples = nil
	b := multipleBinder{p: p, place: p.Places(), shared: map[string]int{}}
	b.bind(p.Gang, -1)
	if len(p.Multiples) == 0 {
		return
	}
	b.divide()
	for i := range p.Multiples {
		r := &p.Multiples[i]
		r.Roles = make(front.Weights, len(p.Shapes))
		for _, k := range b.pendingOf(r) {
			r.Roles[p.Role(int(k))] = 1
		}
	}
	p.Multiples = countRunning(p, p.Multiples)
}

// bind adds the rules of a part and of its inner parts. around is the rule that binds what the part lies in, -1: none.
func (b *multipleBinder) bind(a *Part, around int) {
	var some, below []Multiple
	for _, m := range a.Multiples {
		if a.keeps(m.of, m.tier) {
			continue
		}
		some = append(some, m)
		if a.Gather.Must > m.tier || a.Level == 0 {
			below = append(below, m)
		}
	}
	if len(some) > 0 {
		r := ruleOf(b.p, a, some)
		r.Units = unitsOf(b.p, below)
		if i := b.add(r, around); r.Units != nil {
			around = i
		}
	}
	for _, inner := range a.Parts {
		b.bind(inner, around)
	}
}

// ruleOf binds a part to multiples.
func ruleOf(p *Problem, a *Part, some []Multiple) MultipleRule {
	units := unitsOf(p, some)
	return MultipleRule{multiples: some, parts: []*Part{a}, ranks: [][]int{a.All()}, Units: units, Total: units[p.View.RootTop]}
}

// add adds a rule, or its part to an equal rule of the same role. Parts of one rule can share what lies in a domain,
// multiple by multiple, while no member of them runs and all are in the same group of another topology.
func (b *multipleBinder) add(r MultipleRule, around int) int {
	a := r.parts[0]
	if role := b.onlyRole(a); role >= 0 && r.Units != nil && !r.ofGang() {
		key := fmt.Sprint(r.multiples, r.Units, role, around, a.otherTreeGroup())
		if i, ok := b.shared[key]; ok {
			b.p.Multiples[i].parts, b.p.Multiples[i].ranks = append(b.p.Multiples[i].parts, a), append(b.p.Multiples[i].ranks, r.ranks[0])
			return i
		}
		b.shared[key] = len(b.p.Multiples)
	}
	b.p.Multiples = append(b.p.Multiples, r)
	return len(b.p.Multiples) - 1
}

// otherTreeGroup names the group of another topology that a part is in, empty if there is none.
func (a *Part) otherTreeGroup() string {
	for ; a != nil; a = a.Outer {
		if a.OtherTree != nil && !a.Bundle {
			return a.Label
		}
	}
	return ""
}

// onlyRole is the role of all members of a part without inner groups; -1 if there are several, or some run.
func (b *multipleBinder) onlyRole(a *Part) int {
	only, role := true, -1
	a.Each(func(o *Part) { only = only && (o == a || o.Bundle) })
	for _, rank := range a.All() {
		i := b.place[rank]
		if only = only && i >= 0; !only {
			break
		}
		r := int(b.p.Role(int(i)))
		only, role = role < 0 || r == role, r
	}
	if !only {
		return -1
	}
	return role
}

// pendingOf are the places in pending of the members that a rule counts.
func (b *multipleBinder) pendingOf(r *MultipleRule) (out []int32) {
	for _, ranks := range r.ranks {
		for _, rank := range ranks {
			if i := b.place[rank]; i >= 0 {
				out = append(out, i)
			}
		}
	}
	return out
}

// divide parts the roles, so that of each all members count for the same rules.
func (b *multipleBinder) divide() {
	by, last, divided := make([]int32, len(b.p.Pending)), int32(0), false
	for k := range b.p.Multiples {
		r := &b.p.Multiples[k]
		if r.Units == nil || r.ofGang() {
			continue
		}
		some := map[int32]int32{}
		members := b.pendingOf(r)
		divided = divided || len(members) > 0 && len(members) < len(by)
		for _, i := range members {
			if some[by[i]] == 0 {
				last++
				some[by[i]] = last
			}
			by[i] = some[by[i]]
		}
	}
	if divided {
		divideRoles(b.p, by)
		findTwins(b.p)
	}
}

// countRunning is rules with the running members counted that each of them binds.
func countRunning(p *Problem, rules []MultipleRule) []MultipleRule {
	rules = slices.Clone(rules)
	at := p.PositionsByRank()
	for i := range rules {
		r := &rules[i]
		r.Runs = layout.Tally{}
		for _, ranks := range r.ranks {
			for _, rank := range ranks {
				if at[rank] >= 0 {
					r.Runs.Add(p.View, p.View.NodeVertex(at[rank]), 1)
				}
			}
		}
	}
	return rules
}

// AllMultiples are the rules that bind, and those of the gang that its groups keep in any case.
func (p *Problem) AllMultiples() []MultipleRule {
	if len(p.Gang.Multiples) == 0 {
		return p.Multiples
	}
	all := ruleOf(p, p.Gang, p.Gang.Multiples)
	all.Roles = slices.Repeat(front.Weights{1}, len(p.Shapes))
	rest := slices.DeleteFunc(slices.Clone(p.Multiples), func(r MultipleRule) bool { return r.ofGang() })
	return append(countRunning(p, []MultipleRule{all}), rest...)
}

// Keeps says whether a multiple of the members of each part runs or is selected.
func (r *MultipleRule) Keeps(place []int32, in Selection) bool {
	for _, ranks := range r.ranks {
		n := int64(0)
		for _, rank := range ranks {
			if i := place[rank]; i < 0 || in == nil || in[i] {
				n++
			}
		}
		if n%r.Total != 0 {
			return false
		}
	}
	return true
}

// KeepsMultiples says whether the gang and its parts keep their multiples with what is to be placed.
func KeepsMultiples(p *Problem) bool {
	if len(p.Multiples) == 0 {
		return true
	}
	all := p
	if p.Parts.All != nil {
		all = p.Parts.All
	}
	place := all.Places()
	return !slices.ContainsFunc(p.Multiples, func(r MultipleRule) bool { return !r.Keeps(place, p.Parts.Selection) })
}

// BindsBelow says whether multiples bind the number of members in any domain, and not only that of all.
func BindsBelow(p *Problem) bool {
	return slices.ContainsFunc(p.Multiples, func(r MultipleRule) bool { return r.Units != nil })
}
