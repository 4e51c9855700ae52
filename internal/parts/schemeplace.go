package parts

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// placed is a member at a position, or a group made of what lies in it.
type placed struct {
	pos    int32 // the first one
	inside [][]placed
}

// decide places the gang below a domain.
func (g *scheme) decide(d layout.Vertex, st problem.Strategy) *problem.Outcome {
	positions := make([]int32, len(g.p.Pending))
	lists := g.place(d, g.expand(d, g.cast.want))
	g.assemble(d, lists, g.cast.want)
	h := hander{scheme: g, kindOf: map[*problem.Part]int{}, positions: positions}
	h.bill = billing{p: g.p, place: g.p.Places(), at: g.p.PositionsByRank(), signs: map[*problem.Part]string{}}
	h.bill.sign(g.p.Gang)
	for k := range g.cast.kinds {
		for _, a := range g.cast.kinds[k].parts {
			h.kindOf[a] = g.cast.kinds[k].of
		}
	}
	h.hand(g.p.Gang, g.merged(lists))
	return &problem.Outcome{Of: g.p, Domain: d, Tier: st.Gang, Positions: positions}
}

// place hands counts down to the nodes, and lists what became of them, by role and kind, in the order of paths.
func (g *scheme) place(x layout.Vertex, want front.Vector) [][]placed {
	lists := make([][]placed, len(want))
	if g.p.View.IsNode(x) {
		for r := range g.cast.roles {
			for range want[r] {
				lists[r] = append(lists[r], placed{pos: g.p.View.Position(x)})
			}
		}
		return lists
	}
	kids := g.shares(x, want)
	slices.SortFunc(kids, func(a, b slice) int { return g.p.View.ComparePaths(a.at, b.at) })
	for _, kid := range kids {
		inside := g.place(kid.at, g.expand(kid.at, kid.counts))
		g.assemble(kid.at, inside, kid.counts)
		for i := range lists {
			lists[i] = append(lists[i], inside[i]...)
		}
	}
	return lists
}

// assemble makes groups at a vertex of the first of what was placed below, inner ones first, then kind by kind, until there are as many as are wanted.
func (g *scheme) assemble(x layout.Vertex, lists [][]placed, want front.Vector) {
	all := slices.Clone(want)
	r := len(g.cast.roles)
	for k := range g.cast.kinds { // outer ones first
		if g.made(k, x) {
			for i, n := range g.cast.kinds[k].needs {
				all[i] += n * all[r+k]
			}
		}
	}
	for _, k := range g.inwardOut() {
		if !g.made(k, x) {
			continue
		}
		for range all[r+k] {
			lists[r+k] = append(lists[r+k], g.take(lists, g.cast.kinds[k].needs))
		}
	}
}

// inwardOut lists the kinds level by level, the innermost first, those of a level in the order of their first ranks.
func (g *scheme) inwardOut() []int {
	list := make([]int, len(g.cast.kinds))
	for k := range list {
		list[k] = k
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(g.cast.kinds[b].level, g.cast.kinds[a].level), cmp.Compare(g.cast.kinds[a].of, g.cast.kinds[b].of))
	})
	return list
}

// take makes one group.
func (g *scheme) take(lists [][]placed, needs front.Vector) placed {
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

// hander gives what was placed to the members of the gang.
type hander struct {
	scheme    *scheme
	bill      billing
	kindOf    map[*problem.Part]int
	positions []int32
}

// hand gives what lies in the gang or a group to its members, and to its groups of each kind, those of the lowest ranks first.
func (h *hander) hand(a *problem.Part, lists [][]placed) {
	var own []int
	h.ownRanks(a, &own)
	slices.Sort(own)
	for _, rank := range own {
		i := h.bill.place[rank]
		r := h.scheme.p.Role(int(i))
		h.positions[i], lists[r] = lists[r][0].pos, lists[r][1:]
	}
	inner := h.bill.groupsIn(a)
	slices.SortStableFunc(inner, problem.ComparePartRanks)
	for _, o := range inner {
		k := len(h.scheme.cast.roles) + h.kindOf[o]
		var in placed
		in, lists[k] = lists[k][0], lists[k][1:]
		h.hand(o, h.scheme.merged(in.inside))
	}
}

// ownRanks lists the new members of a group that lie in no inner one.
func (h *hander) ownRanks(a *problem.Part, out *[]int) {
	for _, rank := range a.Ranks {
		if h.bill.place[rank] >= 0 {
			*out = append(*out, rank)
		}
	}
	for _, o := range a.Parts {
		if !o.InTree() {
			h.ownRanks(o, out)
		}
	}
}

// merged lists the groups of a kind together that is split, in the order of paths.
func (g *scheme) merged(lists [][]placed) [][]placed {
	for k := range g.cast.kinds {
		if of := g.cast.kinds[k].of; of != k && lists != nil {
			r := len(g.cast.roles)
			lists[r+of] = append(lists[r+of], lists[r+k]...)
			slices.SortStableFunc(lists[r+of], func(a, b placed) int { return cmp.Compare(a.pos, b.pos) })
		}
	}
	return lists
}
