package permit

import "github.com/muster-sched/muster"

// Action is what the host is to do.
type Action struct {
	// Kind says what to do, and with whom: members, or for [Requeue] gangs.
	Kind ActionKind
	// Members are the one that waits, or all that are allowed or rejected, in natural order of gang and member.
	Members []Ref
	// Until is the time at which a wait ends, 0 for other actions.
	Until int64
	// Gangs go back to the queue, in natural order; a plain pod is there by its own name.
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
	// Requeue puts the gangs back into the queue, failed at the time of the event; see package gang/queue.
	Requeue ActionKind = "requeue"
)

// Ref names a member.
type Ref struct {
	// Gang is empty for a plain pod.
	Gang string
	// Member is unique in the gang.
	Member string
}

// compareRefs is natural order of gang, then member.
func compareRefs(a, b Ref) int {
	if a.Gang != b.Gang {
		return muster.CompareNatural(a.Gang, b.Gang)
	}
	return muster.CompareNatural(a.Member, b.Member)
}
