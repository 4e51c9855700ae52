package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// Explanations writes of each outcome that has an explanation why the gang waits and what would make it start, in sentences: at most eight
// lines, then all that is known beside these. Of the changes of each kind the first one stands in front, as far as there are lines.
func Explanations(w io.Writer, outcomes []Outcome) error {
	b := bufio.NewWriter(w)
	first := true
	for i := range outcomes {
		if outcomes[i].Explanation == nil {
			continue
		}
		o := short(&outcomes[i])
		if !first {
			fmt.Fprintln(b)
		}
		first = false
		writeExplanation(b, o)
	}
	return b.Flush()
}

// mostLines is how many lines stand before the details.
const mostLines = 8

func writeExplanation(w io.Writer, o *Outcome) {
	e := o.Explanation
	room, of := roomLeft(o)
	head, details := append(whyWaits(o), room...), []string{}
	if len(e.Relaxations) == 0 && e.Plans > 0 {
		head = append(head, "No change that was tried makes it start.")
	}
	for i := range e.Facts {
		if text := factText(&e.Facts[i]); text != "" && !toldIn(head, text) {
			details = append(details, text)
		}
	}
	if like := likeFirst(o.Request); like != "" && len(room) > 0 {
		if text := "a member" + like; !toldIn(head, text) {
			details = append(details, "Room is counted for members"+like+".")
		}
	}
	for i := range e.Fragmentation {
		if i != of && len(room) > 0 && !repeats(e.Fragmentation[:i+1]) && !allTold(&e.Fragmentation[i], &e.Fragmentation[len(e.Fragmentation)-1]) {
			details = append(details, tierText(&e.Fragmentation[i]))
		}
	}
	known := map[explain.Kind]bool{}
	for i := range e.Relaxations {
		r := &e.Relaxations[i]
		text := relaxationText(o, r)
		if known[r.Kind] || len(head) == mostLines {
			details = append(details, text)
			continue
		}
		known[r.Kind], head = true, append(head, text)
	}
	details = append(details, effort(e)...)
	printed.Fprintln(w, head[0])
	for _, line := range head[1:] {
		printed.Fprintln(w, "  "+line)
	}
	if len(details) > 0 {
		printed.Fprintln(w, "  details:")
	}
	for _, line := range details {
		printed.Fprintln(w, "    "+line)
	}
}

// toldIn says whether lines tell what a sentence does, up to its reason.
func toldIn(lines []string, text string) bool {
	text, _, _ = strings.Cut(strings.TrimSuffix(text, "."), ":")
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) })
}

// effort says what was not looked into, and how many plans were made.
func effort(e *placement.Explanation) (lines []string) {
	if e.Plans == 0 {
		if len(e.NotTried) > 0 {
			lines = append(lines, "No change was looked into: "+e.NotTried[0].Reason+".")
		}
		return lines
	}
	for _, n := range e.NotTried {
		lines = append(lines, "Not looked into to the end, "+kinds.Of(n.Kind).Things+": "+n.Reason+".")
	}
	return append(lines, was(phrases.Count(e.Plans, "trial plan"), e.Plans)+" made to find this out.")
}

// repeats says whether the last domain has all the room that there is, and so has the one before it, with the same holders.
func repeats(tiers []explain.Fragmentation) bool {
	if len(tiers) < 2 {
		return false
	}
	d, before := &tiers[len(tiers)-1], &tiers[len(tiers)-2]
	return d.Best == d.Slots && d.Best == before.Best && slices.Equal(d.HeldBy, before.HeldBy)
}

// allTold says whether nothing is to be told of a domain without room beside what is told of the cluster: it has none, and who holds what.
func allTold(d, whole *explain.Fragmentation) bool {
	return d.Best == 0 && whole.Slots == 0 && (len(d.HeldBy) == 0 || slices.Equal(d.HeldBy, whole.HeldBy))
}

