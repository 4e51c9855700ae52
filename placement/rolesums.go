package placement

import (
	"encoding/binary"
	"slices"
)

// cast is a gang whose members are of several roles on the nodes of a snapshot: what fits at every vertex.
type cast struct {
	*problem
	roles  []*problem
	slots  slotTable  // of the first role
	fits   []frontier // by vertex; the root's is without the nodes outside the tree
	forgot []bool     // by vertex: some counts are missing there or below
	folder *folder
	// held is what new members take that are placed already.
	held  map[int32][]int64
	gifts map[int32]gift
	asks  [][]int64 // by role, as the problem's needs
	known map[string]frontier
	rough map[string]bool // frontiers of nodes that lack some counts
}

// newCast finds what fits at every vertex. held, by node and resource, is as good as taken. O(nodes * roles * resources + vectors), the vectors of a
// vertex being bounded.
func (p *problem) newCast(held map[int32][]int64) *cast {
	c := &cast{problem: p, held: held, gifts: p.leavingGifts(), known: map[string]frontier{}, rough: map[string]bool{}}
	c.readRoles()
	c.slots = c.slotsBeside(held)
	c.folder = newFolder(p.wanted(len(p.pending)))
	n := p.v.numDomains()
	c.fits, c.forgot = make([]frontier, n+int(p.v.nodes)), make([]bool, n+int(p.v.nodes))
	c.sumNodes()
	for x := vertex(n) - 1; x >= 0; x-- {
		c.sumChildren(x)
	}
	return c
}

// slotsBeside are the slots of the first role beside what is as good as taken.
func (c *cast) slotsBeside(held map[int32][]int64) slotTable {
	first := c.roles[0]
	if len(held) == 0 {
		return first.slotTable()
	}
	slots := first.countSlots()
	for id, amounts := range held {
		left := make([]int64, len(amounts))
		for r, amount := range amounts {
			left[r] = -amount
		}
		x := c.v.nodeVertex(c.v.at(id))
		slots[x] = min(slots[x], first.room(id, left))
	}
	first.sumSlots(slots)
	return slotTable{flat: slots}
}

// readRoles finds what the members of each role ask for.
func (c *cast) readRoles() {
	c.roles = c.ofRoles()
	for r := range c.shapes {
		ask := make([]int64, len(c.needs))
		for i, n := range c.needs {
			ask[i] = c.shapes[r].Resources[n.name]
		}
		c.asks = append(c.asks, ask)
	}
}

// wanted counts the first n pending members by role.
func (p *problem) wanted(n int) counts {
	want := make(counts, len(p.shapes))
	for _, r := range p.roleOf[:n] {
		want[r]++
	}
	return want
}

// sumChildren adds up what fits below the children, the last ones first: so does fill. Nodes outside the tree do not count at the root.
func (c *cast) sumChildren(x vertex) {
	lo, end := c.v.kids(x)
	if x == rootVertex {
		end = c.v.outside
	}
	sum := c.folder.none
	for kid := end - 1; kid >= lo; kid-- {
		sum = c.folder.sum(c.fits[kid], sum)
		c.forgot[x] = c.forgot[x] || c.forgot[kid] || c.folder.forgot
	}
	c.fits[x] = sum
}

// sumNodes finds what fits on every node.
func (c *cast) sumNodes() {
	excluded, hard := c.excluded(), c.hard()
	free, open, key := make([]int64, len(c.needs)), make([]bool, len(c.roles)), []byte(nil)
	for pos := range c.v.nodes {
		id, x := c.v.node(pos), c.v.nodeVertex(pos)
		c.fits[x] = c.folder.none
		if excluded[id] || hard && pos >= c.v.firstPos[c.v.outside] {
			continue
		}
		key = key[:0]
		for i, n := range c.needs {
			free[i] = c.freeOf(id, n, c.gifts[id].amounts)
			if held := c.held[id]; held != nil && n.id >= 0 && free[i] != boundless {
				free[i] -= held[n.id]
			}
			key = binary.LittleEndian.AppendUint64(key, uint64(free[i]))
		}
		for r, one := range c.roles {
			if open[r] = one.refusal(id) == ""; open[r] {
				key = append(key, byte(r))
			}
		}
		f, ok := c.known[string(key)]
		if !ok {
			f, c.rough[string(key)] = c.onNode(free, open)
			c.known[string(key)] = f
		}
		c.fits[x], c.forgot[x] = f, c.rough[string(key)]
	}
}

// onNode finds what fits into what is free on a node for the roles that it is open to. Where the table has no room for all combinations, the larger
// numbers are forgotten.
func (c *cast) onNode(free []int64, open []bool) (f frontier, forgot bool) {
	e := nodeCounts{cast: c, open: open, at: make(counts, len(c.roles)), sides: make(counts, len(c.roles))}
	for r := range c.roles {
		e.sides[r] = e.room(r, free)
	}
	for !c.folder.begin(e.sides) {
		widest := -1
		for r, n := range e.sides {
			if r != c.folder.main && (widest < 0 || n > e.sides[widest]) {
				widest = r
			}
		}
		e.sides[widest], forgot = e.sides[widest]/2, true
	}
	e.extend(0, slices.Clone(free))
	return c.folder.end(), forgot
}

// nodeCounts enumerates what fits on a node.
type nodeCounts struct {
	*cast
	open  []bool
	sides counts // no more of a role
	at    counts
}

// room is how many members of a role fit into what is free, at most the gang's.
func (e *nodeCounts) room(role int, free []int64) int32 {
	room := int64(e.folder.most[role])
	for i, ask := range e.asks[role] {
		if ask > 0 {
			room = min(room, max(0, free[i])/ask)
		}
	}
	if !e.open[role] {
		return 0
	}
	return int32(room)
}

// extend puts every number of members of the roles from one on into what is free; of the main role, last, as many as fit.
func (e *nodeCounts) extend(role int, free []int64) {
	if role == len(e.at) {
		e.at[e.folder.main] = e.room(e.folder.main, free)
		e.folder.put(e.at, e.folder.none[0])
		return
	}
	if role == e.folder.main {
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
