package cases

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

func joined(path []string) string { return strings.Join(path, "/") }

// differs compares the answer with a want: a list of plans, an error, or several of which one must hold. Empty: it
// holds.
func (a *answer) differs(want json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(want, &list) == nil {
		return a.listDiffers(list)
	}
	var one map[string]json.RawMessage
	if err := json.Unmarshal(want, &one); err != nil {
		return "want: " + err.Error()
	}
	if alternatives, ok := one["oneOf"]; ok {
		return anyOf(alternatives, a.differs)
	}
	if refusal, ok := one["error"]; ok {
		return a.errorDiffers(refusal)
	}
	return a.listDiffers([]json.RawMessage{want})
}

// anyOf needs one of the alternatives to hold and reports the last difference otherwise.
func anyOf(alternatives json.RawMessage, differs func(json.RawMessage) string) string {
	var list []json.RawMessage
	if err := json.Unmarshal(alternatives, &list); err != nil {
		return "oneOf: " + err.Error()
	}
	why := "oneOf: nothing is wanted"
	for _, want := range list {
		if why = differs(want); why == "" {
			return ""
		}
	}
	return "none of oneOf, " + why
}

// listDiffers compares plans by gang; those that are wanted must have been made in the order given.
func (a *answer) listDiffers(list []json.RawMessage) string {
	last := -1
	for _, want := range list {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(want, &fields); err != nil {
			return "want: " + err.Error()
		}
		if refusal, ok := fields["error"]; ok {
			return a.errorDiffers(refusal)
		}
		if a.err != nil {
			return "refused: " + a.err.Error()
		}
		name := ""
		if err := json.Unmarshal(fields["gang"], &name); err != nil {
			return "want names no gang"
		}
		i := slices.IndexFunc(a.plans, func(p plan) bool { return p.Gang == name })
		switch {
		case i < 0:
			return name + ": no such plan"
		case i < last:
			return name + ": planned too early"
		}
		last = i
		if why := a.planDiffers(&a.plans[i], fields); why != "" {
			return name + ": " + why
		}
	}
	return ""
}

// planDiffers compares the fields that are given, in natural order, so that the first difference is always the same.
func (a *answer) planDiffers(p *plan, want map[string]json.RawMessage) string {
	keys := make([]string, 0, len(want))
	for key := range want {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, muster.CompareNatural)
	for _, key := range keys {
		if why := a.fieldDiffers(p, key, want[key]); why != "" {
			return why
		}
	}
	return ""
}

// fieldDiffers compares one field. A field that is not known differs: nothing is skipped silently.
func (a *answer) fieldDiffers(p *plan, key string, want json.RawMessage) string {
	switch key {
	case "gang", "note":
		return ""
	case "status":
		return equal(key, want, p.Status)
	case "tier":
		return equal(key, want, p.Tier)
	case "groupTier":
		return equal(key, want, p.GroupTier)
	case "groupTiers":
		return equal(key, want, p.GroupTiers)
	case "strategyNumber":
		return equal(key, want, p.StrategyNumber)
	case "placed":
		return equal(key, want, len(p.Assignments))
	case "domain":
		return domainDiffers(want, p.Domain)
	case "count":
		return equal(key, want, p.count())
	case "countByDomain":
		return a.countByDomainDiffers(p, want)
	case "pods":
		return podsDiffer(want, p)
	case "zones":
		return zonesOfPodsDiffer(want, p)
	case "victims":
		return victimsDiffer(want, p)
	case "victimCount":
		return equal(key, want, len(p.Victims))
	case "waitsFor":
		return equal(key, sorted(want), podSet(p.WaitsFor))
	case "waitsForCount":
		return equal(key, want, len(p.WaitsFor))
	case "reason":
		return causeDiffers(want, p)
	case "ignored":
		return ignoredDiffers(want, p)
	case "terms":
		return termsDiffer(want, p)
	case "refusedBy":
		return holds(key, want, p.Reason.RefusedBy)
	case "explanation":
		return explanationDiffers(want, p)
	case "oneOf":
		return anyOf(want, func(one json.RawMessage) string {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(one, &fields); err != nil {
				return err.Error()
			}
			return a.planDiffers(p, fields)
		})
	}
	return fmt.Sprintf("%s: cannot be compared yet", key)
}

// equal compares by the JSON value.
func equal(key string, want json.RawMessage, got any) string {
	text, err := json.Marshal(got)
	if err != nil {
		return err.Error()
	}
	var x, y any
	if json.Unmarshal(want, &x) == nil && json.Unmarshal(text, &y) == nil && reflect.DeepEqual(x, y) {
		return ""
	}
	return fmt.Sprintf("%s: want %s, got %s", key, want, text)
}

// sorted puts a list of names in the order of podSet; anything else stays as it is.
func sorted(want json.RawMessage) json.RawMessage {
	var names []string
	if json.Unmarshal(want, &names) != nil {
		return want
	}
	slices.Sort(names)
	text, _ := json.Marshal(slices.Compact(names))
	if names == nil {
		return want
	}
	return text
}

func podSet(pods []struct{ Pod string }) []string {
	names := []string{}
	for _, p := range pods {
		names = append(names, p.Pod)
	}
	slices.Sort(names)
	return names
}

