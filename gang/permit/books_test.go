package permit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
)

// size counts what is remembered of gangs, members and waits.
func (l *Lifecycle) size() [3]int {
	return [3]int{l.gangs.Len(), l.members.Len(), l.deadlines.Len()}
}

// What is gone leaves nothing behind: a scheduler that runs for years sees many gangs, and few at once.
func TestNothingIsLeftOfWhatIsGone(t *testing.T) {
	var l *Lifecycle
	after := func(want [3]int, events ...Event) {
		t.Helper()
		for _, e := range events {
			next, _, err := l.Step(e)
			require.NoError(t, err)
			l = next
		}
		require.Equal(t, want, l.size())
	}
	event := func(kind EventKind, name, member string) Event { return Event{Kind: kind, Gang: name, Member: member} }
	known := Event{Kind: GangChanged, Gang: "ns/a", Terms: gang.Terms{MinMember: 2}}

	// The members first, then the gang; then the other way round; then one that was never made known.
	after([3]int{1, 2, 1}, known, event(MemberReserved, "ns/a", "a-0"), event(MemberSeen, "ns/a", "a-1"))
	after([3]int{1, 0, 0}, event(MemberDeleted, "ns/a", "a-0"), event(MemberDeleted, "ns/a", "a-1"))
	after([3]int{0, 0, 0}, event(GangDeleted, "ns/a", ""))
	after([3]int{1, 2, 0}, known, event(MemberReserved, "ns/a", "a-0"), event(MemberBound, "ns/a", "a-1"), event(GangDeleted, "ns/a", ""))
	after([3]int{1, 1, 0}, event(MemberDeleted, "ns/a", "a-1"))
	after([3]int{0, 0, 0}, event(MemberDeleted, "ns/a", "a-0"))
	after([3]int{1, 1, 0}, event(MemberSeen, "ns/b", "b-0"))
	after([3]int{0, 0, 0}, event(MemberDeleted, "ns/b", "b-0"), event(MemberDeleted, "ns/b", "b-0"), event(GangDeleted, "ns/b", ""))
	// A member whose wait is over waits no more, whichever way it ended.
	after([3]int{1, 2, 2}, Event{Kind: GangChanged, Gang: "ns/c", Terms: gang.Terms{MinMember: 3, Mode: gang.NonStrict}}, event(MemberReserved, "ns/c", "c-0"), event(MemberReserved, "ns/c", "c-1"))
	after([3]int{1, 2, 1}, event(MemberFailed, "ns/c", "c-0"))
	after([3]int{1, 2, 0}, event(MemberBound, "ns/c", "c-1"))
}
