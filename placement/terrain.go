package placement

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// terrain says which vertices are alike for members of several roles: the same fits there, however the gang is made of them.
type terrain struct {
	of []int32 // the class of each vertex
	// classes are those of nodes first; children have lower numbers than what they are in.
	classes []ground
}

// ground are vertices that are alike. One that running members of the gang are below is alone in its class.
type ground struct {
	at   vertex // the first of them
	kids []classCount
	free []int64 // of nodes, by need
	open []bool  // of nodes, by role
}

// classCount is a number of children of a class.
type classCount struct {
	class, n int32
}

// terrainMaker finds the classes.
type terrainMaker struct {
	*cast
	terrain
	known  map[string]int32
	key    []byte
	demand []int64 // of the gang, by need: more is as good
	last   [4]struct {
		key   []byte
		class int32
	}
	next int
	kids []classCount // see countKids
	at   []int32      // by class: the place in kids, from 1 on; 0: it has none
}

// newTerrain finds the classes. O(nodes * (resources + roles) + domains * log).
func (c *cast) newTerrain() *terrain {
	m := terrainMaker{cast: c, known: map[string]int32{}}
	m.demand = make([]int64, len(c.needs))
	for i := range c.needs {
		for role, n := range c.most[:len(c.roles)] {
			m.demand[i] += int64(n) * c.asks[role][i]
		}
	}
	n := c.v.numDomains()
	m.of = make([]int32, n+int(c.v.nodes))
	m.nodes()
	for x := vertex(n) - 1; x >= 0; x-- {
		m.domain(x)
	}
	return &m.terrain
}

// add puts a vertex into the class of its key, a new one if need be.
func (m *terrainMaker) add(x vertex, create func() ground) {
	if m.siblings.at(x) > 0 {
		m.key = binary.LittleEndian.AppendUint32(append(m.key, 1), uint32(x))
	}
	for i := range m.last {
		if bytes.Equal(m.key, m.last[i].key) {
			m.of[x] = m.last[i].class
			return
		}
	}
	i, ok := m.known[string(m.key)]
	if !ok {
		i = int32(len(m.classes))
		m.known[string(m.key)] = i
		m.classes = append(m.classes, create())
	}
	m.of[x] = i
	l := &m.last[m.next]
	l.key, l.class, m.next = append(l.key[:0], m.key...), i, (m.next+1)%len(m.last)
}

// nodes reads what each node has free and which roles it is open to.
func (m *terrainMaker) nodes() {
	excluded, hard := m.excluded(), m.hard()
	free, open := make([]int64, len(m.needs)), make([]bool, len(m.roles))
	plain := make([]bool, len(m.roles)) // open to the role are all nodes that nothing is wrong with
	for r, one := range m.roles {
		plain[r] = !one.selective() && m.req.Eligible == nil
	}
	for pos := range m.v.nodes {
		id, x := m.v.node(pos), m.v.nodeVertex(pos)
		closed := excluded[id] || hard && pos >= m.v.firstPos[m.v.outside]
		m.key = append(m.nodeKey(m.key[:0], x), bit(pos >= m.v.firstPos[m.v.outside]))
		for i, n := range m.needs {
			free[i] = m.freeOf(id, n, m.gifts[id].amounts)
			if held := m.held[id]; held != nil && n.id >= 0 && free[i] != boundless {
				free[i] -= held[n.id]
			}
			free[i] = min(free[i], m.demand[i])
			m.key = binary.LittleEndian.AppendUint64(m.key, uint64(free[i]))
		}
		usual := m.c.flagsOf(id)&^zoned == present
		for r, one := range m.roles {
			open[r] = !closed && (usual && plain[r] || one.refusal(id) == "")
			m.key = append(m.key, bit(open[r]))
		}
		m.add(x, func() ground { return ground{at: x, free: slices.Clone(free), open: slices.Clone(open)} })
	}
}

// nodeKey begins the key of a vertex: tiers decide where groups are made.
func (m *terrainMaker) nodeKey(key []byte, x vertex) []byte {
	key = binary.LittleEndian.AppendUint32(key, uint32(m.v.tierOf(x)))
	up := m.v.above(x)
	if up < 0 {
		return append(key, 0xff, 0xff, 0xff, 0xff)
	}
	return binary.LittleEndian.AppendUint32(key, uint32(m.v.tierOf(up)))
}

// domain finds the class of a domain, those of its children being known. Nodes outside the tree do not count at the root.
func (m *terrainMaker) domain(x vertex) {
	lo, end := m.v.kids(x)
	if x == rootVertex {
		end = m.v.outside
	}
	kids := m.countKids(m.of[lo:end])
	m.key = m.nodeKey(m.key[:0], x)
	m.key = append(m.key, 0xfe) // no node has this
	for _, k := range kids {
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(k.class))
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(k.n))
	}
	m.add(x, func() ground { return ground{at: x, kids: slices.Clone(kids)} })
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
