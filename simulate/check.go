package simulate

import (
	"github.com/muster-sched/muster/internal/invariant"
)

// check is what must hold after every event: nobody is lost, every gang is there as a whole or not at all, no node is over-committed, and room is held for those alone who wait.
func (l *loop) check() {
	if !invariant.On {
		return
	}
	r := l.report
	first := 0 // gangs that ran at first and are still there
	for _, p := range l.running {
		if p.Runs == 0 {
			first++
		}
	}
	invariant.Hold(r.Arrived == r.NeverFit+r.Ended+l.waiting.n+len(l.running)-first, "%d gangs came, of %d it is known where they are", r.Arrived,
		r.NeverFit+r.Ended+l.waiting.n+len(l.running)-first)
	members := map[string]int{}
	for m := range l.c.Running() {
		members[m.Gang]++
	}
	for name, p := range l.running { // each by itself
		invariant.Hold(members[name] == p.members, "of gang %s %d members run, not %d", name, members[name], p.members)
		invariant.Hold(p.Runs == 0 || p.members >= p.Request.MinMember, "of gang %s %d members run, not %d", name, p.members, p.Request.MinMember)
	}
	invariant.Hold(len(l.c.Notices()) <= len(l.opt.Cluster.Notices()), "%v", l.c.Notices())
	held := map[string]bool{}
	for _, h := range l.c.Holds() {
		held[h.Gang] = true
	}
	for _, p := range l.held {
		invariant.Hold(held[p.Request.Name], "no room is held for %s any more", p.Request.Name)
		invariant.Hold(l.waiting.of(p.class) >= 0, "room is held for %s, which does not wait", p.Request.Name)
	}
}
