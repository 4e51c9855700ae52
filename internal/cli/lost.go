package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// merged are notices, those that say the same of several objects once: of the first, with the number and some of the others.
func merged(notices []string) []string {
	type saying struct {
		first  string
		times  int
		others []string
	}
	of := map[string]*saying{}
	var order []*saying
	for _, n := range notices {
		object, what, _ := strings.Cut(n, " ")
		if !strings.Contains(object, "/") {
			what = n
		}
		if of[what] == nil {
			of[what] = &saying{first: n}
			order = append(order, of[what])
		}
		s := of[what]
		if s.times++; n != s.first {
			s.others = append(s.others, strings.TrimSuffix(object, ":"))
		}
	}
	var out []string
	for _, s := range order {
		switch others := slices.Compact(s.others); {
		case s.times == 1:
		case len(others) == 0:
			s.first = fmt.Sprintf("%s (%d times)", s.first, s.times)
		default:
			s.first = fmt.Sprintf("%s (and so for %s)", s.first, listed(others, 4))
		}
		out = append(out, s.first)
	}
	return out
}

// meanings are what names of rules do not say by themselves; the others are not modelled.
var meanings = map[string]string{
	"absentGroup":   "names a PodGroup that is not in the input, so that its minimum and rules are not known",
	"absentOwner":   "has an owner that is not in the input, so that its rules are not known",
	"unknownOwner":  "has a controller of an unknown kind, so that its rules are not known",
	"ownerTopology": "is placed pod by pod, though its owner has a rule for all of them",
}

// ignoredRules says of each rule that plans do not keep which gangs have it.
func ignoredRules(outcomes []render.Outcome) (lines []string) {
	gangs, pods := map[string][]string{}, map[string]int{}
	for i := range outcomes {
		o := &outcomes[i]
		for rule, n := range o.Ignored { // in any order: each has lists of its own
			gangs[rule], pods[rule] = append(gangs[rule], o.Gang), pods[rule]+n
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(gangs)) {
		what := "is not modelled and ignored"
		if meaning := meanings[rule]; meaning != "" {
			what = meaning
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s (pods: %d)", listed(gangs[rule], 4), rule, what, pods[rule]))
	}
	return lines
}

// listed names the first of many.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// writeLost ends the summary with what of the input is in no plan.
func writeLost(w io.Writer, in *manifest.Input) error {
	for _, lost := range []struct {
		what  string
		names []string
	}{{"without pods", in.Empty}, {"not read", in.Unread}} {
		if len(lost.names) == 0 {
			continue
		}
		if _, err := io.WriteString(w, printed.Text(lost.what+": "+listed(lost.names, 5))+"\n"); err != nil {
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
