package permit_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/gang/queue"
)

// told goes through events, each with what the actions say: `wait a-0 until 10; allow a-0 a-1; reject a-0; requeue ns/a`.
func told(t *testing.T, l *permit.Lifecycle, steps []permit.Event, want ...string) *permit.Lifecycle {
	t.Helper()
	for i, e := range steps {
		next, actions, err := l.Step(e)
		require.NoError(t, err)
		require.Equal(t, want[i], words(actions), "event %d: %v", i, e)
		l = next
	}
	require.Len(t, want, len(steps))
	return l
}

func words(actions []permit.Action) string {
	text := ""
	for i, a := range actions {
		if i > 0 {
			text += "; "
		}
		text += string(a.Kind)
		for _, ref := range a.Members {
			text += " " + ref.Member
		}
		for _, name := range a.Gangs {
			text += " " + name
		}
		if a.Kind == permit.Wait {
			text += fmt.Sprint(" until ", a.Until)
		}
	}
	return text
}

func terms(name string, t gang.Terms) permit.Event {
	return permit.Event{Kind: permit.GangChanged, Gang: name, Terms: t}
}

func at(now int64, kind permit.EventKind, name, member string) permit.Event {
	return permit.Event{Kind: kind, Time: now, Gang: name, Member: member}
}

func TestDefaultsOfTerms(t *testing.T) {
	l := told(t, &permit.Lifecycle{}, []permit.Event{terms("ns/a", gang.Terms{}), at(7, permit.MemberReserved, "ns/a", "a-0")}, "", "allow a-0")
	s, ok := l.Gang("ns/a")
	require.True(t, ok)
	require.Equal(t, gang.Terms{Mode: gang.Strict, Match: gang.OnceSatisfied, Group: []string{"ns/a"}, WaitTime: gang.DefaultWaitTime}, s.Terms)
	s.Terms.Group[0] = "x"
	s, _ = l.Gang("ns/a")
	require.Equal(t, []string{"ns/a"}, s.Terms.Group, "the slices are the caller's")
	told(t, l, []permit.Event{terms("ns/a", gang.Terms{MinMember: 2}), at(7, permit.MemberReserved, "ns/a", "a-1"), terms("ns/b", gang.Terms{MinMember: 1, Group: []string{"ns/a"}})},
		"", "allow a-1", "")
}

func TestPlainPods(t *testing.T) {
	told(t, nil, []permit.Event{
		at(0, permit.MemberSeen, "", "p"), at(0, permit.MemberReserved, "", "p"), at(0, permit.MemberFailed, "", "p"), at(0, permit.MemberTimedOut, "", "p"), at(0, permit.MemberDeleted, "", "p"),
	}, "", "allow p", "requeue p", "requeue p", "")
}

func TestAWaitEndsWhenItWasSaidTo(t *testing.T) {
	l := told(t, &permit.Lifecycle{}, []permit.Event{
		terms("ns/a", gang.Terms{MinMember: 9, WaitTime: 10}),
		at(5, permit.MemberReserved, "ns/a", "a-0"),
		at(9, permit.MemberReserved, "ns/a", "a-0"),
		{Kind: permit.GangChanged, Gang: "ns/a", Terms: gang.Terms{MinMember: 9, WaitTime: 99, Mode: gang.NonStrict}},
		at(9, permit.MemberReserved, "ns/a", "a-0"),
		at(9, permit.MemberReserved, "ns/a", "a-1"),
		{Kind: permit.TimePassed, Time: 14},
		{Kind: permit.TimePassed, Time: 15},
		at(math.MaxInt64-1, permit.MemberReserved, "ns/a", "a-2"),
	}, "", "wait a-0 until 15", "wait a-0 until 15", "", "wait a-0 until 15", "wait a-1 until 108", "", "reject a-0; requeue ns/a",
		fmt.Sprint("wait a-2 until ", int64(math.MaxInt64)))
	due, ok := l.Deadline()
	require.True(t, ok)
	require.EqualValues(t, 108, due)
	told(t, l, []permit.Event{{Kind: permit.TimePassed, Time: math.MaxInt64}}, "reject a-1 a-2; requeue ns/a")
}

