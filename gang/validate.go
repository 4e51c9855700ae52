package gang

import (
	"errors"
	"fmt"
	"math"

	"github.com/muster-sched/muster"
)

// defects collects everything that is wrong with a request, so that a user sees it at once.
type defects []error

func (d *defects) add(field string, value any, reason string) {
	*d = append(*d, &muster.InvalidError{Field: field, Value: fmt.Sprint(value), Reason: reason})
}

// missing is the error for a nil request.
func missing() error { return &muster.InvalidError{Field: "request", Reason: "missing"} }

// Validate refuses a request that no cluster can make sense of. All defects are reported, joined in the order of the
// fields, each an [muster.InvalidError] whose field is a path such as `request.Groups[0].Size`. What depends on the
// cluster is left to the planner: layers, the tree, running members, and sizes against the total. Shapes that members
// share by pointer are checked once. O(members + what the shapes and rules hold); the request is not changed.
func (r *Request) Validate() error {
	_, err := r.Ordered()
	return err
}

// Ordered is [Request.Validate] that also says, of a valid request, whether its members stand in rank order already: those with
// an index by that, then the others by name. It may say no of members that are in order by index, but not by name.
func (r *Request) Ordered() (bool, error) {
	if r == nil {
		return false, missing()
	}
	var d defects
	names, ranks := r.ascending() // the usual order, in which no name can be there twice
	r.checkMembers(&d, names)
	checkShape(&d, "request.Shape", &r.Shape)
	r.checkSum(&d)
	r.checkTotals(&d)
	checkRules(&d, "request.Gather", r.Gather, true)
	checkLimits(&d, "request.Limits", r.Limits, len(r.Parts) > 0)
	r.checkGroups(&d)
	r.checkParts(&d)
	r.checkTogether(&d)
	if r.Steps < 0 {
		d.add("request.Steps", r.Steps, "negative")
	}
	switch r.Policy {
	case "", BestFit, Spread, Balanced, ByScore:
	default:
		d.add("request.Policy", r.Policy, "unknown policy")
	}
	if !r.QuotaLimit.Known() {
		d.add("request.QuotaLimit", r.QuotaLimit, "unknown limit")
	}
	r.checkPreempt(&d)
	return ranks, errors.Join(d...)
}

// checkTogether checks the rules of gangs that start together, of which there must be others.
func (r *Request) checkTogether(d *defects) {
	checkRules(d, "request.GatherTogether", r.GatherTogether, true)
	if len(r.GatherTogether) > 0 && r.Together == "" {
		d.add("request.GatherTogether", r.GatherTogether[0].Layer, "the gang starts together with none")
	}
	checkLimits(d, "request.LimitsTogether", r.LimitsTogether, true)
	if len(r.LimitsTogether) > 0 && r.Together == "" {
		d.add("request.LimitsTogether", r.LimitsTogether[0].Layer, "the gang starts together with none")
	}
}

// checkTotals checks the declared sizes against each other; how many members run is not known here.
func (r *Request) checkTotals(d *defects) {
	if r.MinMember < 0 {
		d.add("request.MinMember", r.MinMember, "negative")
	}
	if r.Total < 0 {
		d.add("request.Total", r.Total, "negative")
	}
	if r.Total > 0 && r.MinMember > r.Total {
		d.add("request.MinMember", r.MinMember, fmt.Sprintf("above the total of %d", r.Total))
	}
}

// ascending says whether the members' names ascend in natural order, each above the one before, and whether indexes, where
// members have them, order them alike and, where these are cut into groups, leave no gap.
func (r *Request) ascending() (names, ranks bool) {
	ranks = true
	for i := 1; i < len(r.Members); i++ {
		a, b := &r.Members[i-1], &r.Members[i]
		if muster.CompareNatural(a.Name, b.Name) >= 0 {
			return false, false
		}
		if a.Indexed || b.Indexed {
			ranks = ranks && a.Indexed && (!b.Indexed || a.Index <= b.Index)
		}
	}
	return true, ranks && !r.hasGap()
}

// hasGap says whether some index of members that are cut into groups is not their place in the list.
func (r *Request) hasGap() bool {
	if len(r.Members) == 0 || !r.Members[0].Indexed || r.PP == 0 && r.DP == 0 && len(r.Groups) == 0 {
		return false
	}
	for i := range r.Members {
		if m := &r.Members[i]; m.Indexed && m.Index != i {
			return true
		}
	}
	return false
}

// checkMembers looks for duplicate names unless they ascend.
func (r *Request) checkMembers(d *defects, ascending bool) {
	if len(r.Members) == 0 {
		d.add("request.Members", "", "no members to place")
	}
	var first map[string]int // by name
	if !ascending {
		first = make(map[string]int, len(r.Members))
	}
	var checked map[*Shape]bool // shapes that members share by pointer are checked and reported once
	for i := range r.Members {
		m := &r.Members[i]
		if m.Name == "" {
			d.add(fmt.Sprintf("request.Members[%d].Name", i), "", "a member has no name")
		} else if first != nil {
			if other, ok := first[m.Name]; ok {
				d.add(fmt.Sprintf("request.Members[%d].Name", i), m.Name, fmt.Sprintf("duplicate name, of request.Members[%d] too", other))
			} else {
				first[m.Name] = i
			}
		}
		if m.Indexed && m.Index < 0 {
			d.add(fmt.Sprintf("request.Members[%d].Index", i), m.Index, "negative")
		}
		if m.Shape != nil && !checked[m.Shape] {
			if checked == nil {
				checked = map[*Shape]bool{}
			}
			checked[m.Shape] = true
			checkShape(d, fmt.Sprintf("request.Members[%d].Shape", i), m.Shape)
		}
	}
}

