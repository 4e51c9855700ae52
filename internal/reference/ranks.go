package reference

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// block is the places of one unit: of a group, or of a single member.
type block []*vertex

// seating is what lies below a vertex: for every level the whole groups that are not part of a whole group of the level
// above yet, and last single members; how many groups are whole; and the short group.
type seating struct {
	open  [][]block
	whole []int
	short block
}

// seat finds the groups below a vertex, depth first. Whole groups of a child come before those that are split here,
// which take the children's remaining places in order.
func (p *search) seat(a *placed) seating {
	q := len(p.levels)
	out := seating{open: make([][]block, q+1), whole: make([]int, q)}
	if a.v.node != nil {
		for range a.members {
			out.open[q] = append(out.open[q], block{a.v})
		}
	}
	inner := slices.Clone(a.inner)
	slices.SortStableFunc(inner, func(x, y *placed) int { return cmp.Compare(bit(x.state.short), bit(y.state.short)) })
	for _, c := range inner {
		below := p.seat(c)
		for i := range out.open {
			out.open[i] = append(out.open[i], below.open[i]...)
		}
		for i := range out.whole {
			out.whole[i] += below.whole[i]
		}
		out.short = append(out.short, below.short...)
	}
	for i := q - 1; i >= 0; i-- {
		p.join(&out, i, p.wholeGroups(a, i))
	}
	if a.state.short && out.short == nil {
		out.short = slices.Concat(out.open[q]...)
		out.open[q] = nil
	}
	return out
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// join makes groups of level i of the units of the next level that are open, until so many are whole.
func (p *search) join(s *seating, i, want int) {
	parts := p.size(i) / p.size(i+1)
	for s.whole[i] < want {
		s.open[i] = append(s.open[i], slices.Concat(s.open[i+1][:parts]...))
		s.open[i+1] = s.open[i+1][parts:]
		s.whole[i]++
	}
}

// wholeGroups is the number of groups of level i that are whole in the vertex: as many as it could keep, if the level
// was split above.
func (p *search) wholeGroups(a *placed, i int) int {
	if i >= a.state.level {
		return a.state.units * p.size(a.state.level) / p.size(i)
	}
	return min(p.most(i, a.v.tier, a.v), a.members/p.size(i))
}

// assign gives the places to the members in rank order. Places of a plan that waits come from two placements.
func (p *search) assign(answer *Answer, whole, further *placed) {
	if whole == nil {
		return
	}
	answer.Domain, answer.Keys = whole.v.path, p.keys(whole)
	if answer.Partial {
		return
	}
	seated := p.seat(whole)
	places := slices.Concat(append(seated.open[0], seated.short)...)
	if further != nil {
		places = append(places, slices.Concat(p.seat(further).open[0]...)...)
		slices.SortStableFunc(places, func(a, b *vertex) int { return cmp.Compare(a.order, b.order) })
	}
	req := &p.in.Request
	ranks := validity.Ranks(req, p.own)
	members := slices.Clone(req.Members)
	slices.SortFunc(members, func(a, b gang.Member) int { return cmp.Compare(ranks[a.Name], ranks[b.Name]) })
	answer.Members, answer.Counts = len(places), map[string]int{}
	for i, v := range places {
		a := placement.Assignment{Member: members[i].Name, Rank: ranks[members[i].Name], Group: -1, Node: v.node.Name}
		if len(p.levels) > 0 {
			a.Group = a.Rank / p.size(0)
		}
		answer.Assignments = append(answer.Assignments, a)
		answer.Counts[a.Node]++
	}
}
