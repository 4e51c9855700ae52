package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/preempt"
)

// victims lists the members that leave.
func victims(res *placement.Result) []object {
	found := []object{}
	for _, v := range res.Victims {
		found = append(found, object{{"pod", PodName(v.MemberRef)}, {"gang", v.Gang}, {"node", v.Node}})
	}
	return found
}

func preemption(p *placement.Preemption) object {
	return object{{"cost", costObject(&p.Cost)}, {"lowerBound", costObject(&p.LowerBound)}, {"proven", p.Proven}}
}

// costObject has the costs in their default order.
func costObject(c *preempt.Cost) object {
	out := object{{"budgets", c.Budgets}, {"highestPriority", c.HighestPriority}}
	if len(c.BelowMin) > 0 {
		out = append(out, field{"belowMin", amountsObject(c.BelowMin)})
	}
	return append(
		out,
		field{"gangsEnded", c.GangsEnded}, field{"members", c.Members}, field{"prioritySum", c.PrioritySum},
		field{"unknown", c.Unknown}, field{"lostWork", c.LostWork},
	)
}

// maxVictimsListed is the most lines that the text has for victims, each for those of one gang.
const maxVictimsListed = 16

// writeVictims says who leaves, for each why that is legal, and what they cost together.
func writeVictims(w io.Writer, o *Outcome) {
	lines, told := 0, 0
	gangOf := func(v *placement.Victim) string {
		if PodName(v.MemberRef) == v.Gang {
			return "" // the gang is this pod
		}
		return ", of " + v.Gang
	}
	for list := o.Result.Victims; len(list) > 0; {
		of, why := gangOf(&list[0]), legal(&list[0], o)
		var seats []seated
		for i := range list {
			if gangOf(&list[i]) != of || legal(&list[i], o) != why {
				break
			}
			seats = append(seats, seated{member: PodName(list[i].MemberRef), node: list[i].Node})
		}
		if lines++; lines <= maxVictimsListed {
			told += len(seats)
			fmt.Fprint(w, "  evicts")
			writeSeats(w, seats, "on")
			printed.Fprintf(w, "%s: %s\n", of, why)
		}
		list = list[len(seats):]
	}
	if more := len(o.Result.Victims) - told; more > 0 {
		printed.Fprintf(w, "  and %d more\n", more)
	}
	if p := o.Result.Preemption; p != nil {
		printed.Fprintf(w, "  cost: %s", costText(&p.Cost))
		if p.Proven {
			printed.Fprintln(w, " (proven to be the least)")
		} else {
			printed.Fprintf(w, " (not proven; no less than: %s)\n", costText(&p.LowerBound))
		}
	}
}

// legal says why a victim may leave.
func legal(v *placement.Victim, o *Outcome) string {
	switch {
	case v.OverMin != "":
		return fmt.Sprintf("quota %s uses more than its min of %s", v.Quota, v.OverMin)
	case o.Request == nil:
		return fmt.Sprintf("priority %d is lower", v.Priority)
	}
	return fmt.Sprintf("priority %d is below %d", v.Priority, o.Request.Priority)
}

// costText lists the costs in their default order, leaving out those that do not arise.
func costText(c *preempt.Cost) string {
	var parts []string
	note := func(arises bool, format string, args ...any) {
		if arises {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	note(c.Budgets > 0, "%s against a budget", phrases.Count(c.Budgets, "member"))
	note(true, "highest priority %d", c.HighestPriority)
	for _, name := range slices.SortedFunc(slices.Values(c.BelowMin.Names()), muster.CompareResources) {
		note(true, "%s below minima", phrases.AmountOf(name, c.BelowMin[name]))
	}
	note(c.GangsEnded > 0, "%s ended", phrases.Count(c.GangsEnded, "gang"))
	note(true, "%s", phrases.Count(c.Members, "member"))
	note(true, "priorities %d in sum", c.PrioritySum)
	note(c.Unknown > 0, "%d of unknown start", c.Unknown)
	note(c.LostWork > 0, "lost work %d", c.LostWork)
	return strings.Join(parts, ", ")
}
