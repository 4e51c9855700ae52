package fronts

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: on which node is each member? A vector goes down to the nodes, groups are made on the way back,
// and members get positions by rank.

// placed is a placed member, or a group made of placed members and inner groups. pos is its first position.
type placed struct {
	pos    int32      // of a group the first one in it
	inside [][]placed // of a group: its members by role, then inner groups by class; nil: a member
}

// decide places the gang below a domain that holds it, and assigns its members. Each step rests on the fronts: a
// vector within the front of a vertex can be divided among its children, and each part is within the front of its
// child, with the groups that are made there.
//
// It returns nil where steps ran out on the way.
func (c *capacity) decide(d layout.Vertex, st model.Strategy) *model.Answer {
	lists, want := make([][]placed, len(c.search.want)), c.expand(d, c.search.want)
	for i, n := range want {
		lists[i] = make([]placed, 0, max(0, n))
	}
	if !c.place(d, want, lists) {
		return nil
	}
	c.assemble(d, lists, c.search.want)
	return c.assignAll(d, lists, st)
}

// assignAll gives all members positions, from the members and outermost groups placed below the gang's domain.
func (c *capacity) assignAll(d layout.Vertex, lists [][]placed, st model.Strategy) *model.Answer {
	positions := make([]int32, len(c.m.Pending))
	as := assigner{capacity: c, classOf: map[*model.Part]int{}, positions: positions}
	places := c.m.Places()
	as.inventory = inventory{m: c.m, pendingOf: places, signatures: c.m.Signatures(places, true, false)}
	for k := range c.search.groups {
		for _, a := range c.search.groups[k].parts {
			as.classOf[a] = c.search.groups[k].of
		}
	}
	as.assign(c.m.Gang, c.mergeSplit(lists))
	return &model.Answer{Of: c.m, Domain: d, Tier: st.Gang, Misses: st.Groups, Positions: positions}
}

// place distributes a vector of members and groups that come from below x down to the nodes. It appends by dimension the
// placed members and groups, in the order of paths; false if steps ran out before all had their places.
func (c *capacity) place(x layout.Vertex, want front.Vector, lists [][]placed) bool {
	if c.m.View.IsNode(x) {
		for r := range c.search.roles {
			for range want[r] {
				lists[r] = append(lists[r], placed{pos: c.m.View.Position(x)})
			}
		}
		return true
	}
	children, known := c.shares[x] // of the gang's domain
	if !known {
		children = c.distribute(x, want)
	}
	left := want.Total()
	for _, child := range children {
		left -= child.take.Total()
	}
	if left > 0 {
		return false
	}
	slices.SortFunc(children, func(a, b share) int { return c.m.View.ComparePaths(a.at, b.at) })
	for _, child := range children {
		// A share counts groups made at the child. These go down as their members, and are put together on the way
		// back.
		inside := lists
		if len(c.search.groups) > 0 {
			inside = make([][]placed, len(lists))
		}
		if !c.place(child.at, c.expand(child.at, child.take), inside) {
			return false
		}
		if len(c.search.groups) > 0 {
			c.assemble(child.at, inside, child.take)
			for i := range lists {
				lists[i] = append(lists[i], inside[i]...)
			}
		}
	}
	return true
}

// assemble makes the groups of want at x from the first members and inner groups placed below, inner levels first,
// then class by class. lists must have all of expand(x, want); it is changed: members of groups leave their lists,
// and the groups go into those of their classes.
//
// order: parts.10
func (c *capacity) assemble(x layout.Vertex, lists [][]placed, want front.Vector) {
	// all has the groups of want, and the inner groups of these that are made at x as well.
	all := slices.Clone(want)
	r := c.search.roles
	for k := range c.search.groups { // outer ones first
		if c.made(k, x) {
			for i, n := range c.search.groups[k].needs {
				all[i] += n * all[r+k]
			}
		}
	}
	for _, k := range c.innermostFirst() { // inner groups must be there before those around them
		if !c.made(k, x) {
			continue
		}
		for range all[r+k] {
			lists[r+k] = append(lists[r+k], c.takeGroup(lists, c.search.groups[k].needs))
		}
	}
}

// innermostFirst lists the classes by level, innermost first, those of a level in the order of first ranks. A class
// that was split off comes right behind its origin.
func (c *capacity) innermostFirst() []int {
	list := make([]int, len(c.search.groups))
	for k := range list {
		list[k] = k
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.search.groups[b].level, c.search.groups[a].level), cmp.Compare(c.search.groups[a].of, c.search.groups[b].of))
	})
	return list
}

// takeGroup makes one group of the first members and inner groups of each list, and takes these out. A group is never
// empty, so that it has a first position.
//
// order: parts.10
func (c *capacity) takeGroup(lists [][]placed, needs front.Vector) placed {
	out := placed{inside: make([][]placed, len(lists))}
	first := true
	for i, n := range needs {
		if n == 0 {
			continue
		}
		out.inside[i], lists[i] = lists[i][:n:n], lists[i][n:]
		for _, in := range out.inside[i] {
			if first || in.pos < out.pos {
				out.pos, first = in.pos, false
			}
		}
	}
	return out
}

// assigner gives positions to members and groups by rank.
type assigner struct {
	capacity  *capacity
	inventory inventory
	classOf   map[*model.Part]int // the class of a group, before any was split off
	positions []int32             // by index in pending
}

// assign gives the positions in the lists of a group to its own members, role by role in rank order, and the placed
// groups in them to its inner groups, class by class in the order of first ranks. Groups of one class need the same
// members and inner groups, so that any of them takes any placed group of it.
//
// order: roles.11, parts.10
func (as *assigner) assign(a *model.Part, lists [][]placed) {
	own := make([]int, 0, len(a.Ranks))
	as.ownRanks(a, &own)
	slices.Sort(own)
	for _, rank := range own {
		i := as.inventory.pendingOf[rank]
		r := as.capacity.m.Role(int(i))
		as.positions[i], lists[r] = lists[r][0].pos, lists[r][1:]
	}
	inner := as.inventory.groupsIn(a)
	slices.SortStableFunc(inner, compareRanks)
	for _, o := range inner {
		k := as.capacity.search.roles + as.classOf[o]
		var in placed
		in, lists[k] = lists[k][0], lists[k][1:]
		as.assign(o, as.capacity.mergeSplit(in.inside))
	}
}

// ownRanks lists the ranks of the new members that belong to a group itself: its own, and those of parts in it that
// are no groups in the gang's topology.
func (as *assigner) ownRanks(a *model.Part, out *[]int) {
	for _, rank := range a.Ranks {
		if as.inventory.pendingOf[rank] >= 0 {
			*out = append(*out, rank)
		}
	}
	for _, o := range a.Parts {
		if !o.InTree() {
			as.ownRanks(o, out)
		}
	}
}

// mergeSplit reunites classes that tightest split, in the order of positions, before ranks are given.
func (c *capacity) mergeSplit(lists [][]placed) [][]placed {
	for k := range c.search.groups {
		if of := c.search.groups[k].of; of != k && lists != nil {
			r := c.search.roles
			lists[r+of] = append(lists[r+of], lists[r+k]...)
			slices.SortStableFunc(lists[r+of], func(a, b placed) int { return cmp.Compare(a.pos, b.pos) })
		}
	}
	return lists
}