// checkSum refuses amounts that overflow when the members are added up, so that no sum over a gang has to be checked
// again. Negative amounts are reported elsewhere.
func (r *Request) checkSum(d *defects) {
	// If no single amount is above its share of the largest sum, no sum overflows. That is so for all but absurd requests, and
	// costs one look at each shape.
	most := math.MaxInt64 / int64(max(1, len(r.Members)))
	large := r.Shape.largest() > most
	for i := range r.Members {
		s := r.Members[i].Shape
		large = large || s != nil && s.largest() > most
	}
	if !large {
		return
	}
	own := 0
	sum, overflow := muster.Resources{}, muster.Resources{}
	add := func(s *Shape, n int64) { // sums do not depend on the order
		for name, amount := range s.Resources {
			switch {
			case amount <= 0:
			case amount > (math.MaxInt64-sum[name])/n: // sum + amount*n would overflow
				overflow[name] = 1
			default:
				sum[name] += amount * n
			}
		}
	}
	for i := range r.Members {
		if s := r.Members[i].Shape; s != nil {
			own++
			add(s, 1)
		}
	}
	if own < len(r.Members) {
		add(&r.Shape, int64(len(r.Members)-own))
	}
	for _, name := range overflow.Names() {
		d.add("request.Members", name, "the sum of this resource over all members overflows")
	}
}

// largest is the largest amount of any resource.
func (s *Shape) largest() (most int64) {
	for _, amount := range s.Resources {
		most = max(most, amount)
	}
	return most
}

// checkRules checks the rules of one gang, part or level of groups. A layer may have one rule of a strategy and one multiple.
func checkRules(d *defects, field string, rules []Rule, multiples bool) {
	type said struct {
		layer string
		what  Strength // empty: a multiple
	}
	var seen map[said]bool
	if len(rules) > 1 {
		seen = make(map[said]bool, len(rules))
	}
	// second notes what a rule says, and is true if an earlier one has said it.
	second := func(s said) bool {
		was := seen[s]
		if seen != nil {
			seen[s] = true
		}
		return was
	}
	for i, rule := range rules {
		add := func(name string, value any, reason string) {
			d.add(fmt.Sprintf("%s[%d].%s", field, i, name), value, reason)
		}
		if rule.Layer == "" {
			add("Layer", "", "a rule names no layer")
		}
		switch rule.Strength {
		case MustGather, PreferGather:
			if second(said{rule.Layer, rule.Strength}) {
				add("Layer", rule.Layer, "a second "+string(rule.Strength)+" for one layer")
			}
		case "":
			if rule.Multiple == 0 {
				add("Multiple", 0, "a rule with neither a strategy nor a multiple says nothing")
			}
		default:
			add("Strength", rule.Strength, "unknown strength")
		}
		switch {
		case rule.Multiple < 0:
			add("Multiple", rule.Multiple, "negative")
		case rule.Multiple > 0 && !multiples:
			add("Multiple", rule.Multiple, "only the gang and its parts can have a multiple, equal groups cannot")
		case rule.Multiple > 0 && second(said{layer: rule.Layer}):
			add("Multiple", rule.Layer, "a second multiple for one layer")
		}
	}
}

// checkLevels checks nested levels of equal groups.
func checkLevels(d *defects, field string, levels []Groups) {
	for i, g := range levels {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case g.Size < 1:
			d.add(at+".Size", g.Size, "below 1")
		case i > 0 && levels[i-1].Size < 1: // reported there
		case i > 0 && g.Size >= levels[i-1].Size:
			d.add(at+".Size", g.Size, fmt.Sprintf("not below the size of the groups around it, %d", levels[i-1].Size))
		case i > 0 && levels[i-1].Size%g.Size != 0:
			d.add(at+".Size", g.Size, fmt.Sprintf("does not divide the size of the groups around it, %d", levels[i-1].Size))
		}
		checkRules(d, at+".Gather", g.Gather, false)
		if len(g.Limits) > 0 {
			checkLimits(d, at+".Limits", g.Limits, false)
		}
	}
}

// checkGroups checks the groups of the gang, which are given as levels or by PP and DP, not both.
func (r *Request) checkGroups(d *defects) {
	checkLevels(d, "request.Groups", r.Groups)
	if r.PP < 0 {
		d.add("request.PP", r.PP, "negative")
	}
	if r.DP < 0 {
		d.add("request.DP", r.DP, "negative")
	}
	if len(r.Groups) > 0 && r.PP != 0 {
		d.add("request.PP", r.PP, "excludes Groups")
	}
	if len(r.Groups) > 0 && r.DP != 0 {
		d.add("request.DP", r.DP, "excludes Groups")
	}
}
