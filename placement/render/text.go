package render

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Text draws the outcomes, one after the other, each on the snapshot that it was planned on; of more than eight it draws the cluster once,
// before the first plan, and of each plan the lowest domains that it touches, of a refusal nothing. A gang has one line that
// says what was decided and why, the tree, who goes where, and who leaves, why that is legal, and at what cost. Where an outcome has places
// their table says who goes where. Of refusals that look alike the first is drawn.
//
// In the tree a node is a cell and a member that fits on it a character: a capital letter is a new member, one letter
// a group; `+` one of no group beside groups, `=` a member of the gang that runs already, `.` a free slot, `~` one that a
// leaving member holds, `-` one where a victim leaves and no new member comes, `x` one that others hold, `#` one on a node out
// of service; `0` is a node that could never take a member. Slots are counted for the first member, by what nodes have, and by
// their zones where a NUMA policy applies; a member of another shape is one character all the same, and what is left beside it
// is counted for the first. Above eight characters a cell is written as counts, such as `4A3.1x`. In clusters of more than 64
// nodes, domains without a part in the plan are drawn as one line of counts, and no line has more cells than 64: the others are
// counted. Gangs that start together are drawn one after the other: members of
// the others are `x`, and victims of any of them leave. O(nodes + running) for each outcome that is drawn on the whole cluster.
func Text(w io.Writer, outcomes []Outcome) error { return writeText(w, outcomes, nil) }

// writeText is Text in colours.
func writeText(w io.Writer, outcomes []Outcome, in paint) error {
	b := bufio.NewWriter(w)
	each, drawn := len(outcomes) <= drawnEach, &refusals{}
	if !each {
		writeCluster(b, outcomes, in)
	}
	for i := range outcomes {
		o := short(&outcomes[i])
		if i > 0 {
			fmt.Fprintln(b)
		}
		writeHeadline(b, o)
		switch {
		case !drawable(o):
		case each:
			drawn.write(b, o, in)
		case o.Result != nil:
			writeBrief(b, o, in)
		}
		if o.Result == nil {
			writeReason(b, o)
			continue
		}
		if o.Places != nil { // which say it too
			writePlaces(b, o)
		} else {
			writeMembers(b, o, in)
		}
		writeVictims(b, o)
	}
	return b.Flush()
}

// refusals remembers how the last one was drawn, so that the same cluster is not drawn for each.
type refusals struct{ gang, drawing string }

func (r *refusals) write(w io.Writer, o *Outcome, in paint) {
	d := newDrawing(o.Cluster, o)
	d.paint = in
	var text strings.Builder
	d.write(&text)
	switch {
	case o.Result != nil:
	case r.drawing == text.String():
		printed.Fprintf(w, "  on nodes as drawn for %s\n", r.gang)
		return
	default:
		r.gang, r.drawing = o.Gang, text.String()
	}
	_, _ = io.WriteString(w, text.String()) // to a buffer
}

// drawable says whether there is something to draw: a plan or a refusal, and the snapshot of it.
func drawable(o *Outcome) bool {
	planned := o.Result != nil || errors.Is(o.Err, placement.ErrUnschedulable)
	var why *placement.Unschedulable
	if errors.As(o.Err, &why) && strings.HasPrefix(why.Rule, placement.RuleMinMember+" of ") {
		return false // the request was not made: nothing is known of what a slot is
	}
	return planned && o.Request != nil && o.Cluster != nil
}

// name is what the gang is called, beside those that start together with it.
func name(o *Outcome) string {
	if len(o.Together) == 0 {
		return o.Gang
	}
	return o.Gang + " (together with " + strings.Join(mates(o), ", ") + ")"
}

// mates are the names of the gangs that start together with one.
func mates(o *Outcome) []string {
	var names []string
	for i := range o.Together {
		names = append(names, o.Together[i].Gang)
	}
	return names
}

