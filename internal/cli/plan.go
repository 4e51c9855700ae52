package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/quota"
)

// Options of a run; the zero value is the default.
type Options struct {
	// Strict refuses pods with hard rules that are not modelled.
	Strict bool
	// KeepGoing plans what can be planned although some of the input cannot be used.
	KeepGoing bool
	// Topology is that of gangs that name none; empty: the only one, or that called default.
	Topology string
	// Added and what follows it change what the files say, see [manifest.Options].
	Added                                                []manifest.File
	WithoutNodes, WithoutDomains, WithoutGangs, Returned []string
	// Standing asks for what [Planned.running] says.
	Standing bool
	// Movers asks for what [Planned.moves] says, and explanations say of lost work.
	Movers bool
	// Layers are label keys that make a topology where the files have none, see [manifest.Options].
	Layers []string
	// Trees are topologies beside those of the files.
	Trees []cluster.NamedTree
	// Policy is that of every gang; empty: BestFit.
	Policy gang.Policy
	// QuotaLimit is that of every gang, each planned once; empty: all passes of [placement.Batch].
	QuotaLimit quota.Limit
	// Discipline says what becomes of those behind a gang that waits, and Now from when on room is held for one, see [placement.BatchBy]; empty: the newest instant of the input.
	Discipline queue.Discipline
	Now        string
	// NUMAExclusive is for members with a NUMA policy of their own that do not say how exclusive they are; empty: Required.
	NUMAExclusive numa.Exclusive
}

// Planned is a queue of gangs and what became of them.
type Planned struct {
	// Input is what the files said.
	Input *manifest.Input
	// Cluster is the snapshot before the first plan, After that after the last one.
	Cluster, After *placement.Cluster
	// Quotas are those of the snapshot after the last plan; nil if there are none.
	Quotas *quota.State
	// Outcomes, one a gang, in the order in which the plans were made.
	Outcomes []render.Outcome

	// partOf is what this is a part of, nil: it is the whole.
	partOf *Planned
}

// Plan reads the files and plans every gang in queue order, each on the snapshot that the ones before it left. If some of
// the input cannot be used, all its defects are returned, joined, and nothing is planned; with KeepGoing such gangs are
// among the outcomes. Gangs that ask for what is not supported are always among the outcomes. Planned is nil if nothing
// could be read.
func Plan(files []manifest.File, opt Options) (*Planned, error) {
	in, err := manifest.Read(files, manifest.Options{
		Strict: opt.Strict, KeepGoing: opt.KeepGoing, Topology: opt.Topology, Trees: opt.Trees, Layers: opt.Layers, Standing: opt.Standing, Movers: opt.Movers,
		Added: opt.Added, WithoutNodes: opt.WithoutNodes, WithoutDomains: opt.WithoutDomains, WithoutGangs: opt.WithoutGangs, Returned: opt.Returned,
	})
	if in == nil {
		return nil, err
	}
	p := &Planned{Input: in}
	if err == nil {
		err = p.plan(opt)
	}
	return p, err
}

var errNoNodes = errors.New("the input has no Node, so nothing can be planned: give the file with the nodes too")

// plan plans what was read.
func (p *Planned) plan(opt Options) error {
	if len(p.Input.Spec.Nodes) == 0 {
		return errNoNodes
	}
	if err := knownTopology(opt.Topology, p.Input.Spec.Trees); err != nil {
		return err
	}
	p.Input.Spec.NUMAExclusive = opt.NUMAExclusive
	c, err := placement.NewCluster(p.Input.Spec)
	if err != nil {
		return err
	}
	p.Input.Notices = append(p.Input.Notices, withoutStrangers(c.Notices(), opt.Trees, p.Input.Spec.Nodes)...)
	p.Cluster = c
	by := placement.BatchOptions{Discipline: opt.Discipline, Now: nowOf(p.Input, opt.Now)}
	last, planned := placement.BatchBy(c, requestsOf(p.Input.Gangs, opt), by)
	p.After, p.Quotas = last, last.Quotas()
	var defects []error
	for i := range planned {
		g := &p.Input.Gangs[planned[i].Index]
		o := outcome(g, &planned[i])
		if cannotBeUsed(o.Err) && !p.changed(g) {
			defects = append(defects, o.Err)
		}
		p.Outcomes = append(p.Outcomes, o)
	}
	if len(defects) > 0 && !opt.KeepGoing {
		p.Outcomes = nil
		return errors.Join(defects...)
	}
	p.joinOutcomes()
	return nil
}

// knownTopology says of a topology that nobody describes which one is near. Where there is none at all, gangs say what they lack.
func knownTopology(name string, trees []cluster.NamedTree) error {
	var names []string
	for _, t := range trees {
		if t.Name == name {
			return nil
		}
		names = append(names, t.Name)
	}
	if name == "" || len(names) == 0 {
		return nil
	}
	return unknownName(fmt.Sprintf("-topology %q: no such topology; the nearest one is %s", name, printed.Text(known.Nearest(name, names))))
}

// joinOutcomes tells the outcomes of gangs that start together of each other.
func (p *Planned) joinOutcomes() {
	of := map[string][]render.Outcome{}
	for _, o := range p.Outcomes {
		of[o.Request.Together] = append(of[o.Request.Together], o)
	}
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Request.Together != "" {
			o.Together = slices.DeleteFunc(slices.Clone(of[o.Request.Together]), func(other render.Outcome) bool { return other.Gang == o.Gang })
		}
	}
}

// changed says whether a gang that cannot be planned could have been at first: where its members are victims of another one, what is left
// of it may be smaller than its groups. That is no defect of the input.
func (p *Planned) changed(g *manifest.Gang) bool {
	if g.Err != nil {
		return false
	}
	_, err := placement.Plan(p.Cluster, &g.Request)
	return !cannotBeUsed(err)
}

// requestsOf lists what is to be planned: nil for a gang that cannot be, because of its objects.
func requestsOf(gangs []manifest.Gang, opt Options) []*gang.Request {
	reqs := make([]*gang.Request, len(gangs))
	for i := range gangs {
		if g := &gangs[i]; g.Err == nil {
			g.Request.Policy = cmp.Or(g.Request.Policy, opt.Policy)
			g.Request.QuotaLimit = opt.QuotaLimit
			reqs[i] = &g.Request
		}
	}
	return reqs
}

// outcome is what became of a gang, with what its objects say.
func outcome(g *manifest.Gang, p *placement.Planned) render.Outcome {
	o := render.Outcome{
		Gang: g.Request.Name, Request: &g.Request, Cluster: p.Cluster, Ignored: g.Ignored, Pass: p.Pass, Result: p.Result, Err: p.Err,
		Terms: g.Terms, Total: g.Total,
	}
	if g.Err != nil {
		o.Err = g.Err
	} else if cannotBeUsed(o.Err) {
		o.Err = fmt.Errorf("%s: %w", printed.Text(o.Gang), o.Err)
	}
	return o
}

// cannotBeUsed says whether the error is a defect of the input. A gang without a place, or one that asks for what is not
// supported, is an outcome: its objects are in order.
func cannotBeUsed(err error) bool {
	return err != nil && !errors.Is(err, placement.ErrUnschedulable) && !errors.Is(err, muster.ErrNotSupported)
}