func TestAStaleTimerMeansNothing(t *testing.T) {
	told(t, &permit.Lifecycle{}, []permit.Event{
		terms("ns/a", gang.Terms{MinMember: 2}),
		at(0, permit.MemberReserved, "ns/a", "a-0"),
		at(1, permit.MemberFailed, "ns/a", "a-0"),
		at(2, permit.MemberReserved, "ns/a", "a-1"),
		at(3, permit.MemberTimedOut, "ns/a", "a-0"),
		at(4, permit.MemberReserved, "ns/a", "a-0"),
		at(5, permit.MemberTimedOut, "ns/a", "a-0"),
		at(6, permit.MemberBound, "ns/a", "a-0"),
		at(7, permit.MemberTimedOut, "ns/a", "a-0"),
		at(8, permit.MemberReserved, "ns/a", "a-0"),
	}, "", "wait a-0 until 600", "reject a-0; requeue ns/a", "wait a-1 until 602", "", "allow a-0 a-1", "", "", "", "")
}

// Informers are not in order: members come before their gang, one gang of a group before the other.
func TestMembersComeBeforeTheirGang(t *testing.T) {
	told(t, &permit.Lifecycle{}, []permit.Event{
		at(0, permit.MemberSeen, "ns/a", "a-1"),
		at(0, permit.MemberBound, "ns/a", "a-0"),
		at(0, permit.MemberReserved, "ns/a", "a-1"),
		at(0, permit.GangAtHead, "ns/a", ""),
		terms("ns/a", gang.Terms{MinMember: 2, Match: gang.WaitingAndRunning, Group: []string{"ns/a", "ns/b"}}),
		at(0, permit.MemberReserved, "ns/a", "a-1"),
		terms("ns/b", gang.Terms{}),
		terms("ns/b", gang.Terms{Group: []string{"ns/a"}}),
	}, "", "", "reject a-1; requeue ns/a", "requeue ns/a", "", "wait a-1 until 600", "", "allow a-1")
}

// A restarted scheduler finds that enough run: whoever waits need not wait for somebody to come.
func TestABoundMemberLetsOthersGo(t *testing.T) {
	for _, policy := range []gang.MatchPolicy{gang.OnceSatisfied, gang.WaitingAndRunning} {
		told(t, &permit.Lifecycle{}, []permit.Event{
			terms("ns/a", gang.Terms{MinMember: 2, Match: policy}),
			at(0, permit.MemberReserved, "ns/a", "a-0"),
			at(0, permit.MemberBound, "ns/a", "a-1"),
		}, "", "wait a-0 until 600", "allow a-0")
	}
}

// Whoever failed stands among the others by name, and so do gangs: the order in which waits end, or began, is told by nothing.
func TestTheRejectedStandInOrder(t *testing.T) {
	group := []string{"ns/b", "ns/a"}
	l := told(t, &permit.Lifecycle{}, []permit.Event{
		terms("ns/b", gang.Terms{MinMember: 9, Group: group, WaitTime: 10}), terms("ns/a", gang.Terms{MinMember: 9, Group: group}),
		at(0, permit.MemberReserved, "ns/b", "b-10"), at(0, permit.MemberReserved, "ns/b", "b-9"), at(0, permit.MemberReserved, "ns/a", "a-0"),
	}, "", "", "wait b-10 until 10", "wait b-9 until 10", "wait a-0 until 600")
	told(t, l, []permit.Event{at(1, permit.MemberFailed, "ns/b", "b-10")}, "reject a-0 b-9 b-10; requeue ns/a ns/b")
	told(t, l, []permit.Event{at(1, permit.MemberTimedOut, "ns/b", "b-9")}, "reject a-0 b-9 b-10; requeue ns/a ns/b")
	told(t, l, []permit.Event{{Kind: permit.TimePassed, Time: 10}}, "reject a-0 b-9 b-10; requeue ns/a ns/b")
	told(t, l, []permit.Event{at(1, permit.GangDeleted, "ns/b", "")}, "reject a-0 b-9 b-10; requeue ns/a ns/b")

	// Nobody takes the others along: those whose time is over at once end one by one, the earliest first.
	alone := func(name string, wait int64) permit.Event {
		return terms(name, gang.Terms{MinMember: 9, Mode: gang.NonStrict, WaitTime: wait})
	}
	told(t, &permit.Lifecycle{}, []permit.Event{
		alone("ns/b", 1), alone("ns/a", 2), alone("ns/c", 3),
		at(0, permit.MemberReserved, "ns/b", "b-0"), at(0, permit.MemberReserved, "ns/a", "a-0"), at(0, permit.MemberReserved, "ns/c", "c-0"),
		{Kind: permit.TimePassed, Time: 2},
	}, "", "", "", "wait b-0 until 1", "wait a-0 until 2", "wait c-0 until 3", "reject a-0 b-0; requeue ns/a ns/b")
}

