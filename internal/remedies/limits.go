// Which limit could be looser, or be given up?

package remedies

import (
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// limited drops a hard limit, and says which number it has.
type limited struct {
	dropped explain.Change
	most    int
}

// hardLimits lists the limits that may refuse a gang.
func hardLimits(req *gang.Request) (out []limited) {
	eachRuled(req, func(c explain.Change, _ []gang.Rule, limits []gang.Limit) {
		for _, l := range limits {
			if !l.Preferred {
				c.Kind, c.Limit, c.From, c.OfParts = explain.KindLimit, l.Kind, l.Layer, l.OfParts
				out = append(out, limited{c, l.Most})
			}
		}
	})
	return out
}

// limits loosens each limit by itself: to the least number that helps, or gives it up where it has none, or none helps. A larger one is never
// harder to keep.
func (f *Search) limits(at state) (steps []step) {
	for _, l := range hardLimits(at.req) {
		all := len(at.req.Members) + at.s.MembersOf(at.req.Name).Len() // a limit of so many says nothing of numbers
		if l.most == 0 || l.most >= all {
			steps = append(steps, f.one(at, l.dropped)...)
			continue
		}
		to := func(most int) explain.Change {
			c := l.dropped
			c.Most = most
			return c
		}
		tighter := func(n int) edit { return edited(to(all - n)) }
		plan := f.after(at, tighter(0))
		if plan == nil { // what it implies may refuse the gang, too
			steps = append(steps, f.one(at, l.dropped)...)
			continue
		}
		n, plan := f.largest(at, 0, all-l.most-1, plan, tighter)
		steps = append(steps, found(to(all-n), tighter(n), plan)...)
	}
	return f.settle(steps)
}

// withoutLimits drops each hard limit by itself.
func withoutLimits(req *gang.Request) (out []explain.Change) {
	for _, l := range hardLimits(req) {
		out = append(out, l.dropped)
	}
	return out
}
