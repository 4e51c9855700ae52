package permit_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
)

// A plain second implementation: maps, and every rule as it is written.
type naive struct {
	terms     map[string]*gang.Terms
	where     map[permit.Ref]string // seen, waiting, allowed, bound
	until     map[permit.Ref]int64
	satisfied map[string]bool
	head      string
}

func (n *naive) group(name string) []string {
	g := n.terms[name]
	if g == nil {
		return nil
	}
	list := slices.SortedFunc(slices.Values(append([]string{name}, g.Group...)), muster.CompareNatural)
	return slices.Compact(list)
}

func (n *naive) count(name string, where ...string) int {
	count := 0
	for ref, at := range n.where {
		if ref.Gang == name && slices.Contains(where, at) {
			count++
		}
	}
	return count
}

// exempt says that the gang is once-satisfied and has been satisfied, by any member of its group.
func (n *naive) exempt(name string) bool {
	if p := n.terms[name].Match; p != "" && p != gang.OnceSatisfied {
		return false
	}
	group := n.group(name)
	return slices.ContainsFunc(group, func(other string) bool { return n.satisfied[other] && slices.Equal(n.group(other), group) })
}

// ready says that all gangs of the group have enough members in these phases.
func (n *naive) ready(name string, phases ...string) bool {
	group := n.group(name)
	return group != nil && !slices.ContainsFunc(group, func(other string) bool {
		if !slices.Equal(n.group(other), group) {
			return true
		}
		count := n.count(other, phases...)
		if n.terms[other].Match == gang.WaitingAndRunning {
			count += n.count(other, "bound")
		}
		return count < n.terms[other].MinMember && !n.exempt(other)
	})
}

func (n *naive) waiting(gangs []string) []permit.Ref {
	refs := []permit.Ref{}
	for ref, at := range n.where {
		if at == "waiting" && slices.Contains(gangs, ref.Gang) {
			refs = append(refs, ref)
		}
	}
	return refs
}

func (n *naive) put(refs []permit.Ref, where string) {
	for _, ref := range refs {
		n.where[ref] = where
		delete(n.until, ref)
	}
}

// answer is what comes of an event, as sets.
type answer struct {
	wait, allow, reject []permit.Ref
	until               int64
	requeue             []string
}

func (n *naive) open(name string) (a answer) {
	if n.ready(name, "waiting", "allowed") {
		a.allow = n.waiting(n.group(name))
		n.put(a.allow, "allowed")
	}
	return a
}

func (n *naive) fail(ref permit.Ref) (a answer) {
	if n.where[ref] == "waiting" {
		a.reject = append(a.reject, ref)
	}
	n.put([]permit.Ref{ref}, "seen")
	if g := n.terms[ref.Gang]; g != nil && g.Mode != gang.NonStrict && !n.exempt(ref.Gang) {
		a.reject = append(a.reject, n.waiting(n.group(ref.Gang))...)
	}
	n.put(a.reject, "seen")
	a.requeue = []string{ref.Gang}
	return a
}

func (n *naive) step(e permit.Event) (a answer) {
	ref := permit.Ref{Gang: e.Gang, Member: e.Member}
	if e.Member != "" && n.where[ref] == "" {
		n.where[ref] = "seen"
	}
	switch e.Kind {
	case permit.MemberReserved:
		return n.reserve(ref, e.Time)
	case permit.MemberFailed:
		return n.fail(ref)
	case permit.MemberTimedOut:
		if n.where[ref] == "waiting" {
			return n.fail(ref)
		}
	case permit.MemberBound:
		n.put([]permit.Ref{ref}, "bound")
		n.satisfied[e.Gang] = true
		return n.open(e.Gang)
	case permit.MemberDeleted:
		delete(n.where, ref)
		delete(n.until, ref)
		if n.terms[e.Gang] == nil && n.count(e.Gang, "seen", "waiting", "allowed", "bound") == 0 {
			delete(n.satisfied, e.Gang) // nothing is known of it any more
		}
	case permit.GangChanged:
		n.terms[e.Gang] = &e.Terms
		return n.open(e.Gang)
	case permit.GangDeleted:
		if n.terms[e.Gang] == nil {
			return a
		}
		group := []string{e.Gang}
		if n.terms[e.Gang].Mode != gang.NonStrict && !n.exempt(e.Gang) {
			group = n.group(e.Gang)
		}
		a.reject = n.waiting(group)
		n.put(a.reject, "seen")
		delete(n.terms, e.Gang)
		n.satisfied[e.Gang] = n.count(e.Gang, "bound") > 0
	case permit.GangAtHead:
		before := n.head
		switch {
		case !n.ready(e.Gang, "seen", "waiting", "allowed"):
			a.requeue = []string{e.Gang}
			return a
		case !slices.Equal(n.group(before), n.group(e.Gang)):
			a.reject = n.waiting(n.group(before))
			n.put(a.reject, "seen")
		}
		n.head = e.Gang
	case permit.TimePassed:
		for ref, until := range n.until {
			if until <= e.Time {
				got := n.fail(ref)
				a.reject, a.requeue = append(a.reject, got.reject...), append(a.requeue, got.requeue...)
			}
		}
	}
	return a
}

