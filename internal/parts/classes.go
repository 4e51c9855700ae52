package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/sets"
	"github.com/muster-sched/muster/internal/snapshot"
)

// This file answers: which vertices are alike? Fronts are found once for each class of vertices, not for each vertex.

// vertexClasses are the classes of vertices that can change places: any vector fits in all vertices of a class or in
// none, under any strategy. Classes depend on the roles and the whole demand alone, so that all selections and
// strategies share them.
//
// A vertex gets its class when it is asked for; a domain that nobody asks for is never looked into.
type vertexClasses struct {
	search *search       // whose roles and amounts they are of
	of     [][]int32     // by page of vertices: class + 1; 0, or no page: not found yet
	list   []vertexClass // by class
	demand []int64       // amounts that all new members ask for, by need
	// inexact: the zone front of some node may lack vectors.
	inexact bool
	relaxed *vertexClasses // the classes of a relaxed search; nil: not made yet
	whole   *wholeClasses  // nil: not asked for yet
	nodes   nodeClasses
	divided *dividedClasses // nil: of nodes, by what is free
	domains *sets.ClassTable
	byTable []int32 // by number in domains: class
	key     []int64 // of the current vertex: equal keys, equal class
	kids    []int64 // scratch of countChildren
	at      []int32 // by class: index in kids + 1; 0: absent
}

// vertexClass is a class of vertices.
type vertexClass struct {
	first layout.Vertex // the vertex found first, which stands for all
	node  *nodeClass    // nil: they are domains
	kids  []int64       // of domains: class of the child << 32 | number of such children, ascending
}

// nodeClass is a class of nodes. A node with running members of the gang is alone in its class, for it may be the
// home of a group.
type nodeClass struct {
	free []int64 // by need, capped at the demand
	open []bool  // by role: whether the nodes take its members, amounts and zones apart
	// zones is the front that the zones take, by role; nil: they do not bind.
	zones front.Front
}

// nodeClasses finds the classes of nodes: a number for the key of each, then for that number and what is free.
type nodeClasses struct {
	ready       bool
	reader      *freeReader
	excluded    map[int32]bool
	keys, known *sets.ClassTable
	byTable     []int32 // by number in known: class
	plain       []bool  // by role: every unmarked node takes its members
	alike       bool    // unmarked neighbours have the same key, if they lie in one domain
	alone       int32   // of the lowest tier in whose domains members must be alone; the root's: there is none
	open        []bool  // by role: whether the current node takes its members
	zoneFronts  zoneFronts
	steps       int // left for zone fronts; 0 or less: none
}

// vertexPage is the number of vertices on a page.
const vertexPage = 256

// totalDemand is the demand of all new members, by need. A node with more free than this takes no more of them than
// one with just that, so that free amounts are capped here: nodes with much room are alike.
func (s *search) totalDemand() []int64 {
	demand := make([]int64, len(s.p.Room.Needs))
	for i := range s.p.Room.Needs {
		for role, n := range s.totals[:len(s.roles)] {
			demand[i] += int64(n) * s.asks[role][i]
		}
	}
	return demand
}

// newVertexClasses knows no class yet. To find those of all vertices takes
// O(nodes * (resources + roles) + domains * log), and the search for zone fronts.
func (s *search) newVertexClasses(demand []int64) *vertexClasses {
	return &vertexClasses{
		search: s, demand: demand, of: make([][]int32, s.vertices()/vertexPage+1), domains: sets.NewClassTable(2),
		nodes: nodeClasses{steps: room.AllZoneSteps},
	}
}

// vertices is the number of domains and nodes.
func (s *search) vertices() int { return s.p.Model.View.NumDomains() + int(s.p.Model.View.Nodes) }

// Of is the class of a vertex. O(1) if it is known, else the cost of finding those of all vertices below it.
func (c *vertexClasses) Of(x layout.Vertex) int32 {
	if page := c.of[x/vertexPage]; page != nil && page[x%vertexPage] > 0 {
		return page[x%vertexPage] - 1
	}
	switch {
	case !c.search.p.Model.View.IsNode(x):
		c.findDomain(x)
	case c.divided != nil:
		c.divideNode(x)
	default:
		c.findNodes(c.search.p.Model.View.LeafOf[c.search.p.Model.View.Position(x)])
	}
	return c.of[x/vertexPage][x%vertexPage] - 1
}

// node is the class of a node.
func (c *vertexClasses) node(pos int32) *nodeClass {
	return c.list[c.Of(c.search.p.Model.View.NodeVertex(pos))].node
}

// enter notes the class of a vertex, by its number in one of the tables; a new one is described by make.
func (c *vertexClasses) enter(x layout.Vertex, byTable *[]int32, number int32, describe func() vertexClass) {
	if int(number) == len(*byTable) {
		*byTable = append(*byTable, int32(len(c.list)))
		c.list, c.at = append(c.list, describe()), append(c.at, 0)
	}
	page := &c.of[x/vertexPage]
	if *page == nil {
		*page = make([]int32, vertexPage)
	}
	(*page)[x%vertexPage] = (*byTable)[number] + 1
}

