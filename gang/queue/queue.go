// Package queue answers: whose turn is it? A [Queue] keeps gangs in the order of the coscheduling proposal and hands out the head;
// [Compare], [CompareMembers] and [ComparePods] are that order for hosts with a queue of their own.
//
// Invariants: a gang is in the queue once, and stays until it is removed. [Compare] is a total order of names, so the order of
// the queue depends on its gangs alone, not on when they were added. There is no clock: every time is an argument.
//
// A queue has one user at a time: not even two calls that only read may run at once, for reading moves gangs whose time has come.
// The comparators may be called from anywhere.
package queue

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
)

// Queue holds gangs in the order of [Compare]. The zero value is empty; so is nil, which takes no gang. A gang stays in it until it is removed, so a host asks for
// [Queue.Next], plans that gang, and then either removes it or reports that it failed.
//
// Nobody starves, if the times of failures increase. Of equal priority, whoever fails goes behind everybody who waited then: between two
// turns of one gang each of the others had one. Priorities are strict, so whoever fails with a higher one comes back before those with a
// lower, unless it is kept away for a while: [Queue.Failed] takes a time before which it does not come to the head.
//
// A queue is a plain data structure without clock and goroutines; it is not safe for concurrent use.
type Queue struct {
	byName map[string]*Entry
	ready  *btree.BTreeG[*Entry] // who may come to the head, by Compare
	parked *btree.BTreeG[*Entry] // who may not yet, by NotBefore
}

// Len is how many gangs are in the queue. O(1).
func (q *Queue) Len() int {
	if q == nil {
		return 0
	}
	return len(q.byName)
}

// Add puts a gang into the queue, in place of the one of the same name if there is one. It is a [muster.InvalidError] if it has no name or a
// negative time, or the queue is nil. O(log n).
func (q *Queue) Add(g Entry) error {
	if q == nil {
		return &muster.InvalidError{Field: "queue", Reason: "missing"}
	}
	if g.Name == "" {
		return &muster.InvalidError{Field: "entry.Name", Reason: "a gang has no name"}
	}
	for _, t := range []struct {
		field string
		time  int64
	}{{"Created", g.Created}, {"LastFailure", g.LastFailure}, {"NotBefore", g.NotBefore}} {
		if t.time < 0 {
			return &muster.InvalidError{Field: "entry." + t.field, Value: fmt.Sprint(t.time), Reason: "negative time"}
		}
	}
	if q.byName == nil {
		q.byName = map[string]*Entry{}
		q.ready = btree.NewG(32, func(a, b *Entry) bool { return Compare(a, b) < 0 })
		q.parked = btree.NewG(32, func(a, b *Entry) bool {
			return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), Compare(a, b)) < 0
		})
	}
	q.Remove(g.Name)
	q.byName[g.Name] = &g
	q.insert(&g)
	return nil
}

// named is the gang of that name, nil if it is not in the queue.
func (q *Queue) named(name string) *Entry {
	if q == nil {
		return nil
	}
	return q.byName[name]
}

// insert parks whoever has a time to wait for; Next knows what the time is.
func (q *Queue) insert(g *Entry) {
	if g.NotBefore > 0 {
		q.parked.ReplaceOrInsert(g)
		return
	}
	q.ready.ReplaceOrInsert(g)
}

// Remove takes a gang out of the queue and returns it, if it was there. O(log n).
func (q *Queue) Remove(name string) (Entry, bool) {
	g := q.named(name)
	if g == nil {
		return Entry{}, false
	}
	delete(q.byName, name)
	q.take(g)
	return *g, true
}

// take removes from the order it stands in, of which a field is about to change.
func (q *Queue) take(g *Entry) {
	if _, ok := q.parked.Delete(g); !ok {
		q.ready.Delete(g)
	}
}

// Next is the gang at the head, which stays there. Gangs whose NotBefore is later than now are passed over; those that were once due stay
// so, even if an earlier time is passed in. O(log n) for every gang that has become due.
func (q *Queue) Next(now int64) (Entry, bool) {
	if q.Len() == 0 {
		return Entry{}, false
	}
	for {
		g, ok := q.parked.Min()
		if !ok || g.NotBefore > now {
			break
		}
		q.parked.DeleteMin()
		q.ready.ReplaceOrInsert(g)
	}
	g, ok := q.ready.Min()
	if !ok {
		return Entry{}, false
	}
	return *g, true
}

// Due is the earliest time at which a gang that is kept away from the head may come there, false if there is none. O(log n).
func (q *Queue) Due() (int64, bool) {
	if q.Len() == 0 {
		return 0, false
	}
	g, ok := q.parked.Min()
	if !ok {
		return 0, false
	}
	return g.NotBefore, true
}

// Failed puts a gang back that could not be placed at this time, behind those of its priority that are there already; it does not come to
// the head before notBefore (0: as soon as its turn comes). It is false if there is no such gang. Times that go back change
// nothing: the last failure is the latest one. O(log n).
func (q *Queue) Failed(name string, now, notBefore int64) bool {
	g := q.named(name)
	if g == nil {
		return false
	}
	q.take(g)
	g.LastFailure, g.Failed = max(g.since(), now), true
	g.NotBefore = max(0, notBefore)
	q.insert(g)
	return true
}

// All iterates over the queue: those that may come to the head, in order, then those that may not yet, by when they may. The queue must
// not change meanwhile. O(n).
func (q *Queue) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if q.Len() == 0 {
			return
		}
		more := true
		each := func(g *Entry) bool {
			more = yield(*g)
			return more
		}
		if q.ready.Ascend(each); more {
			q.parked.Ascend(each)
		}
	}
}
