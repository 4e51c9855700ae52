package parts

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// fitsIn is what fits below a vertex, of what is of use above it.
func (g *scheme) fitsIn(x layout.Vertex) front.Front { return g.aboveClass(g.cast.terrain.of[x]) }

// fitsBelow is what fits below a vertex before groups are made there; nodes outside the tree do not count at the root.
func (g *scheme) fitsBelow(x layout.Vertex) front.Front { return g.belowClass(g.cast.terrain.of[x]) }

// forgets says whether some counts are not known of a vertex.
func (g *scheme) forgets(x layout.Vertex) bool { return g.fitting.forgot[g.cast.terrain.of[x]] }

func (g *scheme) aboveClass(i int32) front.Front {
	if g.fitting.above[i] == nil {
		below := g.belowClass(i)
		f, forgot := g.make(g.cast.terrain.classes[i], below)
		g.fitting.above[i], g.fitting.forgot[i] = f, g.fitting.forgot[i] || forgot
	}
	return g.fitting.above[i]
}

func (g *scheme) belowClass(i int32) front.Front {
	if g.fitting.below[i] == nil {
		if int(i) < len(g.cast.terrain.nodes) {
			a := &g.cast.terrain.nodes[i]
			g.fitting.below[i], g.fitting.forgot[i] = g.onNode(a.free, a.open, a.zones)
		} else {
			g.fitting.below[i] = g.sumKids(i, g.cast.terrain.kidsOf(i))
		}
	}
	return g.fitting.below[i]
}

// sumKids adds up what fits below children. Where there are too many counts they are added one by one, the last ones first: so does fill.
func (g *scheme) sumKids(i int32, kids []int64) front.Front {
	sum := g.fitting.folder.None
	for _, kid := range slices.Backward(kids) {
		f, forgot := g.times(kid)
		sum = g.fitting.folder.Sum(f, sum)
		g.fitting.forgot[i] = g.fitting.forgot[i] || forgot || g.fitting.folder.Forgot
	}
	if !g.fitting.forgot[i] {
		return sum
	}
	sum = g.fitting.folder.None
	for _, kid := range slices.Backward(kids) {
		for range int32(kid) {
			sum = g.fitting.folder.Sum(g.aboveClass(int32(kid>>32)), sum)
		}
	}
	return sum
}

// times is what fits below so many children of a class, which is in the upper half. Forgot says that some counts are missing.
func (g *scheme) times(kids int64) (f front.Front, forgot bool) {
	class, n := int32(kids>>32), kids&math.MaxInt32
	if n == 1 {
		return g.aboveClass(class), g.fitting.forgot[class]
	}
	if f, ok := g.fitting.several[kids]; ok {
		return f.frontier, f.forgot
	}
	half, forgot := g.times(kids - n + n/2)
	rest, more := g.times(kids - n/2)
	f = g.fitting.folder.Sum(rest, half)
	forgot = forgot || more || g.fitting.folder.Forgot
	g.fitting.several[kids] = several{f, forgot}
	return f, forgot
}

// onNode finds what fits into what is free on a node for the roles that it is open to. Where the table has no room for all combinations, the larger
// numbers are forgotten.
func (g *scheme) onNode(free []int64, open []bool, zones front.Front) (f front.Front, forgot bool) {
	e := nodeCounts{scheme: g, open: open, zones: zones, at: make(front.Vector, len(g.cast.most)), sides: make(front.Vector, len(g.cast.most))}
	for r := range g.cast.roles {
		e.sides[r] = e.room(r, free)
	}
	if g.fitting.folder.Exact {
		return e.listAll(free)
	}
	forgot = g.fitting.folder.BeginWithin(e.sides)
	e.extend(0, slices.Clone(free))
	return g.fitting.folder.End(), forgot
}

// nodeCounts enumerates what fits on a node.
type nodeCounts struct {
	scheme *scheme
	open   []bool
	zones  front.Front  // of all roles of a shape in the first of them; nil: they bind nobody
	sides  front.Vector // no more of a role
	at     front.Vector
}

// room is how many members of a role fit into what is free, at most the gang's.
func (e *nodeCounts) room(role int, free []int64) int32 {
	room := int64(e.scheme.cast.most[role])
	for i, ask := range e.scheme.cast.asks[role] {
		if ask > 0 {
			room = min(room, max(0, free[i])/ask)
		}
	}
	if !e.open[role] {
		return 0
	}
	if e.zones != nil {
		room = min(room, int64(e.zones.Most(e.scheme.p.Twin(role))))
	}
	return int32(room)
}

// zoneRoom is how many members of the main role the zones take beside those of the others; -1: they do not even take these.
func (e *nodeCounts) zoneRoom() int32 {
	n, main := int32(-1), e.scheme.fitting.folder.Main
	if main < len(e.scheme.cast.roles) {
		e.at[main] = 0
	}
	others := problem.ByShape(e.scheme.p, e.at[:len(e.scheme.cast.roles)])
	for _, p := range e.zones {
		switch {
		case !others.Within(p):
		case main < len(p):
			n = max(n, p[e.scheme.p.Twin(main)]-others[e.scheme.p.Twin(main)])
		default:
			n = 0
		}
	}
	return n
}

