package placement

import (
	"math"
	"slices"
)

// fitsIn is what fits below a vertex, of what is of use above it.
func (g *scheme) fitsIn(x vertex) frontier { return g.aboveClass(g.terrain.of[x]) }

// fitsBelow is what fits below a vertex before groups are made there; nodes outside the tree do not count at the root.
func (g *scheme) fitsBelow(x vertex) frontier { return g.belowClass(g.terrain.of[x]) }

// forgets says whether some counts are not known of a vertex.
func (g *scheme) forgets(x vertex) bool { return g.forgot[g.terrain.of[x]] }

func (g *scheme) aboveClass(i int32) frontier {
	if g.above[i] == nil {
		below := g.belowClass(i)
		f, forgot := g.make(g.terrain.classes[i], below)
		g.above[i], g.forgot[i] = f, g.forgot[i] || forgot
	}
	return g.above[i]
}

func (g *scheme) belowClass(i int32) frontier {
	if g.below[i] == nil {
		if int(i) < len(g.terrain.nodes) {
			a := &g.terrain.nodes[i]
			g.below[i], g.forgot[i] = g.onNode(a.free, a.open, a.zones)
		} else {
			g.below[i] = g.sumKids(i, g.terrain.kidsOf(i))
		}
	}
	return g.below[i]
}

// sumKids adds up what fits below children. Where there are too many counts they are added one by one, the last ones first: so does fill.
func (g *scheme) sumKids(i int32, kids []int64) frontier {
	sum := g.folder.none
	for _, kid := range slices.Backward(kids) {
		f, forgot := g.times(kid)
		sum = g.folder.sum(f, sum)
		g.forgot[i] = g.forgot[i] || forgot || g.folder.forgot
	}
	if !g.forgot[i] {
		return sum
	}
	sum = g.folder.none
	for _, kid := range slices.Backward(kids) {
		for range int32(kid) {
			sum = g.folder.sum(g.aboveClass(int32(kid>>32)), sum)
		}
	}
	return sum
}

// times is what fits below so many children of a class, which is in the upper half. Forgot says that some counts are missing.
func (g *scheme) times(kids int64) (f frontier, forgot bool) {
	class, n := int32(kids>>32), kids&math.MaxInt32
	if n == 1 {
		return g.aboveClass(class), g.forgot[class]
	}
	if f, ok := g.several[kids]; ok {
		return f.frontier, f.forgot
	}
	half, forgot := g.times(kids - n + n/2)
	rest, more := g.times(kids - n/2)
	f = g.folder.sum(rest, half)
	forgot = forgot || more || g.folder.forgot
	g.several[kids] = several{f, forgot}
	return f, forgot
}

// onNode finds what fits into what is free on a node for the roles that it is open to. Where the table has no room for all combinations, the larger
// numbers are forgotten.
func (g *scheme) onNode(free []int64, open []bool, zones frontier) (f frontier, forgot bool) {
	e := nodeCounts{scheme: g, open: open, zones: zones, at: make(counts, len(g.most)), sides: make(counts, len(g.most))}
	for r := range g.roles {
		e.sides[r] = e.room(r, free)
	}
	if g.folder.exact {
		return e.listAll(free)
	}
	forgot = g.folder.beginWithin(e.sides)
	e.extend(0, slices.Clone(free))
	return g.folder.end(), forgot
}

// nodeCounts enumerates what fits on a node.
type nodeCounts struct {
	*scheme
	open  []bool
	zones frontier // of all roles of a shape in the first of them; nil: they bind nobody
	sides counts   // no more of a role
	at    counts
}

// room is how many members of a role fit into what is free, at most the gang's.
func (e *nodeCounts) room(role int, free []int64) int32 {
	room := int64(e.most[role])
	for i, ask := range e.asks[role] {
		if ask > 0 {
			room = min(room, max(0, free[i])/ask)
		}
	}
	if !e.open[role] {
		return 0
	}
	if e.zones != nil {
		room = min(room, int64(e.zones.most(e.twin(role))))
	}
	return int32(room)
}