// domainDiffers compares a path with the path, a single name with the last element.
func domainDiffers(want json.RawMessage, got string) string {
	var domain string
	if err := json.Unmarshal(want, &domain); err != nil {
		return "domain: " + err.Error()
	}
	last := got[strings.LastIndex(got, "/")+1:]
	if domain == got || !strings.Contains(domain, "/") && domain == last {
		return ""
	}
	return fmt.Sprintf("domain: want %s, got %s", domain, got)
}

// count is the number of new members by node.
func (p *plan) count() map[string]int {
	found := map[string]int{}
	for _, m := range p.Assignments {
		found[m.Node]++
	}
	return found
}

func (a *answer) countByDomainDiffers(p *plan, want json.RawMessage) string {
	var wanted map[string]int
	if err := json.Unmarshal(want, &wanted); err != nil {
		return "countByDomain: " + err.Error()
	}
	got := map[string]int{}
	for _, byNode := range []map[string]int{p.count(), p.running} {
		for node, n := range byNode {
			for _, domain := range a.domainsOf[node] {
				if _, asked := wanted[domain]; asked {
					got[domain] += n
				}
			}
		}
	}
	return equal("countByDomain", want, got)
}

// podsDiffer compares the members that are named.
func podsDiffer(want json.RawMessage, p *plan) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(want, &fields); err != nil {
		return "pods: " + err.Error()
	}
	if alternatives, ok := fields["oneOf"]; ok {
		return anyOf(alternatives, func(one json.RawMessage) string { return podsDiffer(one, p) })
	}
	got := map[string]string{}
	for _, m := range p.Assignments {
		if _, asked := fields[m.Pod]; asked {
			got[m.Pod] = m.Node
		}
	}
	return equal("pods", want, got)
}

// zonesOfPodsDiffer compares the zones of the members that are named, as lists of ascending ids.
func zonesOfPodsDiffer(want json.RawMessage, p *plan) string {
	var wanted map[string]json.RawMessage
	if err := json.Unmarshal(want, &wanted); err != nil {
		return "zones: " + err.Error()
	}
	got := map[string][]int{}
	for _, m := range p.Assignments {
		if _, asked := wanted[m.Pod]; asked {
			got[m.Pod] = []int{}
			for _, zone := range m.Zones {
				got[m.Pod] = append(got[m.Pod], zone.ID)
			}
		}
	}
	return equal("zones", want, got)
}

// victimsDiffer compares a set, or an object `{"victimCount": n, "oneOf": [set, set]}` of which either may be left out.
func victimsDiffer(want json.RawMessage, p *plan) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(want, &fields) != nil {
		return equal("victims", sorted(want), podSet(p.Victims))
	}
	n, counted := fields["victimCount"]
	alternatives, chosen := fields["oneOf"]
	if !counted && !chosen {
		return "victims: neither a list, nor victimCount or oneOf"
	}
	if counted {
		if why := equal("victimCount", n, len(p.Victims)); why != "" {
			return why
		}
	}
	if chosen {
		return anyOf(alternatives, func(one json.RawMessage) string { return victimsDiffer(one, p) })
	}
	return ""
}

// causeDiffers needs the cause to reject at least one node.
func causeDiffers(want json.RawMessage, p *plan) string {
	var cause string
	if err := json.Unmarshal(want, &cause); err != nil {
		return "reason: " + err.Error()
	}
	if p.Reason.Nodes.Rejected[cause] > 0 {
		return ""
	}
	return fmt.Sprintf("reason: no node rejected by %s", cause)
}

// ignoredDiffers compares the whole map; a plan without one ignores nothing.
func ignoredDiffers(want json.RawMessage, p *plan) string {
	if p.Ignored == nil {
		return equal("ignored", want, map[string]int{})
	}
	return equal("ignored", want, p.Ignored)
}

// termsDiffer compares the keys that are given; null: there are none.
func termsDiffer(want json.RawMessage, p *plan) string {
	var wanted map[string]json.RawMessage
	switch err := json.Unmarshal(want, &wanted); {
	case err != nil:
		return "terms: " + err.Error()
	case wanted == nil && p.Terms != nil:
		return equal("terms", want, p.Terms)
	}
	got := map[string]json.RawMessage{}
	for key := range wanted {
		if value, stated := p.Terms[key]; stated {
			got[key] = value
		}
	}
	return equal("terms", want, got)
}

// noticesDiffer looks for lines of standard error: each entry is a text, or texts that stand together on one line, in any
// case. An empty list wants silence; none wants nothing.
func (a *answer) noticesDiffer(want json.RawMessage) string {
	if want == nil {
		return ""
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(want, &entries); err != nil {
		return "notices: " + err.Error()
	}
	if len(entries) == 0 && a.said != "" {
		return "notices: want none, got " + a.said
	}
	for _, entry := range entries {
		var texts []string
		if json.Unmarshal(entry, &texts) != nil {
			texts = make([]string, 1)
			if err := json.Unmarshal(entry, &texts[0]); err != nil {
				return "notices: " + err.Error()
			}
		}
		if !hasLine(a.said, texts) {
			return fmt.Sprintf("notices: no line holds %q: %s", texts, a.said)
		}
	}
	return ""
}

// hasLine says whether all texts stand on one line, in any case.
func hasLine(said string, texts []string) bool {
	for line := range strings.Lines(strings.ToLower(said)) {
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, strings.ToLower(text)) }) {
			return true
		}
	}
	return false
}