func (n *naive) reserve(ref permit.Ref, now int64) (a answer) {
	switch at := n.where[ref]; {
	case n.terms[ref.Gang] == nil:
		a.reject = []permit.Ref{ref}
		return a
	case at == "bound":
		return a
	case at == "allowed":
		a.allow = []permit.Ref{ref}
		return a
	case at == "seen":
		n.where[ref] = "waiting"
		n.until[ref] = now + 600
		if w := n.terms[ref.Gang].WaitTime; w > 0 {
			n.until[ref] = now + w
		}
	}
	until := n.until[ref]
	if a = n.open(ref.Gang); a.allow == nil {
		a.wait, a.until = []permit.Ref{ref}, until
	}
	return a
}

// drawEvent draws from three gangs of four members, one of which may never become known.
func drawEvent(rt *rapid.T, now int64) permit.Event {
	e := permit.Event{Time: now, Gang: rapid.SampledFrom([]string{"a", "b", "b", "c"}).Draw(rt, "gang")}
	e.Kind = rapid.SampledFrom([]permit.EventKind{
		permit.MemberSeen, permit.MemberSeen, permit.MemberReserved, permit.MemberReserved, permit.MemberReserved, permit.MemberReserved, permit.MemberFailed,
		permit.MemberTimedOut, permit.MemberBound, permit.MemberDeleted, permit.GangChanged, permit.GangChanged, permit.GangDeleted, permit.GangAtHead, permit.TimePassed,
	}).Draw(rt, "kind")
	switch e.Kind {
	case permit.GangChanged:
		groups := [][]string{nil, nil, {"a", "b"}, {"b", "a", "b"}, {"c", "a", "b"}}
		e.Terms = gang.Terms{
			MinMember: rapid.IntRange(0, 3).Draw(rt, "min"),
			Mode:      rapid.SampledFrom([]gang.Mode{"", gang.Strict, gang.NonStrict}).Draw(rt, "mode"),
			Match:     rapid.SampledFrom([]gang.MatchPolicy{"", gang.OnceSatisfied, gang.OnlyWaiting, gang.WaitingAndRunning}).Draw(rt, "match"),
			Group:     rapid.SampledFrom(groups).Draw(rt, "group"),
			WaitTime:  rapid.Int64Range(0, 9).Draw(rt, "wait"),
		}
	case permit.GangDeleted, permit.GangAtHead:
	case permit.TimePassed:
		e.Gang = ""
	default:
		e.Member = rapid.SampledFrom([]string{"m-0", "m-1", "m-2", "m-10"}).Draw(rt, "member")
	}
	return e
}

// machine runs both, and keeps a state of the past.
type machine struct {
	state *permit.Lifecycle
	naive *naive
	now   int64
	past  struct {
		state *permit.Lifecycle
		gangs []permit.Standing
		due   int64
	}
}

func standings(l *permit.Lifecycle) (all []permit.Standing, due int64) {
	for _, name := range []string{"a", "b", "c"} {
		s, _ := l.Gang(name)
		all = append(all, s)
	}
	due, _ = l.Deadline()
	return all, due
}

func (m *machine) step(rt *rapid.T) {
	m.now += rapid.Int64Range(0, 2).Draw(rt, "time")
	e := drawEvent(rt, m.now)
	if rapid.IntRange(0, 9).Draw(rt, "remember") == 0 {
		m.past.state = m.state
		m.past.gangs, m.past.due = standings(m.state)
	}
	next, actions, err := m.state.Step(e)
	require.NoError(rt, err)
	again, same, _ := m.state.Step(e)
	require.Equal(rt, actions, same, "equal states and events have equal answers")
	wasReady := map[permit.Ref]bool{}
	for ref := range m.naive.where {
		wasReady[ref] = m.naive.where[ref] == "allowed"
	}
	want := m.naive.step(e)
	requireAnswer(rt, want, actions)
	requireTogether(rt, m.naive, e, want, wasReady)
	m.state = next
	if rapid.Bool().Draw(rt, "again") {
		m.state = again
	}
}

