package snapshot

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// Arrivals is what comes to one gang at once.
type Arrivals struct {
	Gang    string
	Coming  int // how many are still to come, at most
	classes []*MemberClass
	room    []Member // for the next ones
	Members []*Member
}

// roomSize is how many members lie in one piece. They are collected together, so it is small.
const roomSize = 64

// arrivalsOf finds the gangs that members come to, in natural order of names, and for every member the place of its gang.
// O(members), beside the sorting of the gangs.
func arrivalsOf(running []cluster.Running) (gangs []*Arrivals, of []*Arrivals) {
	byName := map[string]*Arrivals{}
	of = make([]*Arrivals, len(running))
	var g *Arrivals
	for i := range running {
		if name := running[i].Gang; g == nil || g.Gang != name {
			if g = byName[name]; g == nil {
				g = &Arrivals{Gang: name}
				byName[name], gangs = g, append(gangs, g)
			}
		}
		g.Coming++
		of[i] = g
	}
	slices.SortFunc(gangs, func(a, b *Arrivals) int { return muster.CompareNatural(a.Gang, b.Gang) })
	return gangs, of
}

// Class finds or makes what members of the gang have in common.
func (g *Arrivals) Class(like MemberClass) *MemberClass {
	const tried = 8 // the others are not shared: a gang has few kinds of members
	for _, k := range g.classes[max(0, len(g.classes)-tried):] {
		if k.is(&like) {
			return k
		}
	}
	like.Gang = g.Gang
	k := &like
	g.classes = append(g.classes, k)
	return k
}

// Add takes a member in.
func (g *Arrivals) Add(m Member) {
	if g.Members == nil {
		g.Members = make([]*Member, 0, g.Coming)
	}
	if len(g.room) == cap(g.room) {
		g.room = make([]Member, 0, min(g.Coming, roomSize))
	}
	g.Coming--
	g.room = append(g.room, m)
	g.Members = append(g.Members, &g.room[len(g.room)-1])
}

// arena is where small gangs of a new cluster lie, one behind the other in the order in which they are gone through: who looks for victims looks at
// all of them.
type arena struct {
	members []Member
	classes []MemberClass
	lists   []*Member
}

// take moves a gang into the yard. Large ones have rooms of their own.
func (y *arena) take(g *Arrivals) {
	n := len(g.Members)
	if n >= roomSize {
		return
	}
	if cap(y.lists)-len(y.lists) < n {
		y.lists = make([]*Member, 0, roomSize)
	}
	first := len(y.lists)
	var from, to *MemberClass
	for _, m := range g.Members {
		if m.Class != from {
			if len(y.classes) == cap(y.classes) {
				y.classes = make([]MemberClass, 0, roomSize)
			}
			y.classes = append(y.classes, *m.Class)
			from, to = m.Class, &y.classes[len(y.classes)-1]
		}
		if len(y.members) == cap(y.members) {
			y.members = make([]Member, 0, roomSize)
		}
		y.members = append(y.members, *m)
		moved := &y.members[len(y.members)-1]
		moved.Class = to
		y.lists = append(y.lists, moved)
	}
	g.Members = y.lists[first:len(y.lists):len(y.lists)]
}

// membersIn are the intakes' members in the order of gang, then name.
func membersIn(gangs []*Arrivals) []*Member {
	for _, g := range gangs {
		SortMembers(g.Members)
	}
	if len(gangs) == 1 {
		return gangs[0].Members
	}
	var out []*Member
	for _, g := range gangs {
		out = append(out, g.Members...)
	}
	return out
}
