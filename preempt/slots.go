// Slots: how many units fit on a node, with and without candidates. Shape limits beyond amounts, such as zones, come in
// through Problem.Slots.

package preempt

import "math"

// capacity counts the units that fit on a node with so much free.
type capacity struct {
	units   int64
	request []int64
	ask     func(position int32, gone []int32) int64 // Problem.Slots
	asked   int                                      // how often that was asked, and for how many
}

// slots is how many units fit on a node, at most as many as are to be placed.
func (c *capacity) slots(node int32, free []int64, gone []int32) int64 {
	if c.ask != nil {
		c.asked += 2 + len(gone)
		return max(0, min(c.units, c.ask(node, gone)))
	}
	n := c.units
	for r, want := range c.request {
		switch {
		case want == 0:
		case free[r] < want:
			return 0
		default:
			n = min(n, free[r]/want)
		}
	}
	return n
}

// gain is how many more slots amounts can make at most, whatever else is free.
func (c *capacity) gain(amounts []int64) (n int64) {
	if c.ask != nil {
		return c.units
	}
	for r, want := range c.request {
		if want > 0 {
			n = max(n, (amounts[r]-1)/want+1)
		}
	}
	return n
}

// addTo adds amounts up; a sum that would overflow stops at the largest amount.
func addTo(sum, amounts []int64) {
	for r, a := range amounts {
		if sum[r] += a; a > 0 && sum[r] < a+math.MinInt64 {
			sum[r] = math.MaxInt64
		}
	}
}

// nodes says what nodes have free once candidates are gone. It writes its buffer alone.
type nodes struct {
	model    *model
	capacity capacity
	buffer   []int64
}

func newNodes(m *model) nodes {
	p := m.problem
	return nodes{model: m, capacity: capacity{units: p.Units, request: p.Request, ask: p.Slots}}
}

// freeWithout is what a node has free once some of its candidates are gone, and who these are if Problem.Slots asks.
// Nil if the node takes no unit. The slice is valid until the next call.
func (n *nodes) freeWithout(node int32, isGone func(i int32) bool) (free []int64, gone []int32) {
	of := &n.model.problem.Nodes[node]
	if of.Free == nil {
		return nil, nil
	}
	free = append(n.buffer[:0], of.Free...)
	n.buffer = free
	for i, end := n.model.on(node); i < end; i++ {
		if !isGone(i) {
			continue
		}
		addTo(free, n.model.holding(i).Amounts)
		if n.capacity.ask != nil {
			gone = append(gone, i)
		}
	}
	return free, gone
}

// slotsWithout is how many units fit on a node once some of its candidates are gone.
func (n *nodes) slotsWithout(node int32, isGone func(i int32) bool) int64 {
	free, gone := n.freeWithout(node, isGone)
	if free == nil {
		return 0
	}
	return n.capacity.slots(node, free, gone)
}

// slotTable keeps the slots of all nodes for one ceiling: the highest priority of a gang that a candidate may be of. It
// writes its own lists.
type slotTable struct {
	nodes *nodes
	// classOf is the node of each position where nodes stand for classes of equal positions, -1 for none. Nil: every
	// position is a node of its own.
	classOf []int32
	byPos   []int64 // by position: slots once all candidates up to the ceiling are gone
	byNode  []int64 // the same by node
	free    []int64 // by node: slots with all candidates in place
	gains   []int64 // by node: how many slots one candidate up to the ceiling makes at most
	gainOf  []int64 // by holding: how many slots it makes at most
}

func newSlotTable(n *nodes, classOf []int32) slotTable { return slotTable{nodes: n, classOf: classOf} }

// allocate makes the lists, in one piece, and finds what does not depend on the ceiling.
func (t *slotTable) allocate() {
	m := t.nodes.model
	n := len(m.problem.Nodes)
	list := make([]int64, 3*n+len(t.classOf))
	t.byNode, t.free, t.gains, t.byPos = list[:n:n], list[n:2*n:2*n], list[2*n:3*n:3*n], list[3*n:]
	if t.classOf == nil {
		t.byPos = t.byNode
	}
	t.gainOf = make([]int64, len(m.problem.Holdings))
	for h := range m.problem.Holdings {
		t.gainOf[h] = t.nodes.capacity.gain(m.problem.Holdings[h].Amounts)
	}
}

// count fills the table for a ceiling. O(positions + candidates).
func (t *slotTable) count(ceiling int64) {
	if t.gainOf == nil {
		t.allocate()
	}
	for node := range int32(len(t.byNode)) {
		t.byNode[node] = t.countOn(node, ceiling)
	}
	for pos, class := range t.classOf {
		if t.byPos[pos] = 0; class >= 0 {
			t.byPos[pos] = t.byNode[class]
		}
	}
}

// countOn finds the slots of a node without its candidates up to the ceiling, and notes those with them.
func (t *slotTable) countOn(node int32, ceiling int64) int64 {
	m := t.nodes.model
	of := &m.problem.Nodes[node]
	if of.Free == nil {
		return 0
	}
	t.free[node] = t.nodes.capacity.slots(node, of.Free, nil)
	free, gone, gain := append(t.nodes.buffer[:0], of.Free...), []int32(nil), int64(0)
	t.nodes.buffer = free
	for i, end := m.on(node); i < end; i++ {
		if m.priority[i] > ceiling {
			continue
		}
		h := m.problem.Candidates[i].Holding
		addTo(free, m.problem.Holdings[h].Amounts)
		if gain = max(gain, t.gainOf[h]); t.nodes.capacity.ask != nil {
			gone = append(gone, i)
		}
	}
	t.gains[node] = gain
	return t.nodes.capacity.slots(node, free, gone)
}

// node is the node of a position, or the class that stands for it.
func (t *slotTable) node(pos int32) int32 {
	if t.classOf == nil {
		return pos
	}
	return t.classOf[pos]
}

// fewest is how many candidates at least must leave for so many slots within an interval: the slots that are lacking,
// by the most that one candidate makes there.
func (t *slotTable) fewest(units int64, lo, end int32) int64 {
	var free, gain int64
	for pos := lo; pos < end; pos++ {
		if t.byPos[pos] == 0 {
			continue
		}
		node := t.node(pos)
		free += t.free[node]
		gain = max(gain, t.gains[node])
	}
	if lack := units - free; lack > 0 && gain > 0 {
		return (lack + gain - 1) / gain
	}
	return 0
}
