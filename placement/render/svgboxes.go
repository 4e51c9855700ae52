package render

import (
	"fmt"
	"strings"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// box is a domain of a picture, or several without a part in the plan. It has boxes, nodes or a bar in it; a bar beside
// nodes stands for the others of the domain.
type box struct {
	name, path string
	kids       []*box
	nodes      []string
	bar        *counts
	home       bool // the domain that holds the gang
	lane       bool // some of its nodes have victims
	x, y, w, h int
}

// counts are what the nodes of a bar hold together.
type counts struct {
	nodes   int
	cell    cell
	victims int
}

// mostOfANode keeps sums over nodes within their type.
const mostOfANode = 1 << 40

func (t *counts) add(c *cell) {
	t.nodes++
	t.victims += c.victims
	t.cell.own += c.own
	t.cell.assigned = append(t.cell.assigned, c.assigned...)
	for _, n := range []struct {
		to   *int64
		from int64
	}{
		{&t.cell.free, c.free},
		{&t.cell.leaving, c.leaving},
		{&t.cell.left, c.left},
		{&t.cell.held, c.held},
		{&t.cell.out, c.out},
	} {
		*n.to += min(n.from, mostOfANode)
	}
}

// room is how much one panel may draw.
type room struct{ cells, bars int }

// chooser decides what is drawn as boxes, cells and bars. A cluster that the room does not hold is drawn down to the deepest
// layer whose domains it holds as bars; below it, the way to nodes that the plan touches is open as far as there is room for cells,
// and what lies beside the way is one bar for each run of siblings.
type chooser struct {
	d     *drawing
	room  room
	whole bool
	depth int                        // of the domains that are bars
	most  int                        // siblings of that layer in one bar
	open  map[topology.DomainID]bool // those with a part in the plan
	home  topology.DomainID
}

// boxes are the outermost boxes of the drawing.
func (d *drawing) boxes(res *placement.Result, r room) []*box {
	c := &chooser{d: d, room: r, most: 1, open: map[topology.DomainID]bool{}, home: topology.NoDomain}
	c.whole = len(d.order) <= r.cells && d.tree.Len() <= 4*r.cells
	if res != nil && len(res.Domain) > 0 {
		c.home, _ = d.tree.Find(res.Domain...)
	}
	outside := d.outside()
	var all []*box
	if d.tree.NumNodes() > 0 && !c.whole {
		c.deepen()
		c.openTouched()
	}
	switch first, last := d.tree.Children(topology.Root); {
	case first < last:
		all = c.siblings(first, last, 1)
	case d.tree.NumNodes() > 0:
		all = append(all, c.lowest("(nodes)", d.names(topology.Root)))
	}
	switch {
	case len(outside) > 0 && d.tree.NumNodes() > 0:
		all = append(all, c.lowest("(outside the tree)", outside))
	case len(outside) > 0:
		all = append(all, c.lowest("(nodes)", outside))
	}
	return all
}

// deepen finds the deepest layer whose domains, with those that end above it, are few enough for bars; or the one below, in runs.
func (c *chooser) deepen() {
	tree := c.d.tree
	depths := make([]int, tree.Len())
	var ends, domains []int // by depth: domains without children, all
	for id := topology.DomainID(0); int(id) < tree.Len(); id++ {
		if id != topology.Root {
			depths[id] = depths[tree.Parent(id)] + 1
		}
		if depths[id] == len(domains) { // level by level
			domains, ends = append(domains, 0), append(ends, 0)
		}
		domains[depths[id]]++
		if first, last := tree.Children(id); first == last {
			ends[depths[id]]++
		}
	}
	fits, above := 1, 0 // the root alone; domains that end above the layer
	for depth := 1; depth < len(domains); depth++ {
		above += ends[depth-1]
		next := above + domains[depth]
		if next > c.room.bars {
			if runs := c.room.bars/4 - fits; 8*fits <= c.room.bars && runs > 0 { // which say more than so few domains
				c.depth, c.most = depth, (next+runs-1)/runs
			}
			return
		}
		c.depth, fits = depth, next
	}
}

// openTouched opens the domains of the nodes that the plan touches, in the order of the tree, while there is room for cells.
func (c *chooser) openTouched() {
	tree, left := c.d.tree, c.room.cells
	for first, last := tree.Nodes(topology.Root); first < last; first++ {
		if !c.d.cells[tree.NodeName(first)].touched {
			continue
		}
		leaf := tree.Leaf(first)
		if c.open[leaf] {
			continue
		}
		from, to := tree.Nodes(leaf)
		cost := int(to - from)
		if cost > drawnWhole {
			cost = 0
			for _, name := range c.d.names(leaf) {
				if c.d.cells[name].touched {
					cost++
				}
			}
		}
		if cost > left {
			continue
		}
		left -= cost
		for id := leaf; id != topology.NoDomain && !c.open[id]; id = tree.Parent(id) {
			c.open[id] = true
		}
	}
}

// siblings are the boxes of an interval of domains.
func (c *chooser) siblings(first, last topology.DomainID, depth int) []*box {
	var all []*box
	most := 1 // domains in one bar
	switch {
	case depth > c.depth:
		most = int(last - first)
	case depth == c.depth:
		n := int(last - first)
		runs := (n + c.most - 1) / c.most
		most = (n + runs - 1) / max(1, runs) // runs of one size, or almost
	}
	for id := first; id < last; {
		if b := c.boxOf(id, depth); b != nil {
			all, id = append(all, b), id+1
			continue
		}
		end := id + 1
		for end < last && int(end-id) < most && !c.open[end] {
			end++
		}
		all, id = append(all, c.barOf(id, end)), end
	}
	return all
}

// boxOf draws a domain with what is in it, nil if it is a bar.
func (c *chooser) boxOf(id topology.DomainID, depth int) *box {
	first, last := c.d.tree.Children(id)
	if !c.whole && !c.open[id] && (depth >= c.depth || first == last) {
		return nil
	}
	name := c.d.tree.Name(id)
	// A domain inside a box of nothing else is named beside it, and below the deepest box all nodes are in one.
	for last-first == 1 && id != c.home && (c.whole || c.open[first]) {
		id, depth = first, depth+1
		name += " / " + c.d.tree.Name(id)
		first, last = c.d.tree.Children(id)
	}
	var b *box
	if first == last || depth >= deepestBox {
		b = c.lowest(name, c.d.names(id))
	} else {
		b = &box{name: name, kids: c.siblings(first, last, depth+1)}
	}
	b.name = clip(b.name, maxName)
	b.path, b.home = strings.Join(c.d.tree.Path(id), "/"), id == c.home
	return b
}

// deepestBox is how many boxes may be inside each other.
const deepestBox = 6

// barOf draws a run of domains as one bar.
func (c *chooser) barOf(id, end topology.DomainID) *box {
	b := &box{name: clip(c.d.tree.Name(id), maxName), path: strings.Join(c.d.tree.Path(id), "/"), bar: &counts{}}
	if end > id+1 {
		b.name = clip(through(c.d.tree.Name(id), c.d.tree.Name(end-1)), maxName)
		b.path = fmt.Sprintf("%s (%d domains)", through(b.path, c.d.tree.Name(end-1)), end-id)
	}
	for ; id < end; id++ {
		b.home = b.home || id == c.home
		for _, name := range c.d.names(id) {
			node := c.d.cells[name]
			b.bar.add(&node)
		}
	}
	return b
}

// lowest draws nodes as cells where there is room for all, else those that the plan touches and a bar for the rest.
func (c *chooser) lowest(name string, nodes []string) *box {
	b := &box{name: name, path: name}
	if c.whole {
		b.nodes = nodes
		return b
	}
	all := len(nodes) <= drawnWhole
	for _, node := range nodes {
		cell := c.d.cells[node]
		if c.room.cells > 0 && (all || cell.touched) {
			c.room.cells--
			b.nodes = append(b.nodes, node)
			continue
		}
		if b.bar == nil {
			b.bar = &counts{}
		}
		b.bar.add(&cell)
	}
	return b
}