func TestADeletedGang(t *testing.T) {
	group := []string{"ns/a", "ns/b"}
	start := []permit.Event{
		terms("ns/a", gang.Terms{MinMember: 2, Group: group}), terms("ns/b", gang.Terms{MinMember: 2, Group: group, Mode: gang.NonStrict}),
		at(0, permit.MemberReserved, "ns/a", "a-0"), at(0, permit.MemberReserved, "ns/b", "b-0"),
	}
	l := told(t, &permit.Lifecycle{}, start, "", "", "wait a-0 until 600", "wait b-0 until 600")
	gone := told(t, l, []permit.Event{at(0, permit.GangDeleted, "ns/a", ""), at(0, permit.GangDeleted, "ns/a", "")}, "reject a-0 b-0; requeue ns/a ns/b", "")
	_, ok := gone.Gang("ns/a")
	require.False(t, ok)
	told(t, gone, []permit.Event{at(0, permit.MemberReserved, "ns/b", "b-0")}, "wait b-0 until 600")
	told(t, l, []permit.Event{at(0, permit.GangDeleted, "ns/b", ""), at(0, permit.MemberReserved, "ns/a", "a-1")}, "reject b-0; requeue ns/b", "wait a-1 until 600")
}

// A gang of the same name that comes later is another one: that the first was satisfied means nothing to it, unless members of it run.
func TestAGangThatComesAgainIsNotSatisfied(t *testing.T) {
	start := []permit.Event{
		terms("ns/a", gang.Terms{MinMember: 2}), at(0, permit.MemberBound, "ns/a", "a-0"), at(0, permit.MemberSeen, "ns/a", "a-1"),
	}
	l := told(t, &permit.Lifecycle{}, start, "", "", "")
	again := []permit.Event{at(0, permit.GangDeleted, "ns/a", ""), terms("ns/a", gang.Terms{MinMember: 2}), at(0, permit.MemberReserved, "ns/a", "a-1")}
	told(t, l, again, "", "", "allow a-1")
	l = told(t, l, []permit.Event{at(0, permit.MemberDeleted, "ns/a", "a-0")}, "")
	told(t, l, again, "", "", "wait a-1 until 600")
}

