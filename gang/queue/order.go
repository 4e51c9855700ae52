package queue

import (
	"cmp"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Entry is a gang that waits in a [Queue], or a plain pod, which is a gang of one. Times are integers of the host's clock, 0 or
// later, in any unit.
type Entry struct {
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
	// Failed says that it was tried without success, so that a failure at 0 is told from none.
	Failed bool
	// NotBefore is when it may come to the head again; 0: at once.
	NotBefore int64
}

// Compare is the order of the coscheduling proposal: the higher priority; the earlier time, of the last failure or, where there is
// none, of creation; the smaller UID (bytes); natural order of names. One without a UID comes after those that have one:
// were such pairs ordered by name, the order would run in circles. It is a total order of names; only entries of one name
// compare as 0. Nil comes last. O(length of the names).
func Compare(a, b *Entry) int {
	if a == nil || b == nil {
		return compareFlags(a != nil, b != nil)
	}
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

// CompareMembers orders the members of one gang: by index, those without one last, in natural order of names; nil comes last.
// O(length of the names).
func CompareMembers(a, b *gang.Member) int {
	if a == nil || b == nil {
		return compareFlags(a != nil, b != nil)
	}
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
func ComparePods(g *Entry, a *gang.Member, h *Entry, b *gang.Member) int {
	return cmp.Or(Compare(g, h), CompareMembers(a, b))
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
func (g *Entry) since() int64 {
	if g.Failed {
		return g.LastFailure
	}
	return g.Created
}
