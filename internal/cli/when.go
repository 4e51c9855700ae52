package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// timeOf is an instant as it is written, zero if it is none.
func timeOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// nowOf is the instant from which on gangs may start, in seconds since 1970: the one that is given, else the newest at which something of the input was
// made or started.
func nowOf(in *manifest.Input, given string) (now int64) {
	if at := timeOf(given); !at.IsZero() {
		return at.Unix()
	}
	for i := range in.Spec.Running {
		now = max(now, in.Spec.Running[i].Started)
	}
	for i := range in.Gangs {
		if at := in.Gangs[i].Created; !at.IsZero() {
			now = max(now, at.Unix())
		}
	}
	return now
}

// starts says when each gang that has no place after the plans has one.
func (p *Planned) starts(now int64) (starts []render.GangStart, err error) {
	starts = []render.GangStart{} // in JSON a list, also of none
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Result != nil || !errors.Is(o.Err, placement.ErrUnschedulable) {
			continue
		}
		start, err := placement.Earliest(p.After, o.Request, placement.EarliestOptions{Now: now})
		if err != nil && !errors.Is(err, placement.ErrUnschedulable) {
			return nil, fmt.Errorf("%s: %w", printed.Text(o.Gang), err)
		}
		starts = append(starts, render.GangStart{Gang: o.Gang, Start: start, Err: err})
	}
	return starts, nil
}

// writeStarts writes them as lines.
func writeStarts(w io.Writer, p *Planned, given string) error {
	now := nowOf(p.Input, given)
	starts, err := p.starts(now)
	if err != nil {
		return err
	}
	tell := func(at int64) string {
		if at <= now {
			return "now"
		}
		return fmt.Sprintf("%s (in %s)", time.Unix(at, 0).UTC().Format(time.RFC3339), time.Duration(at-now)*time.Second)
	}
	return render.StartsText(w, starts, tell, p.Cluster.Trees()...)
}
