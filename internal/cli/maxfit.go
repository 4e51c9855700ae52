package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// asked is a shape, with a size of groups and a priority, that a waiting gang of the files asks about.
type asked struct {
	question placement.FitQuestion
	gangs    []string
}

// questions are what the waiting gangs of the files ask, each once, in the order of the queue: a gang of several shapes asks for each.
func questions(gangs []manifest.Gang) (out []asked) {
	for i := range gangs {
		req := &gangs[i].Request
		if gangs[i].Err != nil {
			continue
		}
		for _, shape := range shapesOf(req) {
			q := placement.FitQuestion{Shape: *shape, Tree: req.Tree, Priority: req.Priority, NeverPreempts: req.NeverPreempts}
			if len(req.Groups) > 0 {
				q.Group = req.Groups[0]
			}
			out = ask(out, &q, req.Name)
		}
	}
	return out
}

// shapesOf are the different shapes of a gang's members.
func shapesOf(req *gang.Request) (out []*gang.Shape) {
	add := func(s *gang.Shape) {
		for _, known := range out {
			if known.Equal(s) {
				return
			}
		}
		out = append(out, s)
	}
	for i := range req.Members {
		if s := req.Members[i].Shape; s != nil {
			add(s)
		} else {
			add(&req.Shape)
		}
	}
	return out
}

// ask adds a question, or the gang to those that ask it already.
func ask(all []asked, q *placement.FitQuestion, gang string) []asked {
	for i := range all {
		o := &all[i].question
		if o.Shape.Equal(&q.Shape) && o.Group.Size == q.Group.Size && slices.Equal(o.Group.Gather, q.Group.Gather) &&
			o.Tree == q.Tree && o.Priority == q.Priority && o.NeverPreempts == q.NeverPreempts {
			all[i].gangs = append(all[i].gangs, gang)
			return all
		}
	}
	return append(all, asked{question: *q, gangs: []string{gang}})
}

// maxFits answers all questions on the cluster before the first plan.
func maxFits(p *Planned) (out []render.ShapeFits, err error) {
	for _, a := range questions(p.Input.Gangs) {
		f := render.ShapeFits{Gangs: a.gangs, Question: a.question}
		if f.Fits, err = placement.MaxFit(p.Cluster, a.question); err != nil {
			return nil, fmt.Errorf("%s: %w", a.gangs[0], err)
		}
		out = append(out, f)
	}
	return out, nil
}

// writeMaxFit writes them as tables.
func writeMaxFit(w io.Writer, p *Planned) error {
	fits, err := maxFits(p)
	if err != nil {
		return err
	}
	return render.MaxFitText(w, fits)
}
