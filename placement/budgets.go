package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
)

// setBudgets replaces budgets, and adds those that are new.
func (c *Snapshot) setBudgets(list []Budget) error {
	if len(list) == 0 {
		return nil
	}
	next := slices.Clone(c.budgets)
	for i, b := range list {
		field := fmt.Sprintf("cluster.Budgets[%d].Name", i)
		switch {
		case b.Name == "":
			return muster.Invalid(field, "", "a budget has no name")
		case slices.ContainsFunc(list[:i], func(o Budget) bool { return o.Name == b.Name }):
			return muster.Invalid(field, b.Name, "duplicate name")
		}
		if at, ok := placeOfBudget(next, b.Name); ok {
			next[at] = b
		} else {
			next = slices.Insert(next, at, b)
		}
	}
	c.budgets = next
	return nil
}

func placeOfBudget(sorted []Budget, name string) (int, bool) {
	return slices.BinarySearchFunc(sorted, name, func(b Budget, name string) int { return muster.CompareNatural(b.Name, name) })
}

// budgetsAfter are the budgets that members count in, when these leave that are not leaving already.
func (c *Snapshot) budgetsAfter(away []*member) []Budget {
	var out []Budget
	for _, m := range away {
		if m.leaving {
			continue
		}
		for _, name := range m.class.budgets {
			at, ok := placeOfBudget(c.budgets, name)
			if !ok {
				continue
			}
			i := slices.IndexFunc(out, func(b Budget) bool { return b.Name == name })
			if i < 0 {
				out, i = append(out, c.budgets[at]), len(out)
			}
			out[i].Allowed--
		}
	}
	return out
}
