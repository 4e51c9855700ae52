package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// GangMoves is who moves so that a gang has a place, or domains become empty, or why no moves will do.
type GangMoves struct {
	Gang   string // empty: domains become empty
	Moving *placement.Moving
	Err    error // nil: Moving says it
	// Request is that of the gang, and After the cluster once all have moved: where both are set the text draws the plan.
	Request *gang.Request
	After   *placement.Cluster
}

// MovesText writes for each gang what the moves cost, then these in order, a line each, then where the gang lies. Of the topologies of the cluster the layers have short
// names.
func MovesText(w io.Writer, moves []GangMoves, trees ...cluster.NamedTree) error {
	names := layersOf(trees)
	b := bufio.NewWriter(w)
	if len(moves) == 0 {
		printed.Fprintln(b, "every gang that waits has a place, so nobody moves")
	}
	for i := range moves {
		if i > 0 {
			printed.Fprintln(b)
		}
		g := &moves[i]
		if g.Moving == nil {
			printed.Fprintf(b, "%s\n", noMoves(g, names))
			continue
		}
		writeMoves(b, g)
		if err := writeGoal(b, g, names); err != nil {
			return err
		}
	}
	return b.Flush()
}

// noMoves says why there are none.
func noMoves(g *GangMoves, names layerNames) string {
	what, err := "no moves were found", g.Err
	var why *placement.Unschedulable
	if errors.As(err, &why) {
		if why.Proven {
			what = "no moves will do"
		}
		err = names.refusal(why)
	}
	return goalOf(g) + what + ": " + reasonOf(err)
}

// goalOf begins a line with the gang that is to fit.
func goalOf(g *GangMoves) string {
	if g.Gang == "" {
		return ""
	}
	return g.Gang + ": "
}

// writeMoves says what they cost, and lists them.
func writeMoves(w io.Writer, g *GangMoves) {
	m := g.Moving
	what := "fits"
	if m.Plan == nil {
		var empty []string
		for _, path := range m.Empty {
			empty = append(empty, strings.Join(path, "/"))
		}
		what = phrases.List(empty) + map[bool]string{true: " is empty", false: " are empty"}[len(empty) == 1]
	}
	if m.Cost == (placement.MoveCost{}) {
		printed.Fprintf(w, "%s%s as it is\n", goalOf(g), what)
		return
	}
	printed.Fprintf(w, "%s%s once %s", goalOf(g), what, movedText(&m.Cost))
	if m.Proven {
		printed.Fprintln(w, " (proven to be the least)")
	} else {
		printed.Fprintf(w, " (not proven; no less than: %s)\n", moveCostText(&m.LowerBound))
	}
	for i := range m.Moves {
		printed.Fprintf(w, "  %d.", i+1)
		writeMove(w, &m.Moves[i])
		printed.Fprintln(w)
	}
}

// movedText reads `3 members of 2 gangs move, and lose 600 of their work`.
func movedText(c *placement.MoveCost) string {
	text := fmt.Sprintf("%s of %s move%s", phrases.Count(c.Members, "member"), phrases.Count(c.Gangs, "gang"), map[bool]string{true: "s"}[c.Members == 1])
	if c.Lost > 0 {
		text += fmt.Sprintf(", lost work %d", c.Lost)
	}
	return text
}

func moveCostText(c *placement.MoveCost) string {
	var parts []string
	if c.Lost > 0 {
		parts = append(parts, fmt.Sprintf("lost work %d", c.Lost))
	}
	return strings.Join(append(parts, phrases.Count(c.Members, "member"), phrases.Count(c.Gangs, "gang")), ", ")
}

// writeMove lists who goes from where to where: ` team/job: job-[0-1] from n[1-2] -> n[5-6]`. Who waits has no node to go to, and none to come from later.
func writeMove(w io.Writer, m *placement.Move) {
	var list []seated
	from := map[string]string{}
	waits, starts := len(m.Members) > 0, len(m.Members) > 0
	for _, member := range m.Members {
		from[member.Member] = member.From
		waits, starts = waits && member.To == "", starts && member.From == ""
		s := seated{member.Member, member.To, zonesText(sharesOf(member.NUMA))}
		if member.To == "" {
			s.node = member.From
		}
		list = append(list, s)
	}
	printed.Fprintf(w, " %s:", m.Gang)
	switch {
	case waits:
		writeSeats(w, list, "on")
		fmt.Fprint(w, " stop, and wait")
	case starts:
		writeSeats(w, list, "start again on")
	default:
		writeWays(w, list, from)
	}
}

