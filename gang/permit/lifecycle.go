// Package permit answers: who waits until a gang is bound? It is for hosts that bind members one by one. A [Lifecycle] is what is
// known of all gangs; [Lifecycle.Step] takes an [Event] and says which members wait, which are let go together, and which give
// their nodes back.
//
// Invariants: a state never changes, a step makes a new one. Members go when every gang of their group has as many as its terms
// ask for, and then all that wait go. Whoever waits has a time at which the wait ends. Equal states and events have equal answers:
// there is no clock, times come with events.
//
// Any number of goroutines may use a state and take steps from it, each its own. A host that has one current state replaces it by
// one writer at a time, else an event is lost.
package permit

import (
	"slices"
	"sync"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Lifecycle is what is known of gangs whose members are bound one by one: who waits for the others, who has been allowed to go, who runs.
// It is the permit state machine of the coscheduling proposal as a value: [Lifecycle.Step] takes what happened and returns the state
// after that and what the host is to do. The zero value knows of nothing, nor does nil.
//
// A member that has a node waits until its gang is ready, that is until MinMember members of it wait or have been allowed, and every gang
// of its group is. Then all that wait are allowed together. If a member fails before, or has waited too long, everybody who waits
// gives the node back (in [gang.Strict] mode). So no gang holds nodes for ever:
// everybody who waits has a time at which that ends, if the host sends [TimePassed] then ([Lifecycle.Deadline]), and of two gangs that
// each hold what the other one needs, the one that is not at the head any more gives way at once ([GangAtHead]).
//
// A state never changes and is safe for concurrent use. A step shares with the state before whatever it does not touch.
type Lifecycle struct {
	cloning   sync.Mutex // copying a tree writes to the tree
	gangs     *btree.BTreeG[account]
	members   *btree.BTreeG[standing] // by gang and member
	deadlines *btree.BTreeG[standing] // of those who wait, the earliest first
	head      string                  // the gang that came to the head last
}

// Step is the state after an event, and what there is to do, in this order. Equal states and events have equal answers. An event that makes
// no sense is refused with [muster.InvalidError]s and the state as it is. O(log n) for an event that only changes one member, else
// O(members of the group of gangs).
//
//   - A reserved member is answered by Wait, or by Allow for itself and all that wait with it. A plain pod is allowed, a member of an
//     unknown gang rejected. A repeated event is answered as before, the wait ending as before; a bound member is not answered.
//   - Failed or timed out: the member is no longer waiting or allowed. If its gang is strict, and is not once-satisfied and satisfied, all that
//     wait in its group are rejected. Members that have been allowed or bound are left alone.
//   - Bound and GangChanged: if the group is ready by this, all that wait are allowed.
//   - Deleted: nothing else happens. GangDeleted: those who wait are rejected; in a strict gang all of its group, as if a member had failed.
//   - GangAtHead: if fewer members are known than some gang of the group needs, or one is not known, the gang is requeued and does not come to
//     the head. Else, in either mode, whoever waits in the group that was at the head before is rejected.
//   - Reject names members that waited, the failed one too if it did (and the newcomer of an unknown gang); Requeue follows with the gangs
//     of all that failed or are rejected.
func (l *Lifecycle) Step(e Event) (*Lifecycle, []Action, error) {
	if err := e.validate(); err != nil {
		return l, nil, err
	}
	if e.Gang == "" && e.Kind != TimePassed {
		return l, plainPod(e), nil
	}
	next := l.fork()
	var actions []Action
	switch e.Kind {
	case MemberSeen:
		next.set(next.member(e.ref()))
	case MemberReserved:
		actions = next.reserve(e)
	case MemberFailed:
		actions = next.fail(e.ref())
	case MemberTimedOut:
		if m := next.member(e.ref()); m.phase == waits {
			actions = next.fail(m.ref)
		} else {
			next.set(m)
		}
	case MemberBound:
		actions = next.bind(e.ref())
	case MemberDeleted:
		next.forget(next.member(e.ref()))
	case GangChanged:
		actions = next.change(e)
	case GangDeleted:
		actions = next.dissolve(e.Gang)
	case GangAtHead:
		actions = next.lead(e.Gang)
	case TimePassed:
		actions = next.expire(e.Time)
	}
	return next, actions, nil
}

// Deadline is the earliest time at which somebody's wait is over, false if nobody waits: the time of the next [TimePassed]. O(log n).
func (l *Lifecycle) Deadline() (int64, bool) {
	if l == nil || l.deadlines == nil {
		return 0, false
	}
	m, ok := l.deadlines.Min()
	return m.until, ok
}

// Standing is what is known of a gang: its terms with the defaults filled in, and the members that exist, in natural order.
type Standing struct {
	// Terms have no empty field: a Group is sorted, without repeats, and has the gang in it.
	Terms gang.Terms
	// Waiting members have a node and were told to wait, Allowed ones let go, Bound ones run. Others only exist.
	Waiting, Allowed, Bound, Others []string
}

// Gang is what is known of a gang, false if it is unknown, be it that members of it are known. The slices are the caller's. O(members).
func (l *Lifecycle) Gang(name string) (Standing, bool) {
	if l == nil || l.gangs == nil {
		return Standing{}, false
	}
	g := l.gang(name)
	if g.terms == nil {
		return Standing{}, false
	}
	s := Standing{Terms: *g.terms}
	s.Terms.Group = slices.Clone(s.Terms.Group)
	l.each(name, func(m standing) bool {
		list := &s.Others
		switch m.phase {
		case waits:
			list = &s.Waiting
		case allowed:
			list = &s.Allowed
		case bound:
			list = &s.Bound
		case absent, seen, phases:
		}
		*list = append(*list, m.ref.Member)
		return true
	})
	return s, true
}

func (e *Event) ref() Ref { return Ref{e.Gang, e.Member} }

// plainPod answers for a pod that has nobody to wait for; nothing is remembered of it.
func plainPod(e Event) []Action {
	switch e.Kind {
	case MemberReserved:
		return []Action{{Kind: Allow, Members: []Ref{e.ref()}}}
	case MemberFailed, MemberTimedOut:
		return []Action{{Kind: Requeue, Gangs: []string{e.Member}}}
	default:
		return nil
	}
}

// reserve is Permit: the newcomer waits or completes its group.
func (l *Lifecycle) reserve(e Event) []Action {
	m, g := l.member(e.ref()), l.gang(e.Gang)
	switch {
	case g.terms == nil:
		l.set(m)
		return rejection([]Ref{m.ref}, nil)
	case m.phase == bound:
		return nil
	case m.phase == allowed:
		return []Action{{Kind: Allow, Members: []Ref{m.ref}}}
	case m.phase != waits:
		m.phase, m.until = waits, waitUntil(g.terms, e.Time)
		l.set(m)
	}
	if open := l.open(g.terms.Group); open != nil {
		return open
	}
	return []Action{{Kind: Wait, Members: []Ref{m.ref}, Until: m.until}}
}

// open lets all go who wait in a group, if it is ready and somebody does.
func (l *Lifecycle) open(group []string) []Action {
	if !l.ready(group) {
		return nil
	}
	refs := l.move(group, allowed)
	if refs == nil {
		return nil
	}
	return []Action{{Kind: Allow, Members: refs}}
}

// fail is Unreserve: the member leaves, and takes with it those who wait for it. That it is known stays.
func (l *Lifecycle) fail(ref Ref) []Action {
	m := l.member(ref)
	var refs []Ref
	if m.phase == waits {
		refs = append(refs, ref)
	}
	m.phase = seen
	l.set(m)
	if g := l.gang(ref.Gang); l.strict(g) {
		refs = append(refs, l.move(g.terms.Group, seen)...)
	}
	return rejection(refs, []string{ref.Gang})
}

// rejection rejects those who waited; their gangs, and others that failed, go back to the queue.
func rejection(refs []Ref, failed []string) []Action {
	var actions []Action
	if len(refs) > 0 {
		slices.SortFunc(refs, compareRefs)
		actions = append(actions, Action{Kind: Reject, Members: refs})
	}
	for _, ref := range refs {
		failed = append(failed, ref.Gang)
	}
	if len(failed) > 0 {
		slices.SortFunc(failed, muster.CompareNatural)
		actions = append(actions, Action{Kind: Requeue, Gangs: slices.Compact(failed)})
	}
	return actions
}

// bind remembers that the gang has been satisfied, whatever becomes of the member.
func (l *Lifecycle) bind(ref Ref) []Action {
	m := l.member(ref)
	m.phase = bound
	l.set(m)
	g := l.gang(ref.Gang)
	g.satisfied = true
	l.keep(g)
	if g.terms == nil {
		return nil
	}
	return l.open(g.terms.Group)
}

// change makes a gang known, or gives it other terms. Whoever waits goes on waiting as long as was said.
func (l *Lifecycle) change(e Event) []Action {
	g := l.gang(e.Gang)
	terms := resolved(e.Terms, e.Gang)
	g.terms = &terms
	l.keep(g)
	return l.open(terms.Group)
}

// dissolve makes a gang unknown. Its members stay known, as do those of a gang that is not known yet.
func (l *Lifecycle) dissolve(name string) []Action {
	g := l.gang(name)
	if g.terms == nil {
		return nil
	}
	group := []string{name}
	if l.strict(g) {
		group = g.terms.Group
	}
	refs := l.move(group, seen)
	g = l.gang(name)
	g.terms, g.satisfied = nil, g.count[bound] > 0
	l.keep(g)
	return rejection(refs, nil)
}

// lead is PreFilter: a gang that cannot become ready is not tried, and one that is tried does not share the nodes with half of another.
func (l *Lifecycle) lead(name string) []Action {
	g := l.gang(name)
	if g.terms == nil || !l.complete(g.terms.Group, seen) {
		return rejection(nil, []string{name})
	}
	before := l.gang(l.head)
	l.head = name
	if before.terms == nil || slices.Equal(before.terms.Group, g.terms.Group) {
		return nil
	}
	return rejection(l.move(before.terms.Group, seen), nil)
}

// expire is a failure of everybody whose time is over, the earliest first.
func (l *Lifecycle) expire(now int64) []Action {
	var refs []Ref
	var gangs []string
	for {
		m, ok := l.deadlines.Min()
		if !ok || m.until > now {
			return rejection(refs, gangs)
		}
		for _, a := range l.fail(m.ref) {
			refs, gangs = append(refs, a.Members...), append(gangs, a.Gangs...)
		}
	}
}