// zoneRoom is how many members of the main role the zones take beside those of the others; -1: they do not even take these.
func (e *nodeCounts) zoneRoom() int32 {
	n, main := int32(-1), e.folder.main
	if main < len(e.roles) {
		e.at[main] = 0
	}
	others := e.byShape(e.at[:len(e.roles)])
	for _, p := range e.zones {
		switch {
		case !others.within(p):
		case main < len(p):
			n = max(n, p[e.twin(main)]-others[e.twin(main)])
		default:
			n = 0
		}
	}
	return n
}

// extend puts every number of members of the roles from one on into what is free; of the main role, last, as many as fit.
func (e *nodeCounts) extend(role int, free []int64) {
	main := e.folder.main
	if role == len(e.roles) {
		most := int32(math.MaxInt32)
		if e.zones != nil {
			if most = e.zoneRoom(); most < 0 {
				return
			}
		}
		if main < len(e.roles) {
			e.at[main] = min(most, e.room(main, free))
		}
		e.folder.put(e.at, e.folder.none[0])
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
		for i, ask := range e.asks[role] {
			left[i] -= ask
		}
	}
	e.at[role] = 0
}

// make is what fits below a vertex once groups are made there of what is below, without what is of no use above. Forgot says that some counts are missing.
func (g *scheme) make(x vertex, below frontier) (f frontier, forgot bool) {
	if len(g.kinds) == 0 && !g.folder.exact {
		return below, false
	}
	m := g.newMaker(x)
	if g.folder.exact {
		return m.listAll(x, below)
	}
	if len(m.kinds) == 0 && slices.Equal(m.most, g.most) {
		return below, false
	}
	for i, most := range m.most {
		m.sides[i] = max(m.sides[i], min(most, below.most(i)))
	}
	forgot = g.folder.beginWithin(m.sides)
	for _, p := range below {
		m.extend(0, slices.Clone(p))
	}
	return g.folder.end(), forgot
}

// maker makes groups at a vertex.
type maker struct {
	*scheme
	kinds []madeKind // that are of use above, outer ones first
	most  counts     // that are of use above
	sides counts
	at    counts
}

type madeKind struct {
	dim   int
	needs counts // of what is not made at the vertex itself
	// free: nothing that a group is made of is of use to others.
	free bool
}

// newMaker finds which kinds are made at a vertex, and what is of use above.
func (g *scheme) newMaker(x vertex) *maker {
	r := len(g.roles)
	m := &maker{scheme: g, most: make(counts, len(g.most)), sides: make(counts, len(g.most)), at: make(counts, len(g.most))}
	use := func(needs counts) {
		for i, n := range needs {
			if n > 0 {
				m.most[i] = g.most[i]
			}
		}
	}
	use(g.want)
	above := g.v.tierOf(g.v.above(x))
	for k := range g.kinds {
		if g.bounds[k] >= above && g.homes[k] != x {
			use(g.kinds[k].needs)
		}
	}
	for k := range g.kinds {
		if g.made(k, x) && m.most[r+k] > 0 {
			one := make(counts, len(g.most))
			one[r+k] = 1
			m.kinds = append(m.kinds, madeKind{dim: r + k, needs: g.expand(x, one)})
			m.sides[r+k] = g.most[r+k]
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
func (m *maker) extend(i int, left counts) {
	if i == len(m.kinds) {
		m.folder.put(m.at, left.least(m.most))
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
func (m *maker) numbers(k *madeKind, left counts) (least, most int32) {
	most = m.scheme.most[k.dim] - left[k.dim]
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
func (k *madeKind) without(n int32, left counts) counts {
	rest := slices.Clone(left)
	for dim, need := range k.needs {
		rest[dim] -= n * need
	}
	return rest
}
