package spec

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// No other set of nodes that holds the members, in any domain of the tier that is reached, has a smaller span in the layers that are compared.
func TestSpansAreLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Draw(t)
		best := Best(m)
		if best == nil || len(m.Levels)+len(m.Multiple)+m.Running.Len()+len(m.Friends) > 0 || m.Limits != nil || slices.Contains(m.Room.(*Room).Others, true) {
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
		var spans [][]int
		for _, d := range p.candidates() {
			spans = append(spans, p.leastSpan(d))
		}
		require.Zero(t, slices.Compare(slices.MinFunc(spans, slices.Compare), p.solver.spanOf(p.candidates(), own)), Text(m))
	})
}

// leastSpan is the smallest span of any set of nodes below d that holds the members.
func (p *search) leastSpan(d *vertex) (least []int) {
	nodes := slices.DeleteFunc(under(d, 0), func(v *vertex) bool { return v.high <= 0 || v.outside })
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
		if s := p.solver.spanOf([]*vertex{d}, some); least == nil || slices.Compare(s, least) < 0 {
			least = s
		}
	}
	return least
}

// spanOf counts, layer by layer below the one domain that holds all the nodes, the vertices above them, in the layers that are compared.
func (s *solver) spanOf(domains, nodes []*vertex) []int {
	d := domains[slices.IndexFunc(domains, func(d *vertex) bool { return above(d, nodes[0]) })]
	var span []int
	for _, tier := range s.m.View.TiersBelow(int32(d.tier)) {
		used := map[*vertex]bool{}
		for _, v := range nodes {
			used[v.domainOf(int(tier))] = true
		}
		span = append(span, len(used))
	}
	return s.compared(d, span)
}