// whyWaits begins with what becomes of the gang, and the reason.
func whyWaits(o *Outcome) (lines []string) {
	e := o.Explanation
	switch e.Verdict {
	case placement.VerdictPlaced:
		return []string{o.Gang + " starts" + startText(e.Plan) + "."}
	case placement.VerdictWaits:
		return []string{o.Gang + " starts" + startText(e.Plan) + " once " + leavingText(e.Plan) + "."}
	case placement.VerdictNeedsVictims:
		return []string{o.Gang + " starts" + startText(e.Plan) + " once " + evictedText(e.Plan) + "."}
	case placement.VerdictInvalid:
		reason := "nothing is known of it"
		if len(e.Facts) > 0 {
			reason = strings.TrimPrefix(e.Facts[0].Detail.Reason, o.Gang+": ")
		}
		return []string{o.Gang + " cannot be planned: " + strings.ReplaceAll(reason, "\n", "; ")}
	case placement.VerdictRefused:
	}
	lines = []string{o.Gang + " cannot start: " + refusalText(o) + "."}
	if len(o.Together) > 0 && len(e.Relaxations) > 0 {
		lines = append(lines, "It starts together with "+phrases.Named(mates(o))+", or not at all; what follows is of this gang by itself.")
	}
	for i := range e.Facts {
		lines = append(append(lines, shortText(&e.Facts[i].Detail)...), absentText(&e.Facts[i].Detail)...)
	}
	return lines
}

// told says whether the first fact has one of the codes.
func told(e *placement.Explanation, codes ...explain.Code) bool {
	return len(e.Facts) > 0 && slices.Contains(codes, e.Facts[0].Code)
}

// startText reads ` with 4 members in leaf s0/l1`.
func startText(p *placement.Result) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf(" with %s %s", phrases.Count(len(p.Assignments), "member"), inPlace(p.Layer, p.Tier, p.Domain))
}

// leavingText reads `2 leaving members are gone: ns/a and ns/b`.
func leavingText(p *placement.Result) string {
	if p == nil {
		return "others are gone"
	}
	var pods []string
	for _, m := range p.WaitsFor {
		pods = append(pods, PodName(m.MemberRef))
	}
	return is(phrases.Count(len(pods), "leaving member"), len(pods)) + " gone: " + phrases.Named(pods)
}

// evictedText reads `it evicts 3 members: 2 of ns/a and 1 of ns/b`.
func evictedText(p *placement.Result) string {
	if p == nil {
		return "it evicts others"
	}
	var refs []cluster.MemberRef
	for i := range p.Victims {
		refs = append(refs, p.Victims[i].MemberRef)
	}
	return "it evicts " + membersOf(refs)
}

// refusalText is the reason of a refusal.
func refusalText(o *Outcome) string {
	e := o.Explanation
	if len(e.Facts) == 0 {
		return "no plan was found"
	}
	f := &e.Facts[0]
	switch d := &f.Detail; f.Code {
	case explain.CodeTogether:
		text := has(phrases.Named(d.Names)+", which", len(d.Names)) + " to start together with it, cannot"
		if d.Reason != "" {
			text += ": " + strings.ReplaceAll(d.Reason, "\n", "; ")
		}
		return text
	case explain.CodeMembers:
		of := ""
		if d.Part != "" {
			of = " of " + d.Part
		}
		return fmt.Sprintf("it needs %s%s, and %s known", members(o, d.Wanted), of, is(numberOr(d.Fits, "none", "only "), d.Fits))
	case explain.CodeQuotaLimit:
		return fmt.Sprintf("quota %s would use %s more than it may", d.Quota, deficitText(d))
	case explain.CodeQuotaMinimum:
		return fmt.Sprintf("its members are not preemptible, and those of quota %s would use %s more than its minimum", d.Quota, deficitText(d))
	case explain.CodeSteps:
		return "the search ended before a plan was found"
	default:
		text := "it needs " + members(o, d.Wanted) + rulePhrase(ruleOf(e))
		if jointly(o, d.Wanted) {
			text = fmt.Sprintf("it and %s together need %s%s", phrases.Named(mates(o)), phrases.Count(d.Wanted, "member"), rulePhrase(ruleOf(e)))
		} else if someRun(o, d.Wanted) {
			text += " with those that run"
		}
		text += ", and "
		if !f.Proven {
			return text + fmt.Sprintf("the search, which ended early, found room for %s", numberOr(d.Fits, "none", ""))
		}
		return text + fits(d.Fits) + withEvictions(e, d.Fits)
	}
}

