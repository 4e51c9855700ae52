package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// RunningText writes a line for each gang that runs: where it lies, how its groups lie, and what could be better. alone is how many pods
// run that are in no gang. Of the topologies of the cluster the layers have short names.
func RunningText(w io.Writer, gangs []placement.RunningGang, alone int, trees ...cluster.NamedTree) error {
	names := layersOf(trees)
	b := bufio.NewWriter(w)
	switch {
	case len(gangs) > 0:
		printed.Fprintln(b, "gangs that run before the plans, worst first")
	case alone > 0:
		printed.Fprintf(b, "no gang runs before the plans, only %s in none\n", count(alone, "pod"))
	default:
		printed.Fprintln(b, "no gang runs before the plans")
	}
	rows := [][]string{}
	for i := range gangs {
		g := gangs[i]
		g.Now, g.Best = *names.position(&g.Now), *names.position(&g.Best)
		rows = append(rows, []string{g.Gang, count(g.Members, "member"), placeText(&g.Now), better(&g)})
	}
	if len(rows) > 0 {
		writeColumns(b, rows)
	}
	if alone > 0 && len(gangs) > 0 {
		printed.Fprintf(b, "  and %s in no gang\n", count(alone, "pod"))
	}
	return b.Flush()
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
			where = "each in one " + layerWord(w.Layer)
		}
		parts = append(parts, fmt.Sprintf("%d%s %s", w.Groups, of, where))
	}
	return strings.Join(parts, ", ")
}

// better says what could be better.
func better(g *placement.RunningGang) string {
	doubt := ""
	if !g.Proven {
		doubt = "; perhaps there is a better place"
	}
	switch {
	case g.Moves == nil && g.Proven:
		return "as tight as can be"
	case g.Moves == nil:
		return "nothing better was found"
	case g.Wider > 0:
		tiers := map[bool]string{true: "one tier", false: fmt.Sprintf("%d tiers", g.Wider)}[g.Wider == 1]
		return fmt.Sprintf("%s wider than needed: %s has room%s", tiers, placeText(&g.Best), doubt)
	case g.Wider < 0:
		return fmt.Sprintf("its rules would rather have it in %s%s", placeText(&g.Best), doubt)
	}
	return fmt.Sprintf("no wider than needed, but it would lie better in %s%s", placeText(&g.Best), doubt)
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
