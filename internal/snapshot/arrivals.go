// Where do members lie in memory that come in one change? Close together, gang by gang, since searches read them so.

package snapshot

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// Arrivals are the members that come to one gang in one change. They are written until the snapshot that takes them in
// is published; then only the members and classes live on. Members never move within a block, so pointers to them hold.
type Arrivals struct {
	gang    string
	coming  int // bounds the number of members still to come
	classes []*MemberClass
	block   []Member  // the last block; its free capacity takes the next members
	Members []*Member // in the order in which they came, until somebody sorts them
}

// NewArrivals are those of a gang to which so many members come.
func NewArrivals(gang string, coming int) *Arrivals { return &Arrivals{gang: gang, coming: coming} }

// blockSize is the number of members that lie in one piece of memory. The garbage collector frees a piece as a whole:
// one member that still runs keeps so many alive.
const blockSize = 64

// arrivalsOf finds the gangs that members come to, in natural order of names, and the gang of each member, with the
// number of its members but none added yet. O(members + gangs log gangs).
func arrivalsOf(running []cluster.Running) (gangs []*Arrivals, of []*Arrivals) {
	byName := map[string]*Arrivals{}
	of = make([]*Arrivals, len(running))
	var g *Arrivals // of the last member: members of a gang mostly come one after the other
	for i := range running {
		if name := running[i].Gang; g == nil || g.gang != name {
			if g = byName[name]; g == nil {
				g = NewArrivals(name, 0)
				byName[name], gangs = g, append(gangs, g)
			}
		}
		g.coming++
		of[i] = g
	}
	slices.SortFunc(gangs, func(a, b *Arrivals) int { return muster.CompareNatural(a.gang, b.gang) })
	return gangs, of
}

// Class returns the class of the gang's members that are like this one, a new one if it is not among the last few.
// Gangs have few classes, so a class seldom is made twice; two equal ones do no harm. like needs no gang. O(1) for few
// budgets.
func (a *Arrivals) Class(like MemberClass) *MemberClass {
	const tried = 8
	for _, class := range a.classes[max(0, len(a.classes)-tried):] {
		if class.is(&like) {
			return class
		}
	}
	like.Gang = a.gang
	class := &like
	a.classes = append(a.classes, class)
	return class
}

// Add takes a member in, with its class. Blocks are made full size and never grow; the last one only for the members
// still to come.
func (a *Arrivals) Add(m Member) {
	if a.Members == nil {
		a.Members = make([]*Member, 0, a.coming)
	}
	if len(a.block) == cap(a.block) {
		a.block = make([]Member, 0, min(a.coming, blockSize))
	}
	a.coming--
	a.block = append(a.block, m)
	a.Members = append(a.Members, &a.block[len(a.block)-1])
}

// arena holds the small gangs of a new cluster one behind the other, in the order in which they are taken: natural
// order of names, as a search for victims reads all of them. Each list is filled up to its capacity, then a new one
// begins, so that nothing moves and pointers into it hold.
type arena struct {
	members []Member
	classes []MemberClass
	lists   []*Member // the Members of the gangs, one behind the other
}

// take moves a gang, whose members are sorted, into the arena. Gangs of at least blockSize keep blocks of their own.
// Nobody else may have pointers to its members yet. O(members).
func (a *arena) take(g *Arrivals) {
	n := len(g.Members)
	if n >= blockSize {
		return
	}
	if cap(a.lists)-len(a.lists) < n {
		a.lists = make([]*Member, 0, blockSize)
	}
	first := len(a.lists)
	// Members that share a class and are neighbors share its copy. A class that comes again later is copied again.
	var from, to *MemberClass
	for _, m := range g.Members {
		if m.Class != from {
			if len(a.classes) == cap(a.classes) {
				a.classes = make([]MemberClass, 0, blockSize)
			}
			a.classes = append(a.classes, *m.Class)
			from, to = m.Class, &a.classes[len(a.classes)-1]
		}
		if len(a.members) == cap(a.members) {
			a.members = make([]Member, 0, blockSize)
		}
		a.members = append(a.members, *m)
		moved := &a.members[len(a.members)-1]
		moved.Class = to
		a.lists = append(a.lists, moved)
	}
	// The capacity ends with the gang: an append would copy, not write over the next gang.
	g.Members = a.lists[first:len(a.lists):len(a.lists)]
}

// membersIn lists all members that arrive, in the order of CompareMembers; the gangs are in natural order of names.
func membersIn(gangs []*Arrivals) []*Member {
	for _, g := range gangs {
		sortMembers(g.Members)
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