// writeWays lists members that move with the nodes that they leave.
func writeWays(w io.Writer, list []seated, from map[string]string) {
	told, all := 0, stretches(list)
	for i := range all {
		s := &all[i]
		if i == maxRangesListed {
			fmt.Fprintf(w, ", and %d more", len(list)-told)
			return
		}
		told += len(s.members)
		var nodes []string
		for at, member := range s.members {
			if at == 0 || from[member] != nodes[len(nodes)-1] {
				nodes = append(nodes, from[member])
			}
		}
		printed.Fprintf(w, "%s %s from %s -> %s", map[bool]string{true: "", false: ","}[i == 0], s.who(), strings.Join(folded(nodes), ","), s.where())
	}
}

// writeGoal says where the gang lies then, or draws it.
func writeGoal(w io.Writer, g *GangMoves, names layerNames) error {
	p := g.Moving.Plan
	if p == nil {
		return nil
	}
	if g.Request != nil && g.After != nil {
		return Text(w, []Outcome{{Gang: g.Gang, Request: g.Request, Cluster: g.After, Result: p}})
	}
	at := names.position(&placement.Position{Tier: p.Tier, Layer: p.Layer, Domain: p.Domain, Span: p.Span})
	printed.Fprintf(w, "  then %s in %s:", g.Gang, placeText(at))
	var list []seated
	for _, a := range p.Assignments {
		list = append(list, seated{a.Member, a.Node, zonesText(sharesOf(a.NUMA))})
	}
	writeSeats(w, list, "->")
	printed.Fprintln(w)
	return nil
}

// moveObjects are the same for JSON.
func moveObjects(moves []GangMoves) []object {
	out := []object{}
	for i := range moves {
		g := &moves[i]
		var doc object
		if g.Gang != "" {
			doc = append(doc, field{"gang", g.Gang})
		}
		if m := g.Moving; m == nil {
			doc = append(doc, field{"none", reasonOf(g.Err)}, field{"proven", isProven(g.Err)})
		} else {
			doc = append(doc, field{"cost", moveCostObject(&m.Cost)}, field{"lowerBound", moveCostObject(&m.LowerBound)}, field{"proven", m.Proven}, field{"moves", stepObjects(m.Moves)})
			if m.Plan != nil {
				doc = append(doc, field{"plan", plan(&Outcome{Gang: m.Plan.Gang, Result: m.Plan})})
			} else {
				doc = append(doc, field{"empty", pathTexts(m.Empty)})
			}
		}
		out = append(out, doc)
	}
	return out
}

// isProven says whether a refusal is.
func isProven(err error) bool {
	var why *placement.Unschedulable
	return errors.As(err, &why) && why.Proven
}

func moveCostObject(c *placement.MoveCost) object {
	return object{{"lost", c.Lost}, {"members", c.Members}, {"gangs", c.Gangs}}
}

// stepObjects are the moves in order; who waits has no `to`, who starts again no `from`.
func stepObjects(moves []placement.Move) []object {
	out := []object{}
	for i := range moves {
		members := []object{}
		for _, m := range moves[i].Members {
			doc := object{{"pod", m.Member}}
			if m.From != "" {
				doc = append(doc, field{"from", m.From})
			}
			if m.To != "" {
				doc = append(doc, field{"to", m.To})
			}
			if shares := zones(m.NUMA); len(shares) > 0 {
				doc = append(doc, field{"zones", shares})
			}
			members = append(members, doc)
		}
		out = append(out, object{{"gang", moves[i].Gang}, {"members", members}})
	}
	return out
}

func pathTexts(paths [][]string) []string {
	out := []string{}
	for _, p := range paths {
		out = append(out, strings.Join(p, "/"))
	}
	return out
}
