// The border: what a problem must be like so that nothing behind it need be checked.

package preempt

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Validate says what is wrong with a problem: the first defect as a [muster.InvalidError] whose field is a path such as
// `problem.Candidates[3].Gang`; nil if there is none. [Solve] and [Look] do so themselves, and answer nothing then.
// What callbacks return is not known beforehand: too large slots count as Units, negative ones as 0.
//
// O(nodes + candidates + holdings * resources + domains of the tiers that strategies name, by
// the logarithm of their number).
func (p *Problem) Validate() error {
	if p == nil {
		return &muster.InvalidError{Field: "problem", Reason: "missing"}
	}
	if err := p.check(len(p.Nodes)); err != nil {
		return err
	}
	l := newLayout(p)
	return l.check()
}

// check is Validate for domains of so many positions, but for the width of costs. Nodes are as many where every
// position is a node of its own.
func (p *Problem) check(positions int) error {
	for _, part := range []func() error{p.checkGang, p.checkOrder, p.checkHoldings, p.checkCandidates, p.checkCallbacks} {
		if err := part(); err != nil {
			return err
		}
	}
	for i := range p.Nodes {
		if free := p.Nodes[i].Free; free != nil && len(free) != len(p.Request) {
			return invalid(len(free), "not one amount for each resource of Request", "Nodes[%d].Free", i)
		}
	}
	return p.checkStrategies(positions)
}

// invalid is the error about a field of a problem.
func invalid(value any, reason, field string, at ...any) error {
	return &muster.InvalidError{Field: "problem." + fmt.Sprintf(field, at...), Value: fmt.Sprint(value), Reason: reason}
}

// checkGang looks at the units, what they ask for, and their groups.
func (p *Problem) checkGang() error {
	if p.Units < 1 || p.Units > math.MaxInt32 {
		return invalid(p.Units, "not from 1 to 2147483647", "Units")
	}
	for r, amount := range p.Request {
		if amount < 0 {
			return invalid(amount, "negative", "Request[%d]", r)
		}
	}
	for i, size := range p.Groups {
		switch {
		case size < 1:
			return invalid(size, "below 1", "Groups[%d]", i)
		case i > 0 && p.Groups[i-1]%size != 0:
			return invalid(size, "does not divide the level above", "Groups[%d]", i)
		case len(p.Groups) > 1 && p.Units%size != 0:
			return invalid(size, "one of several levels does not divide Units", "Groups[%d]", i)
		}
	}
	if p.Steps < 0 {
		return invalid(p.Steps, "negative", "Steps")
	}
	return nil
}

// checkOrder accepts no order, or one of all costs.
func (p *Problem) checkOrder() error {
	if len(p.Order) == 0 {
		return nil
	}
	for i, c := range p.Order {
		if !slices.Contains(gang.Costs(), c) || slices.Contains(p.Order[:i], c) {
			return invalid(c, "unknown, or listed twice", "Order[%d]", i)
		}
	}
	if len(p.Order) < len(gang.Costs()) {
		return invalid(len(p.Order), "not all costs", "Order")
	}
	return nil
}

// checkStrategies looks at the strategies and the tiers that they name.
func (p *Problem) checkStrategies(positions int) error {
	if len(p.Strategies) == 0 {
		return invalid("", "missing", "Strategies")
	}
	named := make([]bool, len(p.Tiers))
	for i, st := range p.Strategies {
		if len(st.Groups) > 0 && len(st.Groups) != len(p.Groups) {
			return invalid(len(st.Groups), "not one tier for each level of groups", "Strategies[%d].Groups", i)
		}
		above := len(p.Tiers) - 1
		for level := -1; level < len(st.Groups); level++ {
			tier, field := st.Gang, "Gang"
			if level >= 0 {
				tier, field = st.Groups[level], fmt.Sprintf("Groups[%d]", level)
			}
			if tier < 0 || tier > above {
				return invalid(tier, "no tier at or below the one before", "Strategies[%d].%s", i, field)
			}
			above, named[tier] = tier, true
		}
	}
	return p.checkTiers(named, positions)
}

// checkTiers looks at the tiers that are named: each domain is made of whole ones of the tier below.
func (p *Problem) checkTiers(named []bool, positions int) error {
	var below []int32
	for t, starts := range p.Tiers {
		if !named[t] {
			continue
		}
		if len(starts) == 0 || starts[0] != 0 || int(starts[len(starts)-1]) >= positions {
			return invalid(len(starts), "domains do not begin at position 0, or end beyond the last", "Tiers[%d]", t)
		}
		if !slices.IsSorted(starts) {
			return invalid("", "domains not in the order of positions", "Tiers[%d]", t)
		}
		for i, lo := range starts {
			if _, ok := slices.BinarySearch(below, lo); below != nil && !ok {
				return invalid(lo, "not where a domain of a lower tier begins", "Tiers[%d][%d]", t, i)
			}
		}
		below = starts
	}
	return nil
}

// checkHoldings looks at what candidates hold.
func (p *Problem) checkHoldings() error {
	for i := range p.Holdings {
		h := &p.Holdings[i]
		if len(h.Amounts) != len(p.Request) {
			return invalid(len(h.Amounts), "not one amount for each resource of Request", "Holdings[%d].Amounts", i)
		}
		for r, amount := range h.Amounts {
			if amount < 0 {
				return invalid(amount, "negative", "Holdings[%d].Amounts[%d]", i, r)
			}
		}
		for at, b := range h.Budgets {
			if !inRange(b, len(p.Budgets)) || at > 0 && h.Budgets[at-1] >= b {
				return invalid(b, "no budget, or not ascending", "Holdings[%d].Budgets[%d]", i, at)
			}
		}
	}
	return nil
}

// checkCandidates looks at candidates and their gangs.
func (p *Problem) checkCandidates() error {
	listed, before := make([]int, len(p.Gangs)), int32(0)
	for i := range p.Candidates {
		c := &p.Candidates[i]
		switch {
		case !inRange(c.Position, len(p.Nodes)) || c.Position < before:
			return invalid(c.Position, "no node, or before the one of the last candidate", "Candidates[%d].Position", i)
		case !inRange(c.Gang, len(p.Gangs)):
			return invalid(c.Gang, "no gang", "Candidates[%d].Gang", i)
		case !inRange(c.Holding, len(p.Holdings)):
			return invalid(c.Holding, "no holding", "Candidates[%d].Holding", i)
		}
		before = c.Position
		listed[c.Gang]++
	}
	for g, n := range listed {
		of := &p.Gangs[g]
		switch {
		case of.Surplus < 0 || of.Running < 0:
			return invalid(min(of.Surplus, of.Running), "negative", "Gangs[%d]", g)
		case of.Ends && (of.Surplus > of.Running || n > of.Running):
			return invalid(of.Running, "fewer than may leave", "Gangs[%d].Running", g)
		case of.Ends && of.Whole && n > 0 && n < of.Running:
			return invalid(n, "not all members are candidates", "Gangs[%d].Whole", g)
		}
	}
	if p.Others < 0 {
		return invalid(p.Others, "negative", "Others")
	}
	return nil
}

// checkCallbacks misses those that the rest of the problem makes necessary.
func (p *Problem) checkCallbacks() error {
	if !p.Exact && p.Fits == nil {
		return invalid("", "missing, though the problem is not Exact", "Fits")
	}
	if len(p.Guaranteed) > 0 && p.BelowMin == nil {
		return invalid("", "missing, though Guaranteed names resources", "BelowMin")
	}
	return nil
}

// inRange says whether an id is an index of a list of n.
func inRange(id int32, n int) bool { return id >= 0 && int(id) < n }
