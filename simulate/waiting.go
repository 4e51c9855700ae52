package simulate

import (
	"slices"

	"github.com/muster-sched/muster/gang/queue"
)

// pending is a job from its arrival to its end.
type pending struct {
	Job
	class string
	entry queue.Entry
	asks  int64 // of the resource that is measured, by all its members
	left  int64 // seconds that it still has to run
	ran   bool  // it has started before
	ideal *lies // where it would lie if nobody else were there; nil: not known

	// While it runs:
	started, ends int64
	pause         int64 // for so long it stood still first
	slower        int64 // by how many thousandths
	members       int
	takes         int64 // of the resource that is measured, by these
}

// safe is how many seconds of its work are not lost if it stops now.
func (p *pending) safe(now int64) int64 {
	if p.Checkpoint == 0 {
		return 0
	}
	work := p.work(now)
	return work - work%p.Checkpoint
}

// expectedEnd is when it is expected to end if it runs from an instant on; 0: never.
func (p *pending) expectedEnd(from int64) int64 {
	if end := from + p.takesFor(p.expected(p.left)); end < Forever {
		return end
	}
	return 0
}

// compare is the order in which gangs wait.
func compare(a, b *pending) int { return queue.Compare(&a.entry, &b.entry) }

// waiting are the gangs that wait, class by class: where one was refused the others of its class are passed over until something is freed.
type waiting struct {
	lines   []*line
	refused map[string]bool // by class
	n       int
	asks    int64 // of the resource that is measured, by all of them
}

// line are the gangs of one class, in order; at least one.
type line struct {
	class string
	gangs []*pending
}

// of is the place of the line of a class; -1: nobody of it waits.
func (w *waiting) of(class string) int {
	return slices.IndexFunc(w.lines, func(l *line) bool { return l.class == class })
}

// add lets a gang wait.
func (w *waiting) add(p *pending) {
	k := w.of(p.class)
	if k < 0 {
		k = len(w.lines)
		w.lines = append(w.lines, &line{class: p.class})
	}
	l := w.lines[k]
	at, _ := slices.BinarySearchFunc(l.gangs, p, compare)
	l.gangs = slices.Insert(l.gangs, at, p)
	w.n++
	w.asks += p.asks
}

// remove ends the waiting of a gang.
func (w *waiting) remove(p *pending) {
	k := w.of(p.class)
	l := w.lines[k]
	at, _ := slices.BinarySearchFunc(l.gangs, p, compare)
	if l.gangs = slices.Delete(l.gangs, at, at+1); len(l.gangs) == 0 {
		w.lines = slices.Delete(w.lines, k, k+1)
	}
	w.n--
	w.asks -= p.asks
}

// first is who waits in front of all others whose class is not passed over; nil: nobody. O(classes).
func (w *waiting) first(pass func(class string) bool) (first *pending) {
	for _, l := range w.lines {
		if head := l.gangs[0]; !pass(l.class) && (first == nil || compare(head, first) < 0) {
			first = head
		}
	}
	return first
}
