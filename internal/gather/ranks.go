// Which member goes to which of the positions that a plan takes?

package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/model"
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
	m   *model.Model
	ask *ask
}

// arrange cuts the positions of a share into units so that ranks can follow them: groups that are whole in a child come
// before those that are put together of what the children have left over. O(members * depth), for shares without such
// groups O(members).
func (ar arranger) arrange(sh *share) arrangement {
	out := arrangement{units: make([][]int32, len(ar.ask.sizes))}
	n := ar.ask.newMembers(&sh.demand)
	out.units[0] = make([]int32, 0, n) // the outcome keeps it
	if ar.isWhole(sh) {                // the usual case: one pass over the members, no units to put together
		ar.appendWhole(sh, &out)
		return out
	}
	for level := range out.units[1:] {
		out.units[level+1] = ar.ask.scratch.positions(n)
	}
	ar.appendUnits(sh, &out)
	return out
}

// appendUnits adds the units of a share, behind those of other shares. What it puts together is the share's own.
func (ar arranger) appendUnits(sh *share, out *arrangement) {
	if ar.isWhole(sh) {
		ar.appendWhole(sh, out)
		return
	}
	before := ar.ask.scratch.carve(len(out.units)) // by level: positions of other shares
	for level := range out.units {
		before[level] = int64(len(out.units[level]))
	}
	bottom := ar.ask.bottom()
	switch { // inner or begun groups lie there: assemble makes them of the members
	case sh.run != nil:
		out.units[bottom] = append(out.units[bottom], sh.run...)
	case ar.m.View.IsNode(sh.at):
		out.units[bottom] = ar.appendNode(out.units[bottom], sh)
	}
	for i := range sh.parts {
		ar.appendUnits(&sh.parts[i], out)
	}
	if bottom > 0 {
		ar.assemble(sh, out, before)
	}
}

// isWhole says whether the positions of a share are in order as they come: no group is put together of what several
// vertices have left over, and none of inner groups on a node or in a run. O(parts).
func (ar arranger) isWhole(sh *share) bool {
	switch {
	case sh.run != nil, ar.m.View.IsNode(sh.at):
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
	case ar.m.View.IsNode(sh.at):
		ar.cutRun(sh, ar.appendNode(ar.ask.scratch.positions(ar.ask.newMembers(&sh.demand)), sh), out)
	}
	for i := range sh.parts {
		ar.appendWhole(&sh.parts[i], out)
	}
}

// appendNode lists the position of a node, once for each member.
func (ar arranger) appendNode(list []int32, sh *share) []int32 {
	for range ar.ask.newMembers(&sh.demand) {
		list = append(list, ar.m.View.Position(sh.at))
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
// children made, behind what it had before them. What is missing of a level is made of units of the next one: so a first
// pass counts inwards how many units each level must provide, and a second one makes them outwards, inner units before
// the outer ones that take them whole. O(members).
//
// order: ranks.3
func (ar arranger) assemble(sh *share, out *arrangement, before []int64) {
	missing := ar.ask.scratch.carve(ar.ask.bottom()) // units to be made, by level
	var wanted int64                                 // units of the level that outer groups still need
	for level := range missing {
		wanted += sh.demand.units[level]
		missing[level] = wanted - (int64(len(out.units[level]))-before[level])/ar.ask.sizes[level]
		wanted = missing[level] * ar.ask.ratio(level)
		for _, g := range sh.demand.begun {
			if ar.isFresh(g, level, out) {
				wanted += ar.ask.begun[g].need
			}
		}
	}
	for level := ar.ask.bottom() - 1; level >= 0; level-- {
		inner := before[level+1]
		for _, g := range sh.demand.begun { // before new groups, in the order in which they found their homes
			if ar.isFresh(g, level, out) {
				out.keepBegun(g, out.take(level+1, inner, ar.ask.begun[g].need*ar.ask.sizes[level+1]))
			}
		}
		out.join(level, inner, missing[level]*ar.ask.sizes[level])
	}
	if sh.demand.short && out.short == nil { // last, of the members that are left
		out.short = out.take(ar.ask.bottom(), before[ar.ask.bottom()], ar.ask.short)
	}
}

// isFresh says whether a begun group is one of a level and not whole yet.
func (ar arranger) isFresh(g, level int, out *arrangement) bool {
	_, done := out.begun[g]
	return !done && ar.ask.begun[g].level == level
}

// take removes n positions of a level, from a place on, and returns them.
func (a *arrangement) take(level int, from, n int64) []int32 {
	taken := slices.Clone(a.units[level][from : from+n])
	a.units[level] = slices.Delete(a.units[level], int(from), int(from+n))
	return taken
}

// join makes units of a level of n positions of the next one, from a place on.
func (a *arrangement) join(level int, from, n int64) {
	a.units[level] = append(a.units[level], a.units[level+1][from:from+n]...)
	a.units[level+1] = slices.Delete(a.units[level+1], int(from), int(from+n))
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
	for i, rank := range ar.m.Pending[:ar.ask.members] {
		pos, ok := at[rank]
		if !ok {
			pos, rest = rest[0], rest[1:]
		}
		out[i] = pos
	}
	return out
}
