package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/placement"
)

// whyNot prints an explanation: the verdict, the facts, what each tier lacks, and what would help.
func (s *session) whyNot(t testing.TB, w *words) (string, error) {
	t.Helper()
	opt := placement.ExplainOptions{Plans: w.number("plans", 0), Lost: map[string]int64{}}
	for name, work := range w.pairs("lost") {
		opt.Lost[name] = int64(work)
	}
	build, err := s.request(w)
	if err != nil {
		return "", err
	}
	before := s.snapshot().dump()
	e := placement.Explain(s.cluster, build(), opt)
	again := placement.Explain(s.cluster, build(), opt)
	require.Equal(t, fmt.Sprint(e.Err), fmt.Sprint(again.Err))
	e.Err, again.Err = nil, nil // a refusal has functions, which are never equal
	require.Equal(t, e, again, "equal arguments give an equal answer")
	require.Equal(t, before, s.snapshot().dump(), "the cluster is unchanged")
	text := string(e.Verdict) + "\n"
	for _, f := range e.Facts {
		text += fmt.Sprintf("%s%s%s\n", f.Code, detailOf(f.Detail), map[bool]string{false: " (not proven)"}[f.Proven])
	}
	for _, d := range e.Fragmentation {
		text += strings.TrimSpace(fmt.Sprintf("%s %s", layer(s.tree(), d.Tier), strings.Join(d.Domain, "/")))
		text += fmt.Sprintf(": %d of %d, missing %d", d.Best, d.Slots, d.Missing)
		for i, h := range d.HeldBy {
			text += map[bool]string{true: ", held by ", false: " "}[i == 0] + fmt.Sprintf("%s%s:%d", h.Gang, h.Node, h.Slots)
			if h.From != 0 {
				text += fmt.Sprintf(" from %d", h.From)
			}
		}
		text += "\n"
	}
	for _, r := range e.Relaxations {
		text += "with " + changeOf(&r.Change)
		for i := range r.And {
			text += " and " + changeOf(&r.And[i])
		}
		if !r.Least {
			text += " (perhaps less)"
		}
		text += fmt.Sprintf(": %d in %s %s", r.Plan.Members, layer(s.tree(), r.Plan.Tier), strings.Join(r.Plan.Domain, "/"))
		if n := len(r.Plan.Victims); n > 0 {
			text += fmt.Sprintf(", evicts %d", n)
		}
		if n := len(r.Plan.WaitsFor); n > 0 {
			text += fmt.Sprintf(", waits for %d", n)
		}
		text = strings.TrimSpace(text) + "\n"
	}
	for _, n := range e.NotTried {
		text += fmt.Sprintf("not tried: %s, %s\n", n.Kind, n.Reason)
	}
	return text, nil
}

// detailOf has what is not zero.
func detailOf(d explain.Detail) string {
	text := ""
	for _, p := range []struct {
		name string
		n    int64
	}{
		{"wanted", int64(d.Wanted)},
		{"fits", int64(d.Fits)},
		{"nodes", int64(d.Nodes)},
		{"slots", d.Slots},
		{"members", int64(d.Members)},
		{"gangs", int64(d.Gangs)},
	} {
		if p.n != 0 {
			text += fmt.Sprintf(" %s=%d", p.name, p.n)
		}
	}
	for _, s := range []string{d.Rule, d.Part, d.Quota, strings.Join(d.Names, ","), d.Resource, d.Nearest, d.Reason} {
		if s != "" {
			text += fmt.Sprintf(" %q", s)
		}
	}
	for _, s := range d.Short {
		text += fmt.Sprintf(" %s:%d", s.Resource, s.By)
	}
	for _, k := range append(d.Keys, d.Resources...) {
		text += fmt.Sprintf(" %s:%d", k.Key, k.Nodes)
	}
	return text
}

// changeOf is a change, and what of a gang it is about.
func changeOf(c *explain.Change) string {
	of := c.Part
	if c.Level > 0 {
		of += fmt.Sprintf(" groups %d", c.Level)
	}
	if of = strings.TrimSpace(of); of != "" {
		of = " of " + of
	}
	_, _, line := kinds.Of(c.Kind).Told(c, "", nil)
	return string(c.Kind) + of + line
}
