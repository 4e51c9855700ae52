package placement

import (
	"slices"

	"github.com/muster-sched/muster"
)

// intake is what comes to one gang at once.
type intake struct {
	gang    string
	coming  int // how many are still to come, at most
	kins    []*kin
	room    []member // for the next ones
	members []*member
}

// roomSize is how many members lie in one piece. They are collected together, so it is small.
const roomSize = 64

// intakesOf finds the gangs that members come to, in natural order of names, and for every member the place of its gang.
// O(members), beside the sorting of the gangs.
func intakesOf(running []Running) (gangs []*intake, of []*intake) {
	byName := map[string]*intake{}
	of = make([]*intake, len(running))
	var g *intake
	for i := range running {
		if name := running[i].Gang; g == nil || g.gang != name {
			if g = byName[name]; g == nil {
				g = &intake{gang: name}
				byName[name], gangs = g, append(gangs, g)
			}
		}
		g.coming++
		of[i] = g
	}
	slices.SortFunc(gangs, func(a, b *intake) int { return muster.CompareNatural(a.gang, b.gang) })
	return gangs, of
}

// kin finds or makes what members of the gang have in common.
func (g *intake) kin(like kin) *kin {
	const tried = 8 // the others are not shared: a gang has few kinds of members
	for _, k := range g.kins[max(0, len(g.kins)-tried):] {
		if k.is(&like) {
			return k
		}
	}
	like.gang = g.gang
	k := &like
	g.kins = append(g.kins, k)
	return k
}

// add takes a member in.
func (g *intake) add(m member) {
	if g.members == nil {
		g.members = make([]*member, 0, g.coming)
	}
	if len(g.room) == cap(g.room) {
		g.room = make([]member, 0, min(g.coming, roomSize))
	}
	g.coming--
	g.room = append(g.room, m)
	g.members = append(g.members, &g.room[len(g.room)-1])
}

// yard is where small gangs of a new cluster lie, one behind the other in the order in which they are gone through: who looks for victims looks at
// all of them.
type yard struct {
	members []member
	kins    []kin
	lists   []*member
}

// take moves a gang into the yard. Large ones have rooms of their own.
func (y *yard) take(g *intake) {
	n := len(g.members)
	if n >= roomSize {
		return
	}
	if cap(y.lists)-len(y.lists) < n {
		y.lists = make([]*member, 0, roomSize)
	}
	first := len(y.lists)
	var from, to *kin
	for _, m := range g.members {
		if m.kin != from {
			if len(y.kins) == cap(y.kins) {
				y.kins = make([]kin, 0, roomSize)
			}
			y.kins = append(y.kins, *m.kin)
			from, to = m.kin, &y.kins[len(y.kins)-1]
		}
		if len(y.members) == cap(y.members) {
			y.members = make([]member, 0, roomSize)
		}
		y.members = append(y.members, *m)
		moved := &y.members[len(y.members)-1]
		moved.kin = to
		y.lists = append(y.lists, moved)
	}
	g.members = y.lists[first:len(y.lists):len(y.lists)]
}

// arrivals are the intakes' members in the order of gang, then name.
func arrivals(gangs []*intake) []*member {
	for _, g := range gangs {
		sortMembers(g.members)
	}
	if len(gangs) == 1 {
		return gangs[0].members
	}
	var out []*member
	for _, g := range gangs {
		out = append(out, g.members...)
	}
	return out
}
