package placement

import (
	"cmp"
	"slices"
)

// terrain says which vertices are alike for members of several roles: the same fits there, however the gang is made of them.
type terrain struct {
	of []int32 // the class of each vertex
	// classes are those of nodes first; children have lower numbers than what they are in.
	classes []ground
	// inexact: the zones of some node may take more than was found.
	inexact bool
	loose   *terrain // nil: not asked for
	demand  []int64  // of the gang, by need: more is as good
}

// ground are vertices that are alike. One that running members of the gang are below is alone in its class.
type ground struct {
	at   vertex // the first of them
	kids []classCount
	free []int64 // of nodes, by need
	open []bool  // of nodes, by role
	// zones are the largest counts, by role, that the zones of nodes take; nil: they bind nobody.
	zones frontier
}

// classCount is a number of children of a class.
type classCount struct {
	class, n int32
}

// terrainMaker finds the classes.
type terrainMaker struct {
	*cast
	terrain
	known *classTable // by key
	key   []int64
	kids  []classCount // see countKids
	at    []int32      // by class: the place in kids, from 1 on; 0: it has none
	fits  vectors      // numbers what zones take
	steps int          // that are left to look at zones
}

// demandOf is what all members ask for, by need.
func (c *cast) demandOf() []int64 {
	demand := make([]int64, len(c.needs))
	for i := range c.needs {
		for role, n := range c.most[:len(c.roles)] {
			demand[i] += int64(n) * c.asks[role][i]
		}
	}
	return demand
}

// newTerrain finds the classes. O(nodes * (resources + roles) + domains * log).
func (c *cast) newTerrain(demand []int64) *terrain {
	m := terrainMaker{cast: c, terrain: terrain{demand: demand}, known: newClassTable(0), steps: allZoneSteps}
	n := c.v.numDomains()
	m.of = make([]int32, n+int(c.v.nodes))
	m.nodes()
	for x := vertex(n) - 1; x >= 0; x-- {
		m.domain(x)
	}
	return &m.terrain
}

// begin begins the key of a vertex: tiers decide where groups are made, and members that run set it apart.
func (m *terrainMaker) begin(x vertex, kind int64) {
	tiers := int64(m.v.tierOf(x)) << 2
	if up := m.v.above(x); up >= 0 {
		tiers |= int64(m.v.tierOf(up)+1) << 32
	}
	m.key = append(m.key[:0], tiers|kind)
	if len(m.siblings) > 0 && m.siblings.at(x) > 0 {
		m.key = append(m.key, -1-int64(x)) // nothing else in a domain's key is negative
	}
}

// add puts a vertex into the class of its key; first says that no other was in it.
func (m *terrainMaker) add(x vertex) (first bool) {
	m.of[x] = m.known.of(nil, m.key)
	return int(m.of[x]) == len(m.classes)
}

// nodes reads what each node has free and which roles it is open to.
func (m *terrainMaker) nodes() {
	excluded, hard, end := m.excluded(), m.hard(), m.v.firstPos[m.v.outside]
	open := make([]bool, len(m.roles))
	plain := make([]bool, len(m.roles)) // open to the role are all nodes that nothing is wrong with
	for r, one := range m.roles {
		plain[r] = !one.selective() && m.req.Eligible == nil
	}
	free, zonesBind := m.newFreeReader(), m.zonesBind()
	for pos := range m.v.nodes {
		id, x := m.v.node(pos), m.v.nodeVertex(pos)
		m.begin(x, 2|int64(bit(pos >= end)))
		from := len(m.key)
		m.key = free.appendOf(m.key, id)
		for i, most := range m.demand {
			m.key[from+i] = min(m.key[from+i], most)
		}
		closed := len(excluded) > 0 && excluded[id] || hard && pos >= end
		usual := free.flags[id%pageSize]&^zoned == present
		for r, one := range m.roles {
			if r%32 == 0 {
				m.key = append(m.key, 0)
			}
			open[r] = !closed && (usual && plain[r] || one.refusal(id) == "")
			m.key[len(m.key)-1] |= int64(bit(open[r])) << (r % 32)
		}
		var zones frontier
		if zonesBind {
			zones = m.zonesOf(id, closed)
		}
		if m.add(x) {
			m.classes = append(m.classes, ground{at: x, free: slices.Clone(m.key[from : from+len(m.needs)]), open: slices.Clone(open), zones: zones})
		}
	}
}

