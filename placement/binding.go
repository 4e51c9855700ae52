package placement

import (
	"fmt"
)

// rulesTried bounds how many rules are looked at one by one for one that binds a gang in parts.
const rulesTried = 8

// binding names the first rule without which the members would fit: a multiple, the groups' rules, the gang's. Empty if
// the free slots of the whole cluster do not suffice.
func binding(p *problem) string {
	e := engineOf(p)
	if !e.HoldsWithoutRules() {
		return ""
	}
	if (p.mult != nil || len(p.evens) > 0) && engineOf(p.withoutMultiples()).Possible() {
		return e.BindingMultiple()
	}
	if rule := e.BindingRule(); rule != "" {
		return rule
	}
	switch {
	case len(p.running) > 0:
		return "running members"
	case p.members != nil:
		return fmt.Sprintf("MustGather node for groups of %d", p.size())
	}
	return "groups"
}

// hardRule is a MustGather of the gang, or of groups that are called alike.
type hardRule struct {
	said string
	of   []*part
}

// hardRules lists the MustGathers of a gang in parts, outer ones before those in them.
func hardRules(p *problem) (rules []hardRule) {
	at := map[string]int{}
	p.whole.each(func(a *part) {
		if a.gather.own < 0 || a.bundle {
			return
		}
		said := "MustGather " + a.gather.name
		if a.abroad != nil {
			said += " of " + a.abroad.Name
		}
		if a.level > 0 {
			said += " for " + p.called(a)
		}
		i, ok := at[said]
		if !ok {
			i = len(rules)
			at[said] = i
			rules = append(rules, hardRule{said: said})
		}
		rules[i].of = append(rules[i].of, a)
	})
	return rules
}

// called is what a refusal calls a group; of gangs that start together each is one.
func (p *problem) called(a *part) string {
	if p.team == nil {
		return a.called
	}
	return p.team.Called(a)
}

// underRules is the gang with no other MustGathers than these.
func (p *problem) underRules(kept []hardRule) *problem {
	bound := map[*part]bool{}
	for _, r := range kept {
		for _, a := range r.of {
			bound[a] = true
		}
	}
	loose := *p
	var copied func(a *part) *part
	copied = func(a *part) *part {
		b := *a
		b.gather = p.in(a).free()
		if bound[a] {
			b.gather = gathering{must: a.gather.own, hard: true, worths: []int32{a.gather.own}}
		}
		b.parts = nil
		for _, inner := range a.parts {
			in := copied(inner)
			in.around = &b
			b.parts = append(b.parts, in)
		}
		return &b
	}
	loose.whole = copied(p.whole)
	loose.gather = loose.whole.gather
	if bindMultiples(&loose); len(loose.evens) > 0 { // without some rule groups need not keep them in any case
		loose.alignment = alignment{gifts: p.alignment.gifts}
		align(&loose)
	}
	return &loose
}
