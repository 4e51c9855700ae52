package gather

import "slices"

// arrangement is the order of positions below a vertex, cut into units: those of a level that lie in no whole unit of the
// level outside it. Positions go depth first; every unit is a run of positions, one for each member.
type arrangement struct {
	units [][]int32       // by level, units one after the other
	short []int32         // positions of the short group, once it is whole
	begun map[int][]int32 // positions of begun groups, once they are whole
}

// arrange lists the positions of a share so that ranks can follow them: the groups that are whole in a child come
// before those that are put together from what the children have left.
func (r ranker) arrange(sh *share) arrangement {
	out := arrangement{units: make([][]int32, len(r.sums.ask.sizes))}
	if r.isWhole(sh) {
		out.units[0] = make([]int32, 0, r.sums.newMembers(&sh.demand))
		r.appendWhole(sh, &out)
		return out
	}
	if r.sums.p.View.IsNode(sh.at) {
		out.units[r.sums.ask.bottom()] = r.appendNode(nil, sh)
	}
	for i := range sh.parts {
		part := &sh.parts[i]
		if r.isWhole(part) {
			r.appendWhole(part, &out)
			continue
		}
		in := r.arrange(part)
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
	if r.sums.ask.bottom() > 0 {
		r.assemble(sh, &out)
	}
	return out
}

// isWhole says whether no group of a share is put together of what several vertices have left over, nor inner ones on a node.
func (r ranker) isWhole(sh *share) bool {
	switch {
	case sh.run != nil:
		return true
	case r.sums.p.View.IsNode(sh.at):
		return r.sums.ask.bottom() < 2 && len(sh.demand.begun) == 0 || sh.demand.units[r.sums.ask.bottom()] == r.sums.newMembers(&sh.demand)
	case r.sums.ask.bottom() > 1 || len(sh.demand.begun) > 0:
		return false
	}
	groups, short := int64(0), false
	for i := range sh.parts {
		part := &sh.parts[i]
		if groups, short = groups+part.demand.units[0], short || part.demand.short; !r.isWhole(part) {
			return false
		}
	}
	return groups == sh.demand.units[0] && short == sh.demand.short
}

// appendWhole adds the positions of such a share.
func (r ranker) appendWhole(sh *share, out *arrangement) {
	switch {
	case sh.run != nil:
		r.cutRun(sh, sh.run, out)
	case r.sums.p.View.IsNode(sh.at):
		r.cutRun(sh, r.appendNode(r.sums.ask.scratch.positions(r.sums.newMembers(&sh.demand)), sh), out)
	}
	for i := range sh.parts {
		r.appendWhole(&sh.parts[i], out)
	}
}

// appendNode lists the position of a node, once for each member.
func (r ranker) appendNode(list []int32, sh *share) []int32 {
	for range r.sums.newMembers(&sh.demand) {
		list = append(list, r.sums.p.View.Position(sh.at))
	}
	return list
}

// cutRun adds the positions of a share whose members are all that is shared out: whole groups first, then the short one. Beside
// members it has one level of groups at most.
func (r ranker) cutRun(sh *share, run []int32, out *arrangement) {
	if r.sums.ask.bottom() == 1 {
		n := sh.demand.units[0] * r.sums.ask.sizes[0]
		out.units[0] = append(out.units[0], run[:n]...)
		run = run[n:]
	}
	if sh.demand.short {
		out.short, run = run[:r.sums.ask.short], run[r.sums.ask.short:]
	}
	out.units[r.sums.ask.bottom()] = append(out.units[r.sums.ask.bottom()], run...)
}

func (a *arrangement) keepBegun(g int, positions []int32) {
	if a.begun == nil {
		a.begun = map[int][]int32{}
	}
	a.begun[g] = positions
}

// assemble makes the units that are whole here and in no child. What is missing of a level is made of units of the
// next, so the counts go inwards and the making outwards.
func (r ranker) assemble(sh *share, out *arrangement) {
	missing := make([]int64, r.sums.ask.bottom()) // units by level
	fresh := make([][]int, r.sums.ask.bottom())   // begun groups that become whole here
	var wanted int64
	for level := range missing {
		wanted += sh.demand.units[level]
		missing[level] = wanted - int64(len(out.units[level]))/r.sums.ask.sizes[level]
		wanted = missing[level] * r.sums.ask.ratio(level)
		for _, g := range sh.demand.begun {
			if _, done := out.begun[g]; !done && r.sums.ask.begun[g].level == level {
				fresh[level] = append(fresh[level], g)
				wanted += r.sums.ask.begun[g].need
			}
		}
	}
	for level := r.sums.ask.bottom() - 1; level >= 0; level-- {
		for _, g := range fresh[level] {
			out.keepBegun(g, out.take(level+1, r.sums.ask.begun[g].need*r.sums.ask.sizes[level+1]))
		}
		out.units[level] = append(out.units[level], out.take(level+1, missing[level]*r.sums.ask.sizes[level])...)
	}
	if sh.demand.short && out.short == nil {
		out.short = out.take(r.sums.ask.bottom(), r.sums.ask.short)
	}
}

// take removes the first positions of a level.
func (a *arrangement) take(level int, n int64) []int32 {
	taken := slices.Clone(a.units[level][:n])
	a.units[level] = a.units[level][n:]
	return taken
}

// assign gives the positions of an arrangement to the new members: result by place in pending.
func (r ranker) assign(a arrangement) []int32 {
	if len(a.begun) == 0 {
		return append(a.units[0], a.short...) // in rank order
	}
	at := make(map[int]int32, r.sums.ask.members) // by rank
	for g, positions := range a.begun {
		b := &r.sums.ask.begun[g]
		size := int(r.sums.ask.sizes[b.level+1])
		for i, first := range b.ranks {
			for j := range size {
				at[first+j] = positions[i*size+j]
			}
		}
	}
	// What is left in rank order: whole new groups, then the short one; without groups the members.
	rest := append(slices.Clone(a.units[0]), a.short...)
	out := make([]int32, r.sums.ask.members)
	for i, m := range r.sums.p.Pending[:r.sums.ask.members] {
		pos, ok := at[m.Rank]
		if !ok {
			pos, rest = rest[0], rest[1:]
		}
		out[i] = pos
	}
	return out
}
