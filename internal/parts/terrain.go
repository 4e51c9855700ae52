package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/sets"
	"github.com/muster-sched/muster/internal/snapshot"
)

// terrain says which vertices are alike for members of several roles: the same fits there, however the gang is made of them.
type terrain struct {
	of []int32 // the class of each vertex
	// classes has the first vertex of each class. Those of nodes come first; children have lower numbers than what they are in.
	classes []layout.Vertex
	nodes   []ground
	kids    *sets.ClassTable // of the other classes
	// inexact: the zones of some node may take more than was found.
	inexact bool
	loose   *terrain // nil: not asked for
	demand  []int64  // of the gang, by need: more is as good
}

// ground are nodes that are alike. One that running members of the gang are on is alone in its class.
type ground struct {
	free []int64 // by need
	open []bool  // by role
	// zones are the largest counts, by role, that the zones of nodes take; nil: they bind nobody.
	zones front.Front
}

// kidsOf lists the children of domains of a class, each number with a class in its upper half, in the order of these.
func (t *terrain) kidsOf(class int32) []int64 {
	_, kids := t.kids.At(class - int32(len(t.nodes)))
	return kids
}

// terrainMaker finds the classes.
type terrainMaker struct {
	cast    *cast
	terrain terrain
	key     []int64
	list    []int64      // see countKids
	at      []int32      // by class: the place in list, from 1 on; 0: it has none
	plain   []bool       // by role: open to it are all nodes that nothing is wrong with
	open    []bool       // by role, of the node in hand
	fits    sets.Vectors // numbers what zones take
	steps   int          // that are left to look at zones
}

// demandOf is what all members ask for, by need.
func (c *cast) demandOf() []int64 {
	demand := make([]int64, len(c.p.Needs))
	for i := range c.p.Needs {
		for role, n := range c.most[:len(c.roles)] {
			demand[i] += int64(n) * c.asks[role][i]
		}
	}
	return demand
}

// newTerrain finds the classes. O(nodes * (resources + roles) + domains * log).
func (c *cast) newTerrain(demand []int64) *terrain {
	m := terrainMaker{cast: c, terrain: terrain{demand: demand}, steps: problem.AllZoneSteps}
	m.terrain.of = make([]int32, c.p.View.NumDomains()+int(c.p.View.Nodes))
	m.readNodes()
	m.findDomains()
	return &m.terrain
}

// findDomains finds the classes of all domains, those of nodes being known.
func (m *terrainMaker) findDomains() {
	n := m.cast.p.View.NumDomains()
	m.terrain.classes = slices.Grow(m.terrain.classes, n)
	m.terrain.kids = sets.NewClassTable(2)
	m.terrain.kids.Reserve(n, min(len(m.terrain.of), 8*n))
	m.at = make([]int32, len(m.terrain.classes)+n)
	for x := layout.Vertex(n) - 1; x >= 0; x-- {
		m.domain(x)
	}
}

// begin begins the key of a vertex: tiers decide where groups are made, and members that run set it apart.
func (m *terrainMaker) begin(x layout.Vertex) {
	tiers, mark := int64(m.cast.p.View.TierOf(x)), int64(0)
	if up := m.cast.p.View.Above(x); up >= 0 {
		tiers |= int64(m.cast.p.View.TierOf(up)+1) << 32
	}
	if len(m.cast.p.Siblings) > 0 && m.cast.p.Siblings.At(x) > 0 {
		mark = int64(x) + 1
	}
	m.key = append(m.key[:0], tiers, mark)
}

// readNodes reads what each node has free and which roles it is open to.
func (m *terrainMaker) readNodes() {
	excluded, hard, end := m.cast.p.Counting().Excluded(), m.cast.p.Hard(), m.cast.p.View.FirstPos[m.cast.p.View.Outside]
	m.open = make([]bool, len(m.cast.roles))
	for _, one := range m.cast.roles {
		m.plain = append(m.plain, !one.Counting().Selective() && m.cast.p.Request.Eligible == nil)
	}
	reader, zonesBind := m.cast.newFreeReader(), m.cast.p.Zones().Bind()
	even := !zonesBind && len(excluded)+len(m.cast.p.Siblings) == 0 && !slices.Contains(m.plain, false)
	key := make([]int64, 1+len(m.cast.p.Needs)) // one number for all but what is free
	known, signs, last := sets.NewClassTable(len(key)), sets.NewClassTable(0), layout.Vertex(-1)
	var zones front.Front
	for pos := range m.cast.p.View.Nodes {
		id, x, free := m.cast.p.View.Node(pos), m.cast.p.View.NodeVertex(pos), key[1:]
		flags := reader.read(free, id)
		for i, most := range m.terrain.demand {
			free[i] = min(free[i], most)
		}
		usual, leaf := flags&^snapshot.Zoned == snapshot.Present, m.cast.p.View.LeafOf[pos]
		if !usual || leaf != last { // else it is as the one before
			closed := len(excluded) > 0 && excluded[id] || hard && pos >= end
			m.begin(x)
			m.key = append(m.key, int64(problem.Bit(pos >= end)))
			m.openTo(id, usual, closed)
			if zonesBind {
				zones = m.zonesOf(id, closed)
			}
			key[0] = int64(signs.Of(nil, m.key))
			if last = -1; usual && even {
				last = leaf
			}
		}
		if m.terrain.of[x] = known.Of(key, nil); int(m.terrain.of[x]) == len(m.terrain.nodes) {
			m.terrain.classes = append(m.terrain.classes, x)
			m.terrain.nodes = append(m.terrain.nodes, ground{free: slices.Clone(free), open: slices.Clone(m.open), zones: zones})
		}
	}
}

