package render

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/placement"
)

// rule is a rule that binds, taken apart; who is the group or the part whose rule it is, empty for the gang.
type rule struct {
	text, layer, tree, who string
	multiple               string
	limit                  gang.Limit // of a limit; layer is empty then
}

// ruleOf is the rule that the facts name, the zero value if they name none.
func ruleOf(e *placement.Explanation) (r rule) {
	for i := range e.Facts {
		if text := e.Facts[i].Detail.Rule; text != "" {
			r.text = text
		}
	}
	rest, who, _ := strings.Cut(r.text, " for ")
	r.who = who
	if layer, ok := strings.CutPrefix(rest, "MustGather "); ok {
		r.layer, r.tree, _ = strings.Cut(layer, " of ")
	} else if of, ok := strings.CutPrefix(rest, "multiple "); ok {
		r.multiple, r.layer, _ = strings.Cut(of, " at ")
	}
	r.limit = kinds.Limit(rest)
	return r
}

// rulePhrase says what a rule asks of the members: ` in one leaf`.
func rulePhrase(r rule) string {
	of := ""
	if r.tree != "" {
		of = " of topology " + r.tree
	}
	switch {
	case r.text == "":
		return ""
	case r.limit.Kind != "":
		return kinds.LimitPhrase(r.limit, r.who)
	case r.multiple != "" && r.who != "":
		return fmt.Sprintf(", those of %s by multiples of %s in each %s", r.who, r.multiple, phrases.Layer(r.layer))
	case r.multiple != "":
		return fmt.Sprintf(", by multiples of %s in each %s", r.multiple, phrases.Layer(r.layer))
	case r.layer != "" && strings.HasPrefix(r.who, "groups of "):
		return fmt.Sprintf(", each of its %s in one %s%s", r.who, phrases.Layer(r.layer), of)
	case r.layer != "" && r.who != "":
		return fmt.Sprintf(", those of %s in one %s%s", r.who, phrases.Layer(r.layer), of)
	case r.layer != "":
		return fmt.Sprintf(" in one %s%s", phrases.Layer(r.layer), of)
	case r.text == "groups":
		return " in whole groups"
	case r.text == "running members":
		return ""
	}
	return " (" + r.text + ")"
}

// fits reads `at most 3 fit`.
func fits(n int) string {
	switch n {
	case 0:
		return "none fits"
	case 1:
		return "at most 1 fits"
	}
	return fmt.Sprintf("at most %d fit", n)
}

// factText tells a fact that is no reason of the refusal, which stands in front of the details.
func factText(f *explain.Fact) string {
	d := &f.Detail
	switch f.Code {
	case explain.CodePartMinimum:
		return fmt.Sprintf("Part %s alone needs %s, and %s.", d.Part, phrases.Count(d.Wanted, "member"), fits(d.Fits))
	case explain.CodePreemptionForbidden:
		return staying(d, "this gang may evict nobody")
	case explain.CodePriority:
		return staying(d, map[bool]string{true: "its priority is not lower", false: "their priority is not lower"}[d.Members == 1])
	case explain.CodeProtected:
		return staying(d, map[bool]string{true: "it is protected", false: "they are protected"}[d.Members == 1])
	case explain.CodeSteps:
		if d.Reason != "" {
			return "The search ended before this was certain: " + d.Reason + "."
		}
		return "The search ended before this was certain."
	case explain.CodeInvalid, explain.CodeTogether, explain.CodeMembers, explain.CodeQuotaLimit, explain.CodeQuotaMinimum,
		explain.CodeCapacity, explain.CodeFragmentation, explain.CodeRule, explain.CodeGroups, explain.CodeMultiple, explain.CodeLimit,
		explain.CodeRunning, explain.CodeNoResource:
		return ""
	default:
		return nodesText(f)
	}
}

// staying counts running members that are no victims.
func staying(d *explain.Detail, why string) string {
	if d.Members == 1 {
		return "1 running member stays: " + why + "."
	}
	return phrases.Count(d.Members, "running member") + " of " + phrases.Count(d.Gangs, "gang") + " stay: " + why + "."
}

// kept says why nodes take no members, of one node and of several.
var kept = map[explain.Code][2]string{
	explain.CodeCordon:        {"is cordoned", "are cordoned"},
	explain.CodeNotReady:      {"is not ready", "are not ready"},
	explain.CodeTaint:         {"has a taint that is not tolerated", "have a taint that is not tolerated"},
	explain.CodeSelector:      {"is not selected", "are not selected"},
	explain.CodeHostFilter:    {"is kept out by the host", "are kept out by the host"},
	explain.CodeClosed:        {"is closed: a gang is alone there", "are closed: gangs are alone there"},
	explain.CodeOccupied:      {"is near others, and this gang must be alone", "are near others, and this gang must be alone"},
	explain.CodeZonePolicy:    {"has another NUMA policy", "have another NUMA policy"},
	explain.CodeZoneExclusive: {"has zones that others keep to themselves", "have zones that others keep to themselves"},
	explain.CodeZoneCapacity:  {"has enough in sum, but not in its zones", "have enough in sum, but not in their zones"},
}

