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
func (s *sums) arrange(sh *share) arrangement {
	out := arrangement{units: make([][]int32, len(s.ask.sizes))}
	if s.isWhole(sh) {
		out.units[0] = make([]int32, 0, s.newMembers(&sh.demand))
		s.appendWhole(sh, &out)
		return out
	}
	if s.p.View.IsNode(sh.at) {
		out.units[s.ask.bottom()] = s.appendNode(nil, sh)
	}
	for i := range sh.parts {
		part := &sh.parts[i]
		if s.isWhole(part) {
			s.appendWhole(part, &out)
			continue
		}
		in := s.arrange(part)
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
	if s.ask.bottom() > 0 {
		s.assemble(sh, &out)
	}
	return out
}

// isWhole says whether no group of a share is put together of what several vertices have left over, nor inner ones on a node.
func (s *sums) isWhole(sh *share) bool {
	switch {
	case sh.run != nil:
		return true
	case s.p.View.IsNode(sh.at):
		return s.ask.bottom() < 2 && len(sh.demand.begun) == 0 || sh.demand.units[s.ask.bottom()] == s.newMembers(&sh.demand)
	case s.ask.bottom() > 1 || len(sh.demand.begun) > 0:
		return false
	}
	groups, short := int64(0), false
	for i := range sh.parts {
		part := &sh.parts[i]
		if groups, short = groups+part.demand.units[0], short || part.demand.short; !s.isWhole(part) {
			return false
		}
	}
	return groups == sh.demand.units[0] && short == sh.demand.short
}

// appendWhole adds the positions of such a share.
func (s *sums) appendWhole(sh *share, out *arrangement) {
	switch {
	case sh.run != nil:
		s.cutRun(sh, sh.run, out)
	case s.p.View.IsNode(sh.at):
		s.cutRun(sh, s.appendNode(s.ask.scratch.positions(s.newMembers(&sh.demand)), sh), out)
	}
	for i := range sh.parts {
		s.appendWhole(&sh.parts[i], out)
	}
}

// appendNode lists the position of a node, once for each member.
func (s *sums) appendNode(list []int32, sh *share) []int32 {
	for range s.newMembers(&sh.demand) {
		list = append(list, s.p.View.Position(sh.at))
	}
	return list
}

// cutRun adds the positions of a share whose members are all that is shared out: whole groups first, then the short one. Beside
// members it has one level of groups at most.
func (s *sums) cutRun(sh *share, run []int32, out *arrangement) {
	if s.ask.bottom() == 1 {
		n := sh.demand.units[0] * s.ask.sizes[0]
		out.units[0] = append(out.units[0], run[:n]...)
		run = run[n:]
	}
	if sh.demand.short {
		out.short, run = run[:s.ask.short], run[s.ask.short:]
	}
	out.units[s.ask.bottom()] = append(out.units[s.ask.bottom()], run...)
}

func (a *arrangement) keepBegun(g int, positions []int32) {
	if a.begun == nil {
		a.begun = map[int][]int32{}
	}
	a.begun[g] = positions
}

// assemble makes the units that are whole here and in no child. What is missing of a level is made of units of the
// next, so the counts go inwards and the making outwards.
func (s *sums) assemble(sh *share, out *arrangement) {
	missing := make([]int64, s.ask.bottom()) // units by level
	fresh := make([][]int, s.ask.bottom())   // begun groups that become whole here
	var wanted int64
	for level := range missing {
		wanted += sh.demand.units[level]
		missing[level] = wanted - int64(len(out.units[level]))/s.ask.sizes[level]
		wanted = missing[level] * s.ask.ratio(level)
		for _, g := range sh.demand.begun {
			if _, done := out.begun[g]; !done && s.ask.begun[g].level == level {
				fresh[level] = append(fresh[level], g)
				wanted += s.ask.begun[g].need
			}
		}
	}
	for level := s.ask.bottom() - 1; level >= 0; level-- {
		for _, g := range fresh[level] {
			out.keepBegun(g, out.take(level+1, s.ask.begun[g].need*s.ask.sizes[level+1]))
		}
		out.units[level] = append(out.units[level], out.take(level+1, missing[level]*s.ask.sizes[level])...)
	}
	if sh.demand.short && out.short == nil {
		out.short = out.take(s.ask.bottom(), s.ask.short)
	}
}

// take removes the first positions of a level.
func (a *arrangement) take(level int, n int64) []int32 {
	taken := slices.Clone(a.units[level][:n])
	a.units[level] = a.units[level][n:]
	return taken
}

// assign gives the positions of an arrangement to the new members: result by place in pending.
func (s *sums) assign(a arrangement) []int32 {
	if len(a.begun) == 0 {
		return append(a.units[0], a.short...) // in rank order
	}
	at := make(map[int]int32, s.ask.members) // by rank
	for g, positions := range a.begun {
		b := &s.ask.begun[g]
		size := int(s.ask.sizes[b.level+1])
		for i, first := range b.ranks {
			for j := range size {
				at[first+j] = positions[i*size+j]
			}
		}
	}
	// What is left in rank order: whole new groups, then the short one; without groups the members.
	rest := append(slices.Clone(a.units[0]), a.short...)
	out := make([]int32, s.ask.members)
	for i, m := range s.p.Pending[:s.ask.members] {
		pos, ok := at[m.Rank]
		if !ok {
			pos, rest = rest[0], rest[1:]
		}
		out[i] = pos
	}
	return out
}