func TestTheHeadOfTheQueue(t *testing.T) {
	group := []string{"ns/a", "ns/b"}
	l := told(t, &permit.Lifecycle{}, []permit.Event{
		terms("ns/a", gang.Terms{MinMember: 2, Group: group}), terms("ns/b", gang.Terms{MinMember: 1, Group: group}),
		terms("ns/c", gang.Terms{MinMember: 1, Mode: gang.NonStrict}), terms("ns/d", gang.Terms{MinMember: 1}),
		at(0, permit.MemberSeen, "ns/a", "a-0"), at(0, permit.MemberSeen, "ns/a", "a-1"),
		at(0, permit.GangAtHead, "ns/a", ""), at(0, permit.MemberSeen, "ns/b", "b-0"), at(0, permit.GangAtHead, "ns/a", ""),
		at(0, permit.MemberReserved, "ns/a", "a-0"),
		at(0, permit.GangAtHead, "ns/b", ""), // of the same group
		at(0, permit.GangAtHead, "ns/d", ""), // has no members
		at(0, permit.MemberSeen, "ns/c", "c-0"),
	}, "", "", "", "", "", "", "requeue ns/a", "", "", "wait a-0 until 600", "", "requeue ns/d", "")
	l = told(t, l, []permit.Event{at(0, permit.GangAtHead, "ns/c", "")}, "reject a-0; requeue ns/a")
	told(t, l, []permit.Event{
		at(0, permit.MemberReserved, "ns/c", "c-0"), terms("ns/c", gang.Terms{MinMember: 2, Match: gang.OnlyWaiting, Mode: gang.NonStrict}), at(0, permit.MemberSeen, "ns/c", "c-1"),
		at(0, permit.MemberFailed, "ns/c", "c-0"), at(0, permit.MemberReserved, "ns/c", "c-0"), at(0, permit.GangAtHead, "ns/a", ""),
		at(0, permit.MemberBound, "ns/c", "c-0"), at(0, permit.GangAtHead, "ns/c", ""),
	}, "allow c-0", "", "", "requeue ns/c", "wait c-0 until 600", "reject c-0; requeue ns/c", "", "requeue ns/c")
}

func TestLifecycleRefuses(t *testing.T) {
	l := told(t, &permit.Lifecycle{}, []permit.Event{terms("ns/a", gang.Terms{MinMember: 1})}, "")
	for want, e := range map[string]permit.Event{
		`event.Kind: unknown kind`:                                             {},
		`event.Kind "jumped": unknown kind`:                                    {Kind: "jumped", Gang: "ns/a", Member: "a"},
		`event.Member: a member has no name`:                                   {Kind: permit.MemberReserved, Gang: "ns/a"},
		`event.Gang: a gang has no name`:                                       {Kind: permit.GangAtHead},
		`event.Time "-1": negative time`:                                       {Kind: permit.TimePassed, Time: -1},
		`event.Terms.MinMember "-1": negative`:                                 terms("ns/a", gang.Terms{MinMember: -1}),
		`event.Terms.Mode "loose": unknown mode`:                               terms("ns/a", gang.Terms{Mode: "loose"}),
		`event.Terms.Match "never": unknown policy`:                            terms("ns/a", gang.Terms{Match: "never"}),
		`event.Terms.Group[1]: a gang has no name`:                             terms("ns/a", gang.Terms{Group: []string{"ns/a", ""}}),
		`event.Terms.WaitTime "-5": negative time`:                             terms("ns/a", gang.Terms{WaitTime: -5}),
		"event.Member: a member has no name\nevent.Time \"-1\": negative time": {Kind: permit.MemberSeen, Time: -1},
	} {
		next, actions, err := l.Step(e)
		require.EqualError(t, err, want)
		var invalid *muster.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Empty(t, actions)
		require.Same(t, l, next, "the state is as it was")
	}
	var none *permit.Lifecycle
	_, ok := none.Gang("ns/a")
	require.False(t, ok)
	_, ok = none.Deadline()
	require.False(t, ok)
}

// Many goroutines may take steps from one state.
func TestStepsFromOneState(t *testing.T) {
	l := told(t, &permit.Lifecycle{}, []permit.Event{terms("ns/a", gang.Terms{MinMember: 2}), at(0, permit.MemberReserved, "ns/a", "a-0")}, "", "wait a-0 until 600")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				member := fmt.Sprint("a-", 1+i*50+j)
				next, actions, err := l.Step(at(1, permit.MemberReserved, "ns/a", member))
				s, _ := next.Gang("ns/a")
				if err != nil || words(actions) != "allow a-0 "+member || !slices.Equal(s.Allowed, []string{"a-0", member}) {
					t.Errorf("%v %v %v", err, actions, s)
				}
			}
		})
	}
	all.Wait()
	s, _ := l.Gang("ns/a")
	require.Equal(t, []string{"a-0"}, s.Waiting)
}

// shop is a host with identical nodes: it takes the head of the queue, looks for a node for each of its members, and does what it is told.
type shop struct {
	rt    *rapid.T
	now   int64
	free  int
	holds map[permit.Ref]bool // a node
	size  map[string]int
	runs  map[string]int
	queue queue.Queue
	state *permit.Lifecycle
}

