package permit

import "github.com/muster-sched/muster"

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
	// Requeue puts the gangs back into the queue, failed at the time of the event (queue.Queue.Failed).
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
