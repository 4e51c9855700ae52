package scenario

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/preempt"
)

// victimsLine says who leaves, what that costs, and whether it is proven that nothing costs less; empty if nobody leaves.
func victimsLine(req *gang.Request, res *placement.Result) string {
	if len(res.Victims) == 0 {
		return ""
	}
	var names []string
	for _, v := range res.Victims {
		name := v.Member
		if v.OverMin != "" {
			name += "(" + v.OverMin + ")"
		}
		names = append(names, name)
	}
	line := "evicts " + strings.Join(names, ",") + " at" + costText(req, &res.Preemption.Cost)
	if res.Preemption.Proven {
		return line + " (proven)\n"
	}
	return line + " (at least" + costText(req, &res.Preemption.LowerBound) + ")\n"
}

// costText lists costs in the order in which the request compares them, those of 0 left out.
func costText(req *gang.Request, c *preempt.Cost) string {
	var text string
	add := func(what string, n int64) {
		if n != 0 {
			text += fmt.Sprintf(" %s=%d", what, n)
		}
	}
	for _, cost := range req.Preempt.Ranked() {
		switch cost {
		case gang.CostBudgets:
			add("budgets", int64(c.Budgets))
		case gang.CostHighestPriority:
			add("highestPriority", c.HighestPriority)
		case gang.CostBelowMin:
			for _, name := range c.BelowMin.Names() {
				add("belowMin:"+name, c.BelowMin[name])
			}
		case gang.CostGangsEnded:
			add("gangsEnded", int64(c.GangsEnded))
		case gang.CostMembers:
			add("members", int64(c.Members))
		case gang.CostPrioritySum:
			add("prioritySum", c.PrioritySum)
		case gang.CostStrategy: // the headline tells it
		case gang.CostLostWork:
			add("unknown", int64(c.Unknown))
			add("lostWork", c.LostWork)
		}
	}
	return text
}

// vacate draws what victims leave free.
func (b *board) vacate(victims map[cluster.MemberRef]bool) {
	for _, slots := range b.slots {
		for i, ref := range slots {
			if victims[ref] {
				slots[i] = vacated
			}
		}
	}
}
