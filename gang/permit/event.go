package permit

import (
	"errors"
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Event is what happens to a member or a gang. Whatever happens to a member makes it known, and a gang need not be known before its
// members are.
type Event struct {
	// Kind says what happened, and which of the other fields count.
	Kind EventKind
	// Time is when, from 0 on, in any unit. Only differences matter, and only [TimePassed] makes anybody's time run out.
	Time int64
	// Gang names the gang, or that of the member; empty for a plain pod and for [TimePassed].
	Gang string
	// Member names the member, where something happens to one.
	Member string
	// Terms are those of a gang that is new or has changed; they are copied.
	Terms gang.Terms
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

// defects collects everything that is wrong with an event.
type defects []error

func (d *defects) add(field string, value any, reason string) {
	*d = append(*d, &muster.InvalidError{Field: field, Value: fmt.Sprint(value), Reason: reason})
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
		checkTerms(&d, &e.Terms)
	}
	return errors.Join(d...)
}