// headline is the line of reason.
func headline(o *Outcome) string {
	if o.Result == nil {
		if errors.Is(o.Err, placement.ErrUnschedulable) {
			return refusalLine(o.Err)
		}
		return "not planned: " + o.why().Error()
	}
	res := o.Result
	text := fmt.Sprintf("placed, %s", phrases.Count(len(res.Assignments), "member"))
	if o.Request != nil && len(o.Request.Members) > len(res.Assignments) {
		text += fmt.Sprintf(" of %d", len(o.Request.Members))
	}
	switch {
	case len(res.Domain) == 0 && res.Tree == "":
		text += " somewhere in the cluster"
	case len(res.Domain) == 0:
		text += " " + inDomain(res.Layer, res.Tier, res.Domain) + " of the topology"
	default:
		text += " " + inDomain(res.Layer, res.Tier, res.Domain)
	}
	text += fmt.Sprintf(", strategy %d", res.StrategyNumber)
	if res.Strategy != "" && res.Strategy != res.Layer { // which is told
		text += " (" + strategyWords(res) + ")"
	}
	for i, s := range res.Span {
		text += map[bool]string{true: ", span ", false: " "}[i == 0] + fmt.Sprintf("%s=%d", layerOrTier(s.Layer, s.Tier), s.Domains)
	}
	for _, g := range res.Elsewhere {
		text += fmt.Sprintf(", %s %s of %s", g.Part, inDomain(g.Layer, g.Tier, g.Domain), g.Tree)
	}
	if o.Pass != "" && o.Pass != quota.Fair {
		text += fmt.Sprintf(", by what its quota may %s", map[quota.Limit]string{quota.Borrow: "borrow", quota.Greedy: "take at most"}[o.Pass])
	}
	if res.Waits() {
		var names []string
		for _, m := range res.WaitsFor {
			names = append(names, PodName(m.MemberRef))
		}
		text += ", waits for " + strings.Join(folded(names), " ")
	}
	if len(res.Victims) > 0 {
		text += ", evicts " + phrases.Count(len(res.Victims), "member")
	}
	if !res.Proven {
		text += ", not proven to be the best"
	}
	return text
}

// refusalLine is a refusal in a line, of a quota with its amounts as people write them.
func refusalLine(err error) string {
	var why *placement.Unschedulable
	if !errors.As(err, &why) {
		return err.Error()
	}
	text := err.Error()
	if why.RefusedBy == nil {
		text = strings.Replace(text, printed.Text(why.Rule), printed.Text(ruleWords(why.Rule)), 1)
		if best := bestTier(why); best != nil {
			path := strings.Join(best.Domain, "/")
			text = strings.Replace(text, " at "+printed.Text(path), " in "+printed.Text(domainWords(best.Layer, best.Tier, best.Domain)), 1)
		}
		return text
	}
	bare := *why
	bare.RefusedBy = &quota.Refusal{} // which has no amounts
	text = bare.Error()
	least := map[bool]string{true: "the minimum, which bounds members that are not preemptible,"}[why.RefusedBy.Rule == quota.RuleMin]
	for _, s := range why.RefusedBy.Short {
		amount := func(n int64) string { return phrases.Amount(s.Resource, n) }
		text += fmt.Sprintf("; %s too many: %s in use, %s asked for, %s %s", phrases.AmountOf(s.Resource, s.By), amount(s.Used), amount(s.Asked), cmp.Or(least, "the limit"), amount(s.Limit))
	}
	return text
}

// bestTier is the domain that the line of a refusal names, nil if it names none: it could take the most members, of equals it is of the lowest
// tier.
func bestTier(why *placement.Unschedulable) (best *placement.TierFit) {
	for i := range why.Tiers {
		if t := &why.Tiers[i]; t.Members > 0 && (best == nil || t.Members > best.Members) {
			best = t
		}
	}
	if best == nil || len(best.Domain) == 0 || why.RefusedBy != nil || len(why.Together) > 0 {
		return nil
	}
	return best
}

// writeReason says what the best domains could have taken, those that take more than the tighter ones, and what is wrong with the nodes. What
// the line before or an explanation says is not told again.
func writeReason(w io.Writer, o *Outcome) {
	var why *placement.Unschedulable
	if !errors.As(o.Err, &why) || why.Rule == placement.RuleMinMember {
		return
	}
	if o.Explanation == nil {
		writeTiers(w, why)
	}
	writeObstacles(w, why.InTheWay())
	if nodes := why.Nodes(); o.Explanation == nil {
		writeCauses(w, &nodes, "without room")
	}
}

// writeTiers says how many members, and whole groups, the best domain of each tier takes.
func writeTiers(w io.Writer, why *placement.Unschedulable) {
	members, groups, told := 0, 0, bestTier(why)
	for i, t := range why.Tiers {
		if t.Members <= members && t.Groups <= groups {
			continue
		}
		members, groups = max(members, t.Members), max(groups, t.Groups)
		if (told == &why.Tiers[i] || len(t.Domain) == 0) && t.Groups == 0 && t.Members == why.Fits {
			continue
		}
		best := "best " + domainWords(t.Layer, t.Tier, t.Domain)
		if len(t.Domain) == 0 {
			best = "the whole cluster"
		}
		least := map[bool]string{true: "at least "}[t.AtLeast]
		printed.Fprintf(w, "  %s: room for %s%s", best, least, phrases.Count(t.Members, "member"))
		if t.Groups > 0 {
			printed.Fprintf(w, ", %s", phrases.Count(t.Groups, "whole group"))
		}
		fmt.Fprintln(w)
	}
}