// nodesText counts nodes that have room and take no members.
func nodesText(f *explain.Fact) string {
	d := &f.Detail
	why := kept[f.Code][1]
	if d.Nodes == 1 {
		why = kept[f.Code][0]
	}
	var keys []string
	for _, k := range d.Keys {
		keys = append(keys, k.Key)
	}
	if len(keys) > 0 {
		why += " (" + phrases.Named(keys) + ")"
	}
	return fmt.Sprintf("%s with room for %s %s.", phrases.Count(d.Nodes, "node"), count64(d.Slots, "member"), why)
}

// tierText says how far the best domain of a tier is from holding the gang.
func tierText(d *explain.Fragmentation) string {
	held := holdersText(d.HeldBy, len(d.HeldBy))
	if held != "" {
		held = "; there " + held
	}
	text := "The whole cluster"
	switch {
	case len(d.Domain) == 0:
	case d.Best == 0 && held != "":
		text = fmt.Sprintf("The first %s, %s,", phrases.Layer(layerOrTier(d.Layer, d.Tier)), strings.Join(d.Domain, "/"))
	case d.Best == 0:
		return "No " + phrases.Layer(layerOrTier(d.Layer, d.Tier)) + " has room for a member."
	default:
		text = fmt.Sprintf("The %s with most room, %s,", phrases.Layer(layerOrTier(d.Layer, d.Tier)), strings.Join(d.Domain, "/"))
	}
	if d.Best == 0 {
		return text + " has no room for a member" + held + "."
	}
	text += " has room for " + count64(d.Best, "member")
	if d.Missing > 0 {
		text += fmt.Sprintf(" and lacks room for %d", d.Missing)
	}
	return text + held + "."
}

// holdersText reads `ns/a holds room for 2, hold for ns/b, from 5 on, for 1 and node-9, out of service, has room for 1`.
func holdersText(holders []explain.Holder, most int) string {
	var parts []string
	verb := ""
	for _, h := range holders[:min(most, len(holders))] {
		who, does := h.Gang, " holds room"
		if h.Node != "" {
			who, does = h.Node+", out of service,", " has room"
		}
		if h.From != 0 {
			who += fmt.Sprintf(", from %d on,", h.From)
		}
		if does == verb { // said before
			does = ""
		} else {
			verb = does
		}
		parts = append(parts, fmt.Sprintf("%s%s for %d", who, does, h.Slots))
	}
	if len(holders) > most {
		parts = append(parts, "others hold more")
	}
	return phrases.List(parts)
}

// lackingText says of which resources nodes have too little, and how many have room that others keep the gang from.
func lackingText(e *placement.Explanation) string {
	var parts []string
	for i := range e.Facts {
		if code := e.Facts[i].Code; code == explain.CodeClosed || code == explain.CodeOccupied {
			text, _, _ := strings.Cut(strings.TrimSuffix(nodesText(&e.Facts[i]), "."), ":")
			parts = append(parts, text)
		}
		for _, k := range e.Facts[i].Detail.Resources {
			parts = append(parts, fmt.Sprintf("%s too little %s", has(phrases.Count(k.Nodes, "node"), k.Nodes), phrases.Resource(k.Key)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + phrases.List(parts)
}

// shortText says of each resource that a quota is short of what is in use, asked for, and the limit.
func shortText(d *explain.Detail) (lines []string) {
	for i, s := range d.Short {
		if i == 2 {
			return append(lines, "And so for other resources.")
		}
		amount := func(n int64) string { return phrases.Amount(s.Resource, n) }
		lines = append(lines, fmt.Sprintf("Of %s, %s in use, the gang asks for %s, and the limit is %s.",
			phrases.Resource(s.Resource), is(amount(s.Used), int(min(s.Used, 2))), amount(s.Asked), amount(s.Limit)))
	}
	return lines
}

// absentText reads `No node has nvidia.com/gpus; the nearest name that one has is nvidia.com/gpu.`
func absentText(d *explain.Detail) (lines []string) {
	if d.Resource == "" {
		return nil
	}
	text := "No node has " + d.Resource
	if d.Nearest != "" {
		text += "; the nearest name that one has is " + d.Nearest
	}
	return []string{text + "."}
}

// deficitText reads `4 nvidia.com/gpu and 2 CPU`.
func deficitText(d *explain.Detail) string {
	var parts []string
	for _, s := range d.Short {
		parts = append(parts, phrases.AmountOf(s.Resource, s.By))
	}
	return phrases.List(parts)
}
