package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/placement/manifest"
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

// writeLost ends the summary with what of the input is in no plan.
func writeLost(w io.Writer, in *manifest.Input) error {
	for _, lost := range []struct {
		what  string
		names []string
	}{{"without pods", in.Empty}, {"not read", in.Unread}} {
		const most = 5
		names := lost.names[:min(most, len(lost.names))]
		if len(names) == 0 {
			continue
		}
		text := lost.what + ": " + strings.Join(names, ", ")
		if more := len(lost.names) - len(names); more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// jsonReport is what the JSON says beside the plans.
func (p *Planned) jsonReport(quotas bool) *render.Report {
	r := &render.Report{Quotas: p.Quotas, WithQuotas: quotas, Notices: merged(p.Input.Notices)}
	r.Unread, r.Empty = p.Input.Unread, p.Input.Empty
	for _, s := range p.Input.Skipped {
		r.Skipped = append(r.Skipped, render.Skipped(s))
	}
	for _, err := range p.Input.Defects {
		r.Defects = append(r.Defects, err.Error())
	}
	return r
}
