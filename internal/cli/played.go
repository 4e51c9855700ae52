package cli

import (
	"fmt"

	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/playable"
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
	urgent                     int64           // of a hundred gangs
	slowdown                   int64           // in percent
	table                      []streams.Row   // the jobs of a file; nil: gangs are made
	copies                     int64           // of these
	objects                    *playable.Gangs // the cluster and the gangs of files; nil: both are otherwise
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

// stream are the gangs on a cluster; came is told of each.
func (p *played) stream(m made, came func()) simulate.Stream {
	if p.objects != nil {
		return counted(p.objects.Stream(p.checkpoint), came)
	}
	if p.table != nil {
		jobs := streams.Replayed{
			Rows: p.table, Copies: int(p.copies), Seed: uint64(p.seed), Device: madeDevice, PerNode: madeDevices, Longer: p.longer, Checkpoint: p.checkpoint, Gather: m.gather,
		}
		return counted(p.urgentOf(jobs.Stream()), came)
	}
	gangs := streams.Generated{
		Seed: uint64(p.seed), Jobs: int(p.gangs), Members: int(p.largest), Shape: madeShape(), Runs: p.runs, Load: p.load * 10, Slots: int64(m.nodes()),
		Longer: p.longer, Checkpoint: p.checkpoint, Gather: m.gather, Lone: streams.Lone{Percent: int(p.lone), Resource: madeDevice, Most: mostLone},
	}
	return counted(p.urgentOf(gangs.Stream()), came)
}

// urgentOf is a stream in which some gangs are urgent.
func (p *played) urgentOf(of simulate.Stream) simulate.Stream {
	if p.urgent == 0 {
		return of
	}
	return streams.Urgent(of, p.urgent, uint64(p.seed))
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
	opt := simulate.Options{Cluster: c, Jobs: p.stream(m, came), Discipline: p.discipline, Victims: p.victims, Slowdown: 10 * p.slowdown}
	judged := p.beside()
	if judged != nil {
		opt.Placer = judged
	}
	if p.moves {
		opt.Moves = &simulate.Moves{Pause: p.pause}
	}
	if p.series {
		opt.Series = &simulate.SeriesOptions{Fit: p.wholeNode()}
	}
	report, err := simulate.Run(opt)
	return result{*p, report, judged}, err
}
