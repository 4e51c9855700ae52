package render

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/internal/phrases"
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
		text += fmt.Sprintf(", once %s gone", is(phrases.Count(n, "leaving member"), n))
	}
	if len(p.Victims) > 0 {
		text += ", evicting " + membersOf(p.Victims)
	}
	if !r.Least {
		text += "; " + kinds.Of(r.Kind).Perhaps
	}
	return text + "."
}

// changeText is what would have to be otherwise.
func changeText(o *Outcome, c *explain.Change) string {
	words, _, _ := kinds.Of(c.Kind).Told(c, o.Gang, o.Request)
	return words
}

// change is what to change of a gang, or around it, in the words of the input.
func change(gang string, c *explain.Change) object {
	_, fields, _ := kinds.Of(c.Kind).Told(c, gang, nil)
	return ordered(fields)
}

// ordered are keys and values in turn as an object.
func ordered(fields []any) object {
	out := object{}
	for i := 0; i+1 < len(fields); i += 2 {
		key, _ := fields[i].(string)
		value := fields[i+1]
		switch v := value.(type) {
		case []any:
			value = ordered(v)
		case [][]any:
			all := []object{}
			for _, inner := range v {
				all = append(all, ordered(inner))
			}
			value = all
		case muster.Resources:
			value = amountsObject(v)
		}
		out = append(out, field{key, value})
	}
	return out
}