// beginKey starts the key of a vertex with its tier and its parent's, which decide the groups made there. A vertex
// with running members of the gang below gets a mark of its own, and so is alone in its class: it may be the home of
// a group.
func (c *vertexClasses) beginKey(x layout.Vertex) {
	v := c.search.p.Model.View
	tiers, mark := int64(v.TierOf(x)), int64(0)
	if up := v.Above(x); up >= 0 {
		tiers |= int64(v.TierOf(up)+1) << 32
	}
	if len(c.search.p.Model.Siblings) > 0 && c.search.p.Model.Siblings.At(x) > 0 {
		mark = int64(x) + 1
	}
	c.key = append(c.key[:0], tiers, mark)
}

// beginNodes makes the classes of nodes ready to be found.
func (c *vertexClasses) beginNodes() {
	n, s := &c.nodes, c.search
	n.ready, n.excluded, n.reader = true, s.p.Room.Slots().Excluded(), s.newFreeReader()
	n.keys, n.known, n.open = sets.NewClassTable(0), sets.NewClassTable(1+len(s.p.Room.Needs)), make([]bool, len(s.roles))
	// Zones, excluded nodes, running members and selective roles tell unmarked neighbours apart.
	n.alike, n.alone = !s.p.Room.Zones().Bind() && len(n.excluded)+len(s.p.Model.Siblings) == 0, s.p.Model.View.RootTop
	for _, one := range s.roles {
		open := !one.Room.Slots().Selective() && s.p.Request.Eligible == nil
		if n.alike = n.alike && open; one.Model.Limits.AreAlone() {
			n.alone = min(n.alone, one.Model.Limits.Alone)
		}
		n.plain = append(n.plain, open && !one.Model.Limits.AreAlone())
	}
}

// findNodes classifies the nodes right below a domain by free amounts (capped at the demand) and by key: tiers, whether
// they lie outside the tree, the roles they are open to, and what their zones take. Unmarked neighbours have the same key
// unless something tells single nodes apart, so that it is rarely computed.
func (c *vertexClasses) findNodes(leaf layout.Vertex) {
	if !c.nodes.ready {
		c.beginNodes()
	}
	n, v := &c.nodes, c.search.p.Model.View
	key := make([]int64, 1+len(c.search.p.Room.Needs)) // the number of the node's key, then free amounts
	free, known, zones := key[1:], false, front.Front(nil)
	for pos := v.First(leaf); pos < v.EndOf(leaf); pos++ {
		id := v.Node(pos)
		flags := n.reader.read(free, id)
		for i, most := range c.demand {
			free[i] = min(free[i], most)
		}
		if usual := flags&^snapshot.Zoned == snapshot.Present; !usual || !known { // else the key of the node before holds
			zones = c.readKey(pos, usual)
			// The whole key is numbered once, so that the table of classes compares one number in place of it.
			key[0] = int64(n.keys.Of(nil, c.key))
			known = usual && n.alike && v.TierOf(leaf) <= n.alone
		}
		x := v.NodeVertex(pos)
		c.enter(x, &n.byTable, n.known.Of(key, nil), func() vertexClass {
			return vertexClass{first: x, node: &nodeClass{free: slices.Clone(free), open: slices.Clone(n.open), zones: zones}}
		})
	}
}

// readKey makes the key of a node, and finds what its zones take. usual: it has no marks.
func (c *vertexClasses) readKey(pos int32, usual bool) (zones front.Front) {
	id, status, outside := c.search.p.Model.View.Node(pos), asked, pos >= c.search.p.Model.View.FirstPos[c.search.p.Model.View.Outside]
	switch {
	case len(c.nodes.excluded) > 0 && c.nodes.excluded[id] || outside && c.search.p.Model.Hard || c.search.broken:
		status = closed
	case usual:
		status = unmarked
	}
	c.beginKey(c.search.p.Model.View.NodeVertex(pos))
	// Nodes outside the tree are a class of their own, since domains there hold a gang by other rules.
	c.key = append(c.key, int64(room.Bit(outside)))
	c.readOpen(id, status)
	if c.search.p.Room.Zones().Bind() {
		return c.zonesOf(id, status)
	}
	return nil
}

// nodeStatus says how much must be asked to know the roles that a node is open to.
type nodeStatus int8

const (
	asked    nodeStatus = iota // each role asks whether the node refuses it
	unmarked                   // in service and without marks: open to every plain role
	closed                     // open to no role
)

// readOpen finds the roles that a node is open to, and adds them to the key, a bit each. O(roles), and for nodes that
// are asked the checks of Refusal.
func (c *vertexClasses) readOpen(id int32, status nodeStatus) {
	for r, one := range c.search.roles {
		if r%64 == 0 {
			c.key = append(c.key, 0)
		}
		c.nodes.open[r] = status != closed && (status == unmarked && c.nodes.plain[r] || one.Room.Slots().Refusal(id) == "")
		c.key[len(c.key)-1] |= int64(room.Bit(c.nodes.open[r])) << (r % 64)
	}
}