func (s *shop) tell(kind permit.EventKind, name, member string) {
	next, actions, err := s.state.Step(permit.Event{Kind: kind, Time: s.now, Gang: name, Member: member})
	require.NoError(s.rt, err)
	s.state = next
	for _, a := range actions {
		for _, ref := range a.Members {
			switch {
			case a.Kind == permit.Reject:
				require.True(s.rt, s.holds[ref])
				delete(s.holds, ref)
				s.free++
			case a.Kind == permit.Allow:
				s.tell(permit.MemberBound, ref.Gang, ref.Member)
				s.runs[ref.Gang]++
			}
		}
		for _, name := range a.Gangs {
			require.NoError(s.rt, s.queue.Add(queue.Entry{Name: name, LastFailure: s.now, Failed: true}))
		}
	}
}

// try looks for a node for a member.
func (s *shop) try(name string, i int) {
	ref := permit.Ref{Gang: name, Member: fmt.Sprint("m-", i)}
	switch {
	case s.holds[ref]:
	case s.free == 0:
		s.tell(permit.MemberFailed, name, ref.Member)
	default:
		s.free--
		s.holds[ref] = true
		s.tell(permit.MemberReserved, name, ref.Member)
	}
}

// Gangs that hold parts of the nodes that others need, to begin with, all run in the end, each for a while: the head of the queue clears the way.
func TestHalfPlacedGangsAllRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &shop{rt: rt, holds: map[permit.Ref]bool{}, size: map[string]int{}, runs: map[string]int{}, state: &permit.Lifecycle{}}
		s.free = rapid.IntRange(1, 6).Draw(rt, "nodes")
		names := []string{"a", "b", "c", "d"}
		for _, name := range names {
			s.size[name] = rapid.IntRange(1, s.free).Draw(rt, "size")
		}
		together := s.size["a"]+s.size["b"] <= s.free && rapid.Bool().Draw(rt, "a and b together")
		for _, name := range names {
			t := gang.Terms{MinMember: s.size[name], Mode: rapid.SampledFrom([]gang.Mode{gang.Strict, gang.NonStrict}).Draw(rt, "mode")}
			if together && name < "c" {
				t.Group = []string{"a", "b"}
			}
			s.state, _, _ = s.state.Step(terms(name, t))
			for i := range s.size[name] {
				s.tell(permit.MemberSeen, name, fmt.Sprint("m-", i))
			}
			require.NoError(rt, s.queue.Add(queue.Entry{Name: name}))
		}
		for range rapid.IntRange(0, 12).Draw(rt, "tries in any order") {
			name := rapid.SampledFrom(names).Draw(rt, "gang")
			s.try(name, rapid.IntRange(0, s.size[name]-1).Draw(rt, "member"))
		}
		for turn := 0; len(s.size) > 0; turn++ {
			require.Less(rt, turn, 40, "half-placed gangs wait for each other")
			s.turn()
		}
	})
}

// turn gives the head of the queue its turn; then whoever runs is done. Without a head the clock goes on to the next deadline.
func (s *shop) turn() {
	s.now++
	if g, ok := s.queue.Next(s.now); ok {
		s.queue.Remove(g.Name)
		s.tell(permit.GangAtHead, g.Name, "")
		for i := range s.size[g.Name] {
			s.try(g.Name, i)
		}
	} else {
		due, waits := s.state.Deadline()
		require.True(s.rt, waits, "somebody is neither in the queue, nor waiting, nor running")
		s.now = due
		s.tell(permit.TimePassed, "", "")
	}
	for name, size := range s.size {
		if s.runs[name] < size {
			continue
		}
		require.Equal(s.rt, size, s.runs[name])
		for i := range size {
			delete(s.holds, permit.Ref{Gang: name, Member: fmt.Sprint("m-", i)})
			s.free++
		}
		delete(s.size, name)
		s.queue.Remove(name)
		s.state, _, _ = s.state.Step(permit.Event{Kind: permit.GangDeleted, Gang: name})
	}
}
