package gang

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
)

// Queued is a gang that waits in a [Queue], or a plain pod, which is a gang of one. Times are integers of the host's clock, 0 or
// later, in any unit.
type Queued struct {
	// Name is unique in the queue, such as `namespace/name`.
	Name string
	// UID ends ties between those of equal priority and time.
	UID string
	// Priority orders the queue; higher goes first.
	Priority int64
	// Created is when the gang was created; of a plain pod its timestamp.
	Created int64
	// LastFailure stands for Created if Failed is set.
	LastFailure int64
	Failed      bool
	// NotBefore is when it may come to the head again; 0: at once.
	NotBefore int64
}

// CompareQueued is the order of the coscheduling proposal: the higher priority; the earlier time, of the last failure or, where there is
// none, of creation; the smaller UID (bytes); natural order of names. One without a UID comes after those that have one:
// were such pairs ordered by name, the order would run in circles. It is a total order of names; only entries of one name
// compare as 0.
func CompareQueued(a, b *Queued) int {
	// Trees compare all the time, and mostly the first keys decide.
	if a.Priority != b.Priority {
		return cmp.Compare(b.Priority, a.Priority)
	}
	if c := cmp.Compare(a.since(), b.since()); c != 0 {
		return c
	}
	if c := compareFlags(a.UID != "", b.UID != ""); c != 0 {
		return c
	}
	if c := strings.Compare(a.UID, b.UID); c != 0 {
		return c
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// CompareMembers orders the members of one gang: by index, those without one last, in natural order of names.
func CompareMembers(a, b *Member) int {
	if c := compareFlags(a.Indexed, b.Indexed); c != 0 {
		return c
	}
	if a.Indexed && a.Index != b.Index {
		return cmp.Compare(a.Index, b.Index)
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// ComparePods is the order for hosts that queue pod by pod: a is a member of gang g, b one of h. Members of one gang are contiguous,
// whatever else is in the queue, as long as the host says the same of a gang for all of its members.
func ComparePods(g *Queued, a *Member, h *Queued, b *Member) int {
	return cmp.Or(CompareQueued(g, h), CompareMembers(a, b))
}

// compareFlags puts those first that have something.
func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// since is the time by which it is ordered.
func (g *Queued) since() int64 {
	if g.Failed {
		return g.LastFailure
	}
	return g.Created
}

// Queue holds gangs in the order of [CompareQueued]. The zero value is empty. A gang stays in it until it is removed, so a host asks for
// [Queue.Next], plans that gang, and then either removes it or reports that it failed.
//
// Nobody starves, if the times of failures increase. Of equal priority, whoever fails goes behind everybody who waited then: between two
// turns of one gang each of the others had one. Priorities are strict, so whoever fails with a higher one comes back before those with a
// lower, unless it is kept away for a while: [Queue.Failed] takes a time before which it does not come to the head.
//
// A queue is a plain data structure without clock and goroutines; it is not safe for concurrent use.
type Queue struct {
	byName map[string]*Queued
	ready  *btree.BTreeG[*Queued] // who may come to the head, by CompareQueued
	parked *btree.BTreeG[*Queued] // who may not yet, by NotBefore
}

// Len is how many gangs are in the queue.
func (q *Queue) Len() int { return len(q.byName) }

// Add puts a gang into the queue, in place of the one of the same name if there is one. It is a [muster.InvalidError] if it has no name or a
// negative time. O(log n).
func (q *Queue) Add(g Queued) error {
	if g.Name == "" {
		return &muster.InvalidError{Field: "queued.Name", Reason: "a gang has no name"}
	}
	for _, t := range []struct {
		field string
		time  int64
	}{{"Created", g.Created}, {"LastFailure", g.LastFailure}, {"NotBefore", g.NotBefore}} {
		if t.time < 0 {
			return &muster.InvalidError{Field: "queued." + t.field, Value: fmt.Sprint(t.time), Reason: "negative time"}
		}
	}
	if q.byName == nil {
		q.byName = map[string]*Queued{}
		q.ready = btree.NewG(32, func(a, b *Queued) bool { return CompareQueued(a, b) < 0 })
		q.parked = btree.NewG(32, func(a, b *Queued) bool {
			return cmp.Or(cmp.Compare(a.NotBefore, b.NotBefore), CompareQueued(a, b)) < 0
		})
	}
	q.Remove(g.Name)
	q.byName[g.Name] = &g
	q.insert(&g)
	return nil
}

// insert parks whoever has a time to wait for; Next knows what the time is.
func (q *Queue) insert(g *Queued) {
	if g.NotBefore > 0 {
		q.parked.ReplaceOrInsert(g)
		return
	}
	q.ready.ReplaceOrInsert(g)
}

// Remove takes a gang out of the queue and returns it, if it was there. O(log n).
func (q *Queue) Remove(name string) (Queued, bool) {
	g, ok := q.byName[name]
	if !ok {
		return Queued{}, false
	}
	delete(q.byName, name)
	q.take(g)
	return *g, true
}

// take removes from the order it stands in, of which a field is about to change.
func (q *Queue) take(g *Queued) {
	if _, ok := q.parked.Delete(g); !ok {
		q.ready.Delete(g)
	}
}

// Next is the gang at the head, which stays there. Gangs whose NotBefore is later than now are passed over; those that were once due stay
// so, even if an earlier time is passed in. O(log n) for every gang that has become due.
func (q *Queue) Next(now int64) (Queued, bool) {
	if len(q.byName) == 0 {
		return Queued{}, false
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
		return Queued{}, false
	}
	return *g, true
}

// Due is the earliest time at which a gang that is kept away from the head may come there, false if there is none. O(log n).
func (q *Queue) Due() (int64, bool) {
	if len(q.byName) == 0 {
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
	g, ok := q.byName[name]
	if !ok {
		return false
	}
	q.take(g)
	g.LastFailure, g.Failed = max(g.since(), now), true
	g.NotBefore = max(0, notBefore)
	q.insert(g)
	return true
}

// All iterates over the queue: those that may come to the head, in order, then those that may not yet, by when they may. The queue must
// not change meanwhile.
func (q *Queue) All() iter.Seq[Queued] {
	return func(yield func(Queued) bool) {
		if q.byName == nil {
			return
		}
		more := true
		each := func(g *Queued) bool {
			more = yield(*g)
			return more
		}
		if q.ready.Ascend(each); more {
			q.parked.Ascend(each)
		}
	}
}
