package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
)

// merged are notices, equal ones once with their count.
func merged(notices []string) []string {
	count := map[string]int{}
	var out []string
	for _, n := range notices {
		if count[n]++; count[n] == 1 {
			out = append(out, n)
		}
	}
	for i, n := range out {
		if count[n] > 1 {
			out[i] = fmt.Sprintf("%s (%d times)", n, count[n])
		}
	}
	return out
}

// jsonReport is what the JSON says beside the plans.
func (p *Planned) jsonReport(quotas bool) *render.Report {
	r := &render.Report{Quotas: p.Quotas, WithQuotas: quotas, Notices: merged(p.Input.Notices)}
	for _, s := range p.Input.Skipped {
		r.Skipped = append(r.Skipped, render.Skipped(s))
	}
	for _, err := range p.Input.Defects {
		r.Defects = append(r.Defects, err.Error())
	}
	return r
}

// summary is the last lines of the text: what became of all gangs.
func (p *Planned) summary(w io.Writer) error {
	var placed, waiting, refused, invalid, pods int
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		switch {
		case o.Err == nil && o.Result != nil && len(o.Result.WaitsFor) > 0:
			waiting++
			pods += len(o.Result.Assignments)
		case o.Err == nil && o.Result != nil:
			placed++
			pods += len(o.Result.Assignments)
		case errors.Is(o.Err, placement.ErrUnschedulable), errors.Is(o.Err, muster.ErrNotSupported):
			refused++
		default:
			invalid++
		}
	}
	nodes := p.Input.Spec.Nodes
	if len(p.Outcomes) == 0 {
		if _, err := fmt.Fprintf(w, "no gang waits for a node; %s\n", counted(len(nodes), "node")); err != nil {
			return err
		}
		return p.loose(w)
	}
	_, err := fmt.Fprintf(w, "%s: %d placed, %d waiting, %d refused, %d invalid; %s placed, %s\n",
		counted(len(p.Outcomes), "gang"), placed, waiting, refused, invalid, counted(pods, "pod"), counted(len(nodes), "node"))
	if err != nil {
		return err
	}
	return p.loose(w)
}

// loose tells how many nodes are in no topology, where there are some.
func (p *Planned) loose(w io.Writer) error {
	outside := map[string]int{} // by node: topologies that it is outside of
	for _, t := range p.Input.Spec.Trees {
		for _, name := range t.Tree.Outside() {
			outside[name]++
		}
	}
	n := 0
	for _, of := range outside {
		if of == len(p.Input.Spec.Trees) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "in no topology: %s\n", counted(n, "node"))
	return err
}

// counted is a number of things in words.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// headlines prints the first line of each gang's text.
func headlines(w io.Writer, outcomes []render.Outcome) error {
	for i := range outcomes {
		var text strings.Builder
		if err := render.Text(&text, outcomes[i:i+1]); err != nil {
			return err
		}
		first, _, _ := strings.Cut(text.String(), "\n")
		if _, err := fmt.Fprintln(w, first); err != nil {
			return err
		}
	}
	return nil
}
