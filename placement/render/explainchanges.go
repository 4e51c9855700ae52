package render

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// relaxationText is a sentence: `If node-9 returned to service, it would start in leaf s0/l1.`
func relaxationText(o *Outcome, r *explain.Relaxation) string {
	p := &r.Plan
	text := "If " + changeText(o, &r.Change)
	for i := range r.And {
		text += ", and " + changeText(o, &r.And[i])
	}
	where := inPlace(p.Layer, p.Tier, p.Domain)
	if n := len(p.Domain); r.Change.Kind == explain.KindAdd && p.Tier == 0 && n > 0 && strings.HasPrefix(p.Domain[n-1], r.Change.Like+"-new-") {
		where = "there" // its name is made up
	}
	text += ", it would start " + where
	if n := len(p.WaitsFor); n > 0 {
		text += fmt.Sprintf(", once %s gone", is(count(n, "leaving member"), n))
	}
	if len(p.Victims) > 0 {
		text += ", evicting " + membersOf(p.Victims)
	}
	if !r.Least {
		text += "; " + perhaps[r.Kind]
	}
	return text + "."
}

// perhaps says what a change that is not known to be the least leaves open.
var perhaps = map[explain.Kind]string{
	explain.KindMembers: "perhaps with more", explain.KindLayer: "perhaps a tighter layer would do", explain.KindRequest: "perhaps more would do",
	explain.KindNodes: "perhaps fewer would do", explain.KindQuota: "perhaps less would do", explain.KindGangs: "perhaps fewer would do",
	explain.KindPriority: "perhaps less would do", explain.KindAdd: "perhaps fewer would do", explain.KindGroup: "perhaps less would do",
	explain.KindMultiple: "perhaps less would do", explain.KindLimit: "perhaps less would do", explain.KindTaint: "perhaps less would do", explain.KindSelector: "perhaps less would do",
	explain.KindCombination: "perhaps less would do",
}

// changeText is what would have to be otherwise.
func changeText(o *Outcome, c *explain.Change) string {
	switch c.Kind {
	case explain.KindMembers:
		return membersText(c)
	case explain.KindLayer:
		return layerText(c)
	case explain.KindGroup:
		if c.Part != "" {
			return fmt.Sprintf("the members of %s were not kept in groups of %d", c.Part, c.Size)
		}
		return fmt.Sprintf("its members were not kept in groups of %d", c.Size)
	case explain.KindMultiple:
		return fmt.Sprintf("%s did not have to come by multiples of %d in each %s", who(c), c.Multiple, layerWord(c.From))
	case explain.KindLimit:
		return limitText(c)
	case explain.KindRequest:
		return fmt.Sprintf("no member asked for more than %s instead of %s", amountOf(c.Resource, c.Amount), amountText(c.Resource, c.Before))
	case explain.KindNodes:
		return named(c.Nodes) + " returned to service"
	case explain.KindTaint:
		return "its members tolerated the taint " + taintText(c)
	case explain.KindSelector:
		if c.Affinity {
			return "its members had no node affinity"
		}
		return "its members did not select nodes by the label " + c.Label
	case explain.KindQuota:
		return quotaText(c)
	case explain.KindGangs:
		if c.FewestMembers {
			return named(c.Gangs) + ", which have fewer members, ended"
		}
		return named(c.Gangs) + " ended"
	case explain.KindPriority:
		return priorityText(o, c)
	case explain.KindAdd:
		text := count(c.Add, "node") + " like " + c.Like + " were added"
		if len(c.Domain) > 0 {
			text += " to " + strings.Join(c.Domain, "/")
		}
		return text
	case explain.KindCombination: // its changes are told one by one
	}
	return "something were otherwise"
}

// membersText reads `3 members were enough`.
func membersText(c *explain.Change) string {
	of := ""
	if c.Part != "" {
		of = " of " + c.Part
	}
	n, word := c.MinMember, "member"
	if c.Parts {
		n, word = c.MinParts, "group"
	}
	if n == 0 {
		return fmt.Sprintf("no %s%s were needed", word, of)
	}
	return count(n, word) + of + " were enough"
}

