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
	if len(l.ends) > 0 && l.ends[0].ends < Forever {
		at = min(at, l.ends[0].ends)
	}
	// Once nobody runs or is to come nothing is left to happen, unless nodes come back, or quotas change, for those that wait.
	if len(l.changes) > 0 && (more || len(l.ends) > 0 || l.waiting.n > 0) {
		at = min(at, l.changes[0].at)
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
	l.sizes.forget()
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

// applyChanges takes nodes out of service, brings them back, and changes quotas. Whoever was refused is tried again, for whatever was held may lie on a node that fails.
func (l *loop) applyChanges() error {
	for len(l.changes) > 0 && l.changes[0].at <= l.now {
		ch := l.changes[0]
		l.changes = l.changes[1:]
		apply := l.setQuotas
		if ch.quotas == nil {
			apply = l.setNode
		}
		if err := l.tryAgain(); err != nil {
			return err
		}
		if err := apply(ch); err != nil {
			return err
		}
	}
	return nil
}

// setNode lets a node fail or come back. Gangs with members on one that fails wait again, with what they have lost.
func (l *loop) setNode(ch change) error {
	if !ch.down {
		l.down[ch.node]--
	} else {
		l.down[ch.node]++
		var names []string
		for _, r := range l.c.RunningOn(ch.node) {
			if l.running[r.Gang] != nil && !slices.Contains(names, r.Gang) {
				names = append(names, r.Gang)
			}
		}
		l.report.Restarts += len(names)
		if err := l.stop(names); err != nil {
			return err
		}
	}
	n, _ := l.opt.Cluster.Node(ch.node)
	n.NotReady = n.NotReady || l.down[ch.node] > 0
	next, err := l.c.Update(cluster.Delta{SetNodes: []cluster.Node{n}})
	l.c = next
	return err
}

// stop ends gangs before their time: they wait again.
func (l *loop) stop(names []string) error {
	for _, name := range names {
		p := l.running[name]
		delete(l.running, name)
		l.ends = slices.DeleteFunc(l.ends, func(other *pending) bool { return other == p })
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
	safe := p.safe(l.now)
	l.report.interrupted(p, l.now, safe)
	p.left -= safe
}

// arrive lets a gang wait, unless the cluster is too small for it.
func (l *loop) arrive(job Job) error {
	if err := job.check(l.now); err != nil {
		return err
	}
	if l.names[job.Request.Name] {
		return muster.Invalid("job: Request.Name", job.Request.Name, "a gang of this name runs or waits already")
	}
	p := &pending{Job: job, asks: l.report.takes(&job.Request), left: job.Runs}
	p.Request.NeverPreempts = p.Request.NeverPreempts || !l.opt.Victims
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
	l.quotas.asks(p, 1)
	if l.sizes.hopeless(p, l.now) {
		l.waiting.refused[p.class] = true
	}
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
		if err := l.tellDemand(); err != nil {
			return err
		}
		p := l.waiting.first(refused)
		if p == nil || l.waiting.refused[p.class] { // the first one of all, whom nobody passes by
			return nil
		}
		place, err := l.place(p)
		if err == nil && (place == nil || place.evicts()) && l.opt.Moves != nil && p == l.waiting.first(nobody) {
			var moved *Place
			if moved, err = l.moveFor(p); moved != nil {
				place = moved
			}
		}
		switch {
		case err != nil:
			return err
		case place == nil:
			l.waiting.refused[p.class] = true
			l.sizes.refuse(p, &l.waiting, l.now)
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
	l.quotas.asks(p, -1)
	l.held = slices.DeleteFunc(l.held, func(held *pending) bool { return held == p })
	if l.report.started(p, l.now); !p.ran && p.ideal != nil {
		l.report.lies(*p.ideal, l.reached(&p.Request, place))
	}
	p.members, p.takes = l.report.placed(p, place)
	l.used += p.takes
	p.started, p.ends, p.pause, p.ran = l.now, l.now+p.takesFor(p.left), 0, true
	l.running[p.Request.Name] = p
	heap.Push(&l.ends, p)
	if place.evicts() {
		return l.evict(place.Plan.Victims)
	}
	return nil
}

// hold holds room for a gang that was refused, if the discipline wants it: from when on it has a place at the latest. Who never has one waits without.
func (l *loop) hold(p *pending) error {
	if !l.opt.Discipline.Holds(len(l.held)) || slices.Contains(l.held, p) {
		return nil
	}
	req := p.Request
	req.NeverPreempts = true // who waits for ends evicts nobody
	start, err := placement.Earliest(l.c, &req, placement.EarliestOptions{Now: l.now})
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
