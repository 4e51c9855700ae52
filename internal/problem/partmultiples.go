// Which multiples bind a gang in parts, whose members does each count, and does a selection keep them?

package problem

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// MultipleRule binds the number of members of the gang, or of each of some of its parts, to multiples: docs/order.md,
// sections 7 and 8.
type MultipleRule struct {
	multiples []Multiple
	parts     []*Part
	ranks     [][]int // by part: all members in it
	Total     int64   // the number of members of each part is a multiple of it
	// Units has, by tier, the number of which the members in a domain are a multiple, those of all parts together.
	// Nil: no multiple binds a domain, because each part lies in one domain of the multiple's layer anyway.
	Units []int64
	Runs  layout.Tally  // running members that the rule counts, by vertex
	Roles front.Weights // by role: 1 if the rule counts its members, else 0
}

// ofGang says whether a rule is the gang's own.
func (r *MultipleRule) ofGang() bool { return r.parts[0].Level == 0 }

// multipleBinder adds the rules that bind to p.Multiples.
type multipleBinder struct {
	p      *Problem
	place  []int32        // by rank: index in pending; -1: the member runs
	shared map[string]int // index of the rule that equal parts share, by the key of add
}

// bindMultiples finds the multiples that bind. It leaves out a multiple that groups keep in any case, and divides
// roles until a rule counts all members of a role or none: vectors have no other way to tell members apart.
// O(parts * members).
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
	for i := range p.Multiples { // once roles are divided
		r := &p.Multiples[i]
		r.Roles = make(front.Weights, len(p.Room.Shapes))
		for _, k := range b.pendingOf(r) {
			r.Roles[p.Room.Role(int(k))] = 1
		}
	}
	p.Multiples = countRunning(p, p.Multiples)
}

// bind adds the rules of a part and of its inner parts. around is the index of the innermost rule with Units that
// binds a part around it, -1: none.
func (b *multipleBinder) bind(a *Part, around int) {
	// below are those of some that bind the number in single domains. A part with a MustGather at or below the
	// multiple's layer lies in one domain of it, where the number of its members decides alone.
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

// ruleOf binds a part to multiples, one at least, in all domains and in total.
func ruleOf(p *Problem, a *Part, some []Multiple) MultipleRule {
	units := unitsOf(p, some)
	return MultipleRule{multiples: some, parts: []*Part{a}, ranks: [][]int{a.All()}, Units: units, Total: units[p.Model.View.RootTop]}
}

// add adds a rule of one part and returns its index, or adds the part to the rule of equal parts and returns that.
// Parts of one rule have the same multiples, members of one role and no running ones, and lie in the same part with
// multiples and the same group of another topology. What lies in a domain can then be dealt out among them, multiple
// by multiple, so that their role need not be divided.
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

// otherTreeGroup names the innermost group of another topology that a part is or lies in, empty if there is none.
func (a *Part) otherTreeGroup() string {
	for ; a != nil; a = a.Outer {
		if a.OtherTree != nil && !a.Bundle {
			return a.Label
		}
	}
	return ""
}

// onlyRole is the role of all members of a part; -1 if they have several, if some run, or if there are inner groups.
func (b *multipleBinder) onlyRole(a *Part) int {
	only, role := true, -1
	a.Each(func(o *Part) { only = only && (o == a || o.Bundle) })
	for _, rank := range a.All() {
		i := b.place[rank]
		if only = only && i >= 0; !only { // it runs
			break
		}
		r := int(b.p.Room.Role(int(i)))
		only, role = role < 0 || r == role, r
	}
	if !only {
		return -1
	}
	return role
}

// pendingOf lists the pending members that a rule counts, by index in pending.
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

// divide divides the roles, so that all members of a role count for the same rules. Only rules with Units matter, for
// the others bind no vector; the gang's own rule counts everybody.
func (b *multipleBinder) divide() {
	var sets [][]int32
	for k := range b.p.Multiples {
		if r := &b.p.Multiples[k]; r.Units != nil && !r.ofGang() {
			sets = append(sets, b.pendingOf(r))
		}
	}
	divideByMembers(b.p, sets)
}

// countRunning is a copy of the rules in which Runs counts the running members of the problem.
// O(rules * members * tiers).
func countRunning(p *Problem, rules []MultipleRule) []MultipleRule {
	rules = slices.Clone(rules)
	at := p.PositionsByRank()
	for i := range rules {
		r := &rules[i]
		r.Runs = layout.Tally{}
		for _, ranks := range r.ranks {
			for _, rank := range ranks {
				if at[rank] >= 0 {
					r.Runs.Add(p.Model.View, p.Model.View.NodeVertex(at[rank]), 1)
				}
			}
		}
	}
	return rules
}

// AllMultiples are the rules that bind, and with them those of the gang that its groups keep in any case: for
// questions about fewer members than any selection has, where groups need not be whole.
func (p *Problem) AllMultiples() []MultipleRule {
	if len(p.Gang.Multiples) == 0 {
		return p.Multiples
	}
	// One rule for all multiples of the gang stands in for the one that has only those that bind.
	all := ruleOf(p, p.Gang, p.Gang.Multiples)
	all.Roles = slices.Repeat(front.Weights{1}, len(p.Room.Shapes))
	rest := slices.DeleteFunc(slices.Clone(p.Multiples), func(r MultipleRule) bool { return r.ofGang() })
	return append(countRunning(p, []MultipleRule{all}), rest...)
}

// Keeps says whether the members of each part that run or are selected are a multiple of Total. place is as Places
// gives it; a nil selection stands for all members.
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

// KeepsMultiples says whether the gang and its parts keep their multiples in total once all pending members are
// placed. A selection is by index in the pending members of the whole gang.
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

// BindsBelow says whether multiples bind the number of members in single domains, and not only in total. Then fronts
// are exact.
func BindsBelow(p *Problem) bool {
	return slices.ContainsFunc(p.Multiples, func(r MultipleRule) bool { return r.Units != nil })
}
