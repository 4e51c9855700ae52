package gang

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// Terms are what a gang needs before its members are let go, see [Lifecycle]. The zero value lets everybody go at once, by strict rules.
type Terms struct {
	// MinMember is how many members must be ready together. 0: the gang is ready even without any.
	MinMember int
	// Mode says what the failure of a member means to the others. Empty: [Strict].
	Mode Mode
	// Match says who counts towards MinMember. Empty: [OnceSatisfied].
	Match MatchPolicy
	// Group names the gangs that go together; this one belongs to it, named or not. The gangs of a group name the same ones: one that is
	// not known yet, or that names others, is not ready.
	Group []string
	// WaitTime is how long a member waits, in the unit of the times of events. 0: [DefaultWaitTime].
	WaitTime int64
}

// DefaultWaitTime is ten minutes where times are seconds.
const DefaultWaitTime = 600

// Mode says what the failure of a member means to the others.
type Mode string

const (
	// Strict gangs start from zero: all that wait are rejected, in the whole group of gangs. It is the default.
	Strict Mode = "strict"
	// NonStrict gangs go on collecting members.
	NonStrict Mode = "non-strict"
)

// MatchPolicy says who counts towards MinMember. Members that wait or have been allowed always do.
type MatchPolicy string

const (
	// OnceSatisfied gangs are ready for good once a member of their group has been bound. It is the default.
	OnceSatisfied MatchPolicy = "once-satisfied"
	// OnlyWaiting gangs do not count those that are bound.
	OnlyWaiting MatchPolicy = "only-waiting"
	// WaitingAndRunning gangs count those that are bound too.
	WaitingAndRunning MatchPolicy = "waiting-and-running"
)

// Event is what happens to a member or a gang. Whatever happens to a member makes it known, and a gang need not be known before its
// members are.
type Event struct {
	Kind EventKind
	// Time is when, from 0 on, in any unit. Only differences matter, and only [TimePassed] makes anybody's time run out.
	Time int64
	// Gang is empty for a plain pod.
	Gang   string
	Member string
	// Terms of a gang that is new or has changed.
	Terms Terms
}

// EventKind says what happens.
type EventKind string

// What happens to members and gangs.
const (
	// MemberSeen: the member exists.
	MemberSeen EventKind = "seen"
	// MemberReserved: the member has a node and asks for permission.
	MemberReserved EventKind = "reserved"
	// MemberFailed: no node was found for it, or its reservation was undone.
	MemberFailed EventKind = "failed"
	// MemberTimedOut: a timer of the host says that it waited too long. It means nothing for a member that does not wait.
	MemberTimedOut EventKind = "timeout"
	// MemberBound: it runs.
	MemberBound EventKind = "bound"
	// MemberDeleted: it is gone.
	MemberDeleted EventKind = "deleted"
	// GangChanged: the gang is new, or its terms are other ones.
	GangChanged EventKind = "gang changed"
	// GangDeleted: the gang is gone, but for its members.
	GangDeleted EventKind = "gang deleted"
	// GangAtHead: the host is about to look for nodes for the gang's members.
	GangAtHead EventKind = "head"
	// TimePassed: whoever has waited too long by now does so no longer.
	TimePassed EventKind = "time passed"
)

// Action is what the host is to do.
type Action struct {
	Kind ActionKind
	// Members are the one that waits, or all that are allowed or rejected, in natural order of gang and member.
	Members []Ref
	// Until is how long to wait.
	Until int64
	// Gangs go back to the queue, which has plain pods by their names too, in natural order.
	Gangs []string
}

// ActionKind says what the host is to do.
type ActionKind string

const (
	// Wait keeps the member's node until a time.
	Wait ActionKind = "wait"
	// Allow lets the members go together.
	Allow ActionKind = "allow"
	// Reject gives the nodes of the members back.
	Reject ActionKind = "reject"
	// Requeue puts the gangs back into the queue, failed at the time of the event ([Queue.Failed]).
	Requeue ActionKind = "requeue"
)

// Ref names a member; of a plain pod the gang is empty.
type Ref struct{ Gang, Member string }

// compareRefs is natural order of gang, then member.
func compareRefs(a, b Ref) int {
	if a.Gang != b.Gang {
		return muster.CompareNatural(a.Gang, b.Gang)
	}
	return muster.CompareNatural(a.Member, b.Member)
}

// validate refuses what says nothing.
func (e *Event) validate() error {
	var d defects
	switch e.Kind {
	case MemberSeen, MemberReserved, MemberFailed, MemberTimedOut, MemberBound, MemberDeleted:
		if e.Member == "" {
			d.add("event.Member", "", "a member has no name")
		}
	case GangChanged, GangDeleted, GangAtHead:
		if e.Gang == "" {
			d.add("event.Gang", "", "a gang has no name")
		}
	case TimePassed:
	default:
		d.add("event.Kind", e.Kind, "unknown kind")
	}
	if e.Time < 0 {
		d.add("event.Time", e.Time, "negative time")
	}
	if e.Kind == GangChanged {
		e.Terms.check(&d)
	}
	return errors.Join(d...)
}

func (t *Terms) check(d *defects) {
	if t.MinMember < 0 {
		d.add("event.Terms.MinMember", t.MinMember, "negative")
	}
	switch t.Mode {
	case "", Strict, NonStrict:
	default:
		d.add("event.Terms.Mode", t.Mode, "unknown mode")
	}
	switch t.Match {
	case "", OnceSatisfied, OnlyWaiting, WaitingAndRunning:
	default:
		d.add("event.Terms.Match", t.Match, "unknown policy")
	}
	for i, name := range t.Group {
		if name == "" {
			d.add(fmt.Sprintf("event.Terms.Group[%d]", i), "", "a gang has no name")
		}
	}
	if t.WaitTime < 0 {
		d.add("event.Terms.WaitTime", t.WaitTime, "negative time")
	}
}

// resolved replaces defaults by what they stand for, and makes the group a set that has the gang in it; it shares nothing with t.
func (t Terms) resolved(name string) Terms {
	if t.Mode == "" {
		t.Mode = Strict
	}
	if t.Match == "" {
		t.Match = OnceSatisfied
	}
	if t.WaitTime == 0 {
		t.WaitTime = DefaultWaitTime
	}
	t.Group = append(slices.Clone(t.Group), name)
	slices.SortFunc(t.Group, muster.CompareNatural)
	t.Group = slices.Compact(t.Group)
	return t
}

// until is when somebody who begins to wait now has waited long enough.
func (t *Terms) until(now int64) int64 {
	return min(now, math.MaxInt64-t.WaitTime) + t.WaitTime
}