// who is what a rule is about: the gang, its groups, a part or the groups of it.
func who(c *explain.Change) string {
	switch {
	case c.Level > 0 && c.Part != "":
		return fmt.Sprintf("each group of %s%s", c.Part, levelText(c))
	case c.Level > 0:
		return "each of its groups" + levelText(c)
	case c.Part != "":
		return "the members of " + c.Part
	}
	return "its members"
}

// levelText tells levels of groups apart, the outermost aside.
func levelText(c *explain.Change) string {
	if c.Level < 2 {
		return ""
	}
	return fmt.Sprintf(" at level %d", c.Level)
}

func layerText(c *explain.Change) string {
	if c.To == "" {
		return fmt.Sprintf("%s did not have to be in one %s", who(c), layerWord(c.From))
	}
	return fmt.Sprintf("%s had to be in one %s instead of one %s", who(c), layerWord(c.To), layerWord(c.From))
}

// limitText reads `2 of its members could be in one leaf`.
func limitText(c *explain.Change) string {
	layer, of := layerWord(c.From), limited(c)
	switch {
	case c.Limit == gang.Alone:
		return fmt.Sprintf("%s did not have to be alone in one %s", of, layer)
	case c.Most == 0 && c.Limit == gang.Within:
		return fmt.Sprintf("%s did not have to be in few domains of %s", of, layer)
	case c.Most == 0:
		return fmt.Sprintf("%s did not have to keep apart by %s", of, layer)
	case c.Limit == gang.Within:
		return fmt.Sprintf("%s could be in %s of %s", of, count(c.Most, "domain"), layer)
	}
	return fmt.Sprintf("%d of %s could be in one %s", c.Most, of, layer)
}

// limited is of what a limit speaks.
func limited(c *explain.Change) string {
	what := "members"
	switch {
	case c.OfParts:
		what = "parts"
	case c.Level > 0:
		what = "groups"
	}
	if c.Part == "" {
		return "its " + what + levelText(c)
	}
	return fmt.Sprintf("the %s of %s%s", what, c.Part, levelText(c))
}

func taintText(c *explain.Change) string {
	text := c.Taint.Key
	if c.Taint.Value != "" {
		text += "=" + c.Taint.Value
	}
	return text + ":" + string(c.Taint.Effect)
}

// quotaText reads `quota a had a maximum of 12 gpu and a minimum of 4 gpu`.
func quotaText(c *explain.Change) string {
	var parts []string
	for _, q := range c.Quotas {
		var sides []string
		if len(q.Max) > 0 {
			sides = append(sides, "a maximum of "+amountsText(q.Max))
		}
		if len(q.Min) > 0 {
			sides = append(sides, "a minimum of "+amountsText(q.Min))
		}
		parts = append(parts, "quota "+q.Quota+" had "+list(sides))
	}
	return named(parts)
}

func priorityText(o *Outcome, c *explain.Change) string {
	switch {
	case c.Preempts && o.Request != nil && o.Request.Priority == c.Priority:
		return "it were allowed to evict others"
	case c.Preempts:
		return fmt.Sprintf("it had priority %d and were allowed to evict others", c.Priority)
	}
	return fmt.Sprintf("it had priority %d", c.Priority)
}

// kinds are the kinds of changes, as things that are looked into.
var kinds = map[explain.Kind]string{
	explain.KindMembers: "fewer members", explain.KindLayer: "wider layers", explain.KindGroup: "fewer groups", explain.KindMultiple: "no multiples",
	explain.KindLimit: "looser limits", explain.KindRequest: "smaller requests", explain.KindNodes: "nodes back in service", explain.KindTaint: "tolerated taints",
	explain.KindSelector: "wider selectors", explain.KindQuota: "larger quotas", explain.KindGangs: "the end of other gangs",
	explain.KindPriority: "a higher priority", explain.KindAdd: "more nodes", explain.KindCombination: "two changes at once",
}

func kindText(k explain.Kind) string {
	if text, ok := kinds[k]; ok {
		return text
	}
	return string(k)
}
