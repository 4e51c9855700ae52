package render

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/muster-sched/muster"

	"github.com/muster-sched/muster/internal/keyends"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// ShapeFits is how large a gang of a shape fits, and who asks for it.
type ShapeFits struct {
	Gangs    []string
	Question placement.FitQuestion
	Fits     []placement.LayerFit
}

// namedGangs is how many gangs of a shape the text names.
const namedGangs = 3

// MaxFitText writes a table for each shape: a line a layer, the largest gang, and with groups how many are whole, in one domain.
func MaxFitText(w io.Writer, shapes []ShapeFits) error {
	b := bufio.NewWriter(w)
	if len(shapes) == 0 {
		printed.Fprintln(b, "no gang waits for a node, so no shape is asked for")
	}
	for _, s := range equalFits(shapes) {
		writeFits(b, &s)
	}
	return b.Flush()
}

// equalFits are the shapes, of those that have the same answer in all that is told one for all their gangs.
func equalFits(shapes []ShapeFits) (out []ShapeFits) {
	at := map[string]int{}
	for i := range shapes {
		s := shapes[i]
		var table strings.Builder
		gangs := s.Gangs
		s.Gangs = nil
		writeFits(&table, &s)
		s.Gangs = gangs
		if k, known := at[table.String()]; known {
			out[k].Gangs = slices.Concat(out[k].Gangs, s.Gangs)
			continue
		}
		at[table.String()] = len(out)
		out = append(out, s)
	}
	return out
}

// writeFits writes the table of one shape.
func writeFits(w io.Writer, s *ShapeFits) {
	q, who := &s.Question, strings.Join(s.Gangs[:min(len(s.Gangs), namedGangs)], ", ")
	if n := len(s.Gangs) - namedGangs; n > 0 {
		who += fmt.Sprintf(" and %d more", n)
	}
	asked := maps.Clone(q.Shape.Resources)
	if asked[muster.Pods] == 1 && len(asked) > 1 { // as of every pod
		delete(asked, muster.Pods)
	}
	printed.Fprintf(w, "largest gang in one domain, of members that ask for %s (%s)\n", strings.Join(phrases.Amounts(asked), ", "), who)
	writeColumns(w, fitRows(s))
	if len(s.Fits) > 0 {
		writeNoFit(w, &s.Fits[len(s.Fits)-1], q.NeverPreempts)
	}
}

// fitRows are the lines of the table: a line a layer, a column for now, for later where members are leaving whose room makes a difference,
// and with evictions where the gang may evict.
func fitRows(s *ShapeFits) [][]string {
	q, layers, later := &s.Question, []string{}, false
	for i := range s.Fits {
		layers = append(layers, s.Fits[i].Layer)
		later = later || fitText(&s.Fits[i].Later, q.Group.Size) != fitText(&s.Fits[i].Now, q.Group.Size)
	}
	row := func(layer string, cells ...string) []string {
		row := []string{layer, cells[0]}
		if later {
			row = append(row, cells[1])
		}
		if !q.NeverPreempts {
			row = append(row, cells[2])
		}
		return append(row, cells[3])
	}
	rows, names := [][]string{row("", "without evictions", "once leaving members are gone", "with evictions", "domain")}, layerNames(keyends.Of(layers))
	for i := range s.Fits {
		f := &s.Fits[i]
		text := func(f *placement.Fit) string { return fitText(f, q.Group.Size) }
		rows = append(rows, row(fitLayer(f, names), text(&f.Now), text(&f.Later), text(&f.Evicting), strings.Join(f.Now.Domain, "/")))
	}
	return rows
}

// fitLayer is what the layer of a line is called.
func fitLayer(f *placement.LayerFit, names layerNames) string {
	if f.Layer == "" {
		return "all"
	}
	return layerOrTier(names.of(f.Layer), f.Tier)
}

// writeNoFit says why nothing fits in the whole topology: now, later, and with victims, where that is another reason.
func writeNoFit(w io.Writer, all *placement.LayerFit, neverPreempts bool) {
	type column struct {
		fit  *placement.Fit
		when string
	}
	columns := []column{{&all.Now, "now"}, {&all.Later, "once leaving members are gone"}, {&all.Evicting, "with victims"}}
	if neverPreempts {
		columns = columns[:2]
	}
	last := placement.NodeCauses{}
	for _, c := range columns {
		nodes := c.fit.Nodes()
		if !reflect.DeepEqual(nodes, last) {
			writeCauses(w, &nodes, "without room "+c.when)
		}
		last = nodes
	}
}

// fitText reads `12`, with groups `12, 3 whole groups`.
func fitText(f *placement.Fit, size int) string {
	text := fmt.Sprint(f.Members)
	if f.AtLeast {
		text = "at least " + text
	}
	if size > 0 {
		text += ", " + phrases.Count(f.Groups, "whole group")
	}
	return text
}

// writeColumns writes rows with columns as wide as need be.
func writeColumns(w io.Writer, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = printed.Text(cell)
			width[i] = max(width[i], len(row[i]))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("  %-*s", width[i], cell)
		}
		printed.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// maxFitObjects are the same for JSON.
func maxFitObjects(shapes []ShapeFits) []object {
	out := []object{}
	for i := range shapes {
		s := &shapes[i]
		layers := []object{}
		for k := range s.Fits {
			f := &s.Fits[k]
			fit := func(f *placement.Fit) object {
				doc := fitObject(f, &s.Question)
				if k == len(s.Fits)-1 && f.Members == 0 { // of all layers, for it is the same in each
					nodes := f.Nodes()
					doc = append(doc, field{"nodes", causesObject(&nodes)})
				}
				return doc
			}
			doc := object{{"tier", f.Tier}, {"layer", f.Layer}, {"now", fit(&f.Now)}, {"later", fit(&f.Later)}}
			if !s.Question.NeverPreempts {
				doc = append(doc, field{"evicting", fit(&f.Evicting)})
			}
			layers = append(layers, doc)
		}
		doc := object{{"gangs", s.Gangs}, {"resources", amountsObject(s.Question.Shape.Resources)}, {"priority", s.Question.Priority}}
		if n := s.Question.Group.Size; n > 0 {
			doc = append(doc, field{"groupSize", n})
		}
		out = append(out, append(doc, field{"layers", layers}))
	}
	return out
}

func fitObject(f *placement.Fit, q *placement.FitQuestion) object {
	doc := object{{"members", f.Members}, {"domain", strings.Join(f.Domain, "/")}}
	if q.Group.Size > 0 {
		doc = append(doc, field{"groups", f.Groups}, field{"groupsDomain", strings.Join(f.GroupsDomain, "/")})
	}
	if f.AtLeast {
		doc = append(doc, field{"atLeast", true})
	}
	return doc
}