// zonesOf is the front that the zones of a node take, which goes into the key; nil if zones do not bind or no member
// may come. Steps are shared by all nodes: once they are spent, fronts have fewer vectors than they could, and the
// classes are inexact.
func (c *vertexClasses) zonesOf(id int32, status nodeStatus) front.Front {
	reserved := c.search.reserved[id]
	state := reserved.Zones
	if state == nil {
		state = c.search.p.Room.Zones().StateOf(id, c.search.released[id])
	}
	var fit *room.ZoneFit
	if status != closed {
		fit = c.search.p.Room.Zones().ZoneFit(id, state, &c.nodes.steps)
	}
	if fit == nil {
		c.key = append(c.key, 0)
		return nil
	}
	// The front is certainly complete if its largest vector has the bound of every role: all others are within that
	// one.
	zones := fit.Most
	c.inexact = c.inexact || !slices.Equal(zones[0], fit.Bound)
	switch {
	case c.search.relaxed:
		zones = front.Front{fit.Bound}
	case reserved.Zones != nil: // room now and room later, see problem.Reserved
		zones = zones.Meet(reserved.Beside)
		c.key = append(c.key, int64(c.nodes.zoneFronts.numberOf(zones))+1)
		return zones
	}
	c.key = append(c.key, int64(c.nodes.zoneFronts.of(fit, zones))+1)
	return zones
}

// findDomain classifies a domain by its key, and by how many children of each class it has. The root's children leave
// out the nodes outside the tree, whose front splitOf adds where it counts. O(children * log), and what the children
// cost.
func (c *vertexClasses) findDomain(x layout.Vertex) {
	lo, end := c.search.p.Model.View.Kids(x)
	if x == layout.Root {
		end = c.search.p.Model.View.Outside
	}
	for child := lo; child < end; child++ {
		c.Of(child)
	}
	c.beginKey(x)
	number := c.domains.Of(c.key, c.countChildren(lo, end))
	c.enter(x, &c.byTable, number, func() vertexClass {
		_, kids := c.domains.At(number)
		return vertexClass{first: x, kids: kids}
	})
}

// countChildren lists the classes of children, which are known, with multiplicities: sorted, so that equal children give
// equal lists in any order. The slice is valid until the next call.
func (c *vertexClasses) countChildren(lo, end layout.Vertex) []int64 {
	c.kids = c.kids[:0]
	for child := lo; child < end; child++ {
		class := c.Of(child)
		if c.at[class] == 0 {
			c.kids = append(c.kids, int64(class)<<32)
			c.at[class] = int32(len(c.kids))
		}
		c.kids[c.at[class]-1]++
	}
	for _, child := range c.kids {
		c.at[child>>32] = 0
	}
	slices.Sort(c.kids)
	return c.kids
}

// freeReader answers: how much is free on a node for this search? It reads free amounts and flags of nodes page by
// page, so that neighbours share the look-up of their pages.
type freeReader struct {
	search *search
	page   int32     // -1: none yet
	pages  [][]int64 // by need
	flags  []snapshot.NodeFlags
	// beside: some amounts are released or reserved.
	beside bool
}

// newFreeReader reads from the first node on.
func (s *search) newFreeReader() *freeReader {
	return &freeReader{search: s, page: -1, pages: make([][]int64, len(s.p.Room.Needs)), beside: len(s.released)+len(s.reserved) > 0}
}

// read fills in the free amounts of a node, with released amounts and without reserved ones, and returns its flags.
func (r *freeReader) read(into []int64, id int32) snapshot.NodeFlags {
	if r.page != id/cow.PageSize {
		r.turnTo(id / cow.PageSize)
	}
	at := id % cow.PageSize
	for i, page := range r.pages {
		into[i] = page[at]
	}
	if r.beside {
		released, reserved := r.search.released[id].Amounts, r.search.reserved[id].Amounts
		for i, n := range r.search.p.Room.Needs {
			if n.ID < 0 || into[i] == snapshot.Boundless {
				continue
			}
			if released != nil {
				into[i] += released[n.ID]
			}
			if reserved != nil {
				into[i] -= reserved[n.ID]
			}
		}
	}
	return r.flags[at]
}

// turnTo finds the page of each need.
func (r *freeReader) turnTo(page int32) {
	r.page = page
	r.flags = r.search.p.Snapshot.Static.Flags.Page(int(page))
	for i, n := range r.search.p.Room.Needs {
		if n.ID >= 0 {
			r.pages[i] = r.search.p.Snapshot.Free[n.ID].Page(int(page))
		} else {
			r.pages[i] = noAmounts[:]
		}
	}
}

// noAmounts is the page of a resource that no node has.
var noAmounts [cow.PageSize]int64
