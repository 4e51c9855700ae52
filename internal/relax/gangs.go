// Which gangs would have to end, or which priority would the gang need to end some?

package relax

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// gangs finds the fewest gangs that would have to end, whatever their priority: all of their members but those of daemons.
func (f *Search) gangs(at state) []step {
	p := f.problemOf(at)
	if p == nil {
		return nil
	}
	defer p.Done()
	r := roomsOf(p)
	c, gangs := choice{named: true}, []*snapshot.GangMembers{}
	at.s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if gains := r.gainsOf(g); len(gains) > 0 {
			c.gains, gangs = append(c.gains, gains), append(gangs, g)
		}
		return true
	})
	c.edit = func(set []int32) edit { return ended(gangs, set) }
	found := f.smallest(at, r, &c)
	if found == nil {
		return nil
	}
	change := explain.Change{Kind: explain.KindGangs}
	for _, e := range found.set {
		change.Gangs = append(change.Gangs, gangs[e].Name)
	}
	return []step{{change, found.least, c.edit(found.set), found.plan}}
}

// ended is a snapshot without some gangs.
func ended(gangs []*snapshot.GangMembers, set []int32) edit {
	return func(at state) (state, bool) {
		var d cluster.Delta
		for _, e := range set {
			for _, m := range gangs[e].Members {
				if !m.IsDaemon() {
					d.Remove = append(d.Remove, cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name})
				}
			}
		}
		return updated(at, d)
	}
}

// gainsOf bounds what the end of a gang adds to each node: as much as its members hold of what bounds the slots there, rounded up.
// Nil for a gang whose end does not help.
func (r *rooms) gainsOf(g *snapshot.GangMembers) (out []gain) {
	if r.p.IsOwn(g.Name) {
		return nil
	}
	members := slices.Clone(g.Members)
	slices.SortFunc(members, func(a, b *snapshot.Member) int { return cmp.Compare(r.p.View.At(a.Node), r.p.View.At(b.Node)) })
	for i := 0; i < len(members); {
		id, sum := members[i].Node, int64(0)
		extra := r.spare(id)
		b := binding(r.p, id, extra)
		for ; i < len(members) && members[i].Node == id; i++ {
			if m := members[i]; !m.IsDaemon() && !m.Leaving && b >= 0 && r.p.Needs[b].ID >= 0 {
				sum += m.Class.Holds[r.p.Needs[b].ID]
			}
		}
		switch {
		case r.rough:
			out = append(out, gain{r.p.View.At(id), 1})
		case sum > 0 && r.takes(id):
			amount := r.p.Needs[b].Amount
			out = append(out, gain{r.p.View.At(id), sum/amount + min(1, sum%amount)})
		}
	}
	return out
}

// priorities finds the lowest priority with which the gang would start by evicting others.
func (f *Search) priorities(at state) []step {
	if at.req.QuotaLimit == quota.Borrow {
		return nil
	}
	with := func(priority int64) edit {
		return func(at state) (state, bool) {
			req := *at.req
			req.Priority, req.NeverPreempts = priority, false
			return state{at.s, &req}, true
		}
	}
	levels := f.levels(at)
	if len(levels) == 0 || f.after(at, with(levels[len(levels)-1])) == nil {
		return nil
	}
	i := len(levels) - 1 - largest(0, len(levels)-1, func(i int) bool { return f.after(at, with(levels[len(levels)-1-i])) != nil })
	change := explain.Change{Kind: explain.KindPriority, Priority: levels[i], Preempts: at.req.NeverPreempts}
	return f.settle(f.one(at, change, with(levels[i])))
}

// levels lists, ascending, the priorities that reach more gangs than the one below: just above theirs. For a gang that may not
// preempt, its own is the first.
func (f *Search) levels(at state) (out []int64) {
	if at.req.NeverPreempts {
		out = append(out, at.req.Priority)
	}
	at.s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if next := g.Priority + 1; g.Staying > 0 && next > at.req.Priority {
			out = append(out, next)
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}