// openTo finds which roles a node is open to, which goes into its key; usual: nothing is wrong with it.
func (m *terrainMaker) openTo(id int32, usual, closed bool) {
	for r, one := range m.cast.roles {
		if r%64 == 0 {
			m.key = append(m.key, 0)
		}
		m.open[r] = !closed && (usual && m.plain[r] || one.Counting().Refusal(id) == "")
		m.key[len(m.key)-1] |= int64(problem.Bit(m.open[r])) << (r % 64)
	}
}

// zonesOf is what the zones of a node take, which goes into its key; nil: they bind nobody, or nobody may come.
func (m *terrainMaker) zonesOf(id int32, closed bool) front.Front {
	held := m.cast.held[id]
	state := held.Zones
	if state == nil {
		state = m.cast.p.Zones().StateOf(id, m.cast.gifts[id])
	}
	var fit *problem.ZoneFit
	if !closed {
		fit = m.cast.p.Zones().ZoneFit(id, state, &m.steps)
	}
	if fit == nil {
		m.key = append(m.key, 0)
		return nil
	}
	zones := fit.Most
	m.terrain.inexact = m.terrain.inexact || !slices.Equal(zones[0], fit.Bound)
	switch {
	case m.cast.relaxed:
		zones = front.Front{fit.Bound}
	case held.Zones != nil:
		zones = zones.Meet(held.Beside)
	}
	var all []int64
	for _, p := range zones {
		for _, n := range p {
			all = append(all, int64(n))
		}
	}
	m.key = append(m.key, int64(m.fits.Of(all))+1)
	return zones
}

// freeReader reads what nodes have free, and their flags, a page at a time.
type freeReader struct {
	cast  *cast
	page  int32
	pages [][]int64 // by need
	flags []snapshot.NodeFlags
	// beside: on some nodes somebody counts as gone, or something is as good as taken.
	beside bool
}

func (c *cast) newFreeReader() *freeReader {
	return &freeReader{cast: c, page: -1, pages: make([][]int64, len(c.p.Needs)), beside: len(c.gifts)+len(c.held) > 0}
}

// read finds what a node has free of each resource beside what is as good as taken, once those are gone who count as gone, and its flags.
func (f *freeReader) read(into []int64, id int32) snapshot.NodeFlags {
	if f.page != id/cow.PageSize {
		f.turn(id / cow.PageSize)
	}
	at := id % cow.PageSize
	for i, page := range f.pages {
		into[i] = page[at]
	}
	if f.beside {
		gift, held := f.cast.gifts[id].Amounts, f.cast.held[id].Amounts
		for i, n := range f.cast.p.Needs {
			if n.ID < 0 || into[i] == snapshot.Boundless {
				continue
			}
			if gift != nil {
				into[i] += gift[n.ID]
			}
			if held != nil {
				into[i] -= held[n.ID]
			}
		}
	}
	return f.flags[at]
}

// turn turns to a page.
func (f *freeReader) turn(page int32) {
	f.page = page
	f.flags = f.cast.p.Snapshot.Static.Flags.Page(int(page))
	for i, n := range f.cast.p.Needs {
		if n.ID >= 0 {
			f.pages[i] = f.cast.p.Snapshot.Free[n.ID].Page(int(page))
		} else {
			f.pages[i] = noAmounts[:]
		}
	}
}

// noAmounts is a page of what no node has.
var noAmounts [cow.PageSize]int64

// domain finds the class of a domain, those of its children being known. Nodes outside the tree do not count at the root.
func (m *terrainMaker) domain(x layout.Vertex) {
	lo, end := m.cast.p.View.Kids(x)
	if x == layout.Root {
		end = m.cast.p.View.Outside
	}
	m.begin(x)
	m.terrain.of[x] = int32(len(m.terrain.nodes)) + m.terrain.kids.Of(m.key, m.countKids(m.terrain.of[lo:end]))
	if int(m.terrain.of[x]) == len(m.terrain.classes) {
		m.terrain.classes = append(m.terrain.classes, x)
	}
}

// countKids lists classes with numbers, as kidsOf does. The slice is good until the next call.
func (m *terrainMaker) countKids(of []int32) []int64 {
	m.list = m.list[:0]
	for _, class := range of {
		if m.at[class] == 0 {
			m.list = append(m.list, int64(class)<<32)
			m.at[class] = int32(len(m.list))
		}
		m.list[m.at[class]-1]++
	}
	for _, kid := range m.list {
		m.at[kid>>32] = 0
	}
	slices.Sort(m.list)
	return m.list
}
