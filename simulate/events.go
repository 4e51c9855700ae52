package simulate

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// nextEvent is when something happens next; math.MaxInt64: never. more: a job arrives then.
func (l *loop) nextEvent(arrives int64, more bool) int64 {
	at := int64(math.MaxInt64)
	if more {
		at = arrives
	}
	if len(l.ends) > 0 {
		at = min(at, l.ends[0].ends)
	}
	// Once nobody runs or is to come nothing is left to happen, unless nodes come back for those that wait.
	if len(l.outages) > 0 && (more || len(l.ends) > 0 || l.waiting.n > 0) {
		at = min(at, l.outages[0].at)
	}
	if at == math.MaxInt64 {
		return at
	}
	return max(at, l.now)
}

// end ends the gangs that have run as long as they do.
func (l *loop) end() error {
	var names []string
	for len(l.ends) > 0 && l.ends[0].ends <= l.now {
		p := heap.Pop(&l.ends).(*pending)
		delete(l.running, p.Request.Name)
		delete(l.names, p.Request.Name)
		names = append(names, p.Request.Name)
		l.used -= p.takes
		l.report.ended(p)
	}
	return l.free(names)
}

// free takes gangs off the cluster: whoever was refused is tried again.
func (l *loop) free(names []string) error {
	if len(names) == 0 {
		return nil
	}
	next, err := l.c.ReleaseGangs(names...)
	if err != nil {
		return err
	}
	l.c = next
	return l.tryAgain()
}

// tryAgain forgets who was refused, and what is held.
func (l *loop) tryAgain() error {
	clear(l.waiting.refused)
	if len(l.held) == 0 {
		return nil
	}
	d := cluster.Delta{Holds: map[string][]cluster.Hold{}}
	for _, p := range l.held {
		d.Holds[p.Request.Name] = nil
	}
	l.held = nil
	next, err := l.c.Update(d)
	l.c = next
	return err
}

// failAndReturn takes nodes out of service and brings them back. Gangs with members on one that fails wait again, with what they have lost.
func (l *loop) failAndReturn() error {
	for len(l.outages) > 0 && l.outages[0].at <= l.now {
		o := l.outages[0]
		l.outages = l.outages[1:]
		if !o.down {
			l.down[o.node]--
		} else {
			l.down[o.node]++
			if err := l.stop(o.node); err != nil {
				return err
			}
		}
		n, _ := l.opt.Cluster.Node(o.node)
		n.NotReady = n.NotReady || l.down[o.node] > 0
		next, err := l.c.Update(cluster.Delta{SetNodes: []cluster.Node{n}})
		if err != nil {
			return err
		}
		l.c = next
		if err := l.tryAgain(); err != nil { // of nodes that fail, too: what was held may lie there
			return err
		}
	}
	return nil
}

// stop ends the gangs with members on a node before their time.
func (l *loop) stop(node string) error {
	var names []string
	for _, r := range l.c.RunningOn(node) {
		if l.running[r.Gang] != nil && !slices.Contains(names, r.Gang) {
			names = append(names, r.Gang)
		}
	}
	for _, name := range names {
		p := l.running[name]
		delete(l.running, name)
		l.ends = slices.DeleteFunc(l.ends, func(other *pending) bool { return other == p })
		l.report.Restarts++
		l.used -= p.takes
		l.interrupt(p)
		if p.Runs == 0 { // it ran at first, and what it asks for is not known
			delete(l.names, name)
			continue
		}
		if err := l.wait(p); err != nil {
			return err
		}
	}
	heap.Init(&l.ends)
	return l.free(names)
}

// interrupt ends a run before its time: what is not safe is to be done again.
func (l *loop) interrupt(p *pending) {
	ran, safe := l.now-p.started, p.safe(l.now)
	p.left -= safe
	l.report.interrupted(p, ran, ran-safe)
}

