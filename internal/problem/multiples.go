// What do multiples leave of the slots of a gang of one shape? Here they are read and checked, slots are floored to
// them, and running members force new ones to complete them.

package problem

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// MultiplesIn are the multiples of rules; those of an unknown layer are left out, for gatherRules refuses them.
func (p *Problem) MultiplesIn(rules []gang.Rule) (out []model.Multiple) {
	return multiplesIn(p.Model.View, rules)
}

func multiplesIn(v *layout.View, rules []gang.Rule) (out []model.Multiple) {
	for _, r := range rules {
		if tier, ok := v.TierNamed(r.Layer); ok && r.Multiple > 0 {
			out = append(out, model.Multiple{Tier: tier, Of: int64(r.Multiple)})
		}
	}
	return out
}

// unitsOf is, by tier up to the root's, the least common multiple of all multiples at or below it, in members; nil:
// there are none. So each unit is a multiple of all units below.
func unitsOf(p *Problem, list []model.Multiple) (units []int64) {
	if len(list) == 0 {
		return nil
	}
	units = slices.Repeat([]int64{1}, int(p.Model.View.RootTop)+1)
	for _, m := range list {
		for t := m.Tier; t <= p.Model.View.RootTop; t++ {
			units[t] = lcm(units[t], m.Of)
		}
	}
	return units
}

// maxMultiple bounds least common multiples; no gang has as many members.
const maxMultiple = 1 << 31

// lcm is the least common multiple, at most maxMultiple.
func lcm(a, b int64) int64 {
	if rest := a / model.GCD(a, b); rest <= maxMultiple/b {
		return rest * b
	}
	return maxMultiple
}

// checkMultiples refuses a multiple that does not divide the size of a group level, if it is at or below the tier
// that binds the level (the root's, without a MustGather).
//
// order: multiples.3
func checkMultiples(p *Problem) error {
	for i, l := range p.Model.Levels {
		if within := p.Model.Multiple[l.Gather.Must]; l.Size%within != 0 {
			return muster.Invalid(fmt.Sprintf("request.Groups[%d].Size", i), l.Size,
				fmt.Sprintf("multiple %d inside the group's bound does not divide the group", within))
		}
	}
	return nil
}

// settleMultiples refuses combinations that are not supported. For a gang in parts it finds the multiples that bind:
// those of the request become multiples of the part that is the gang.
//
// order: multiples.3
func settleMultiples(p *Problem) error {
	switch {
	case p.InParts():
		p.Model.Multiple, p.Model.Gang.Multiples = nil, p.MultiplesIn(p.Request.Gather)
		bindMultiples(p)
		return nil
	case p.Model.Running.Len() > 0 && len(p.Model.Levels) > 0:
		return muster.Unsupported("request.Gather", p.Request.Name, "multiples for a gang with groups of which members run")
	}
	if len(p.Model.Levels) > 0 {
		size := p.Model.Levels[0].Size
		if int64(len(p.Model.Pending))%size != 0 && size%p.Model.Multiple[p.Model.View.RootTop] != 0 {
			return muster.Unsupported("request.Gather", p.Request.Name, "multiples that do not divide the groups, beside a short last group")
		}
	}
	return nil
}

// keeps says whether every selection puts a multiple of m of the part's members into each domain of a tier, by the
// rules of the groups alone.
func keeps(a *model.Part, m int64, tier int32) bool {
	// A group that is placed whole or not at all lies in one such domain, with all its members.
	if a.InTree() && a.Gather.Hard && a.Gather.Must <= tier && int64(len(a.All()))%m == 0 && wholly(a) {
		return true
	}
	// Multiples of m add up to one, if no member lies beside the inner parts.
	return len(a.Ranks) == 0 && !slices.ContainsFunc(a.Parts, func(b *model.Part) bool { return !keeps(b, m, tier) })
}

// wholly says whether a part is placed with all its members or not at all, by its minima and those of the parts in it.
func wholly(a *model.Part) bool {
	whole := true
	a.Each(func(b *model.Part) {
		whole = whole && !b.Idle && b.LeastParts >= len(b.Parts) && (b.Least == 0 || b.Least >= len(b.All()))
	})
	return whole
}

// forceMultiples finds how many new members every vertex must take because the running ones there are no multiple. It
// goes bottom-up, so that what is forced below a vertex already counts there. The rest that a vertex then lacks is a
// multiple of the units of its children, as its own unit is. Gangs in parts keep multiples in their fronts.
// O(running members * tiers).
//
// order: multiples.2
func forceMultiples(p *Problem) {
	p.Model.Forced = layout.Tally{}
	above := map[layout.Vertex]bool{} // the nodes that they are on, and all domains above but the root, which is in nobody's multiple
	for pos := range p.Model.Running.Positions() {
		for x := p.Model.View.NodeVertex(pos); x != layout.Root && !above[x]; x = p.Model.View.Above(x) {
			above[x] = true
		}
	}
	for _, x := range slices.Backward(slices.Sorted(maps.Keys(above))) { // parents have lower ids than their children, so ids go down
		force(p, x)
	}
}

// force completes the multiple of a vertex that is not the root: it adds the missing members there and at all
// vertices above.
//
// order: multiples.2
func force(p *Problem, x layout.Vertex) {
	unit := p.Model.Unit(p.Model.View.Above(x))
	if lack := (p.Model.Siblings.At(x) + p.Model.Forced[x]) % unit; lack > 0 {
		for up := x; up >= 0; up = p.Model.View.Above(up) {
			p.Model.Forced[up] += unit - lack
		}
	}
}
