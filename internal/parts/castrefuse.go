package parts

import (
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// couldTake is how much of a gang a domain could take.
type couldTake struct{ members, groups int }

// capacity is how much of the gang a domain could take: without groups of the members of the lowest ranks, else whole groups, kind by kind, then members
// of none.
func (g *scheme) capacity(d layout.Vertex) (most couldTake) {
	if len(g.cast.kinds) == 0 && len(g.p.Multiples) > 0 {
		n := len(g.p.Pending)
		for n > 0 && !(g.cast.even(g.firstOnes(n)) && g.takes(d, g.firstOnes(n))) {
			n--
		}
		return couldTake{members: n}
	}
	if len(g.cast.kinds) == 0 {
		return couldTake{members: sort.Search(len(g.p.Pending), func(n int) bool { return !g.takes(d, g.firstOnes(n+1)) })}
	}
	room := g.fitsBelow(d)
	if d == layout.Root {
		room = g.fitting.folder.Sum(room, g.fitsIn(g.p.View.Outside))
	}
	for _, p := range room {
		n := g.fillUp(d, p)
		if g.fitting.folder.Exact && (int64(n.members) != g.cast.members(p) || !g.cast.even(p)) {
			continue // what would be left of it must not be
		}
		if n.members > most.members {
			most = n
		}
	}
	return most
}

// firstOnes counts the first n pending members by role.
func (g *scheme) firstOnes(n int) front.Vector {
	want := make(front.Vector, len(g.cast.want))
	for i := range n {
		want[g.p.Role(i)]++
	}
	return want
}

// takes says whether a domain takes counts of members, outside the tree only such as have no room in it.
func (g *scheme) takes(d layout.Vertex, want front.Vector) bool {
	if d != layout.Root && !g.p.View.Contains(g.p.View.Outside, d) {
		return g.fitting.folder.Holds(g.fitsBelow(d), want)
	}
	outside, ok := g.splitOf(want)
	return ok && (d == layout.Root || slices.Equal(outside, want) && g.fitting.folder.Holds(g.fitsBelow(d), want))
}

// fillUp is how much of the gang there is in counts.
func (g *scheme) fillUp(d layout.Vertex, room front.Vector) (n couldTake) {
	room, r := slices.Clone(room), len(g.cast.roles)
	for k := range g.cast.kinds {
		if g.cast.kinds[k].parent >= 0 {
			continue
		}
		one := make(front.Vector, len(g.cast.want))
		one[r+k] = 1
		one = g.expand(d, one)
		for range g.cast.want[r+k] {
			if !one.Within(room) {
				break
			}
			room = room.Minus(one)
			n.members, n.groups = n.members+int(g.cast.sizes[r+k]), n.groups+1
		}
	}
	for i := range g.cast.roles {
		n.members += int(min(room[i], g.cast.want[i]))
	}
	return n
}

// proven says whether nothing was left out when it was found that no content can be placed.
func (c *cast) proven() bool {
	all := contentsOf(c.p)
	if c.spreads() {
		return c.provenAbroad(all)
	}
	if c.terrain.inexact { // there may be other ways to find zones
		c = c.loose()
	}
	for _, in := range all.least() {
		some := c.recast(in)
		g := some.under(some.loosest(c.p.Gather.Must))
		if g == nil {
			continue
		}
		if fits := g.fits(); fits && c.p.RefusedBy == nil || slices.Contains(g.fitting.forgot, true) {
			return false // it was not tried, or not all of it
		}
	}
	return !all.truncated
}

// provenAbroad is proven for a gang with groups in other topologies.
func (c *cast) provenAbroad(all *contents) bool {
	for _, in := range all.least() {
		some := c.recast(in)
		some.beyond = some.members(some.want)
		if some.first(some.loosest(c.p.Gather.Must)) != nil && c.p.RefusedBy == nil {
			return false // it was not tried
		}
	}
	return !all.truncated && !*c.p.Parts.Doubt
}
