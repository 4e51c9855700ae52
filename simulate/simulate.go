// Package simulate answers: would people have waited less? It plays a stream of gangs on a cluster, event after event, in integer seconds: gangs arrive,
// start where a [Placer] puts them when a discipline ([queue.Discipline]) lets them, evict others where they may, and end; nodes fail and come back, quotas change. Equal arguments give equal answers, to
// the last byte; there is no clock and no chance in it. What it needs of memory follows what runs and waits at one time, not how many gangs there are.
package simulate

import (
	"fmt"
	"iter"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// Job is a gang that arrives. Times are in seconds.
type Job struct {
	// Request is the gang; no other one of its name is in the cluster, or waits, when it arrives. Its End is set each time it is tried. It evicts nobody unless
	// Options.Victims is set. Where it starts with fewer members, or loses some to others, it goes on with those, and runs as long.
	Request gang.Request
	// Arrives is when it comes, not before the job in front of it.
	Arrives int64
	// Runs is how long it runs, above 0, [Forever] if it never ends, and Expected how long it says so; 0: as long as it runs.
	Runs, Expected int64
	// Checkpoint is after how much running what was done is safe, again and again: a gang whose node fails has lost the rest. 0: all is lost.
	Checkpoint int64
	// Class is shared by gangs that ask for the same under other names: where one is refused, none of them is tried again until something is freed. Empty: by its own.
	Class string
}

// Forever is how long a job runs that never ends: what it has in the end is Report.Allocated.
const Forever = 1 << 62

// expected is how long the gang says that it runs, of so many seconds that are left.
func (j *Job) expected(left int64) int64 {
	if j.Expected == 0 {
		return left
	}
	return max(1, j.Expected-(j.Runs-left))
}

// check is the defect of a job; nil: there is none.
func (j *Job) check(now int64) error {
	bad := func(field string, value int64, reason string) error {
		return muster.Invalid(fmt.Sprintf("job %s: %s", j.Request.Name, field), value, reason)
	}
	switch {
	case j.Request.Name == "":
		return muster.Invalid("job: Request.Name", "", "missing")
	case j.Arrives < now:
		return bad("Arrives", j.Arrives, fmt.Sprintf("before the one in front of it, which is at %d", now))
	case j.Runs <= 0:
		return bad("Runs", j.Runs, "not positive")
	case j.Runs > Forever:
		return bad("Runs", j.Runs, "longer than forever")
	case j.Expected < 0:
		return bad("Expected", j.Expected, "negative")
	case j.Checkpoint < 0:
		return bad("Checkpoint", j.Checkpoint, "negative")
	}
	return nil
}

// Stream are jobs in the order of their arrivals. It is read one by one; an error ends the simulation.
type Stream = iter.Seq2[Job, error]

// Outage is a node that takes nobody, and has nobody, from one instant until another; 0: until the end.
type Outage struct {
	Node        string
	From, Until int64
}

// Options say what is played. Cluster and Jobs are needed.
type Options struct {
	// Cluster is what is there at first, but for members that are leaving. Gangs that run on it end when they are expected to (cluster.Running.End).
	Cluster *placement.Cluster
	Jobs    Stream
	// Outages are in the order of From. Gangs with members on the node start anew, with what they have lost.
	Outages []Outage
	// Quotas are in the order of From. What runs then stays, and its quotas must be leaves of the new tree, too.
	Quotas []QuotaChange
	// Placer says where gangs go; nil: [Muster].
	Placer Placer
	// Discipline says who starts before whom waits; empty: [queue.NextThatFits]. Gangs wait by priority, then by arrival, then by name. Room is held by [placement.Earliest],
	// whichever the placer: a placer of another kind may put gangs beside it that delay whom it is for.
	Discipline queue.Discipline
	// Moves lets running gangs move for the first gang that waits and finds no place, by [placement.Moves], whichever the placer; nil: nobody moves.
	Moves *Moves
	// Victims lets gangs evict others, as their requests say, where the placer has a plan with victims: these leave at once. Who has no member left waits again, with what it has
	// lost since its last checkpoint. Where moves would do as well for the first gang that waits, gangs move.
	Victims bool
	// Slowdown is by how many thousandths longer a gang runs, and says that it runs, for each tier by which it lies wider than its ideal (see Report.Wider): up to 100,000. 0: a gang runs as long wherever it lies.
	Slowdown int64
	// Series asks for what waits and runs as time goes by; nil: it is not noted.
	Series *SeriesOptions
}

// Moves say how gangs move: those that came in the stream, never at a wider tier, and those that lose the least work.
type Moves struct {
	// MaxMoved bounds the members that move for one gang; 0: as many as it has.
	MaxMoved int
	// Pause is for how long a gang stands still that moves, beside what it has lost since its last checkpoint.
	Pause int64
}

// Run plays a stream to its end, until nobody runs any more. The error is a [muster.InvalidError] of an option or a job, that of the stream, or a conflict where a
// placer puts a gang on nodes without room for it. Each arrival and each end costs what the placer takes for the gangs that are tried then, a Release or an Update, and where
// room is held an Earliest.
func Run(opt Options) (*Report, error) {
	if opt.Cluster == nil || opt.Jobs == nil {
		return nil, &muster.InvalidError{Field: "options", Reason: "a simulation needs a cluster and jobs"}
	}
	if !opt.Discipline.Known() {
		return nil, muster.Invalid("options.Discipline", opt.Discipline, "unknown")
	}
	if m := opt.Moves; m != nil && (m.MaxMoved < 0 || m.Pause < 0) {
		return nil, muster.Invalid("options.Moves", fmt.Sprintf("%+v", *m), "negative")
	}
	if opt.Slowdown < 0 || opt.Slowdown > mostSlowdown {
		return nil, muster.Invalid("options.Slowdown", opt.Slowdown, fmt.Sprintf("not from 0 to %d", mostSlowdown))
	}
	if err := opt.Series.check(); err != nil {
		return nil, err
	}
	if err := checkQuotas(opt.Quotas); err != nil {
		return nil, err
	}
	if err := opt.checkOutages(); err != nil {
		return nil, err
	}
	l, err := newLoop(opt)
	if err != nil {
		return nil, err
	}
	return l.run()
}

// checkOutages is the defect of an outage; nil: there is none.
func (opt *Options) checkOutages() error {
	for i, o := range opt.Outages {
		switch _, there := opt.Cluster.Node(o.Node); {
		case !there:
			return muster.Invalid(fmt.Sprintf("options.Outages[%d].Node", i), o.Node, "the node is not in the cluster")
		case o.Until != 0 && o.Until <= o.From:
			return muster.Invalid(fmt.Sprintf("options.Outages[%d].Until", i), o.Until, "not behind From")
		case i > 0 && o.From < opt.Outages[i-1].From:
			return muster.Invalid(fmt.Sprintf("options.Outages[%d].From", i), o.From, "before the one in front of it")
		}
	}
	return nil
}
