package spec

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// comparedLayers is for how many layers below the domain the order looks at the span: at its children (domain.3).
const comparedLayers = 1

// No other set of nodes that holds the members, in any domain of the tier that is reached, has a smaller span in the layers that are compared.
func TestSpansAreLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Draw(t)
		best := Best(m)
		if best == nil || len(m.Levels)+len(m.Multiple)+len(m.Running)+len(m.Friends) > 0 || m.Limits != nil || slices.Contains(m.Room.(*Room).Others, true) {
			return
		}
		p := newSolver(m).fit(len(best.Positions))
		p.use([]int{int(best.Tier)})
		if p.outside > 0 {
			return
		}
		var own []*vertex
		for _, pos := range best.Positions {
			own = append(own, p.solver.byNode[pos])
		}
		var least []int
		for _, d := range p.candidates() {
			if s := p.leastSpan(d); least == nil || slices.Compare(s, least) < 0 {
				least = s
			}
		}
		require.Equal(t, least, spanOf(p.candidates(), own)[:len(least)], Text(m))
	})
}

// leastSpan is the smallest span of any set of nodes below d that holds the members.
func (p *search) leastSpan(d *vertex) (least []int) {
	nodes := slices.DeleteFunc(under(d, 0), func(v *vertex) bool { return v.high <= 0 })
	for mask := range uint(1) << len(nodes) {
		room, some := 0, []*vertex(nil)
		for i, v := range nodes {
			if mask>>i&1 == 1 {
				room, some = room+v.high, append(some, v)
			}
		}
		if room < p.n || bits.OnesCount(mask) > p.n {
			continue
		}
		s := spanOf([]*vertex{d}, some)
		if s = s[:min(comparedLayers, len(s))]; least == nil || slices.Compare(s, least) < 0 {
			least = s
		}
	}
	return least
}

// spanOf counts, tier by tier below the one domain that holds all the nodes, the highest vertices of at most that tier above them.
func spanOf(domains, nodes []*vertex) (span []int) {
	d := domains[slices.IndexFunc(domains, func(d *vertex) bool { return above(d, nodes[0]) })]
	for tier := d.tier - 1; tier >= 0; tier-- {
		used := map[*vertex]bool{}
		for _, v := range nodes {
			used[v.domainOf(tier)] = true
		}
		span = append(span, len(used))
	}
	return span
}
