package permit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// checkTerms reports what is wrong with the terms of an event. A group may repeat gangs and leave out its own: resolved mends that.
func checkTerms(d *defects, t *gang.Terms) {
	if t.MinMember < 0 {
		d.add("event.Terms.MinMember", t.MinMember, "negative")
	}
	switch t.Mode {
	case "", gang.Strict, gang.NonStrict:
	default:
		d.add("event.Terms.Mode", t.Mode, "unknown mode")
	}
	switch t.Match {
	case "", gang.OnceSatisfied, gang.OnlyWaiting, gang.WaitingAndRunning:
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
func resolved(t gang.Terms, name string) gang.Terms {
	t.Mode = cmp.Or(t.Mode, gang.Strict)
	t.Match = cmp.Or(t.Match, gang.OnceSatisfied)
	t.WaitTime = cmp.Or(t.WaitTime, gang.DefaultWaitTime)
	t.Group = append(slices.Clone(t.Group), name)
	slices.SortFunc(t.Group, muster.CompareNatural)
	t.Group = slices.Compact(t.Group)
	return t
}

// waitUntil is the end of a wait that begins now. It never overflows.
func waitUntil(t *gang.Terms, now int64) int64 {
	return min(now, math.MaxInt64-t.WaitTime) + t.WaitTime
}
