package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// evenRule binds the number of members of the gang, or of each of some of its parts, to multiples: docs/order.md, sections 7 and 8.
type evenRule struct {
	multiples []multiple
	parts     []*part
	ranks     [][]int // by part
	total     int64   // what the number of members of each part is a multiple of
	// units, by tier, are what those in domains are multiples of, together too; nil: each part lies in one domain anyway.
	units []int64
	runs  layout.Tally  // of the running members
	roles front.Weights // 1 for those whose members count
}

// ofGang says whether a rule is the gang's own.
func (r *evenRule) ofGang() bool { return r.parts[0].level == 0 }

// evenBinder finds the rules that bind.
type evenBinder struct {
	p      *problem
	place  []int32
	shared map[string]int // rules of parts that are alike
}

// bindMultiples finds the multiples that bind, and parts the roles of whom they count differently. Those that groups keep in any case cost nothing.
func bindMultiples(p *problem) {
	p.evens = nil
	b := evenBinder{p: p, place: p.places(), shared: map[string]int{}}
	b.bind(p.whole, -1)
	if len(p.evens) == 0 {
		return
	}
	b.divide()
	for i := range p.evens {
		r := &p.evens[i]
		r.roles = make(front.Weights, len(p.shapes))
		for _, k := range b.pendingOf(r) {
			r.roles[p.role(int(k))] = 1
		}
	}
	p.countEvens()
}

// bind adds the rules of a part that lies in what another rule binds, -1: none does, and those of its inner parts.
func (b *evenBinder) bind(a *part, around int) {
	var some, below []multiple
	for _, m := range a.multiples {
		if a.keeps(m.of, m.tier) {
			continue
		}
		some = append(some, m)
		if a.gather.must > m.tier || a.level == 0 {
			below = append(below, m)
		}
	}
	if len(some) > 0 {
		r := ruleOf(b.p, a, some)
		r.units = b.p.unitsOf(below)
		if i := b.add(r, around); r.units != nil {
			around = i
		}
	}
	for _, inner := range a.parts {
		b.bind(inner, around)
	}
}

// ruleOf binds a part to multiples.
func ruleOf(p *problem, a *part, some []multiple) evenRule {
	return evenRule{multiples: some, parts: []*part{a}, ranks: [][]int{a.all()}, units: p.unitsOf(some), total: p.unitsOf(some)[p.v.RootTop]}
}

// add adds a rule, or its part to the rule of others that bind the same role: what lies together in a domain can be given to such parts multiple by
// multiple, as long as nobody of them runs, and none is in a group of another topology that the others are not in.
func (b *evenBinder) add(r evenRule, around int) int {
	a := r.parts[0]
	if role := b.onlyRole(a); role >= 0 && r.units != nil && !r.ofGang() {
		key := fmt.Sprint(r.multiples, r.units, role, around, a.groupAbroad())
		if i, ok := b.shared[key]; ok {
			b.p.evens[i].parts, b.p.evens[i].ranks = append(b.p.evens[i].parts, a), append(b.p.evens[i].ranks, r.ranks[0])
			return i
		}
		b.shared[key] = len(b.p.evens)
	}
	b.p.evens = append(b.p.evens, r)
	return len(b.p.evens) - 1
}

// groupAbroad names the group of another topology that a part is in, empty if there is none.
func (a *part) groupAbroad() string {
	for ; a != nil; a = a.around {
		if a.abroad != nil && !a.bundle {
			return a.label
		}
	}
	return ""
}

// onlyRole is the role of all members of a part without inner groups; -1 if there are several, or some run.
func (b *evenBinder) onlyRole(a *part) int {
	only, role := true, -1
	a.each(func(o *part) { only = only && (o == a || o.bundle) })
	for _, rank := range a.all() {
		i := b.place[rank]
		if only = only && i >= 0; !only {
			break
		}
		r := int(b.p.role(int(i)))
		only, role = role < 0 || r == role, r
	}
	if !only {
		return -1
	}
	return role
}

