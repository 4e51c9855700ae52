// Which kinds of nodes could be added?

package remedies

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

// kindsToAdd are the kinds of nodes that take some member, those of most room first, then in the order of the topology: of each the first
// node. A kind is left out where another one has room for whatever it has.
func kindsToAdd(r *rooms) (out []*addition) {
	type kind struct {
		class any
		suits string // by shape
	}
	p, known := r.p, map[kind]bool{}
	roles := problem.EachAlone(p)
	suits := make([]byte, len(roles))
	var last kind // of the known ones, as most nodes are like the one before
	for pos := range p.Model.View.Nodes {
		id := p.Model.View.Node(pos)
		if p.Snapshot.FlagsOf(id)&snapshot.Present == 0 {
			continue
		}
		class, some := p.Snapshot.Static.ClassOf(id), false
		for i, one := range roles {
			fits := one.Room.Slots().SuitsInService(id)
			suits[i], some = room.Bit(fits), some || fits
		}
		if !some || class == last.class && string(suits) == last.suits || known[kind{class, string(suits)}] {
			continue
		}
		last = kind{class, string(suits)}
		known[last] = true
		a := &addition{r: r, like: id}
		for i, one := range roles {
			if suits[i] != 0 {
				a.units, a.takes = max(a.units, capacity(one, class.Capacity())), max(a.takes, takenBy(one, id))
			}
		}
		if a.takes > 0 {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b *addition) int { return cmp.Or(cmp.Compare(b.takes, a.takes), cmp.Compare(b.units, a.units)) })
	var kept []*addition
	for _, a := range out {
		if !slices.ContainsFunc(kept, func(b *addition) bool { return b.holdsAllOf(a, roles) }) {
			kept = append(kept, a)
		}
	}
	return kept
}

// holdsAllOf says whether a node of a kind has room for whatever one of another kind has: of one shape, the number says that.
func (a *addition) holdsAllOf(b *addition, roles []*problem.Problem) bool {
	p, static := a.r.p, a.r.p.Snapshot.Static
	if p.Room.Zones().Bind() {
		return false
	}
	if len(roles) == 1 && p.RefusedBy == nil { // else shares follow all that a node has
		return a.takes >= b.takes
	}
	suits := func(one *problem.Problem) bool {
		return one.Room.Slots().SuitsInService(a.like) || !one.Room.Slots().SuitsInService(b.like)
	}
	has, wants := static.ClassOf(a.like).Capacity(), static.ClassOf(b.like).Capacity()
	return !slices.ContainsFunc(roles, func(one *problem.Problem) bool { return !suits(one) }) &&
		!slices.ContainsFunc(p.Room.Needs, func(n room.Need) bool { return n.ID >= 0 && has[n.ID] < wants[n.ID] })
}

// takenBy bounds the units that an empty node like one takes, its zones and the limits on one node included.
func takenBy(p *problem.Problem, id int32) int64 {
	class, zones := p.Snapshot.Static.ClassOf(id), p.Room.Zones()
	units := min(capacity(p, class.Capacity()), p.Model.Limits.OnNode())
	if units <= 0 || !zones.BindsOn(p.Snapshot.FlagsOf(id)) {
		return units
	}
	empty := zones.StateOf(id, room.Released{})
	if class.Zones != nil {
		empty = class.Zones.Bare
	}
	return min(units, zones.CountZones(zones.NeedsOn(id), empty).Bound)
}

// capacity is how many units an empty node with these amounts takes; its zones may allow fewer.
func capacity(p *problem.Problem, amounts []int64) int64 {
	units := int64(max(1, p.Model.Ranks))
	for _, n := range p.Room.Needs {
		if n.ID < 0 {
			return 0
		}
		units = min(units, amounts[n.ID]/n.Amount)
	}
	return units
}