// requireAnswer compares actions, their order and that of their members included.
func requireAnswer(rt *rapid.T, a answer, got []permit.Action) {
	var want []permit.Action
	sorted := func(refs []permit.Ref) []permit.Ref {
		slices.SortFunc(refs, func(x, y permit.Ref) int {
			return muster.ComparePaths([]string{x.Gang, x.Member}, []string{y.Gang, y.Member})
		})
		return slices.Compact(refs)
	}
	if len(a.wait) > 0 {
		want = append(want, permit.Action{Kind: permit.Wait, Members: a.wait, Until: a.until})
	}
	if len(a.allow) > 0 {
		want = append(want, permit.Action{Kind: permit.Allow, Members: sorted(a.allow)})
	}
	if len(a.reject) > 0 {
		want = append(want, permit.Action{Kind: permit.Reject, Members: sorted(a.reject)})
	}
	for _, ref := range a.reject {
		a.requeue = append(a.requeue, ref.Gang)
	}
	if len(a.requeue) > 0 {
		slices.SortFunc(a.requeue, muster.CompareNatural)
		want = append(want, permit.Action{Kind: permit.Requeue, Gangs: slices.Compact(a.requeue)})
	}
	require.Equal(rt, want, got)
}

// requireTogether holds what the rules are for, apart from what they say.
func requireTogether(rt *rapid.T, n *naive, e permit.Event, a answer, wasAllowed map[permit.Ref]bool) {
	for _, ref := range a.allow {
		if wasAllowed[ref] {
			continue // a repeated event
		}
		for _, name := range n.group(ref.Gang) {
			require.Equal(rt, n.group(ref.Gang), n.group(name), "gangs of a group only go together")
			require.Empty(rt, n.waiting([]string{name}), "and nobody is left behind")
			held := n.count(name, "allowed")
			if n.terms[name].Match == gang.WaitingAndRunning {
				held += n.count(name, "bound")
			}
			require.True(rt, held >= n.terms[name].MinMember || n.exempt(name), "nobody is allowed before the minimum is reached")
		}
	}
	if e.Kind == permit.MemberFailed && n.terms[e.Gang] != nil && n.terms[e.Gang].Mode != gang.NonStrict && !n.exempt(e.Gang) {
		require.Empty(rt, n.waiting(n.group(e.Gang)), "a failure in a strict gang rejects all that wait")
	}
}

// check compares what is known, and sees that nobody waits for ever.
func (m *machine) check(rt *rapid.T) {
	for _, name := range []string{"a", "b", "c"} {
		s, known := m.state.Gang(name)
		require.Equal(rt, m.naive.terms[name] != nil, known)
		if !known {
			continue
		}
		require.Equal(rt, m.naive.group(name), s.Terms.Group)
		lists := map[string][]string{"seen": s.Others, "waiting": s.Waiting, "allowed": s.Allowed, "bound": s.Bound}
		for where, list := range lists {
			require.True(rt, slices.IsSortedFunc(list, muster.CompareNatural))
			require.Len(rt, list, m.naive.count(name, where), "%s of %s", where, name)
			for _, member := range list {
				require.Equal(rt, where, m.naive.where[permit.Ref{Gang: name, Member: member}])
			}
		}
		require.False(rt, len(s.Waiting) > 0 && m.naive.ready(name, "waiting", "allowed"), "nobody waits in a group that is ready")
	}
	first := int64(math.MaxInt64)
	for _, until := range m.naive.until {
		first = min(first, until)
	}
	due, waits := m.state.Deadline()
	require.Equal(rt, first < math.MaxInt64, waits)
	if waits {
		require.Equal(rt, first, due)
	}
	last, _, err := m.state.Step(permit.Event{Kind: permit.TimePassed, Time: m.now + 601})
	require.NoError(rt, err)
	for _, s := range first3(standings(last)) {
		require.Empty(rt, s.Waiting, "nobody waits for ever")
	}
	if m.past.state != nil {
		gangs, due := standings(m.past.state)
		require.True(rt, reflect.DeepEqual(m.past.gangs, gangs) && due == m.past.due, "a state stays as it was")
	}
}

func first3(all []permit.Standing, _ int64) []permit.Standing { return all }

func TestLifecycleEqualsTheWrittenRules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{state: &permit.Lifecycle{}, naive: &naive{
			terms: map[string]*gang.Terms{}, where: map[permit.Ref]string{}, until: map[permit.Ref]int64{}, satisfied: map[string]bool{},
		}}
		rt.Repeat(map[string]func(*rapid.T){"step": m.step, "": m.check})
	})
}