// withEvictions reads ` without evictions, 118 with`, where it is known how many fit if others leave.
func withEvictions(e *placement.Explanation, without int) string {
	for i := range e.Relaxations {
		r := &e.Relaxations[i]
		if c := &r.Change; c.Kind == explain.KindMembers && c.Part == "" && !c.Parts && len(r.And) == 0 && r.Least && len(r.Plan.Victims) > 0 && c.MinMember > without {
			return fmt.Sprintf(" without evictions, %d with", c.MinMember)
		}
	}
	return ""
}

// members reads `4 members`, or `1 more member` where some run already.
func members(o *Outcome, wanted int) string {
	if someRun(o, wanted) {
		return phrases.Count(wanted, "more member")
	}
	return phrases.Count(wanted, "member")
}

// jointly says whether it is all gangs that start together that need so many members.
func jointly(o *Outcome, wanted int) bool {
	return len(o.Together) > 0 && o.Request != nil && wanted > len(o.Request.Members)
}

// someRun says whether members of the gang run already, so that it needs fewer than its minimum.
func someRun(o *Outcome, wanted int) bool { return o.Request != nil && o.Request.MinMember > wanted }

// roomLeft says how much room there is, how far the best domain is from holding the gang, and who holds what is missing there; whole is
// the tier of which that is all there is to say, -1: of none.
func roomLeft(o *Outcome) (lines []string, whole int) {
	e := o.Explanation
	if len(e.Fragmentation) == 0 || told(e, explain.CodeTogether, explain.CodeMembers, explain.CodeQuotaLimit, explain.CodeQuotaMinimum) {
		return nil, -1 // room is not what is missing
	}
	r := ruleOf(e)
	whole = tierOf(e, r)
	d := &e.Fragmentation[whole]
	layer, path := phrases.Layer(layerOrTier(d.Layer, d.Tier)), strings.Join(d.Domain, "/")
	like := likeFirst(o.Request)
	text := "The cluster has room for " + count64(d.Slots, "member") + like + " in all"
	switch {
	case d.Slots == 0:
		text = "The cluster has no room for a member" + like + lackingText(e)
	case path == "": // the whole cluster is what is too small
		text += lackingText(e)
	case r.who == "" && r.multiple == "" && like == "" && d.Missing > 0:
		text += fmt.Sprintf(", but no %s for more than %d: %s lacks room for %d", layer, d.Best, path, d.Missing)
	default:
		text += fmt.Sprintf(", and %s, the %s with most room, for %d", path, layer, d.Best)
		switch {
		case r.limit.Kind != "" && d.Missing == 0:
			text += ", but not as they have to lie"
		case r.who == "" && d.Missing == 0 && like == "" && inGroups(o.Request):
			text += ", but not as its groups have to lie"
		}
	}
	lines = append(lines, text+".")
	if text := holdersText(d.HeldBy, mostHolders); text != "" {
		lines = append(lines, "There "+text+".")
	}
	if len(d.HeldBy) > mostHolders || path != "" && d.Slots > 0 && d.Missing > 0 && !strings.Contains(text, "lacks room") {
		whole = -1
	}
	return lines, whole
}

// mostHolders is how many of those who hold room stand before the details.
const mostHolders = 3

// likeFirst reads ` like leader-0`, the first member, whose shape slots count, where others are of other shapes.
func likeFirst(req *gang.Request) string {
	if req == nil || shapesOf(req) == nil {
		return ""
	}
	return " like " + req.Members[0].Name
}

// inGroups says whether members are kept in groups.
func inGroups(req *gang.Request) bool {
	return req != nil && (len(req.Groups) > 0 || len(req.Parts) > 0 || req.PP > 0 || req.DP > 0)
}

// tierOf is the place of what is told of: the layer of the rule, else the whole cluster.
func tierOf(e *placement.Explanation, r rule) int {
	for i := range e.Fragmentation {
		if d := &e.Fragmentation[i]; r.layer != "" && r.tree == "" && layerName(d.Layer, d.Tier) == r.layer {
			return i
		}
	}
	return len(e.Fragmentation) - 1
}
