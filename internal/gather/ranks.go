package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/problem"
)

// arrangement is the order of positions below a vertex, cut into units: those of a level that lie in no whole unit of the
// level outside it. Positions go depth first; every unit is a run of positions, one for each member.
type arrangement struct {
	units [][]int32       // by level, units one after the other
	short []int32         // positions of the short group, once it is whole
	begun map[int][]int32 // positions of begun groups, once they are whole
}

// arranger puts the positions of a share into the order of ranks.
type arranger struct {
	p   *problem.Problem
	ask *ask
}

// arrange lists the positions of a share so that ranks can follow them: the groups that are whole in a child come
// before those that are put together from what the children have left.
func (ar arranger) arrange(sh *share) arrangement {
	out := arrangement{units: make([][]int32, len(ar.ask.sizes))}
	if ar.isWhole(sh) {
		out.units[0] = make([]int32, 0, ar.ask.newMembers(&sh.demand))
		ar.appendWhole(sh, &out)
		return out
	}
	if ar.p.View.IsNode(sh.at) {
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
		if in.short != nil {
			out.short = in.short
		}
	}
	if ar.ask.bottom() > 0 {
		ar.assemble(sh, &out)
	}
	return out
}

// isWhole says whether no group of a share is put together of what several vertices have left over, nor inner ones on a node.
func (ar arranger) isWhole(sh *share) bool {
	switch {
	case sh.run != nil:
		return true
	case ar.p.View.IsNode(sh.at):
		return ar.ask.bottom() < 2 && len(sh.demand.begun) == 0 || sh.demand.units[ar.ask.bottom()] == ar.ask.newMembers(&sh.demand)
	case ar.ask.bottom() > 1 || len(sh.demand.begun) > 0:
		return false
	}
	groups, short := int64(0), false
	for i := range sh.parts {
		part := &sh.parts[i]
		if groups, short = groups+part.demand.units[0], short || part.demand.short; !ar.isWhole(part) {
			return false
		}
	}
	return groups == sh.demand.units[0] && short == sh.demand.short
}

// appendWhole adds the positions of such a share.
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

// cutRun adds the positions of a share whose members are all that is shared out: whole groups first, then the short one. Beside
// members it has one level of groups at most.
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

func (a *arrangement) keepBegun(g int, positions []int32) {
	if a.begun == nil {
		a.begun = map[int][]int32{}
	}
	a.begun[g] = positions
}

// assemble makes the units that are whole here and in no child. What is missing of a level is made of units of the
// next, so the counts go inwards and the making outwards.
//
// order: ranks.3
func (ar arranger) assemble(sh *share, out *arrangement) {
	missing := make([]int64, ar.ask.bottom()) // units by level
	fresh := make([][]int, ar.ask.bottom())   // begun groups that become whole here
	var wanted int64
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
		for _, g := range fresh[level] {
			out.keepBegun(g, out.take(level+1, ar.ask.begun[g].need*ar.ask.sizes[level+1]))
		}
		out.units[level] = append(out.units[level], out.take(level+1, missing[level]*ar.ask.sizes[level])...)
	}
	if sh.demand.short && out.short == nil {
		out.short = out.take(ar.ask.bottom(), ar.ask.short)
	}
}

// take removes the first positions of a level.
func (a *arrangement) take(level int, n int64) []int32 {
	taken := slices.Clone(a.units[level][:n])
	a.units[level] = a.units[level][n:]
	return taken
}

// assign gives the positions of an arrangement to the new members: result by place in pending.
//
// order: ranks.4
func (ar arranger) assign(a arrangement) []int32 {
	if len(a.begun) == 0 {
		return append(a.units[0], a.short...) // in rank order
	}
	at := make(map[int]int32, ar.ask.members) // by rank
	for g, positions := range a.begun {
		b := &ar.ask.begun[g]
		size := int(ar.ask.sizes[b.level+1])
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
