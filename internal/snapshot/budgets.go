// How many members may leave each disruption budget?

package snapshot

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// setBudgets replaces the budgets of these names, and adds the new ones. Other snapshots share the list, so it is
// copied.
func (c *Snapshot) setBudgets(list []cluster.Budget) error {
	if len(list) == 0 {
		return nil
	}
	next, before := slices.Clone(c.Budgets), map[string]bool{}
	for i, b := range list {
		if err := checkBudget(i, b, before); err != nil {
			return err
		}
		if at, ok := placeOfBudget(next, b.Name); ok {
			next[at] = b
		} else {
			next = slices.Insert(next, at, b)
		}
	}
	c.Budgets = next
	return nil
}

// checkBudget is the defect of a budget at its place in a list; before are the names of those before it.
func checkBudget(i int, b cluster.Budget, before map[string]bool) error {
	field, twice := fmt.Sprintf("cluster.Budgets[%d].Name", i), before[b.Name]
	switch before[b.Name] = true; {
	case b.Name == "":
		return muster.Invalid(field, "", "a budget has no name")
	case twice:
		return muster.Invalid(field, b.Name, "duplicate name")
	}
	return nil
}

// placeOfBudget is where a budget stands, or would stand; the bool says which.
func placeOfBudget(sorted []cluster.Budget, name string) (int, bool) {
	return slices.BinarySearchFunc(sorted, name, func(b cluster.Budget, name string) int { return muster.CompareNatural(b.Name, name) })
}

// BudgetsAfter are the budgets of some members once these have left, each allowing one less for every such member;
// below 0 they are broken. Members that are leaving already count in none, and unknown budgets are passed by.
func (c *Snapshot) BudgetsAfter(away []*Member) []cluster.Budget {
	var out []cluster.Budget
	for _, m := range away {
		if m.Leaving {
			continue
		}
		for _, name := range m.Class.Budgets {
			at, ok := placeOfBudget(c.Budgets, name)
			if !ok {
				continue
			}
			i := slices.IndexFunc(out, func(b cluster.Budget) bool { return b.Name == name })
			if i < 0 {
				out, i = append(out, c.Budgets[at]), len(out)
			}
			out[i].Allowed--
		}
	}
	return out
}