// writeObstacles says which members of the gang would have to be placed anew.
func writeObstacles(w io.Writer, o placement.Obstacles) {
	if len(o.Members) == 0 {
		return
	}
	printed.Fprintf(w, "  would fit if %s that run%s placed anew", phrases.Count(len(o.Members), "member"), map[bool]string{true: "s were", false: " were"}[len(o.Members) == 1])
	if o.Proven {
		fmt.Fprint(w, " (proven to be the fewest)")
	}
	var list []seated
	for _, m := range o.Members {
		list = append(list, seated{member: m.Member, node: m.Node})
	}
	fmt.Fprint(w, ":")
	writeSeats(w, list, "on")
	fmt.Fprintln(w)
}

// Lists longer than these are cut; JSON has all of it.
const (
	maxGroupsListed = 16
	maxRangesListed = 8
)

// writeSeats writes members and their nodes as ranges: ` worker-[0-15] -> n[01-16], leader last -> n20`; several on one node are before it.
func writeSeats(w io.Writer, list []seated, to string) {
	told, all := 0, stretches(list)
	for i := range all {
		s := &all[i]
		if i == maxRangesListed {
			if all[i-1].sharesNode(s) {
				fmt.Fprintf(w, " %s %s", to, printed.Text(s.where()))
			}
			fmt.Fprintf(w, ", and %d more", len(list)-told)
			return
		}
		told += len(s.members)
		printed.Fprintf(w, "%s %s", map[bool]string{true: "", false: ","}[i == 0 || all[i-1].sharesNode(s)], s.who())
		if i == len(all)-1 || !s.sharesNode(&all[i+1]) {
			printed.Fprintf(w, " %s %s", to, s.where())
		}
	}
}

// writeMembers lists who goes where, one line a group, with the name of its part. A table of places says it too.
func writeMembers(w io.Writer, o *Outcome, in paint) {
	groups, res := 0, o.Result
	parts := partNames(o.Request)
	for i := 0; i < len(res.Assignments); groups++ {
		first := &res.Assignments[i]
		end := i + 1
		for end < len(res.Assignments) && res.Assignments[end].Group == first.Group {
			end++
		}
		if groups < maxGroupsListed {
			group := letter(res, first.Group)
			fmt.Fprint(w, "  "+in.text(group, string(group)))
			if name := parts[first.Member]; name != "" {
				printed.Fprintf(w, " %s:", name)
			}
			var list []seated
			for _, a := range res.Assignments[i:end] {
				list = append(list, seated{a.Member, a.Node, zonesText(sharesOf(a.NUMA))})
			}
			writeSeats(w, list, "->")
			fmt.Fprintln(w)
		}
		i = end
	}
	if groups > maxGroupsListed {
		printed.Fprintf(w, "  and %s more\n", phrases.Count(groups-maxGroupsListed, "group"))
	}
}

// partNames are the names of the outermost parts that the members of a gang are in, where these are groups or cut into groups.
func partNames(req *gang.Request) map[string]string {
	if req == nil {
		return nil
	}
	found := map[string]string{}
	var all func(p *gang.Part, name string)
	all = func(p *gang.Part, name string) {
		if !p.NoGroup || len(p.Groups) > 0 {
			name = cmp.Or(name, p.Name)
		}
		for _, member := range p.Members {
			found[member] = name
		}
		for i := range p.Parts {
			all(&p.Parts[i], name)
		}
	}
	for i := range req.Parts {
		all(&req.Parts[i], "")
	}
	return found
}

// zonesText marks the zones of a member beside its node: ` (zone 0)`, ` (zones 0 1)`.
func zonesText(shares []numa.Share) string {
	if len(shares) == 0 {
		return ""
	}
	text := map[bool]string{true: " (zone", false: " (zones"}[len(shares) == 1]
	for _, s := range shares {
		text += fmt.Sprintf(" %d", s.Zone)
	}
	return text + ")"
}

// letter draws a group; the members of a gang without groups are all A.
func letter(res *placement.Result, group int) rune {
	if group < 0 && len(res.GroupTiers) > 0 {
		return '+'
	}
	return 'A' + rune(max(group, 0)%26)
}
