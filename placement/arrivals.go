package placement

import (
	"slices"

	"github.com/muster-sched/muster"
)

// arrivals is what comes to one gang at once.
type arrivals struct {
	gang    string
	coming  int // how many are still to come, at most
	classes []*memberClass
	room    []member // for the next ones
	members []*member
}

// roomSize is how many members lie in one piece. They are collected together, so it is small.
const roomSize = 64

// arrivalsOf finds the gangs that members come to, in natural order of names, and for every member the place of its gang.
// O(members), beside the sorting of the gangs.
func arrivalsOf(running []Running) (gangs []*arrivals, of []*arrivals) {
	byName := map[string]*arrivals{}
	of = make([]*arrivals, len(running))
	var g *arrivals
	for i := range running {
		if name := running[i].Gang; g == nil || g.gang != name {
			if g = byName[name]; g == nil {
				g = &arrivals{gang: name}
				byName[name], gangs = g, append(gangs, g)
			}
		}
		g.coming++
		of[i] = g
	}
	slices.SortFunc(gangs, func(a, b *arrivals) int { return muster.CompareNatural(a.gang, b.gang) })
	return gangs, of
}

// class finds or makes what members of the gang have in common.
func (g *arrivals) class(like memberClass) *memberClass {
	const tried = 8 // the others are not shared: a gang has few kinds of members
	for _, k := range g.classes[max(0, len(g.classes)-tried):] {
		if k.is(&like) {
			return k
		}
	}
	like.gang = g.gang
	k := &like
	g.classes = append(g.classes, k)
	return k
}

// add takes a member in.
func (g *arrivals) add(m member) {
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

// arena is where small gangs of a new cluster lie, one behind the other in the order in which they are gone through: who looks for victims looks at
// all of them.
type arena struct {
	members []member
	classes []memberClass
	lists   []*member
}

// take moves a gang into the yard. Large ones have rooms of their own.
func (y *arena) take(g *arrivals) {
	n := len(g.members)
	if n >= roomSize {
		return
	}
	if cap(y.lists)-len(y.lists) < n {
		y.lists = make([]*member, 0, roomSize)
	}
	first := len(y.lists)
	var from, to *memberClass
	for _, m := range g.members {
		if m.class != from {
			if len(y.classes) == cap(y.classes) {
				y.classes = make([]memberClass, 0, roomSize)
			}
			y.classes = append(y.classes, *m.class)
			from, to = m.class, &y.classes[len(y.classes)-1]
		}
		if len(y.members) == cap(y.members) {
			y.members = make([]member, 0, roomSize)
		}
		y.members = append(y.members, *m)
		moved := &y.members[len(y.members)-1]
		moved.class = to
		y.lists = append(y.lists, moved)
	}
	g.members = y.lists[first:len(y.lists):len(y.lists)]
}

// membersIn are the intakes' members in the order of gang, then name.
func membersIn(gangs []*arrivals) []*member {
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
