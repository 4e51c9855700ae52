package placement

import "slices"

// rulesTried bounds how many rules are looked at one by one for one that binds a gang in parts.
const rulesTried = 8

// hardRule is a MustGather of the gang, or of groups that are called alike.
type hardRule struct {
	said string
	of   []*part
}

// hardRules lists the MustGathers of a gang in parts, outer ones before those in them.
func (p *problem) hardRules() (rules []hardRule) {
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

// bindingRule names a MustGather that really binds the members that must be placed: the first that refuses them by itself, else the first without
// which they would fit, else the first that refuses them with those before it. Empty if there is none. At most 2 * rulesTried casts, and as many as the
// number of rules has digits.
func (p *problem) bindingRule() string {
	rules := p.hardRules()
	if len(rules) < 2 || p.parting.few == nil {
		if len(rules) == 0 {
			return ""
		}
		return rules[0].said
	}
	fits := func(kept ...hardRule) bool { return p.underRules(kept).possible() }
	tried := rules[:min(len(rules), rulesTried)]
	for _, r := range tried {
		if !fits(r) {
			return r.said
		}
	}
	for i, r := range tried {
		if fits(slices.Concat(rules[:i], rules[i+1:])...) {
			return r.said
		}
	}
	low, high := 0, len(rules) // the first low of them fit, all of them do not
	for high-low > 1 {
		if middle := (low + high) / 2; fits(rules[:middle]...) {
			low = middle
		} else {
			high = middle
		}
	}
	return rules[low].said
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
	if loose.bindMultiples(); len(loose.evens) > 0 { // without some rule groups need not keep them in any case
		loose.alignment = alignment{gifts: p.alignment.gifts}
		loose.align()
	}
	return &loose
}