// arrive lets a gang wait, unless the cluster is too small for it.
func (l *loop) arrive(job Job) error {
	if err := job.check(l.now); err != nil {
		return err
	}
	if l.names[job.Request.Name] {
		return muster.Invalid("job: Request.Name", job.Request.Name, "a gang of this name runs or waits already")
	}
	p := &pending{Job: job, takes: l.report.takes(&job.Request), left: job.Runs}
	p.Request.NeverPreempts = true
	p.entry = queue.Entry{Name: job.Request.Name, Priority: job.Request.Priority, Created: job.Arrives}
	there, known := l.alone[job.Class]
	if !known || job.Class == "" {
		var err error
		if there, err = l.aloneOf(&p.Request); err != nil {
			return err
		}
		if job.Class != "" {
			l.alone[job.Class] = there
		}
	}
	if l.report.arrived(p, !there.never); there.never {
		return nil
	}
	p.ideal = there.ideal
	l.names[job.Request.Name] = true
	return l.wait(p)
}

// wait puts a gang into the queue. Who comes in front of one for whom room is held has it held first.
func (l *loop) wait(p *pending) error {
	switch d := l.opt.Discipline; {
	case p.Class == "" || d == queue.Conservative: // room is held for each
		p.class = p.Request.Name
	case d == queue.EASY: // beside what is held it matters when a gang ends
		p.class = fmt.Sprint(p.Request.Priority, " ", p.expected(p.left), " ", p.Class)
	default:
		p.class = fmt.Sprint(p.Request.Priority, " ", p.Class)
	}
	l.waiting.add(p)
	if slices.ContainsFunc(l.held, func(held *pending) bool { return compare(p, held) < 0 }) {
		return l.tryAgain()
	}
	return nil
}

// start starts whoever waits and may, in order.
func (l *loop) start() error {
	refused := func(class string) bool { return l.waiting.refused[class] }
	nobody := func(string) bool { return false }
	if !l.opt.Discipline.PassesBy() {
		refused = nobody
	}
	for {
		p := l.waiting.first(refused)
		if p == nil || l.waiting.refused[p.class] { // the first one of all, whom nobody passes by
			return nil
		}
		p.Request.End = l.now + p.expected(p.left)
		place, err := l.opt.Placer.Place(l.c, &p.Request)
		l.report.Tries++
		if err == nil && place == nil && l.opt.Moves != nil && p == l.waiting.first(nobody) {
			place, err = l.moveFor(p)
		}
		switch {
		case err != nil:
			return err
		case place == nil:
			l.waiting.refused[p.class] = true
			err = l.hold(p)
		default:
			err = l.startAt(p, place)
		}
		if err != nil {
			return err
		}
	}
}

// startAt lets a gang run.
func (l *loop) startAt(p *pending, place *Place) (err error) {
	if place.Plan != nil {
		l.c, err = l.c.Apply(place.Plan)
	} else {
		l.c, err = l.c.Update(cluster.Delta{Place: place.rows(&p.Request, l.now)})
	}
	if err != nil {
		return err
	}
	l.waiting.remove(p)
	l.held = slices.DeleteFunc(l.held, func(held *pending) bool { return held == p })
	if l.report.started(p, l.now); !p.ran && p.ideal != nil {
		l.report.lies(*p.ideal, l.reached(&p.Request, place))
	}
	l.used += p.takes
	p.started, p.ends, p.pause, p.ran = l.now, l.now+p.left, 0, true
	l.running[p.Request.Name] = p
	heap.Push(&l.ends, p)
	return nil
}

// hold holds room for a gang that was refused, if the discipline wants it: from when on it has a place at the latest. Who never has one waits without.
func (l *loop) hold(p *pending) error {
	if !l.opt.Discipline.Holds(len(l.held)) {
		return nil
	}
	start, err := placement.Earliest(l.c, &p.Request, placement.EarliestOptions{Now: l.now})
	switch {
	case errors.Is(err, placement.ErrUnschedulable):
		return nil
	case err != nil:
		return err
	}
	next, err := l.c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{p.Request.Name: start.Holds()}})
	if err != nil {
		return err
	}
	l.c, l.held = next, append(l.held, p)
	return nil
}