// pendingOf are the places in pending of the members that a rule counts.
func (b *evenBinder) pendingOf(r *evenRule) (out []int32) {
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
func (b *evenBinder) divide() {
	by, last, divided := make([]int32, len(b.p.pending)), int32(0), false
	for k := range b.p.evens {
		r := &b.p.evens[k]
		if r.units == nil || r.ofGang() {
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

// countEvens counts the running members that each rule counts.
func (p *problem) countEvens() {
	p.evens = slices.Clone(p.evens)
	at := p.positionsByRank()
	for i := range p.evens {
		r := &p.evens[i]
		r.runs = layout.Tally{}
		for _, ranks := range r.ranks {
			for _, rank := range ranks {
				if at[rank] >= 0 {
					r.runs.Add(p.v, p.v.NodeVertex(at[rank]), 1)
				}
			}
		}
	}
}

// withKept are the rules that bind, and those of the gang that its groups keep in any case.
func (p *problem) withKept() []evenRule {
	if len(p.whole.multiples) == 0 {
		return p.evens
	}
	all := ruleOf(p, p.whole, p.whole.multiples)
	all.roles = slices.Repeat(front.Weights{1}, len(p.shapes))
	some := *p
	some.evens = []evenRule{all}
	some.countEvens()
	return append(some.evens, slices.DeleteFunc(slices.Clone(p.evens), func(r evenRule) bool { return r.ofGang() })...)
}

// keeps says whether a multiple of the members of each part runs or is in a content.
func (r *evenRule) keeps(place []int32, in content) bool {
	for _, ranks := range r.ranks {
		n := int64(0)
		for _, rank := range ranks {
			if i := place[rank]; i < 0 || in == nil || in[i] {
				n++
			}
		}
		if n%r.total != 0 {
			return false
		}
	}
	return true
}

// even says whether the gang and its parts keep their multiples with a content.
func (c *contents) even(in content) bool {
	return !slices.ContainsFunc(c.p.evens, func(r evenRule) bool { return !r.keeps(c.place, in) })
}

// evenContent says whether the gang and its parts keep their multiples with what is to be placed.
func (p *problem) evenContent() bool {
	if len(p.evens) == 0 {
		return true
	}
	all := p
	if p.parting.everyone != nil {
		all = p.parting.everyone
	}
	place := all.places()
	return !slices.ContainsFunc(p.evens, func(r evenRule) bool { return !r.keeps(place, p.parting.content) })
}

// bindsBelow says whether multiples bind the number of members in any domain, and not only that of all.
func (p *problem) bindsBelow() bool {
	return slices.ContainsFunc(p.evens, func(r evenRule) bool { return r.units != nil })
}

// weighEvens finds what members and groups count for each rule.
func (c *cast) weighEvens() {
	c.counted = nil
	for i := range c.p.evens {
		if c.p.evens[i].units == nil {
			c.counted = append(c.counted, nil)
			continue
		}
		c.counted = append(c.counted, c.scale(slices.Clone(c.p.evens[i].roles)))
	}
}

// even says whether counts, with those that run, are multiples.
func (c *cast) even(a front.Vector) bool {
	for i, w := range c.counted {
		if r := &c.p.evens[i]; w != nil && (w.Of(a)+r.runs.At(layout.Root))%r.total != 0 {
			return false
		}
	}
	return true
}

// evenAt are the counts that may lie below a vertex.
func (c *cast) evenAt(x layout.Vertex, f front.Front) front.Front {
	up := c.p.v.Above(x)
	for i, w := range c.counted {
		if w == nil {
			continue
		}
		unit, runs := c.p.evens[i].units[c.p.v.Tier[up]-1], c.p.evens[i].runs.At(x)
		f = slices.DeleteFunc(f, func(p front.Vector) bool { return (w.Of(p)+runs)%unit != 0 })
	}
	return f
}

// nameOfRule names a multiple, of the first part whose members are none.
func nameOfRule(p *problem, r *evenRule) string {
	i := max(0, slices.IndexFunc(r.ranks, func(ranks []int) bool { return int64(len(ranks))%r.total != 0 }))
	name := nameOfMultiple(p, r.multiples, len(r.ranks[i]))
	if r.ofGang() {
		return name
	}
	return name + " for " + p.called(r.parts[i])
}

// nameOfMultiple names the first multiple that does not divide a number of members, else the first one.
func nameOfMultiple(p *problem, list []multiple, members int) string {
	i := max(0, slices.IndexFunc(list, func(m multiple) bool { return int64(members)%m.of != 0 }))
	return fmt.Sprintf("multiple %d at %s", list[i].of, p.v.LayerName(list[i].tier))
}
