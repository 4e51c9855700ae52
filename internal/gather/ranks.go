// Which member goes to which of the positions that a plan takes?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/problem"
)

// arrangement is the order of positions below a vertex, cut into units. A unit is a run of positions, one for each
// member; units inside a whole unit of an outer level are not listed by themselves. Positions go depth first.
type arrangement struct {
	units [][]int32       // by level: the positions of its units, one unit after the other
	short []int32         // of the short group; nil: it is not whole yet, or there is none
	begun map[int][]int32 // of begun groups that are whole, by place in ask.begun
}

// arranger puts the positions of a share into the order of ranks.
type arranger struct {
	p   *problem.Problem
	ask *ask
}

// arrange cuts the positions of a share into units so that ranks can follow them: groups that are whole in a child come
// before those that are put together of what the children have left over. O(members * depth), for shares without such
// groups O(members).
func (ar arranger) arrange(sh *share) arrangement {
	out := arrangement{units: make([][]int32, len(ar.ask.sizes))}
	if ar.isWhole(sh) { // the usual case: one pass over the members, no units to put together
		out.units[0] = make([]int32, 0, ar.ask.newMembers(&sh.demand))
		ar.appendWhole(sh, &out)
		return out
	}
	if ar.p.View.IsNode(sh.at) { // inner or begun groups lie on it: assemble makes them of its members
		out.units[ar.ask.bottom()] = ar.appendNode(nil, sh)
	}
	for i := range sh.parts {
		part := &sh.parts[i]
		if ar.isWhole(part) {
			ar.appendWhole(part, &out)
			continue
		}
		in := ar.arrange(part)
		for level := range out.units {
			out.units[level] = append(out.units[level], in.units[level]...)
		}
		for g, positions := range in.begun {
			out.keepBegun(g, positions)
		}
		if in.short != nil { // it is whole in at most one part
			out.short = in.short
		}
	}
	if ar.ask.bottom() > 0 {
		ar.assemble(sh, &out)
	}
	return out
}

// isWhole says whether the positions of a share are in order as they come: no group is put together of what several
// vertices have left over, and none of inner groups on a node. O(parts).
func (ar arranger) isWhole(sh *share) bool {
	switch {
	case sh.run != nil:
		return true
	case ar.p.View.IsNode(sh.at):
		return ar.ask.bottom() < 2 && len(sh.demand.begun) == 0 || sh.demand.units[ar.ask.bottom()] == ar.ask.newMembers(&sh.demand)
	case ar.ask.bottom() > 1 || len(sh.demand.begun) > 0:
		return false
	}
	// One level of groups: all of them, and the short one, must come from the parts.
	groups, short := int64(0), false
	for i := range sh.parts {
		part := &sh.parts[i]
		if groups, short = groups+part.demand.units[0], short || part.demand.short; !ar.isWhole(part) {
			return false
		}
	}
	return groups == sh.demand.units[0] && short == sh.demand.short
}

// appendWhole adds the positions of a share for which isWhole holds.
func (ar arranger) appendWhole(sh *share, out *arrangement) {
	switch {
	case sh.run != nil:
		ar.cutRun(sh, sh.run, out)
	case ar.p.View.IsNode(sh.at):
		ar.cutRun(sh, ar.appendNode(ar.ask.scratch.positions(ar.ask.newMembers(&sh.demand)), sh), out)
	}
	for i := range sh.parts {
		ar.appendWhole(&sh.parts[i], out)
	}
}

// appendNode lists the position of a node, once for each member.
func (ar arranger) appendNode(list []int32, sh *share) []int32 {
	for range ar.ask.newMembers(&sh.demand) {
		list = append(list, ar.p.View.Position(sh.at))
	}
	return list
}

// cutRun adds a run of positions, those of all members of a share: whole groups first, then the short one, then single
// members. The share is of members alone, or the ask has one level of groups at most.
func (ar arranger) cutRun(sh *share, run []int32, out *arrangement) {
	if ar.ask.bottom() == 1 {
		n := sh.demand.units[0] * ar.ask.sizes[0]
		out.units[0] = append(out.units[0], run[:n]...)
		run = run[n:]
	}
	if sh.demand.short {
		out.short, run = run[:ar.ask.short], run[ar.ask.short:]
	}
	out.units[ar.ask.bottom()] = append(out.units[ar.ask.bottom()], run...)
}

// keepBegun notes the positions of a begun group that is whole.
func (a *arrangement) keepBegun(g int, positions []int32) {
	if a.begun == nil {
		a.begun = map[int][]int32{}
	}
	a.begun[g] = positions
}

// assemble puts together the units that are whole at the share's vertex and in no child. On entry out has what the
// children made. What is missing of a level is made of units of the next one: so a first pass counts inwards how many
// units each level must provide, and a second one makes them outwards, inner units before the outer ones that take them
// whole. O(members).
//
// order: ranks.3
func (ar arranger) assemble(sh *share, out *arrangement) {
	missing := make([]int64, ar.ask.bottom()) // units to be made, by level
	fresh := make([][]int, ar.ask.bottom())   // begun groups that become whole here
	var wanted int64                          // units of the level that outer groups still need
	for level := range missing {
		wanted += sh.demand.units[level]
		missing[level] = wanted - int64(len(out.units[level]))/ar.ask.sizes[level]
		wanted = missing[level] * ar.ask.ratio(level)
		for _, g := range sh.demand.begun {
			if _, done := out.begun[g]; !done && ar.ask.begun[g].level == level {
				fresh[level] = append(fresh[level], g)
				wanted += ar.ask.begun[g].need
			}
		}
	}
	for level := ar.ask.bottom() - 1; level >= 0; level-- {
		for _, g := range fresh[level] { // before new groups, in the order in which they found their homes
			out.keepBegun(g, out.take(level+1, ar.ask.begun[g].need*ar.ask.sizes[level+1]))
		}
		out.units[level] = append(out.units[level], out.take(level+1, missing[level]*ar.ask.sizes[level])...)
	}
	if sh.demand.short && out.short == nil { // last, of the members that are left
		out.short = out.take(ar.ask.bottom(), ar.ask.short)
	}
}

// take removes the first n positions of a level and returns them.
func (a *arrangement) take(level int, n int64) []int32 {
	taken := slices.Clone(a.units[level][:n])
	a.units[level] = a.units[level][n:]
	return taken
}

// assign gives the positions of an arrangement of the whole ask to the new members. The result is by place in Pending,
// and may use the memory of the arrangement. O(members).
//
// order: ranks.4
func (ar arranger) assign(a arrangement) []int32 {
	if len(a.begun) == 0 {
		return append(a.units[0], a.short...) // new members are in rank order, and the short group is the last one
	}
	at := make(map[int]int32, ar.ask.members) // by rank
	for g, positions := range a.begun {
		b := &ar.ask.begun[g]
		size := int(ar.ask.sizes[b.level+1]) // members of a unit that the group needs; their ranks are consecutive
		for i, first := range b.ranks {
			for j := range size {
				at[first+j] = positions[i*size+j]
			}
		}
	}
	// What is left in rank order: whole new groups, then the short one; without groups the members.
	rest := append(slices.Clone(a.units[0]), a.short...)
	out := make([]int32, ar.ask.members)
	for i, m := range ar.p.Pending[:ar.ask.members] {
		pos, ok := at[m.Rank]
		if !ok {
			pos, rest = rest[0], rest[1:]
		}
		out[i] = pos
	}
	return out
}
