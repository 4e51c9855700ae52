package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/joint"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
)

// This file answers: what do limits on numbers leave of what fits? Fewer members, or groups, break no such limit, so that fronts stay
// fronts: of a vector that breaks one, the largest within it are kept that do not.

// capRule is a limit, and what one of each dimension counts for it.
type capRule struct {
	limits.OnPart
	its    counts
	others *counts // who may not be beside those that it counts; nil: the limit is on their number
}

// counts are members or groups of which a limit speaks.
type counts struct {
	runs   layout.Tally  // of what runs, by vertex
	of     front.Weights // of a vector: a group counts for the members and inner groups in it, too
	totals front.Weights // of the totals of the gang, which have these besides
}

// capRules are all limits.
type capRules []capRule

// takes says whether a limit allows, in a domain or a vertex below one, all of a vector of totals beside what runs there.
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

// broken says whether what runs breaks one of them, also as a member lies outside the tree where it speaks of domains.
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

// allow says whether they leave room in a domain for all of a gang, given by its totals.
func (rules capRules) allow(v *layout.View, d layout.Vertex, totals front.Vector) bool {
	return !slices.ContainsFunc(rules, func(r capRule) bool { return !r.takes(v, d, totals) })
}

// needs is how many domains of a limit's tier all of a gang needs at least.
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

// refuse says whether they refuse all of a gang in every domain of a tier.
func (rules capRules) refuse(tier int32, totals front.Vector) bool {
	return slices.ContainsFunc(rules, func(r capRule) bool { return tier <= r.Tier && r.needs(totals) > 1 })
}

// children is how many children of a domain all of a gang needs at least: each holds no more than a limit allows, if none is above its tier.
func (rules capRules) children(v *layout.View, d layout.Vertex, totals front.Vector) (n int) {
	for i := range rules {
		if isRightAbove(v, d, rules[i].Tier) {
			n = max(n, rules[i].needs(totals))
		}
	}
	return n
}

// isRightAbove says whether each child of a domain lies in a domain of a tier. Those of the root are never nodes: where the tree has no layers
// a nameless domain holds them, or they are outside the tree.
func isRightAbove(v *layout.View, d layout.Vertex, tier int32) bool {
	return v.TierIndex(v.TierOf(d)) == v.TierIndex(tier)+1 && (d != layout.Root || tier > 0)
}

// withRoom are those of some domains of which no fewer children have room than all of a gang needs, by what one of those weighs that a limit
// counts. It changes the list.
func (rules capRules) withRoom(v *layout.View, list []layout.Vertex, totals front.Vector, loads front.Weights, by *joint.Bound) []layout.Vertex {
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

// othersAt are those that may not be beside the ones that a limit counts.
type othersAt struct {
	weights     front.Weights
	run, beside bool // of those that are counted, and of the others, some run
}

// at are those that bind a vertex. Only what runs below x is taken off, as that is all that tells x from other vertices of its class; in a
// domain of the limit's tier that is everything.
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

// mostOf is how many of a dimension limits allow beside what is taken, at most so many.
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

// breaks says whether a vector has somebody whom a limit counts, and others, those that run included.
func (c *capAt) breaks(v front.Vector) bool {
	return (c.others.run || c.weights.Of(v) > 0) && (c.others.beside || c.others.weights.Of(v) > 0)
}

// putWithin puts a vector into the table of a space, or the largest ones within it that keep the limits. It may change v.
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

// putEither puts what a vector has of those that the first limit counts, and what it has of others. Where some run, it is only the like.
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

// reduce takes what is over by the first limit off a vector, in every way, from one dimension on.
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

// builtCaps are limits while a plan is built.
type builtCaps struct {
	rules   capRules
	put     []map[layout.Vertex]int64 // by rule, by domain of its tier: what is counted; of others
	others  []map[layout.Vertex]int64
	counted *countedDomains
	roles   int
	in      map[layout.Vertex]int64 // members in domains that are counted
}

func newBuiltCaps(rules capRules, counted *countedDomains, roles int) builtCaps {
	b := builtCaps{rules: rules, counted: counted, roles: roles, in: map[layout.Vertex]int64{}}
	for range rules {
		b.put, b.others = append(b.put, map[layout.Vertex]int64{}), append(b.others, map[layout.Vertex]int64{})
	}
	return b
}

// most is how many of a dimension they allow below x, beside what is built; at most n.
func (b *builtCaps) most(v *layout.View, x layout.Vertex, dim int, n int32) int32 {
	if d, ok := b.counted.at(x); ok && b.in[d] == 0 && len(b.in) >= int(b.counted.left) {
		return 0
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

// count notes that n more of a dimension lie below x.
func (b *builtCaps) count(v *layout.View, x layout.Vertex, dim int, n int64) {
	if d, ok := b.counted.at(x); ok && dim < b.roles {
		if b.in[d] += n; b.in[d] == 0 {
			delete(b.in, d)
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
