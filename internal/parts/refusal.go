package parts

import (
	"iter"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/selections"
)

// This file answers: how much of a refused gang does a domain take, and is the refusal proven?

// bestAt finds the domain of a tier that takes most of the gang; of equals the one with more slots of the first role,
// then the first path. Within one topology it looks into the domain first that may take most, and then only into those
// that may be better.
func (s *search) bestAt(t int32) (model.Fit, bool) {
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
func roomiest(s *search, t int32, most func(d layout.Vertex) partialFit) iter.Seq[layout.Vertex] {
	if s.joint == nil || s.p.Model.LCA >= 0 || s.crossesTrees() {
		return slices.Values(s.p.Model.Candidates(t))
	}
	loads, first := leastLoads(s), s.joint.Roomiest(t)
	if first < 0 {
		return slices.Values(s.p.Model.Candidates(t))
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
func firstOfRole(s *search) int {
	if len(s.groups) > 0 || s.fewest > 0 {
		return 0
	}
	n := slices.IndexFunc(s.p.Model.RoleOf, func(role int32) bool { return role > 0 })
	if n < 0 {
		return len(s.p.Model.Pending)
	}
	return n
}

// leastLoads are the loads of 0, 1, 2 and more members, of a gang without groups of the lowest ranks, else the least that
// so many may be.
func leastLoads(s *search) []int64 {
	loads := make([]int64, 1+len(s.p.Model.Pending))
	for i := range s.p.Model.Pending {
		load := s.loads[s.p.Model.Role(i)]
		if len(s.groups) > 0 || s.fewest > 0 {
			load = slices.Min(s.loads[:len(s.roles)])
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
	if c.search.fewest > 0 {
		return partialFit{members: c.mostOfAny(d)}
	}
	if len(c.search.groups) == 0 && len(c.p.Model.Multiples) > 0 {
		return partialFit{members: c.mostKeeping(d)}
	}
	if len(c.search.groups) == 0 {
		return partialFit{members: sort.Search(len(c.p.Model.Pending), func(n int) bool { return !c.takesVector(d, c.firstMembers(n+1)) })}
	}
	if c.tables.space.Spent() {
		return partialFit{}
	}
	room := c.frontBelow(d) // each vector is one way to use the room of d
	if d == layout.Root {
		room = c.tables.space.Sum(room, c.frontOf(c.p.Model.View.Outside))
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
		room = c.tables.space.Sum(room, c.frontOf(c.p.Model.View.Outside))
	}
	return int(min(int64(c.search.fewest), c.search.sizes.Most(room)))
}

// mostKeeping is the number of lowest ranks that a domain takes and that keeps the multiples; none if steps end before.
func (c *capacity) mostKeeping(d layout.Vertex) int {
	n := len(c.p.Model.Pending)
	for want := c.firstMembers(n); n > 0 && !(c.search.keepsMultiples(want) && c.takesVector(d, want)); n-- {
		if want[c.p.Model.Role(n-1)]--; !c.tables.space.Spend(int64(1 + len(want)/4)) {
			return 0
		}
	}
	return n
}

// firstMembers is the vector of the n lowest ranks.
func (c *capacity) firstMembers(n int) front.Vector {
	want := make(front.Vector, len(c.search.want))
	for i := range n {
		want[c.p.Model.Role(i)]++
	}
	c.search.counted.bound(want)
	return want
}

// takesVector says whether a domain takes a vector of members. Nodes outside the tree take only what the tree has no
// room for.
func (c *capacity) takesVector(d layout.Vertex, want front.Vector) bool {
	if !c.search.caps.allow(c.p.Model.View, d, want) {
		return false
	}
	if d != layout.Root && !c.p.Model.View.Contains(c.p.Model.View.Outside, d) {
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
			one[len(c.search.roles)+k] = 1
			ones[k] = c.expand(d, one)
		}
	}
	return ones
}

// wholeGroups counts the outermost groups that a vector of room makes up, class by class as many as it can, and then the
// members in no group.
func (c *capacity) wholeGroups(d layout.Vertex, ones []front.Vector, room front.Vector) (n partialFit) {
	room, r := slices.Clone(room), len(c.search.roles)
	caps, taken := c.search.caps.at(c.p.Model.View, d), make(front.Vector, len(room))
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

// proven says whether a refusal is certain: every least selection was tried, under the hard rules alone, without
// forgotten vectors, and with zones relaxed where they are inexact. If no least selection fits, none does, unless the
// list is truncated. One that fits does no harm if the quota refused the gang.
func (s *search) proven() bool {
	list := selectionsOf(s.p)
	if s.crossesTrees() {
		return s.provenAcrossTrees(list)
	}
	if s.classes.inexact { // some zone fronts may lack vectors
		s = s.relax()
	}
	for i, in := range list.Least() {
		if i > 0 && s.p.Model.Left.Packing.Spent() {
			return false
		}
		one := s.forSelection(in)
		one.outside = one.members(one.want)
		if one.manyShapes != nil {
			if !one.manyShapes.Refused() {
				return false
			}
			continue
		}
		c := one.under(one.loosest(s.p.Model.Gather.Must))
		if c == nil || len(c.candidates()) == 0 || one.newManyShapes().TooLarge() {
			continue
		}
		if fits := c.fits(); fits && s.p.RefusedBy == nil || c.tables.forgot {
			return false // trials ran out before it, or vectors were forgotten
		}
	}
	return !list.Truncated && provenOfAny(s)
}

// provenOfAny says whether it is certain that no members of any ranks fit, or are admitted.
//
// order: howmany.4
func provenOfAny(s *search) bool {
	doubt := s.p.Model.Doubt
	before := *doubt
	*doubt = false
	found := anyone(s, true)
	sure := !*doubt
	*doubt = *doubt || before
	return found == nil && sure
}

// provenAcrossTrees is proven for a gang with groups of other topologies: every choice of domains must have been tried
// as well.
func (s *search) provenAcrossTrees(list *selections.Selections) bool {
	for i, in := range list.Least() {
		if i > 0 && s.p.Model.Left.Packing.Spent() {
			return false
		}
		one := s.forSelection(in)
		one.outside = one.members(one.want)
		if one.firstCapacity(one.loosest(s.p.Model.Gather.Must)) != nil && s.p.RefusedBy == nil {
			return false // trials ran out before it
		}
	}
	return !list.Truncated && !*s.p.Model.Doubt && provenOfAny(s)
}
