package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
)

// This file answers: what do limits on numbers leave of what fits? Fewer members, or groups, break no such limit, so that fronts stay
// fronts: of a vector that breaks one, the largest within it are kept that do not.

// capRule is a limit on a number, and what one of each dimension counts for it.
type capRule struct {
	limits.OnPart
	runs   layout.Tally  // what it counts of what runs, by vertex
	of     front.Weights // of a vector: a group counts for the members and inner groups in it, too
	totals front.Weights // of the totals of the gang, which have these besides
}

// capRules are all limits on numbers.
type capRules []capRule

// left is how much a limit leaves at x, beside what runs in the domain of its tier that x is or lies in. ok: it binds x.
func (r *capRule) left(v *layout.View, x layout.Vertex) (n int64, ok bool) {
	if v.TierOf(x) > r.Tier {
		return 0, false
	}
	return r.Most - r.runs.At(v.Highest(x, r.Tier)), true
}

// broken says whether what runs breaks one of them, also as a member lies outside the tree where it speaks of domains.
//
// order: limits.4
func (rules capRules) broken(v *layout.View) bool {
	return slices.ContainsFunc(rules, func(r capRule) bool {
		for x, n := range r.runs {
			if n > r.Most && v.TierOf(x) <= r.Tier {
				return true
			}
		}
		return r.Tier > 0 && r.runs.At(v.Outside) > 0
	})
}

// allow says whether they leave room in a domain for all of a gang, given by its totals.
func (rules capRules) allow(v *layout.View, d layout.Vertex, totals front.Vector) bool {
	return !slices.ContainsFunc(rules, func(r capRule) bool {
		left, ok := r.left(v, d)
		return ok && r.totals.Of(totals) > left
	})
}

// refuse says whether they refuse all of a gang in every domain of a tier.
func (rules capRules) refuse(tier int32, totals front.Vector) bool {
	return slices.ContainsFunc(rules, func(r capRule) bool { return tier <= r.Tier && r.totals.Of(totals) > r.Most })
}

// children is how many children of a domain all of a gang needs at least: each holds no more than a limit allows, if none is above its tier.
func (rules capRules) children(v *layout.View, d layout.Vertex, totals front.Vector) (n int) {
	for i := range rules {
		if r := &rules[i]; v.TierIndex(v.TierOf(d)) == v.TierIndex(r.Tier)+1 {
			n = max(n, int((r.totals.Of(totals)+r.Most-1)/r.Most))
		}
	}
	return n
}

// capAt is a limit where it binds.
type capAt struct {
	weights front.Weights
	left    int64
}

// at are those that bind a vertex. Only what runs below x is taken off, as that is all that tells x from other vertices of its class; in a
// domain of the limit's tier that is everything.
func (rules capRules) at(v *layout.View, x layout.Vertex) (out []capAt) {
	for i := range rules {
		if r := &rules[i]; v.TierOf(x) <= r.Tier {
			out = append(out, capAt{r.of, r.Most - r.runs.At(x)})
		}
	}
	return out
}

// mostOf is how many of a dimension limits allow beside what is taken, at most so many.
func mostOf(caps []capAt, taken front.Vector, dim int, most int32) int32 {
	for _, c := range caps {
		if w := c.weights[dim]; w > 0 {
			most = int32(min(int64(most), max(0, c.left-c.weights.Of(taken))/w))
		}
	}
	return most
}

// putWithin puts a vector into the table of a space, or the largest ones within it that keep the limits. It may change v.
//
// order: limits.10
func putWithin(space *front.Space, caps []capAt, v front.Vector) {
	for i, c := range caps {
		if over := c.weights.Of(v) - c.left; over > 0 {
			reduce(space, caps[i:], v, 0, over)
			return
		}
	}
	space.Spend(1)
	space.Put(v, space.Zero[0])
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
	put     []map[layout.Vertex]int64 // by rule, by domain of its tier
	counted *countedDomains
	roles   int
	in      map[layout.Vertex]int64 // members in domains that are counted
}

func newBuiltCaps(rules capRules, counted *countedDomains, roles int) builtCaps {
	b := builtCaps{rules: rules, counted: counted, roles: roles, in: map[layout.Vertex]int64{}}
	for range rules {
		b.put = append(b.put, map[layout.Vertex]int64{})
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
		if left, ok := r.left(v, x); ok && r.totals[dim] > 0 {
			n = int32(min(int64(n), max(0, left-b.put[i][v.Highest(x, r.Tier)])))
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
		if r := &b.rules[i]; r.totals[dim] > 0 && v.TierOf(x) <= r.Tier {
			b.put[i][v.Highest(x, r.Tier)] += n
		}
	}
}
