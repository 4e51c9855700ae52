// Which multiples bind a gang in parts, whose members does each count, and does a selection keep them?

package problem

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// ofGang says whether a rule is the gang's own.
func ofGang(r *model.MultipleRule) bool { return r.Parts[0].Level == 0 }

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
	p.Model.Multiples = nil
	b := multipleBinder{p: p, place: p.Model.Places(), shared: map[string]int{}}
	b.bind(p.Model.Gang, -1)
	if len(p.Model.Multiples) == 0 {
		return
	}
	b.divide()
	for i := range p.Model.Multiples { // once roles are divided
		r := &p.Model.Multiples[i]
		r.Roles = make(front.Weights, len(p.Room.Shapes))
		for _, k := range b.pendingOf(r) {
			r.Roles[p.Model.Role(int(k))] = 1
		}
	}
	p.Model.Multiples = countRunning(p, p.Model.Multiples)
}

// bind adds the rules of a part and of its inner parts. around is the index of the innermost rule with Units that
// binds a part around it, -1: none.
func (b *multipleBinder) bind(a *model.Part, around int) {
	// below are those of some that bind the number in single domains. A part with a MustGather at or below the
	// multiple's layer lies in one domain of it, where the number of its members decides alone.
	var some, below []model.Multiple
	for _, m := range a.Multiples {
		if keeps(a, m.Of, m.Tier) {
			continue
		}
		some = append(some, m)
		if a.Gather.Must > m.Tier || a.Level == 0 {
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
func ruleOf(p *Problem, a *model.Part, some []model.Multiple) model.MultipleRule {
	units := unitsOf(p, some)
	return model.MultipleRule{Multiples: some, Parts: []*model.Part{a}, Ranks: [][]int{a.All()}, Units: units, Total: units[p.Model.View.RootTop]}
}

// add adds a rule of one part and returns its index, or adds the part to the rule of equal parts and returns that.
// Parts of one rule have the same multiples, members of one role and no running ones, and lie in the same part with
// multiples and the same group of another topology. What lies in a domain can then be dealt out among them, multiple
// by multiple, so that their role need not be divided.
func (b *multipleBinder) add(r model.MultipleRule, around int) int {
	a := r.Parts[0]
	if role := b.onlyRole(a); role >= 0 && r.Units != nil && !ofGang(&r) {
		key := fmt.Sprint(r.Multiples, r.Units, role, around, otherTreeGroup(a))
		if i, ok := b.shared[key]; ok {
			b.p.Model.Multiples[i].Parts, b.p.Model.Multiples[i].Ranks = append(b.p.Model.Multiples[i].Parts, a), append(b.p.Model.Multiples[i].Ranks, r.Ranks[0])
			return i
		}
		b.shared[key] = len(b.p.Model.Multiples)
	}
	b.p.Model.Multiples = append(b.p.Model.Multiples, r)
	return len(b.p.Model.Multiples) - 1
}

// otherTreeGroup is the number of the innermost group of another topology that a part is or lies in, -1 if there is none.
func otherTreeGroup(a *model.Part) int {
	for ; a != nil; a = a.Outer {
		if a.OtherTree != nil && !a.Bundle {
			return a.Number
		}
	}
	return -1
}

// onlyRole is the role of all members of a part; -1 if they have several, if some run, or if there are inner groups.
func (b *multipleBinder) onlyRole(a *model.Part) int {
	only, role := true, -1
	a.Each(func(o *model.Part) { only = only && (o == a || o.Bundle) })
	for _, rank := range a.All() {
		i := b.place[rank]
		if only = only && i >= 0; !only { // it runs
			break
		}
		r := int(b.p.Model.Role(int(i)))
		only, role = role < 0 || r == role, r
	}
	if !only {
		return -1
	}
	return role
}

// pendingOf lists the pending members that a rule counts, by index in pending.
func (b *multipleBinder) pendingOf(r *model.MultipleRule) (out []int32) {
	for _, ranks := range r.Ranks {
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
	for k := range b.p.Model.Multiples {
		if r := &b.p.Model.Multiples[k]; r.Units != nil && !ofGang(r) {
			sets = append(sets, b.pendingOf(r))
		}
	}
	divideByMembers(b.p, sets)
}

// countRunning is a copy of the rules in which Runs counts the running members of the problem.
// O(rules * members * tiers).
func countRunning(p *Problem, rules []model.MultipleRule) []model.MultipleRule {
	rules = slices.Clone(rules)
	at := p.Model.PositionsByRank()
	for i := range rules {
		r := &rules[i]
		r.Runs = layout.Tally{}
		for _, ranks := range r.Ranks {
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
func (p *Problem) AllMultiples() []model.MultipleRule {
	if len(p.Model.Gang.Multiples) == 0 {
		return p.Model.Multiples
	}
	// One rule for all multiples of the gang stands in for the one that has only those that bind.
	all := ruleOf(p, p.Model.Gang, p.Model.Gang.Multiples)
	all.Roles = slices.Repeat(front.Weights{1}, len(p.Room.Shapes))
	rest := slices.DeleteFunc(slices.Clone(p.Model.Multiples), func(r model.MultipleRule) bool { return ofGang(&r) })
	return append(countRunning(p, []model.MultipleRule{all}), rest...)
}
