package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
)

// write prints the plans and whatever else is asked for.
func (p *Planned) write(w io.Writer, set *settings) error {
	switch set.output {
	case "json":
		return p.writeJSON(w, set)
	case "svg":
		return p.picture(w)
	}
	plans := render.Text
	switch {
	case set.summary:
		plans = render.Headlines
	case inColour(w, os.Getenv):
		plans = render.TextInColour
	}
	return render.Wrap(w, pageWidth(w, os.Getenv), func(w io.Writer) error { return p.writeText(w, set, plans) })
}

// writeText prints the plans, and what else is asked for, for people.
func (p *Planned) writeText(w io.Writer, set *settings, plans func(io.Writer, []render.Outcome) error) error {
	placed := func(o render.Outcome) bool { return o.Places != nil }
	told := p.told(&set.explain)
	for _, part := range []struct {
		asked bool
		write func() error
	}{
		{len(p.Outcomes) > 0, func() error { return plans(w, p.Outcomes) }},
		{set.summary && slices.ContainsFunc(p.Outcomes, placed), func() error { return render.PlacesText(w, p.Outcomes) }},
		{len(told) > 0, func() error { return render.Explanations(w, told) }},
		{set.maxFit, func() error { return writeMaxFit(w, p) }},
		{set.running, func() error { return writeRunning(w, p) }},
		{set.when, func() error { return writeStarts(w, p, set.now) }},
		{set.moves, func() error { return writeMoves(w, p, set.summary) }},
		{set.quotas, func() error { return render.QuotasText(w, p.Quotas) }},
	} {
		if !part.asked {
			continue
		}
		if err := part.write(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	switch all := len(p.whole().Outcomes); {
	case all == 0 && len(p.Input.Defects) > 0:
		fmt.Fprintln(w, "nothing is planned, and perhaps for want of what could not be read")
	case all > 0 && len(p.Outcomes) == 0 && !set.maxFit && !set.running:
		fmt.Fprintln(w, "none of the gangs that wait is asked for")
	}
	if err := render.Summary(w, p.whole().Outcomes, &p.Input.Spec); err != nil {
		return err
	}
	return writeLost(w, p.Input)
}

// writeJSON prints all as one document.
func (p *Planned) writeJSON(w io.Writer, set *settings) (err error) {
	r := p.jsonReport(set.quotas)
	if set.maxFit {
		if r.MaxFit, err = maxFits(p); err != nil {
			return err
		}
	}
	if set.running {
		if r.Running, _, err = p.running(); err != nil {
			return err
		}
	}
	if set.when {
		if r.Starts, err = p.starts(nowOf(p.Input, set.now)); err != nil {
			return err
		}
	}
	if set.moves {
		if r.Moves, err = p.moves(); err != nil {
			return err
		}
	}
	return render.JSONWithReport(w, p.Outcomes, r)
}

// inColour says whether a writer is a terminal that shows colours, and its user wants them (no-color.org). A terminal says what it is.
func inColour(w io.Writer, environment func(string) string) bool {
	if term := environment("TERM"); term == "" || term == "dumb" || environment("NO_COLOR") != "" {
		return false
	}
	file, is := w.(interface{ Stat() (os.FileInfo, error) })
	if !is {
		return false
	}
	stat, err := file.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0
}

// picture draws the plans. What is behind them is another picture, unless it is that of the only plan.
func (p *Planned) picture(w io.Writer) error {
	after := p.After
	if len(p.Outcomes) == 1 {
		after = nil
	}
	return render.SVG(w, p.Outcomes, after)
}

// places adds to each outcome with a plan where its members are.
func (p *Planned) places() (err error) {
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Result == nil {
			continue
		}
		if o.Places, err = placement.Places(o.Cluster, o.Result); err != nil {
			return fmt.Errorf("%s: %w", printed.Text(o.Gang), err)
		}
	}
	return nil
}