// zonesOf is what the zones of a node take, which goes into its key; nil: they bind nobody, or nobody may come.
func (m *terrainMaker) zonesOf(id int32, closed bool) frontier {
	held := m.held[id]
	state := held.zones
	if state == nil {
		state = m.stateOf(id, m.gifts[id])
	}
	var fit *zoneFit
	if !closed {
		fit = m.zoneFit(id, state, &m.steps)
	}
	if fit == nil {
		m.key = append(m.key, 0)
		return nil
	}
	zones := fit.most
	m.terrain.inexact = m.terrain.inexact || !slices.Equal(zones[0], fit.bound)
	switch {
	case m.relaxed:
		zones = frontier{fit.bound}
	case held.zones != nil:
		zones = zones.meet(held.beside)
	}
	var all []int64
	for _, p := range zones {
		for _, n := range p {
			all = append(all, int64(n))
		}
	}
	m.key = append(m.key, int64(m.fits.of(all))+1)
	return zones
}

// freeReader reads what nodes have free, and their flags, a page at a time.
type freeReader struct {
	*cast
	page  int32
	pages [][]int64 // by need; nil: no node has it
	flags []nodeFlags
	// beside: on some nodes somebody counts as gone, or something is as good as taken.
	beside bool
}

func (c *cast) newFreeReader() *freeReader {
	return &freeReader{cast: c, page: -1, pages: make([][]int64, len(c.needs)), beside: len(c.gifts)+len(c.held) > 0}
}

// appendOf appends what a node has free of each resource beside what is as good as taken, once those are gone who count as gone.
func (f *freeReader) appendOf(list []int64, id int32) []int64 {
	if f.page != id/pageSize {
		f.page = id / pageSize
		f.flags = f.c.static.flags.page(int(f.page))
		for i, n := range f.needs {
			if n.id >= 0 {
				f.pages[i] = f.c.free[n.id].page(int(f.page))
			}
		}
	}
	var gift, held []int64
	if f.beside {
		gift, held = f.gifts[id].amounts, f.held[id].amounts
	}
	for i, n := range f.needs {
		var free int64
		if f.pages[i] != nil {
			free = f.pages[i][id%pageSize]
		}
		if free != boundless && n.id >= 0 {
			if gift != nil {
				free += gift[n.id]
			}
			if held != nil {
				free -= held[n.id]
			}
		}
		list = append(list, free)
	}
	return list
}

// domain finds the class of a domain, those of its children being known. Nodes outside the tree do not count at the root.
func (m *terrainMaker) domain(x vertex) {
	lo, end := m.v.kids(x)
	if x == rootVertex {
		end = m.v.outside
	}
	kids := m.countKids(m.of[lo:end])
	m.begin(x, 0)
	for _, k := range kids {
		m.key = append(m.key, int64(k.class)<<32|int64(k.n))
	}
	if m.add(x) {
		m.classes = append(m.classes, ground{at: x, kids: slices.Clone(kids)})
	}
}

// countKids counts classes, in the order of their numbers. The slice is good until the next call.
func (m *terrainMaker) countKids(of []int32) []classCount {
	m.kids = m.kids[:0]
	if m.at == nil || len(m.at) < len(m.classes) {
		m.at = make([]int32, 2*len(m.classes)+1)
	}
	for _, class := range of {
		if m.at[class] == 0 {
			m.kids = append(m.kids, classCount{class: class})
			m.at[class] = int32(len(m.kids))
		}
		m.kids[m.at[class]-1].n++
	}
	for _, k := range m.kids {
		m.at[k.class] = 0
	}
	slices.SortFunc(m.kids, func(a, b classCount) int { return cmp.Compare(a.class, b.class) })
	return m.kids
}
