package problem

import (
	"fmt"
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

// MultiplesIn reads those of rules whose layers are known.
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
func checkMultiples(p *Problem) error {
	if p.Multiple == nil {
		return nil
	}
	for i, l := range p.Levels {
		if within := p.Multiple[l.Gather.Must]; l.Size%within != 0 {
			return muster.Invalid(fmt.Sprintf("request.Groups[%d].Size", i), l.Size,
				fmt.Sprintf("multiple %d inside the group's bound does not divide the group", within))
		}
	}
	return nil
}

// settleMultiples refuses combinations that are not decided. For a gang in parts it finds the multiples that bind.
func settleMultiples(p *Problem) error {
	switch {
	case p.InParts():
		p.Multiple, p.Gang.Multiples = nil, p.MultiplesIn(p.Request.Gather)
		bindMultiples(p)
		return nil
	case p.Multiple == nil:
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

// keeps says whether of whatever may be placed of a part a multiple of members lies in each domain of a tier: they are in groups that are placed
// whole, each in one such domain.
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
