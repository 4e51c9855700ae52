package cli

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// Given is the plan command for a program that has objects in place of files, such as one that lists them from a cluster: what is wrong with
// some of them stops what depends on them and nothing else. Its flags are those of the command.
type Given struct {
	// Explain names the gangs that are to be explained, whose plans alone are printed; Asked is how the user asked for that.
	Explain []string
	Asked   string
	// MaxFit and Running ask for what -max-fit and -running print, in place of plans.
	MaxFit, Running bool
	// Only says of which gangs something is printed, all being planned; nil: of all.
	Only func(gang string) bool

	set   settings
	check func() error
}

// Flags are those of the plan command, which are read before [Given.Plan] is called.
func (g *Given) Flags() *flag.FlagSet {
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	g.check = g.set.define(flags)
	g.set.files = []string{"-"} // which are given
	return flags
}

// Check says what is wrong with the values of the flags; nil: nothing.
func (g *Given) Check() error {
	g.set.maxFit, g.set.running = g.MaxFit, g.Running
	g.set.explain.gangs, g.set.explain.asked = g.Explain, g.Asked
	g.set.keepGoing = true
	return g.check()
}

// Plan plans files, prints what is asked for as [Run] does, and returns the exit status. Check has found nothing.
func (g *Given) Plan(files []manifest.File, stdout, stderr io.Writer) int {
	g.set.given = g
	_, err := g.set.execute(files, bytes.NewReader(nil), stdout, stderr)
	return status(err, stderr)
}

// forgetFiles lets errors speak of objects alone: nobody has seen the files that they stand in.
func (g *Given) forgetFiles(p *Planned) {
	if g == nil {
		return
	}
	for i, err := range p.Input.Defects {
		p.Input.Defects[i] = withoutFile(err)
	}
	for i := range p.Outcomes {
		p.Outcomes[i].Err = withoutFile(p.Outcomes[i].Err)
	}
}

// withoutFile is an error, or each of those that are joined, without the file of its object.
func withoutFile(err error) error {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, withoutFile(e))
		}
		return errors.Join(all...)
	}
	e, is := err.(*manifest.Error) //nolint:errorlint // what wraps it has words of its own
	if !is || e.Object == "" {
		return err
	}
	bare := *e
	bare.File, bare.Document, bare.Line = "", 0, 0
	return &bare
}

// part is what is printed of a plan.
func (g *Given) part(p *Planned) *Planned {
	if g == nil {
		return p
	}
	only := g.Only
	if only == nil {
		only = func(string) bool { return true }
	}
	in := *p.Input
	in.Gangs = slices.DeleteFunc(slices.Clone(in.Gangs), func(w manifest.Gang) bool { return !only(w.Request.Name) })
	in.Standing = slices.DeleteFunc(slices.Clone(in.Standing), func(r gang.Request) bool { return !only(r.Name) })
	in.Spec.Running = slices.DeleteFunc(slices.Clone(in.Spec.Running), func(r cluster.Running) bool { return !only(r.Gang) })
	out := *p
	out.Input, out.partOf = &in, p
	out.Outcomes = slices.DeleteFunc(slices.Clone(p.Outcomes), func(o render.Outcome) bool {
		return g.MaxFit || g.Running || len(g.Explain) > 0 && o.Explanation == nil || len(g.Explain) == 0 && !only(o.Gang)
	})
	return &out
}

// whole is the plan that this is a part of.
func (p *Planned) whole() *Planned {
	if p.partOf != nil {
		return p.partOf
	}
	return p
}
