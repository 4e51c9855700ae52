package snapshot

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// Arrivals are the members that come to one gang in one change. They are written until the snapshot that takes them in is
// published.
type Arrivals struct {
	Gang    string
	Coming  int // bounds the members still to come
	classes []*MemberClass
	block   []Member // its free capacity takes the next ones
	Members []*Member
}

// blockSize is the number of members that lie in one piece. The garbage collector frees a piece as a whole, so it is small.
const blockSize = 64

// arrivalsOf finds the gangs that members come to, in natural order of names, and the gang of each member. O(members),
// beside the sorting of the gangs.
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

// Class is the one class of the gang's members that are like this one. Classes further back than the last few are not
// shared: a gang has few of them. O(1).
func (a *Arrivals) Class(like MemberClass) *MemberClass {
	const tried = 8
	for _, class := range a.classes[max(0, len(a.classes)-tried):] {
		if class.is(&like) {
			return class
		}
	}
	like.Gang = a.Gang
	class := &like
	a.classes = append(a.classes, class)
	return class
}

// Add takes a member in.
func (a *Arrivals) Add(m Member) {
	if a.Members == nil {
		a.Members = make([]*Member, 0, a.Coming)
	}
	if len(a.block) == cap(a.block) {
		a.block = make([]Member, 0, min(a.Coming, blockSize))
	}
	a.Coming--
	a.block = append(a.block, m)
	a.Members = append(a.Members, &a.block[len(a.block)-1])
}

// arena holds the small gangs of a new cluster one behind the other, in the order in which searches for victims read all
// of them.
type arena struct {
	members []Member
	classes []MemberClass
	lists   []*Member
}

// take moves a gang into the arena. Large ones keep blocks of their own. O(members).
func (a *arena) take(g *Arrivals) {
	n := len(g.Members)
	if n >= blockSize {
		return
	}
	if cap(a.lists)-len(a.lists) < n {
		a.lists = make([]*Member, 0, blockSize)
	}
	first := len(a.lists)
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
	g.Members = a.lists[first:len(a.lists):len(a.lists)]
}

// membersIn lists all members that arrive, in the order of gang, then name.
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
