package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which rule does a refusal name?

// rulesTried bounds the rules that are tried one by one.
const rulesTried = 8

// BindingRule names a MustGather that keeps the gang from fitting, empty if it has none. First comes a rule under
// which alone the gang does not fit, then one without which it fits. If there is neither among the first rulesTried,
// it is the rule that ends the shortest prefix under which the gang does not fit, found by halves: under more rules
// it never fits better. With one rule, without a minimal selection, or once steps are spent, it is the first.
//
// order: refusals.4
func (e Engine) BindingRule() string {
	rules := hardRules(e.P)
	if len(rules) < 2 || e.P.Parts.Minimal == nil || e.P.Model.Left.Packing.Spent() {
		if len(rules) == 0 {
			return ""
		}
		return rules[0].name
	}
	fits := func(kept ...hardRule) bool { return Engine{under(e.P, kept)}.Possible() }
	tried := rules[:min(len(rules), rulesTried)]
	for _, r := range tried {
		if !fits(r) {
			return r.name
		}
	}
	for i, r := range tried {
		if fits(slices.Concat(rules[:i], rules[i+1:])...) {
			return r.name
		}
	}
	low, high := 0, len(rules) // the gang fits under rules[:low], not under rules[:high]
	for high-low > 1 {
		if middle := (low + high) / 2; fits(rules[:middle]...) {
			low = middle
		} else {
			high = middle
		}
	}
	return rules[low].name
}

// BindingMultiple names a multiple that keeps the gang from fitting: one that does so alone, then one without which
// the gang fits, else the first, as once steps are spent. There must be one that binds.
//
// order: refusals.4
func (e Engine) BindingMultiple() string {
	p := e.P
	with := func(rules []model.MultipleRule) Engine { return Engine{p.WithMultiples(rules)} }
	tried := p.Model.Multiples[:min(len(p.Model.Multiples), rulesTried)]
	if len(tried) == 1 || p.Model.Left.Packing.Spent() {
		return calledMultiple(p, &tried[0])
	}
	for i := range tried {
		if !with(tried[i : i+1]).Possible() {
			return calledMultiple(p, &tried[i])
		}
	}
	for i := range tried {
		if with(slices.Concat(p.Model.Multiples[:i], p.Model.Multiples[i+1:])).Possible() {
			return calledMultiple(p, &tried[i])
		}
	}
	return calledMultiple(p, &tried[0])
}
