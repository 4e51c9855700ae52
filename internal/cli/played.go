package cli

import (
	"fmt"

	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/playable"
	"github.com/muster-sched/muster/internal/sources"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
	"github.com/muster-sched/muster/simulate/streams"
)

// played is a stream of gangs, and how it is played; times are in seconds.
type played struct {
	seed, gangs, largest, runs int64
	load                       int64 // in percent
	longer, checkpoint, pause  int64
	lone                       int64 // of 100 gangs
	discipline                 queue.Discipline
	placer                     string
	moves, victims             bool
	stay                       bool            // gangs never end
	urgent                     int64           // of a hundred gangs
	slowdown                   int64           // in percent
	table                      []streams.Row   // the jobs of a file; nil: gangs are made
	copies                     int64           // of these
	source                     sources.Source  // of other files; nil: there are none
	objects                    *playable.Gangs // the source, if it is of objects
	series                     bool            // what waits and runs is noted as time goes by
}

// The words of placers.
const (
	byMuster   = "muster"
	byFirstFit = "first-fit"
	byRandom   = "random"
)

// placerWords are all words of placers.
func placerWords() []string {
	words := []string{byMuster, byFirstFit}
	for _, e := range placers.All() {
		words = append(words, e.Name)
	}
	return words
}

// beside is the placer of another kind, beside what a plan would be; nil: it is the plan.
func (p *played) beside() *placers.Judged {
	switch e, known := placers.Named(p.placer); {
	case p.placer == byFirstFit:
		return &placers.Judged{Placer: simulate.FirstFit{}}
	case !known:
		return nil
	case e.Name == byRandom:
		return &placers.Judged{Placer: placers.Random{Seed: uint64(p.seed)}}
	default:
		return &placers.Judged{Placer: e.Placer}
	}
}

// stayLoad is how much gangs ask for at most that never end, in percent of the devices.
const stayLoad = 130

// stream are the gangs on a cluster; came is told of each.
func (p *played) stream(m made, came func()) simulate.Stream {
	jobs := p.urgentOf(p.jobs(m))
	if p.stay {
		jobs = streams.Staying(jobs, madeDevice, p.on(m).Devices*stayLoad/100)
	}
	return counted(jobs, came)
}

// jobs are they, as they come by themselves.
func (p *played) jobs(m made) simulate.Stream {
	if p.source != nil {
		return p.source.Stream(p.asked(m))
	}
	if p.table != nil {
		jobs := streams.Replayed{
			Rows: p.table, Copies: int(p.copies), Seed: uint64(p.seed), Device: madeDevice, PerNode: m.devices, Longer: p.longer, Checkpoint: p.checkpoint, Gather: m.gather,
		}
		return jobs.Stream()
	}
	gangs := streams.Generated{
		Seed: uint64(p.seed), Jobs: int(p.gangs), Members: int(p.largest), Shape: m.shape(), Runs: p.runs, Load: p.load * 10, Slots: int64(m.nodes()),
		Longer: p.longer, Checkpoint: p.checkpoint, Gather: m.gather, Lone: streams.Lone{Percent: int(p.lone), Resource: madeDevice, Most: mostLone},
	}
	return gangs.Stream()
}

// urgentOf is a stream in which some gangs are urgent.
func (p *played) urgentOf(of simulate.Stream) simulate.Stream {
	if p.urgent == 0 {
		return of
	}
	return streams.Urgent(of, p.urgent, uint64(p.seed))
}

// asked is what a source is told.
func (p *played) asked(m made) sources.Play {
	return sources.Play{
		Seed: p.seed, Gangs: p.gangs, Load: p.load, Longer: p.longer, Checkpoint: p.checkpoint, Stay: p.stay, Nodes: int64(m.nodes()), PerNode: m.devices, Device: madeDevice, Gather: m.gather,
	}
}

// on is the cluster that it is played on.
func (p *played) on(m made) (cluster sources.Own) {
	if p.source != nil && p.source.Own() != nil {
		return *p.source.Own()
	}
	return sources.Own{Name: m.String(), Nodes: m.nodes(), Devices: int64(m.nodes()) * m.devices, Said: fmt.Sprintf("%s: %d nodes of %d %s", m.String(), m.nodes(), m.devices, madeDevice)}
}

// loaded says whether -load says how much gangs ask for.
func (p *played) loaded() bool {
	return p.table == nil && (p.source == nil || p.source.Loaded())
}

// said is which gangs come.
func (p *played) said(m made) string {
	switch {
	case p.source != nil:
		return p.source.Said(p.asked(m))
	case p.table != nil:
		return fmt.Sprintf("%d times the %d jobs of a table", p.copies, len(p.table))
	}
	return fmt.Sprintf("%d gangs of at most %d nodes, which run %d s in the mean", p.gangs, p.largest, p.runs)
}

// counted is a stream; came is told of each gang.
func counted(of simulate.Stream, came func()) simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		for job, err := range of {
			came()
			if !yield(job, err) {
				return
			}
		}
	}
}

// check says what is wrong with values that are in order each by itself.
func (p *played) check(m made) error {
	if p.largest > int64(m.nodes()) {
		return fmt.Errorf("-largest %d: -fabric %s has %d nodes", p.largest, m.String(), m.nodes())
	}
	for _, err := range p.stream(m, func() {}) {
		if err != nil {
			return fmt.Errorf("-load %d: so few gangs come that the last one of -gangs %d is too late; fewer gangs, a larger load, or shorter -runs", p.load, p.gangs)
		}
		break
	}
	return nil
}

// play plays it.
func (p *played) play(m made, c *placement.Cluster, came func()) (result, error) {
	if p.source != nil && p.source.Own() != nil {
		var err error
		if c, err = p.source.Own().Cluster(p.asked(m)); err != nil {
			return result{}, err
		}
	}
	opt := simulate.Options{Cluster: c, Jobs: p.stream(m, came), Discipline: p.discipline, Victims: p.victims, Slowdown: 10 * p.slowdown}
	judged := p.beside()
	if judged != nil {
		opt.Placer = judged
	}
	if p.moves {
		opt.Moves = &simulate.Moves{Pause: p.pause}
	}
	if p.series {
		opt.Series = &simulate.SeriesOptions{Fit: p.wholeNode(m)}
	}
	report, err := simulate.Run(opt)
	return result{*p, report, judged}, err
}
