// Who keeps the gang off nodes, because somebody must be alone there?

package remedies

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// company has the nodes that take nobody only because of who is near: gangs that close them hold nothing there, perhaps, and their end helps
// all the same.
type company struct {
	kept     []int64                  // by node, the units once nobody keeps the gang off; notKept: nobody does, or not only they
	occupied map[layout.Vertex][]gain // what the end of those adds who are in a domain in which the gang must be alone
}

// notKept stands for a node off which nobody keeps the gang.
const notKept = -1

// companyOf finds the nodes off which others keep the gang; nil if nobody can. O(nodes * resources).
func companyOf(r *rooms) *company {
	if r.p.Room.Company == nil {
		return nil
	}
	roles := problem.EachAlone(r.p)
	c, excluded := &company{make([]int64, len(r.p.Snapshot.Lineage.Names)), map[layout.Vertex][]gain{}}, r.p.Room.Slots().Excluded()
	for id := range c.kept {
		id := int32(id)
		c.kept[id] = notKept
		for _, one := range roles {
			if s := one.Room.Slots(); !excluded.Has(id) && s.RefusalForGood(id) == "" && s.Refusal(id) != "" {
				c.kept[id] = max(c.kept[id], s.Room(id, r.spare(id)))
			}
		}
	}
	return c
}

// keeps says whether others keep the gang off a node.
func (c *company) keeps(id int32) bool { return c != nil && c.kept[id] != notKept }

// opened bounds what the end of a gang adds to nodes off which it keeps the gang that asks: all that fits there, for it may be the last that does.
func (r *rooms) opened(g *snapshot.GangMembers) (out []gain) {
	if r.company == nil {
		return nil
	}
	stays := g.Members.Those(func(m *snapshot.Member) bool {
		return !m.IsDaemon() && !(m.Leaving && r.p.Room.LeavingGone)
	})
	closes := map[int32]int32{}
	r.p.Snapshot.Lineage.CountClosed(closes, stays, nil)
	for id := range closes {
		if r.company.keeps(id) {
			out = append(out, gain{r.p.Model.View.At(id), r.company.kept[id]})
		}
	}
	in := map[layout.Vertex]bool{}
	for _, tier := range r.p.Room.Company.Tiers() {
		for _, m := range stays {
			if d := r.p.Model.View.DomainAt(r.p.Model.View.At(m.Node), tier); !m.Class.Tolerated && !in[d] {
				in[d] = true
				out = append(out, r.emptied(d)...)
			}
		}
	}
	return out
}

// emptied is what fits in a domain once the gang is alone there, one gain for all nodes between which its rules do not tell.
func (r *rooms) emptied(d layout.Vertex) []gain {
	if out, known := r.company.occupied[d]; known {
		return out
	}
	v, last := r.p.Model.View, layout.Vertex(-1)
	var out []gain
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		in, ok := r.domainOf(pos)
		// With running members it may help to empty their domain, though no other member comes to it.
		if units := r.company.kept[v.Node(pos)]; ok && (units != notKept || r.p.Model.Running.Len() > 0) {
			if in != last {
				out, last = append(out, gain{pos, 0}), in
			}
			out[len(out)-1].units += max(0, units)
		}
	}
	r.company.occupied[d] = out
	return out
}
