package render

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

// GangStart is when a gang that waits has a place at the latest, or why never.
type GangStart struct {
	Gang  string
	Start *placement.Start
	Err   error // nil: Start says it
}

// StartsText writes a line for each gang that has no place now: when it has one if what runs ends when expected, where, and whose end that takes. tell writes an
// instant for people. Of the topologies of the cluster the layers have short names.
func StartsText(w io.Writer, starts []GangStart, tell func(at int64) string, trees ...cluster.NamedTree) error {
	names := layersOf(trees)
	b := bufio.NewWriter(w)
	if len(starts) == 0 {
		printed.Fprintln(b, "every gang that waits has a place now")
		return b.Flush()
	}
	printed.Fprintln(b, "when gangs have a place, if what runs ends when it is expected to, and nobody else comes")
	var rows, never [][]string
	for i := range starts {
		s := &starts[i]
		if s.Start == nil || s.Start.Plan == nil {
			never = append(never, []string{s.Gang, "never: " + reasonOf(s.Err)})
			continue
		}
		p := s.Start.Plan
		at := names.position(&placement.Position{Tier: p.Tier, Layer: p.Layer, Domain: p.Domain, Span: p.Span})
		rows = append(rows, []string{s.Gang, tell(s.Start.At), placeText(at), afterText(s.Start)})
	}
	for _, list := range [][][]string{rows, never} {
		if len(list) > 0 {
			writeColumns(b, list)
		}
	}
	return b.Flush()
}

// reasonOf is a refusal without its first word, which the line has said.
func reasonOf(err error) string {
	var why *placement.Unschedulable
	switch {
	case err == nil:
		return ""
	case errors.As(err, &why):
		return strings.TrimPrefix(refusalLine(why), "unschedulable: ")
	}
	return err.Error()
}

// afterText reads `after the end of team/a, team/b`.
func afterText(s *placement.Start) string {
	var text, ends []string
	for _, e := range s.WaitsFor {
		ends = append(ends, e.Gang)
	}
	if len(ends) > 0 {
		text = append(text, "after the end of "+strings.Join(ends, ", "))
	}
	if !s.Proven {
		text = append(text, "perhaps sooner")
	}
	return strings.Join(text, "; ")
}

// startObjects are the same for JSON.
func startObjects(starts []GangStart) []object {
	out := []object{}
	for i := range starts {
		s := &starts[i]
		if s.Start == nil || s.Start.Plan == nil {
			out = append(out, object{{"gang", s.Gang}, {"never", reasonOf(s.Err)}})
			continue
		}
		p, waits := s.Start.Plan, []object{}
		for _, e := range s.Start.WaitsFor {
			waits = append(waits, object{{"gang", e.Gang}, {"at", e.At}})
		}
		out = append(out, object{
			{"gang", s.Gang},
			{"at", s.Start.At},
			{"tier", p.Tier},
			{"layer", p.Layer},
			{"domain", strings.Join(p.Domain, "/")},
			{"assignments", assignments(p.Assignments)},
			{"waitsFor", waits},
			{"proven", s.Start.Proven},
		})
	}
	return out
}
