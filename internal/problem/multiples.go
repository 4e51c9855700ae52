// Multiples of equal groups: read, checked, and taken off slots.

package problem

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
)

// Multiple binds the number of members in the domains of a tier.
type Multiple struct {
	tier int32
	of   int64
}

// MultiplesIn are the multiples of rules whose layers are known.
func (p *Problem) MultiplesIn(rules []gang.Rule) (out []Multiple) { return multiplesIn(p.View, rules) }

func multiplesIn(v *layout.View, rules []gang.Rule) (out []Multiple) {
	for _, r := range rules {
		if tier, ok := tierOf(v, r.Layer); ok && r.Multiple > 0 {
			out = append(out, Multiple{tier, int64(r.Multiple)})
		}
	}
	return out
}

// unitsOf is, by tier, the least common multiple of all multiples at or below it; nil: there are none.
func unitsOf(p *Problem, list []Multiple) (units []int64) {
	if len(list) == 0 {
		return nil
	}
	units = slices.Repeat([]int64{1}, int(p.View.RootTop)+1)
	for _, m := range list {
		for t := m.tier; t <= p.View.RootTop; t++ {
			units[t] = lcm(units[t], m.of)
		}
	}
	return units
}

// maxMultiple bounds least common multiples; no gang is larger.
const maxMultiple = 1 << 31

func lcm(a, b int64) int64 {
	return min(maxMultiple, a/Gcd(a, b)*b)
}

// Gcd is the greatest common divisor.
func Gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// checkMultiples refuses combinations that no placement could obey.
//
// order: multiples.3
func checkMultiples(p *Problem) error {
	for i, l := range p.Levels {
		if within := p.Multiple[l.Gather.Must]; l.Size%within != 0 {
			return muster.Invalid(fmt.Sprintf("request.Groups[%d].Size", i), l.Size,
				fmt.Sprintf("multiple %d inside the group's bound does not divide the group", within))
		}
	}
	return nil
}

// settleMultiples refuses combinations that are not decided. For a gang in parts it finds the multiples that bind.
//
// order: multiples.3
func settleMultiples(p *Problem) error {
	switch {
	case p.InParts():
		p.Multiple, p.Gang.Multiples = nil, p.MultiplesIn(p.Request.Gather)
		bindMultiples(p)
		return nil
	case len(p.Running) > 0 && len(p.Levels) > 0:
		return muster.Unsupported("request.Gather", p.Request.Name, "multiples for a gang with groups of which members run")
	}
	if len(p.Levels) > 0 {
		size := p.Levels[0].Size
		if int64(len(p.Pending))%size != 0 && size%p.Multiple[p.View.RootTop] != 0 {
			return muster.Unsupported("request.Gather", p.Request.Name, "multiples that do not divide the groups, beside a short last group")
		}
	}
	return nil
}

// keeps says whether every selection puts a multiple of the part's members into each domain of a tier: its groups are
// placed whole, each in one such domain.
func (a *Part) keeps(m int64, tier int32) bool {
	if a.InTree() && a.Gather.Hard && a.Gather.Must <= tier && int64(len(a.All()))%m == 0 && a.wholly() {
		return true
	}
	return len(a.Ranks) == 0 && !slices.ContainsFunc(a.Parts, func(b *Part) bool { return !b.keeps(m, tier) })
}

// wholly says whether nothing of a part may be left out if it is placed.
func (a *Part) wholly() bool {
	whole := true
	a.Each(func(b *Part) {
		whole = whole && !b.Idle && b.LeastParts >= len(b.Parts) && (b.Least == 0 || b.Least >= len(b.All()))
	})
	return whole
}

// Unit is what the number of members in each child of x is a multiple of.
func (p *Problem) Unit(x layout.Vertex) int64 {
	if p.Multiple == nil || p.View.IsNode(x) {
		return 1
	}
	return p.Multiple[p.View.Tier[x]-1]
}

// SumSlots adds the nodes' slots up the tree, floored to multiples on the way and without what running members
// force there.
//
// order: multiples.1
func (k Slots) SumSlots(slots []int64) {
	n := layout.Vertex(k.p.View.NumDomains())
	if k.p.Multiple != nil {
		for x := n; int(x) < len(slots); x++ {
			k.floorSlots(slots, x, k.p.Forced[x])
		}
	}
	for x := n - 1; x >= 0; x-- {
		var sum, below int64
		lo, end := k.p.View.Kids(x)
		for c := lo; c < end; c++ {
			sum = max(noSlots, sum+slots[c])
			if k.p.Forced != nil {
				below += k.p.Forced[c]
			}
		}
		slots[x] = sum
		if k.p.Multiple != nil {
			k.floorSlots(slots, x, k.p.Forced[x]-below)
		}
	}
}

// noSlots, at a vertex that cannot take what is forced there, outweighs the slots of all others.
const noSlots = math.MinInt64 / 4

// floorSlots takes forced members from a vertex and floors the rest to what its parent gives out at once.
func (k Slots) floorSlots(slots []int64, x layout.Vertex, forced int64) {
	if slots[x] -= forced; slots[x] < 0 {
		slots[x] = noSlots
		return
	}
	if up := k.p.View.Above(x); up >= 0 {
		slots[x] -= slots[x] % k.p.Unit(up)
	}
}

// forceMultiples finds how many new members every vertex must take because the running ones there are no multiple. Gangs in
// parts have rules of their own for it.
//
// order: multiples.2
func forceMultiples(p *Problem) {
	p.Forced = layout.Tally{}
	for x := range p.Siblings {
		if p.View.IsNode(x) {
			force(p, x)
		}
	}
	// Parents come before their children, so the ids are gone through downwards.
	for _, x := range slices.Backward(slices.Sorted(maps.Keys(p.Siblings))) {
		if !p.View.IsNode(x) && x != layout.Root {
			force(p, x)
		}
	}
}

// force completes the multiple of a vertex: it adds the missing members there and at all vertices above.
//
// order: multiples.2
func force(p *Problem, x layout.Vertex) {
	unit := p.Unit(p.View.Above(x))
	if lack := (p.Siblings[x] + p.Forced[x]) % unit; lack > 0 {
		for up := x; up >= 0; up = p.View.Above(up) {
			p.Forced[up] += unit - lack
		}
	}
}
