package cli

import (
	"fmt"

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
