package cli

import (
	"errors"
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

// Options of a run; the zero value is the default.
type Options struct {
	// Strict refuses pods with hard rules that are not modelled.
	Strict bool
	// KeepGoing plans what can be planned although some of the input cannot be used.
	KeepGoing bool
	// Policy is that of every gang; empty: BestFit.
	Policy gang.Policy
}

// Planned is a queue of gangs and what became of them.
type Planned struct {
	// Input is what the files said.
	Input *manifest.Input
	// Cluster is the snapshot before the first plan.
	Cluster *placement.Cluster
	// Outcomes, one a gang, in the order in which the plans were made.
	Outcomes []render.Outcome
}

// Plan reads the files and plans every gang in queue order, each on the snapshot that the ones before it left. If some of
// the input cannot be used, all its defects are returned, joined, and nothing is planned; with KeepGoing such gangs are
// among the outcomes. Gangs that ask for what is not supported are always among the outcomes. Planned is nil if nothing
// could be read.
func Plan(files []manifest.File, opt Options) (*Planned, error) {
	in, err := manifest.Read(files, manifest.Options{Strict: opt.Strict, KeepGoing: opt.KeepGoing})
	if in == nil {
		return nil, err
	}
	p := &Planned{Input: in}
	if err != nil {
		return p, err
	}
	cluster, err := placement.NewCluster(in.Spec)
	if err != nil {
		return p, err
	}
	p.Input.Notices = append(p.Input.Notices, cluster.Notices()...)
	p.Cluster = cluster
	var defects []error
	for i := range in.Gangs {
		o := outcome(&in.Gangs[i], cluster, opt.Policy)
		if o.Result != nil {
			if cluster, err = carryOut(cluster, o.Result); err != nil {
				return p, err
			}
		}
		if cannotBeUsed(o.Err) {
			defects = append(defects, o.Err)
		}
		p.Outcomes = append(p.Outcomes, o)
	}
	if len(defects) > 0 && !opt.KeepGoing {
		p.Outcomes = nil
		return p, errors.Join(defects...)
	}
	return p, nil
}

// outcome plans one gang.
func outcome(g *manifest.Gang, cluster *placement.Cluster, policy gang.Policy) render.Outcome {
	o := render.Outcome{Gang: g.Request.Name, Request: &g.Request, Cluster: cluster, Ignored: g.Ignored, Err: g.Err}
	if g.Err != nil {
		return o
	}
	if g.Request.Policy == "" {
		g.Request.Policy = policy
	}
	o.Result, o.Err = placement.Plan(cluster, &g.Request)
	if cannotBeUsed(o.Err) {
		o.Err = fmt.Errorf("%s: %w", o.Gang, o.Err)
	}
	return o
}

// carryOut makes the snapshot for the rest of the queue. Members that the plan waits for make room for it now, and keep
// of what they hold as much as the plan leaves: whoever comes later has to wait for them as well.
func carryOut(c *placement.Cluster, res *placement.Result) (*placement.Cluster, error) {
	if len(res.WaitsFor) == 0 {
		return c.Apply(res)
	}
	waited := map[placement.MemberRef]bool{}
	var gone, rest placement.Delta
	for _, m := range res.WaitsFor {
		waited[m.MemberRef] = true
		gone.Remove = append(gone.Remove, m.MemberRef)
	}
	for m := range c.Running() {
		if waited[placement.MemberRef{Gang: m.Gang, Member: m.Member}] {
			rest.Place = append(rest.Place, m)
		}
	}
	next, err := c.Update(gone)
	if err != nil {
		return nil, err
	}
	if next, err = next.Apply(res); err != nil {
		return nil, err
	}
	for _, m := range rest.Place {
		free, _ := next.Free(m.Node)
		for name, n := range m.Resources {
			m.Resources[name] = min(n, max(0, free[name]))
		}
		if next, err = next.Update(placement.Delta{Place: []placement.Running{m}}); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// cannotBeUsed says whether the error is a defect of the input. A gang without a place, or one that asks for what is not
// supported, is an outcome: its objects are in order.
func cannotBeUsed(err error) bool {
	return err != nil && !errors.Is(err, placement.ErrUnschedulable) && !errors.Is(err, muster.ErrNotSupported)
}
