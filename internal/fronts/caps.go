package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: what do limits leave of a front? Fewer members, or groups, break no such limit. So a vector that breaks one is
// replaced by the largest vectors within it that keep all, and the result is a front again.

// capRule is a limit with weights: how much one of each dimension adds to its count.
type capRule struct {
	limits.OnPart
	its    counts
	others *counts // excluded beside the counted ones; nil: the limit is on a number
}

// counts are the members or groups that a limit counts.
type counts struct {
	runs   layout.Tally  // running ones, by vertex
	of     front.Weights // of a vector: a group weighs as much as its members and inner groups
	totals front.Weights // of the gang's totals, which list these members and groups themselves
}

// capRules are all limits of a search.
type capRules []capRule

// capsOf are the limits of the gang and its parts. A begun group is counted among the running ones. O(limits * members * tiers).
func capsOf(s *Search) (rules capRules) {
	var place, at []int32
	s.m.Gang.Each(func(a *model.Part) {
		for _, l := range a.Limits {
			if l.Domains {
				continue // see countedDomains
			}
			if place == nil {
				place, at = s.m.Places(), s.m.PositionsByRank()
			}
			r := capRule{OnPart: l}
			switch {
			case l.Alone != "":
				ranks := a.LimitedBy(l)
				others := countMembers(s, without(s.m.Ranks, ranks), place, at)
				r.its, r.others = countMembers(s, ranks, place, at), &others
			case l.Depth == 0:
				r.its = countMembers(s, a.All(), place, at)
			default:
				r.its = countGroups(s, a.Counted(l), at)
			}
			rules = append(rules, r)
		}
	})
	return rules
}

