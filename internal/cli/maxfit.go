package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/printed"
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
func questions(in *manifest.Input) []asked {
	all := asking{at: map[int][]int{}}
	running := map[string]int{}
	for i := range in.Spec.Running {
		if m := &in.Spec.Running[i]; !m.Leaving {
			running[m.Gang]++
		}
	}
	for i := range in.Gangs {
		req := &in.Gangs[i].Request
		if in.Gangs[i].Err != nil {
			continue
		}
		for _, shape := range shapesOf(req) {
			q := placement.FitQuestion{Shape: *shape, Tree: req.Tree, Priority: req.Priority, NeverPreempts: req.NeverPreempts}
			q.Group = outermost(req, len(req.Members)+running[req.Name])
			all.ask(&q, req.Name)
		}
	}
	return all.all
}

// outermost are the groups of a gang of so many members, by PP and DP as well, that a question is about: none without groups.
func outermost(req *gang.Request, members int) gang.Groups {
	levels, err := req.Levels(members)
	if err != nil || len(levels) == 0 {
		return gang.Groups{} // the plan says what is wrong
	}
	return levels[0]
}

// shapesOf are the different shapes of a gang's members.
func shapesOf(req *gang.Request) (out []*gang.Shape) {
	var known match.Shapes
	add := func(s *gang.Shape) {
		if _, isNew := known.Number(s); isNew {
			out = append(out, s)
		}
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

// asking has the questions, and their places by the number of their shape.
type asking struct {
	all    []asked
	shapes match.Shapes
	at     map[int][]int
}

// ask adds a question, or the gang to those that ask it already.
func (a *asking) ask(q *placement.FitQuestion, gang string) {
	shape, _ := a.shapes.Number(&q.Shape)
	for _, i := range a.at[shape] {
		o := &a.all[i].question
		if o.Group.Size == q.Group.Size && slices.Equal(o.Group.Gather, q.Group.Gather) && o.Tree == q.Tree && o.Priority == q.Priority && o.NeverPreempts == q.NeverPreempts {
			a.all[i].gangs = append(a.all[i].gangs, gang)
			return
		}
	}
	a.at[shape] = append(a.at[shape], len(a.all))
	a.all = append(a.all, asked{question: *q, gangs: []string{gang}})
}

// maxFits answers all questions on the cluster before the first plan.
func maxFits(p *Planned) (out []render.ShapeFits, err error) {
	for _, a := range questions(p.Input) {
		f := render.ShapeFits{Gangs: a.gangs, Question: a.question}
		if f.Fits, err = placement.MaxFit(p.Cluster, a.question); err != nil {
			return nil, fmt.Errorf("%s: %w", printed.Text(a.gangs[0]), err)
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
