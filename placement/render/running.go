package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// RunningText writes a line for each gang that runs, below what could be better of it: where it lies, how its groups lie, and where it could be. alone is how many pods
// run that are in no gang. Of the topologies of the cluster the layers have short names.
func RunningText(w io.Writer, gangs []placement.RunningGang, alone int, trees ...cluster.NamedTree) error {
	names := layersOf(trees)
	b := bufio.NewWriter(w)
	switch {
	case len(gangs) > 0:
		printed.Fprintln(b, "gangs that run before the plans, worst first")
	case alone > 0:
		printed.Fprintf(b, "no gang runs before the plans, only %s in none\n", phrases.Count(alone, "pod"))
	default:
		printed.Fprintln(b, "no gang runs before the plans")
	}
	rows, judged := [][]string{}, []string{}
	for i := range gangs {
		g := gangs[i]
		g.Now, g.Best = *names.position(&g.Now), *names.position(&g.Best)
		what, where := better(&g)
		rows, judged = append(rows, []string{g.Gang, phrases.Count(g.Members, "member"), placeText(&g.Now), where}), append(judged, what)
	}
	writeJudged(b, rows, judged)
	if alone > 0 && len(gangs) > 0 {
		printed.Fprintf(b, "  and %s in no gang\n", phrases.Count(alone, "pod"))
	}
	return b.Flush()
}

// writeJudged writes lines below what is said of all of them.
func writeJudged(w io.Writer, rows [][]string, judged []string) {
	for first, last := 0, 0; first < len(rows); first = last {
		for last < len(rows) && judged[last] == judged[first] {
			rows[last][0] = "  " + rows[last][0]
			last++
		}
		printed.Fprintf(w, "  %s:\n", judged[first])
		writeColumns(w, rows[first:last])
	}
}

// placeText reads `leaf s0/l1, over 2 units, groups: 3 of 4 in a unit each`.
func placeText(at *placement.Position) string {
	text := "the whole cluster"
	if len(at.Domain) > 0 {
		text = domainWords(at.Layer, at.Tier, at.Domain)
	}
	for _, s := range at.Span {
		if s.Domains > 1 {
			text += fmt.Sprintf(", over %d of %s", s.Domains, layerOrTier(s.Layer, s.Tier))
			break // the layers below say no more than that there are more of them
		}
	}
	for i := range at.Groups {
		if l := &at.Groups[i]; l.Groups > 1 {
			text += ", groups: " + groupsText(l)
		}
	}
	return text
}

// groupsText reads `3 of 4 each in a unit, 4 in a leaf`.
func groupsText(l *placement.GroupLevel) string {
	var parts []string
	for _, w := range l.Within {
		of := ""
		if len(parts) == 0 {
			of = fmt.Sprintf(" of %d", l.Groups)
		}
		where := "in the whole cluster"
		if w.Layer != "" {
			where = "each in one " + phrases.Layer(w.Layer)
		}
		parts = append(parts, fmt.Sprintf("%d%s %s", w.Groups, of, where))
	}
	return strings.Join(parts, ", ")
}

// better says what could be better, and where it would be.
func better(g *placement.RunningGang) (what, where string) {
	doubt := ""
	if !g.Proven {
		doubt = ", perhaps not the best place"
	}
	switch {
	case g.Moves == nil && g.Proven:
		return "as tight as can be", ""
	case g.Moves == nil:
		return "nothing better was found", ""
	case g.Wider > 0:
		tiers := map[bool]string{true: "one tier", false: fmt.Sprintf("%d tiers", g.Wider)}[g.Wider == 1]
		what = tiers + " wider than needed"
	case g.Wider < 0:
		what = "its rules would rather have it elsewhere"
	default:
		what = "no wider than needed, but not where it would lie best"
	}
	return what, "could be in " + placeText(&g.Best) + doubt
}

// runningObjects are the same for JSON.
func runningObjects(gangs []placement.RunningGang) []object {
	out := []object{}
	for i := range gangs {
		g := &gangs[i]
		doc := object{{"gang", g.Gang}, {"members", g.Members}}
		if g.Tree != "" {
			doc = append(doc, field{"topology", g.Tree})
		}
		doc = append(append(doc, positionObject(&g.Now)...), field{"wider", g.Wider}, field{"proven", g.Proven})
		if g.Moves != nil {
			best := append(positionObject(&g.Best), field{"assignments", assignments(g.Moves)})
			doc = append(doc, field{"best", best})
		}
		out = append(out, doc)
	}
	return out
}

func positionObject(at *placement.Position) object {
	doc := object{
		{"tier", at.Tier},
		{"layer", at.Layer},
		{"domain", strings.Join(at.Domain, "/")},
		{"strategy", at.Strategy},
		{"strategyNumber", at.StrategyNumber},
		{"span", span(at.Span)},
	}
	levels := []object{}
	for i := range at.Groups {
		within := []object{}
		for _, w := range at.Groups[i].Within {
			within = append(within, object{{"tier", w.Tier}, {"layer", w.Layer}, {"groups", w.Groups}})
		}
		levels = append(levels, object{{"groups", at.Groups[i].Groups}, {"within", within}})
	}
	return append(doc, field{"groups", levels})
}