// extend puts every number of members of the roles from one on into what is free; of the main role, last, as many as fit.
func (e *nodeCounts) extend(role int, free []int64) {
	main := e.scheme.fitting.folder.Main
	if role == len(e.scheme.cast.roles) {
		most := int32(math.MaxInt32)
		if e.zones != nil {
			if most = e.zoneRoom(); most < 0 {
				return
			}
		}
		if main < len(e.scheme.cast.roles) {
			e.at[main] = min(most, e.room(main, free))
		}
		e.scheme.fitting.folder.Put(e.at, e.scheme.fitting.folder.None[0])
		return
	}
	if role == main {
		e.extend(role+1, free)
		return
	}
	left := slices.Clone(free)
	for n := range min(e.sides[role], e.room(role, free)) + 1 {
		e.at[role] = n
		e.extend(role+1, left)
		for i, ask := range e.scheme.cast.asks[role] {
			left[i] -= ask
		}
	}
	e.at[role] = 0
}

// make is what fits below a vertex once groups are made there of what is below, without what is of no use above. Forgot says that some counts are missing.
func (g *scheme) make(x layout.Vertex, below front.Front) (f front.Front, forgot bool) {
	if len(g.cast.kinds) == 0 && !g.fitting.folder.Exact {
		return below, false
	}
	m := g.newMaker(x)
	if g.fitting.folder.Exact {
		return m.listAll(x, below)
	}
	if len(m.kinds) == 0 && slices.Equal(m.most, g.cast.most) {
		return below, false
	}
	for i, most := range m.most {
		m.sides[i] = max(m.sides[i], min(most, below.Most(i)))
	}
	forgot = g.fitting.folder.BeginWithin(m.sides)
	for _, p := range below {
		m.extend(0, slices.Clone(p))
	}
	return g.fitting.folder.End(), forgot
}

// maker makes groups at a vertex.
type maker struct {
	scheme *scheme
	kinds  []madeKind   // that are of use above, outer ones first
	most   front.Vector // that are of use above
	sides  front.Vector
	at     front.Vector
}

type madeKind struct {
	dim   int
	needs front.Vector // of what is not made at the vertex itself
	// free: nothing that a group is made of is of use to others.
	free bool
}

// newMaker finds which kinds are made at a vertex, and what is of use above.
func (g *scheme) newMaker(x layout.Vertex) *maker {
	r := len(g.cast.roles)
	m := &maker{scheme: g, most: make(front.Vector, len(g.cast.most)), sides: make(front.Vector, len(g.cast.most)), at: make(front.Vector, len(g.cast.most))}
	use := func(needs front.Vector) {
		for i, n := range needs {
			if n > 0 {
				m.most[i] = g.cast.most[i]
			}
		}
	}
	use(g.cast.want)
	above := g.p.View.TierOf(g.p.View.Above(x))
	for k := range g.cast.kinds {
		if g.fitting.bounds[k] >= above && g.fitting.homes[k] != x {
			use(g.cast.kinds[k].needs)
		}
	}
	for k := range g.cast.kinds {
		if g.made(k, x) && m.most[r+k] > 0 {
			one := make(front.Vector, len(g.cast.most))
			one[r+k] = 1
			m.kinds = append(m.kinds, madeKind{dim: r + k, needs: g.expand(x, one)})
			m.sides[r+k] = g.cast.most[r+k]
		}
	}
	for i := range m.kinds {
		m.kinds[i].free = m.isFree(i)
	}
	return m
}

func (m *maker) isFree(i int) bool {
	for dim, n := range m.kinds[i].needs {
		if n == 0 {
			continue
		}
		if m.most[dim] > 0 {
			return false
		}
		for j := range m.kinds {
			if j != i && m.kinds[j].needs[dim] > 0 {
				return false
			}
		}
	}
	return true
}

// extend makes every number of groups of the kinds from one on; what is left goes up.
func (m *maker) extend(i int, left front.Vector) {
	if i == len(m.kinds) {
		m.scheme.fitting.folder.Put(m.at, left.Least(m.most))
		return
	}
	k := &m.kinds[i]
	least, most := m.numbers(k, left)
	for n := least; n <= most; n++ {
		m.at[k.dim] = n
		m.extend(i+1, k.without(n, left))
	}
	m.at[k.dim] = 0
}

// numbers is how many groups of a kind are to be made at least and at most.
func (m *maker) numbers(k *madeKind, left front.Vector) (least, most int32) {
	most = m.scheme.cast.most[k.dim] - left[k.dim]
	for dim, n := range k.needs {
		if n > 0 {
			most = min(most, left[dim]/n)
		}
	}
	if k.free {
		return most, most
	}
	return 0, most
}

// without is what so many groups leave.
func (k *madeKind) without(n int32, left front.Vector) front.Vector {
	rest := slices.Clone(left)
	for dim, need := range k.needs {
		rest[dim] -= n * need
	}
	return rest
}
