// Which limit could be looser, or be given up?

package relax

import (
	"slices"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// limited is a hard limit of a request, and whose it is.
type limited struct {
	bound
	gang.Limit
}

// hardLimits lists the limits that may refuse a gang.
func hardLimits(req *gang.Request) (out []limited) {
	eachBound(req, func(b bound, _ *[]gang.Rule, limits *[]gang.Limit) {
		for _, l := range *limits {
			if !l.Preferred {
				out = append(out, limited{b, l})
			}
		}
	})
	return out
}

// loosened is a request whose limit has another number; 0: which has none any more.
func (l *limited) loosened(most int) edit {
	return func(at state) (state, bool) {
		req, ok := cloneRules(at.req), false
		eachBound(req, func(b bound, _ *[]gang.Rule, limits *[]gang.Limit) {
			i := slices.Index(*limits, l.Limit)
			if b != l.bound || i < 0 {
				return
			}
			*limits, ok = slices.Clone(*limits), true
			if (*limits)[i].Most = most; most == 0 {
				*limits = slices.Delete(*limits, i, i+1)
			}
		})
		return state{at.s, req}, ok
	}
}

// limits loosens each limit by itself: to the least number that helps, or gives it up where it has none, or none helps. A larger one is never
// harder to keep.
func (f *Search) limits(at state) (steps []step) {
	for _, l := range hardLimits(at.req) {
		change := explain.Change{Kind: explain.KindLimit, Part: l.part, Level: l.level, Limit: l.Kind, From: l.Layer, OfParts: l.OfParts}
		all := len(at.req.Members) + len(at.s.MembersOf(at.req.Name)) // a limit of so many says nothing of numbers
		if l.Kind == gang.Alone || l.Most >= all {
			steps = append(steps, f.one(at, change, l.loosened(0))...)
			continue
		}
		tighter := func(n int) edit { return l.loosened(all - n) }
		plan := f.after(at, tighter(0))
		if plan == nil { // what it implies may refuse the gang, too
			steps = append(steps, f.one(at, change, l.loosened(0))...)
			continue
		}
		n, plan := f.largest(at, 0, all-l.Most-1, plan, tighter)
		change.Most = all - n
		steps = append(steps, found(change, tighter(n), plan)...)
	}
	return f.settle(steps)
}

func withoutLimits(_ *Search, at state) (out []edit) {
	for _, l := range hardLimits(at.req) {
		out = append(out, l.loosened(0))
	}
	return out
}
