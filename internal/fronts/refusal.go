package fronts

import (
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: how much of a refused gang does a domain take, and is it certain that it does not fit?

// BestAt finds the domain of a tier that takes most of the gang; of equals the one with more slots of the first role,
// then the first path. Within one topology it looks into the domain first that may take most, and then only into those
// that may be better.
func (s *Search) BestAt(t int32) (model.Fit, bool) {
	if s.manyShapes != nil {
		return s.manyShapes.BestAt(t)
	}
	best := model.Fit{Tier: t, Domain: -1, Members: -1}
	for c := range s.roomiestCapacities(s.loosest(t)) {
		known := map[int32]partialFit{} // by class
		most := func(d layout.Vertex) partialFit {
			class := c.search.classes.Of(d)
			n, ok := known[class]
			if !ok {
				n = c.mostIn(d)
				known[class] = n
			}
			best.AtLeast = best.AtLeast || c.tables.space.Spent() || c.tables.forgot
			return n
		}
		for d := range roomiest(s, t, most) {
			n := most(d)
			if n.members > best.Members || n.members == best.Members && best.Domain >= 0 && s.slots.At(d) > s.slots.At(best.Domain) {
				best.Domain, best.Members, best.Groups = d, n.members, n.groups
			}
		}
	}
	return best, best.Domain >= 0
}

// roomiest iterates over the domains of a tier, but for those that certainly take fewer members than another.
func roomiest(s *Search, t int32, most func(d layout.Vertex) partialFit) iter.Seq[layout.Vertex] {
	if s.joint == nil || s.m.LCA >= 0 || s.CrossesTrees() {
		return slices.Values(s.m.Candidates(t))
	}
	loads, first := leastLoads(s), s.joint.Roomiest(t)
	if first < 0 {
		return slices.Values(s.m.Candidates(t))
	}
	least := max(0, most(first).members)
	return func(yield func(layout.Vertex) bool) {
		for d := range s.joint.Domains(t, func() int64 { return loads[least] }) {
			if least <= firstOfRole(s) && s.slots.At(d) < int64(least) {
				continue // all of them are of the first role
			}
			if !yield(d) {
				return
			}
		}
	}
}

// firstOfRole is the number of lowest ranks that are of the first role, of a gang without groups of which these are placed.
func firstOfRole(s *Search) int {
	if len(s.groups) > 0 || s.Fewest > 0 {
		return 0
	}
	n := slices.IndexFunc(s.m.RoleOf, func(role int32) bool { return role > 0 })
	if n < 0 {
		return len(s.m.Pending)
	}
	return n
}

// leastLoads are the loads of 0, 1, 2 and more members, of a gang without groups of the lowest ranks, else the least that
// so many may be.
func leastLoads(s *Search) []int64 {
	loads := make([]int64, 1+len(s.m.Pending))
	for i := range s.m.Pending {
		load := s.loads[s.m.Role(i)]
		if len(s.groups) > 0 || s.Fewest > 0 {
			load = slices.Min(s.loads[:s.roles])
		}
		loads[i+1] = loads[i] + load
	}
	return loads
}

// partialFit is the number of members, and of whole outermost groups, that a domain takes.
type partialFit struct{ members, groups int }

// mostIn is the most that a domain takes: of a gang without groups the lowest ranks, else whole outermost groups,
// class by class, then members in no group. Without multiples fewer ranks fit where more do, so that their number is
// found by bisection.
func (c *capacity) mostIn(d layout.Vertex) (most partialFit) {
	if c.search.Fewest > 0 {
		return partialFit{members: c.mostOfAny(d)}
	}
	if len(c.search.groups) == 0 && len(c.m.Multiples) > 0 {
		return partialFit{members: c.mostKeeping(d)}
	}
	if len(c.search.groups) == 0 {
		return partialFit{members: sort.Search(len(c.m.Pending), func(n int) bool { return !c.takesVector(d, c.firstMembers(n+1)) })}
	}
	if c.tables.space.Spent() {
		return partialFit{}
	}
	room := c.frontBelow(d) // each vector is one way to use the room of d
	if d == layout.Root {
		room = c.tables.space.Sum(room, c.frontOf(c.m.View.Outside))
	}
	ones := c.outermost(d)
	for _, p := range room {
		if !c.tables.space.Spend(int64(1 + len(ones)*len(p)/4)) {
			break
		}
		n := c.wholeGroups(d, ones, p)
		if c.tables.space.Exact && (int64(n.members) != c.search.members(p) || !c.search.keepsMultiples(p)) {
			continue // an exact vector must be used up
		}
		if n.members > most.members {
			most = n
		}
	}
	return most
}

// mostOfAny is the number of members that a domain takes, whatever their ranks, no more than must be placed.
func (c *capacity) mostOfAny(d layout.Vertex) int {
	room := c.frontBelow(d)
	if d == layout.Root {
		room = c.tables.space.Sum(room, c.frontOf(c.m.View.Outside))
	}
	return int(min(int64(c.search.Fewest), c.search.sizes.Most(room)))
}

// mostKeeping is the number of lowest ranks that a domain takes and that keeps the multiples; none if steps end before.
func (c *capacity) mostKeeping(d layout.Vertex) int {
	n := len(c.m.Pending)
	for want := c.firstMembers(n); n > 0 && !(c.search.keepsMultiples(want) && c.takesVector(d, want)); n-- {
		if want[c.m.Role(n-1)]--; !c.tables.space.Spend(int64(1 + len(want)/4)) {
			return 0
		}
	}
	return n
}

// firstMembers is the vector of the n lowest ranks.
func (c *capacity) firstMembers(n int) front.Vector {
	want := make(front.Vector, len(c.search.want))
	for i := range n {
		want[c.m.Role(i)]++
	}
	c.search.counted.bound(want)
	return want
}

// takesVector says whether a domain takes a vector of members. Nodes outside the tree take only what the tree has no
// room for.
func (c *capacity) takesVector(d layout.Vertex, want front.Vector) bool {
	if !c.search.caps.allow(c.m.View, d, want) {
		return false
	}
	if d != layout.Root && !c.m.View.Contains(c.m.View.Outside, d) {
		return c.tables.space.Holds(c.frontBelow(d), want)
	}
	outside, ok := c.splitOf(want)
	return ok && (d == layout.Root || slices.Equal(outside, want) && c.tables.space.Holds(c.frontBelow(d), want))
}

// outermost is what one group of each class takes of d, nil for inner classes.
func (c *capacity) outermost(d layout.Vertex) []front.Vector {
	ones := make([]front.Vector, len(c.search.groups))
	for k := range c.search.groups {
		if c.search.groups[k].parent < 0 {
			one := make(front.Vector, len(c.search.want))
			one[c.search.roles+k] = 1
			ones[k] = c.expand(d, one)
		}
	}
	return ones
}

// wholeGroups counts the outermost groups that a vector of room makes up, class by class as many as it can, and then the
// members in no group.
func (c *capacity) wholeGroups(d layout.Vertex, ones []front.Vector, room front.Vector) (n partialFit) {
	room, r := slices.Clone(room), c.search.roles
	caps, taken := c.search.caps.at(c.m.View, d), make(front.Vector, len(room))
	allowed := func(dim int, most int32) int32 {
		most = mostOf(caps, taken, dim, most)
		taken[dim] += most
		return most
	}
	for k, one := range ones {
		if one == nil {
			continue
		}
		most := c.search.want[r+k]
		for dim, each := range one {
			if each > 0 {
				most = min(most, room[dim]/each)
			}
		}
		most = allowed(r+k, most)
		for dim, each := range one {
			room[dim] -= most * each
		}
		n.members, n.groups = n.members+int(most)*int(c.search.sizes[r+k]), n.groups+int(most)
	}
	for i := range c.search.roles {
		n.members += int(allowed(i, min(room[i], c.search.want[i])))
	}
	return n
}

// RoomOfRoles lists the vectors of roles that fit in any domain, the largest ones; sure: there are no others. Nil if such
// vectors do not say what fits: there are groups or limits, or too many roles.
func (s *Search) RoomOfRoles() (room []front.Vector, sure bool) {
	if !s.CountsRoles() {
		return nil, false
	}
	room, sure = roomUnder(s, s)
	if sure && s.classes.inexact && !s.relaxed {
		most, all := roomUnder(s, s.relax())
		sure = all && !slices.ContainsFunc(most, func(v front.Vector) bool { return !front.Front(room).Holds(v) })
	}
	return room, sure
}

// roomUnder is RoomOfRoles for zones as they are counted in a search. Without any room it is the empty vector.
func roomUnder(s, of *Search) (room []front.Vector, sure bool) {
	c := of.under(of.loosest(s.m.Gather.Must))
	room, known := []front.Vector{make(front.Vector, s.roles)}, map[int32]bool{}
	if c == nil {
		return room, true
	}
	for _, d := range s.m.Candidates(s.m.Gather.Must) {
		class := of.classes.Of(d)
		if known[class] {
			continue
		}
		known[class] = true
		below := c.frontBelow(d)
		if d == layout.Root {
			below = c.tables.space.Sum(below, c.frontOf(s.m.View.Outside))
			c.tables.forgot = c.tables.forgot || c.tables.space.Forgot
		}
		room = append(room, below...)
	}
	return room, !c.tables.forgot
}

// Relaxed is the search with a looser rule for zones where zones are inexact, else s itself.
func (s *Search) Relaxed() *Search {
	if s.classes.inexact { // some zone fronts may lack vectors
		return s.relax()
	}
	return s
}

// IsRefuted says whether it is certain that all members of the selection do not fit under the hard rules. refused: the quota refuses the gang, so
// that one that fits does no harm.
func (s *Search) IsRefuted(refused bool) bool {
	s.outside = s.members(s.want)
	if s.manyShapes != nil {
		return s.manyShapes.Refused()
	}
	c := s.under(s.loosest(s.m.Gather.Must))
	if c == nil || len(c.candidates()) == 0 || s.newManyShapes().TooLarge() {
		return true
	}
	fits := c.fits()
	return (!fits || refused) && !c.tables.forgot // trials ran out before it, or vectors were forgotten
}

// IsRefutedAcrossTrees is IsRefuted for a gang with groups of other topologies, as far as domains were tried.
func (s *Search) IsRefutedAcrossTrees(refused bool) bool {
	s.outside = s.members(s.want)
	return refused || s.firstCapacity(s.loosest(s.m.Gather.Must)) == nil
}
