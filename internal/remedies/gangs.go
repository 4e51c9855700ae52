// Which gangs would have to end, or which priority would the gang need to end some?

package remedies

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// gangs finds the fewest gangs that would have to end, whatever their priority: all of their members but those of daemons.
func (f *Search) gangs(at state) []step {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	r := f.at(at).bounds()
	loose := r.evicts && at.req.Quota != "" // a gang that ends may have kept its quota above what others can take back
	c, gangs := choice{named: true, loose: loose}, []*snapshot.GangMembers{}
	if r.evicts {
		c.most = r.whenEmpty // gains are beside what may leave anyway
	}
	r.gains = make([]gain, 0, p.Model.View.Nodes) // some of each
	at.s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if gains := r.gainsOf(g); len(gains) > 0 {
			c.gains, gangs = append(c.gains, gains), append(gangs, g)
		}
		return true
	})
	c.edit = func(set []int32) edit { return ended(gangs, set) }
	c.ending = func(p *scope) *ending { return r.ending(p, gangs) }
	found := f.smallest(at, r, &c)
	if found == nil {
		return nil
	}
	end := func(found *chosen, members, lost bool) step {
		change := explain.Change{Kind: explain.KindGangs, FewestMembers: members, LeastLost: lost}
		for _, e := range found.set {
			change.Gangs = append(change.Gangs, gangs[e].Name)
		}
		return step{change: change, least: found.least, edit: c.edit(found.set), plan: found.plan}
	}
	steps := []step{end(found, false, false)}
	ends := endsOf(gangs, f.Lost)
	lost := ends.lostBy(found.set)
	if fewer := f.cheaper(at, r, &c, ends.byMembers(found.set)); fewer != nil {
		steps, lost = append(steps, end(fewer, true, false)), min(lost, ends.lostBy(fewer.set))
	}
	if less := f.cheaper(at, r, &c, ends.byLost(lost)); less != nil && ends.lostBy(less.set) < lost {
		steps = append(steps, end(less, false, true))
	}
	return steps
}

// ended is a snapshot without some gangs.
func ended(gangs []*snapshot.GangMembers, set []int32) edit {
	return func(at state) (state, bool) {
		var d cluster.Delta
		for _, e := range set {
			for _, m := range gangs[e].Members.All() {
				if !m.IsDaemon() {
					d.Remove = append(d.Remove, cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name})
				}
			}
		}
		return updated(at, d)
	}
}

// gainsOf bounds what the end of a gang adds to each node: as much as its members hold of what bounds the slots there, rounded up. Where that is
// nothing it may help beside others all the same. Empty for a gang whose end does not help.
func (r *rooms) gainsOf(g *snapshot.GangMembers) []gain {
	if r.p.IsOwn(g.Name) {
		return nil
	}
	first := len(r.gains)
	r.gains = append(r.gains, r.opened(g)...)
	r.byNode.Each(r.p.Snapshot, g.Members.All(), func(id int32, on []*snapshot.Member) {
		switch {
		case r.rough:
			r.gains = append(r.gains, gain{r.p.Model.View.At(id), 1})
		case r.binds != nil && r.binds[id] != closed || r.binds == nil && r.takes(id) || r.company.keeps(id):
			if n := r.freed(id, on); n > 0 || r.alsoShort(id, on) {
				r.gains = append(r.gains, gain{r.p.Model.View.At(id), n})
			}
		}
	})
	return r.gains[first:len(r.gains):len(r.gains)]
}

// freed bounds what members of a node free there: what they hold of what bounds its slots, rounded up. Where others may leave as well,
// that depends on who does, and what they hold most of counts.
func (r *rooms) freed(id int32, members []*snapshot.Member) (most int64) {
	b := -1
	if r.binds != nil {
		b = int(r.binds[id])
	} else if !r.evicts {
		b, _ = binding(r.p, id, r.spare(id))
	}
	if r.p.Room.Zones().Bind() && slices.ContainsFunc(members, func(m *snapshot.Member) bool { return !m.IsDaemon() }) {
		most = 1 // its zones may be what refuses
	}
	for i, n := range r.p.Room.Needs {
		if b >= 0 && i != b || n.ID < 0 {
			continue
		}
		sum := int64(0)
		for _, m := range members {
			if !m.IsDaemon() && (!m.Leaving || !r.p.Room.LeavingGone) {
				sum += m.Class.Holds[n.ID]
			}
		}
		if sum > 0 {
			most = max(most, (sum-1)/n.Amount+1)
		}
	}
	return most
}

// alsoShort says whether members hold of what would bound the slots of a node next, once others have left that hold what bounds them now.
func (r *rooms) alsoShort(id int32, members []*snapshot.Member) bool {
	for _, n := range r.p.Room.Needs {
		if n.ID < 0 || r.p.Room.Slots().FreeOf(id, n, r.spare(id))/n.Amount >= r.units() {
			continue
		}
		if slices.ContainsFunc(members, func(m *snapshot.Member) bool { return !m.IsDaemon() && m.Class.Holds[n.ID] > 0 }) {
			return true
		}
	}
	return false
}

// priorities finds the lowest priority with which the gang would start by evicting others.
func (f *Search) priorities(at state) []step {
	if at.req.QuotaLimit == quota.Borrow {
		return nil
	}
	down := levels(at)
	if len(down) == 0 {
		return nil
	}
	slices.Reverse(down)
	f.read = max(f.read, fewPlans*len(at.s.Lineage.Names)) // whatever other kinds read: this one is about nothing else
	change := func(i int) explain.Change {
		return explain.Change{Kind: explain.KindPriority, Priority: down[i], Preempts: at.req.NeverPreempts}
	}
	to := func(i int) edit { return edited(change(i)) }
	plan := f.after(at, to(0))
	if plan == nil {
		return nil
	}
	i, plan := f.largest(at, 0, len(down)-1, plan, to)
	return f.settle(found(change(i), to(i), plan))
}

// highest is a priority that reaches all gangs.
func highest(_ *Search, at state) []edit {
	up := levels(at)
	if len(up) == 0 || at.req.QuotaLimit == quota.Borrow {
		return nil
	}
	return []edit{edited(explain.Change{Kind: explain.KindPriority, Priority: up[len(up)-1], Preempts: true})}
}

// withoutGangs ends all others.
func withoutGangs(f *Search, at state) []edit {
	var all []*snapshot.GangMembers
	var set []int32
	at.s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if g.Name != at.req.Name {
			all, set = append(all, g), append(set, int32(len(set)))
		}
		return true
	})
	if len(all) == 0 {
		return nil
	}
	f.share.Packing.Spend(insideSteps * int64(len(at.s.Lineage.Names)))
	return []edit{ended(all, set)}
}

// levels lists, ascending, the priorities that reach more gangs than the one below: just above theirs. For a gang that may not
// preempt, its own is the first.
func levels(at state) (out []int64) {
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
