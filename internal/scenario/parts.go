package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/datadriven"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/topology"
)

// parts reads the lines below a plan, one a part, inner ones indented.
func parts(w *words, gangName string) []gang.Part {
	lines := strings.Split(strings.TrimRight(w.lines, "\n "), "\n")
	if w.lines == "" {
		return nil
	}
	found, left := partsAt(w, gangName, lines, indentation(lines[0]))
	if len(left) > 0 {
		w.errors = append(w.errors, "indented less than what is above it: "+left[0])
	}
	return found
}

// partsAt reads the parts of one indentation, and returns the lines behind them.
func partsAt(w *words, gangName string, lines []string, depth int) ([]gang.Part, []string) {
	var found []gang.Part
	for len(lines) > 0 {
		switch at := indentation(lines[0]); {
		case at < depth:
			return found, lines
		case at > depth:
			last := &found[len(found)-1]
			last.Parts, lines = partsAt(w, gangName, lines, at)
		default:
			found, lines = append(found, onePart(w, gangName, lines[0])), lines[1:]
		}
	}
	return found, nil
}

// onePart reads `part name 0-2,5 min=2`.
func onePart(w *words, gangName, line string) gang.Part {
	kind, args, err := datadriven.ParseLine(strings.TrimSpace(line))
	if err != nil || kind != "part" && kind != "bundle" || len(args) == 0 {
		w.errors = append(w.errors, "no part: "+line)
		return gang.Part{}
	}
	own := &words{args: args, known: map[string]bool{args[0].Key: true}}
	p := gang.Part{
		Name: args[0].Key, Tree: own.text("tree"), NoGroup: kind == "bundle", MinMember: own.number("min", 0), MinParts: own.number("parts", 0), Groups: groups(own),
		Gather: slices.Concat(rules(own, "must", gang.MustGather, -1), rules(own, "prefer", gang.PreferGather, -1), multiples(own)),
		Limits: append(limits(own, "", -1), ofParts(own, "parts-")...),
	}
	if len(args) > 1 && len(args[1].Vals) == 0 {
		own.known[args[1].Key] = true
		for _, n := range own.ranges(args[1].Key) {
			p.Members = append(p.Members, fmt.Sprintf("%s-%d", gangName, n))
		}
	}
	if err := own.err(); err != nil {
		w.errors = append(w.errors, err.Error()+": "+line)
	}
	return p
}

// otherTrees reads a topology beside that of the drawing: its name, its layer's, and the nodes of each domain.
func otherTrees(w *words) ([]cluster.NamedTree, error) {
	list := w.list("also")
	if len(list) < 2 {
		return nil, nil
	}
	spec := topology.Spec{Layers: []topology.Layer{{Name: list[1], Tier: 1}}}
	for i, nodes := range list[2:] {
		d := topology.Domain{Name: fmt.Sprintf("%s-%d", list[1], i), Tier: 1}
		for _, n := range w.ranges(nodes) {
			d.Nodes = append(d.Nodes, fmt.Sprintf("node-%d", n))
		}
		spec.Roots = append(spec.Roots, d)
	}
	tree, err := topology.New(spec)
	return []cluster.NamedTree{{Name: list[0], Tree: tree}}, err
}

// ranges reads `0-2,5`.
func (w *words) ranges(text string) []int {
	var found []int
	for _, s := range strings.Split(text, ",") {
		first, last, several := strings.Cut(s, "-")
		from := w.atoi("members", first)
		to := from
		if several {
			to = w.atoi("members", last)
		}
		for n := from; n <= to; n++ {
			found = append(found, n)
		}
	}
	return found
}

// groups reads levels of equal groups.
func groups(w *words) []gang.Groups {
	var found []gang.Groups
	for level, size := range w.numbers("group") {
		found = append(found, gang.Groups{Size: size, Gather: slices.Concat(
			rules(w, "group-must", gang.MustGather, level), rules(w, "group-prefer", gang.PreferGather, level),
		), Limits: limits(w, "group-", level)})
	}
	return found
}

// limits reads `apart=leaf:1`, `alone=leaf` and `within=unit:2`, with a `?` behind it for one that is preferred. For groups the list has
// one entry a level, as for [rules].
func limits(w *words, prefix string, level int) []gang.Limit {
	var found []gang.Limit
	for _, kind := range []gang.LimitKind{gang.Apart, gang.Alone, gang.Within} {
		for _, r := range rules(w, prefix+strings.ToLower(string(kind)), gang.MustGather, level) {
			text, preferred := strings.CutSuffix(r.Layer, "?")
			layer, most, given := strings.Cut(text, ":")
			l := gang.Limit{Layer: layer, Kind: kind, Preferred: preferred}
			if given {
				l.Most = w.atoi(string(kind), most)
			}
			found = append(found, l)
		}
	}
	return found
}

// ofParts reads `parts-apart=leaf:1` and `parts-alone=leaf`, or the same of gangs.
func ofParts(w *words, prefix string) []gang.Limit {
	found := limits(w, prefix, -1)
	for i := range found {
		found[i].OfParts = true
	}
	return found
}

// together reads the limits of gangs that start together: `together-apart=leaf:1`, `gangs-apart=leaf:1`, `gangs-alone=leaf`.
func together(w *words) []gang.Limit {
	return append(ofParts(w, "gangs-"), limits(w, "together-", -1)...)
}

// newNames are those of the new members: the numbers that `new` gives, else as many as there are, from first on.
func newNames(w *words, gangName string, first, n int) []string {
	var names []string
	if text := w.text("new"); text != "" {
		for _, i := range w.ranges(text) {
			names = append(names, gangName+"-"+strconv.Itoa(i))
		}
		return names
	}
	for i := range n {
		names = append(names, gangName+"-"+strconv.Itoa(first+i))
	}
	return names
}