// without are the ranks below a number without some of them.
func without(all int, some []int) (ranks []int) {
	in := make([]bool, all)
	for _, rank := range some {
		in[rank] = true
	}
	for rank := range all {
		if !in[rank] {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// countMembers counts members, given by rank: new ones by role. A limit counts all members of a role, or none.
func countMembers(s *Search, ranks []int, place, at []int32) counts {
	c := counts{runs: layout.Tally{}, totals: make(front.Weights, len(s.totals))}
	for _, rank := range ranks {
		if i := place[rank]; i >= 0 {
			c.totals[s.m.Role(int(i))] = 1
		}
		if at[rank] >= 0 {
			c.runs.Add(s.m.View, s.m.View.NodeVertex(at[rank]), 1)
		}
	}
	c.of = extend(slices.Clone(c.totals), s.roles, s.groups)
	return c
}

// countGroups counts groups: new ones by class. A limit counts all groups of a class, or none.
func countGroups(s *Search, groups []*model.Part, at []int32) counts {
	c := counts{runs: layout.Tally{}, totals: make(front.Weights, len(s.totals))}
	for _, a := range groups {
		if home := s.m.View.LowestOf(a.All(), at); home >= 0 {
			c.runs.Add(s.m.View, home, 1)
		}
	}
	for k, g := range s.groups {
		c.totals[s.roles+k] = bit(g.home < 0 && slices.Contains(groups, g.parts[0]))
	}
	c.of = extend(slices.Clone(c.totals), s.roles, s.groups)
	return c
}

// takes says whether a limit lets the whole gang, given by its totals, into the domain of x, beside the running members there.
func (r *capRule) takes(v *layout.View, x layout.Vertex, totals front.Vector) bool {
	if v.TierOf(x) > r.Tier {
		return true
	}
	d, n := v.Highest(x, r.Tier), r.its.totals.Of(totals)
	if r.others != nil {
		return n+r.its.runs.At(d) == 0 || r.others.totals.Of(totals)+r.others.runs.At(d) == 0
	}
	return n+r.its.runs.At(d) <= r.Most
}

// broken says whether running members break a limit already: also by a member outside the tree, under a limit above nodes.
//
// order: limits.4
func (rules capRules) broken(v *layout.View) bool {
	return slices.ContainsFunc(rules, func(r capRule) bool {
		for x, n := range r.its.runs {
			if v.TierOf(x) <= r.Tier && (n > r.Most && r.others == nil || r.others != nil && r.others.runs.At(x) > 0) {
				return true
			}
		}
		return r.Tier > 0 && r.its.runs.At(v.Outside) > 0
	})
}

// allow says whether all limits let the whole gang into one domain.
func (rules capRules) allow(v *layout.View, d layout.Vertex, totals front.Vector) bool {
	return !slices.ContainsFunc(rules, func(r capRule) bool { return !r.takes(v, d, totals) })
}

// needs is the least number of domains of the limit's tier for the whole gang.
func (r *capRule) needs(totals front.Vector) int {
	n := r.its.totals.Of(totals)
	switch {
	case r.others == nil:
		return int((n + r.Most - 1) / r.Most)
	case n > 0 && r.others.totals.Of(totals) > 0:
		return 2
	}
	return 0
}

// refuse says whether limits rule out every domain of a tier for the whole gang.
func (rules capRules) refuse(tier int32, totals front.Vector) bool {
	return slices.ContainsFunc(rules, func(r capRule) bool { return tier <= r.Tier && r.needs(totals) > 1 })
}

// children is the least number of children of a domain for the whole gang, by the limits whose domains are these children.
func (rules capRules) children(v *layout.View, d layout.Vertex, totals front.Vector) (n int) {
	for i := range rules {
		if isRightAbove(v, d, rules[i].Tier) {
			n = max(n, rules[i].needs(totals))
		}
	}
	return n
}

// isRightAbove says whether each child of d lies within one domain of a tier. Children of the root are never nodes: without layers a nameless
// domain holds the nodes, and all others are outside the tree.
func isRightAbove(v *layout.View, d layout.Vertex, tier int32) bool {
	return v.TierIndex(v.TierOf(d)) == v.TierIndex(tier)+1 && (d != layout.Root || tier > 0)
}

// withRoom keeps the domains in which enough children have room: as many as the limit makes the gang need, each with room for one limited
// member. It changes the list.
func (rules capRules) withRoom(v *layout.View, list []layout.Vertex, totals front.Vector, loads front.Weights, by Bound) []layout.Vertex {
	for _, r := range rules {
		n, least := r.needs(totals), int64(0)
		if n < 2 {
			continue
		}
		for dim, counted := range r.its.totals {
			if counted > 0 && totals[dim] > 0 && r.others == nil && (least == 0 || loads[dim] < least) {
				least = loads[dim]
			}
		}
		list = slices.DeleteFunc(list, func(d layout.Vertex) bool {
			return isRightAbove(v, d, r.Tier) && by.WithRoom(d, max(1, least)) < n
		})
	}
	return list
}

// capAt is a limit where it binds.
type capAt struct {
	weights front.Weights
	left    int64
	others  *othersAt // nil: it is on a number
}

// othersAt are the excluded ones of an Alone, where it binds.
type othersAt struct {
	weights     front.Weights
	run, beside bool // do counted members run here, and do others?
}

// at are the limits that bind x, less its running members. In a domain of the limit's tier that is the whole count; below one, only
// what runs in x is taken off: vertices of one class share a front, and agree in this alone.
func (rules capRules) at(v *layout.View, x layout.Vertex) (out []capAt) {
	for i := range rules {
		r := &rules[i]
		if v.TierOf(x) > r.Tier {
			continue
		}
		c := capAt{weights: r.its.of, left: r.Most - r.its.runs.At(x)}
		if r.others != nil {
			c.others = &othersAt{r.others.of, r.its.runs.At(x) > 0, r.others.runs.At(x) > 0}
		}
		out = append(out, c)
	}
	return out
}

// mostOf caps a number of one dimension by the limits, beside the vector taken so far.
func mostOf(caps []capAt, taken front.Vector, dim int, most int32) int32 {
	for _, c := range caps {
		w := c.weights[dim]
		switch {
		case c.others != nil:
			one := slices.Clone(taken)
			if one[dim]++; c.breaks(one) {
				return 0
			}
		case w > 0:
			most = int32(min(int64(most), max(0, c.left-c.weights.Of(taken))/w))
		}
	}
	return most
}

// breaks says whether counted members and others meet: those of a vector, and running ones.
func (c *capAt) breaks(v front.Vector) bool {
	return (c.others.run || c.weights.Of(v) > 0) && (c.others.beside || c.others.weights.Of(v) > 0)
}

// keepsCaps says whether an exact vector keeps the limits.
//
// order: limits.10
func keepsCaps(caps []capAt, v front.Vector) bool {
	return !slices.ContainsFunc(caps, func(c capAt) bool {
		if c.others != nil {
			return c.breaks(v)
		}
		return c.weights.Of(v) > c.left
	})
}

// putWithin records a vector, or the largest vectors within it that keep the limits. It may change v.
//
// order: limits.10
func putWithin(space *front.Space, caps []capAt, v front.Vector) {
	for i, c := range caps {
		switch over := c.weights.Of(v) - c.left; {
		case c.others != nil && c.breaks(v):
			putEither(space, caps[i:], v)
			return
		case c.others == nil && over > 0:
			reduce(space, caps[i:], v, 0, over)
			return
		}
	}
	space.Spend(1)
	space.Put(v, space.Zero[0])
}

// putEither records two vectors: only limited members, and only others. If one side runs here already, just that side.
func putEither(space *front.Space, caps []capAt, v front.Vector) {
	c := &caps[0]
	without := func(weights front.Weights) front.Vector {
		left := slices.Clone(v)
		for dim := range left {
			if weights[dim] > 0 {
				left[dim] = 0
			}
		}
		return left
	}
	if !c.others.beside {
		putWithin(space, caps[1:], without(c.others.weights))
	}
	if !c.others.run {
		putWithin(space, caps[1:], without(c.weights))
	}
}

// reduce takes the excess over the first limit off a vector, in every way, from one dimension on, and records each result.
func reduce(space *front.Space, caps []capAt, v front.Vector, dim int, over int64) {
	if space.Spend(1); over <= 0 {
		putWithin(space, caps[1:], slices.Clone(v))
		return
	}
	weights := caps[0].weights
	for dim < len(v) && (weights[dim] == 0 || v[dim] == 0) {
		dim++
	}
	if dim == len(v) { // the dimensions before did not give enough
		return
	}
	all := v[dim]
	for n := int32(0); n <= all && !space.Spent(); n++ {
		v[dim] = all - n
		if reduce(space, caps, v, dim+1, over-int64(n)*weights[dim]); int64(n)*weights[dim] >= over {
			break
		}
	}
	v[dim] = all
}

// builtCaps are the limits of a plan under construction.
type builtCaps struct {
	rules   capRules
	put     []map[layout.Vertex]int64 // by rule, by domain of its tier: counted ones; then others
	others  []map[layout.Vertex]int64
	counted *countedDomains
	roles   int
	in      []map[layout.Vertex]int64 // by Within: its members in domains that it counts
}

func newBuiltCaps(rules capRules, counted *countedDomains, roles int) builtCaps {
	b := builtCaps{rules: rules, counted: counted, roles: roles}
	for range counted.dims() {
		b.in = append(b.in, map[layout.Vertex]int64{})
	}
	for range rules {
		b.put, b.others = append(b.put, map[layout.Vertex]int64{}), append(b.others, map[layout.Vertex]int64{})
	}
	return b
}

// most caps n of a dimension below x by the limits, beside the plan so far.
func (b *builtCaps) most(v *layout.View, x layout.Vertex, dim int, n int32) int32 {
	for i := range b.in {
		c := &b.counted.list[i]
		if d, ok := c.at(v, x); ok && c.counts(dim) && b.in[i][d] == 0 && len(b.in[i]) >= int(c.left) {
			return 0
		}
	}
	for i := range b.rules {
		r := &b.rules[i]
		if v.TierOf(x) > r.Tier {
			continue
		}
		d := v.Highest(x, r.Tier)
		switch {
		case r.others == nil && r.its.totals[dim] > 0:
			n = int32(min(int64(n), max(0, r.Most-r.its.runs.At(d)-b.put[i][d])))
		case r.others == nil:
		case r.its.totals[dim] > 0 && b.others[i][d]+r.others.runs.At(d) > 0, r.others.totals[dim] > 0 && b.put[i][d]+r.its.runs.At(d) > 0:
			return 0
		}
	}
	return n
}

// count adds n of a dimension below x to the plan.
func (b *builtCaps) count(v *layout.View, x layout.Vertex, dim int, n int64) {
	for i := range b.in {
		c := &b.counted.list[i]
		if d, ok := c.at(v, x); ok && dim < b.roles && c.counts(dim) {
			if b.in[i][d] += n; b.in[i][d] == 0 {
				delete(b.in[i], d)
			}
		}
	}
	for i := range b.rules {
		r := &b.rules[i]
		if v.TierOf(x) > r.Tier {
			continue
		}
		if d := v.Highest(x, r.Tier); r.its.totals[dim] > 0 {
			b.put[i][d] += n
		} else if r.others != nil && r.others.totals[dim] > 0 {
			b.others[i][d] += n
		}
	}
}
