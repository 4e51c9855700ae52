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

// This file answers: which vertices are alike? Fronts are found once for each class of vertices, not for each vertex.

// vertexClasses are the classes of vertices that can change places: any vector fits in all vertices of a class or in
// none, under any strategy. Classes depend on the roles and the whole demand alone, so that all selections and
// strategies share them.
//
// Node classes have the lowest numbers, and every class a higher number than the classes of its children.
type vertexClasses struct {
	of       []int32          // by vertex: its class
	first    []layout.Vertex  // by class: the vertex found first, which stands for all
	nodes    []nodeClass      // by class of nodes
	children *sets.ClassTable // by class of domains, counted from 0
	// inexact: the zone front of some node may lack vectors.
	inexact bool
	relaxed *vertexClasses // the classes of a relaxed search; nil: not made yet
	demand  []int64        // amounts that all new members ask for, by need
}

// nodeClass is a class of nodes. A node with running members of the gang is alone in its class, for it may be the
// home of a group.
type nodeClass struct {
	free []int64 // by need, capped at the demand
	open []bool  // by role: whether the nodes take its members, amounts and zones apart
	// zones is the front that the zones take, by role; nil: they do not bind.
	zones front.Front
}

// childrenOf lists the children of a class of domains: class number << 32 | number of such children, ascending.
func (c *vertexClasses) childrenOf(class int32) []int64 {
	_, children := c.children.At(class - int32(len(c.nodes)))
	return children
}

// classFinder finds the classes bottom up: a key for each node, then for each domain a key and the multiset of its
// children's classes.
type classFinder struct {
	search     *search
	classes    vertexClasses
	key        []int64 // of the current vertex: equal keys, equal class
	list       []int64 // scratch of countChildren
	at         []int32 // by class: index in list + 1; 0: absent
	plain      []bool  // by role: every unmarked node takes its members
	open       []bool  // by role: whether the current node takes its members
	zoneFronts zoneFronts
	steps      int // left for zone fronts; 0 or less: none
}

// totalDemand is the demand of all new members, by need. A node with more free than this takes no more of them than
// one with just that, so that free amounts are capped here: nodes with much room are alike.
func (s *search) totalDemand() []int64 {
	demand := make([]int64, len(s.p.Needs))
	for i := range s.p.Needs {
		for role, n := range s.totals[:len(s.roles)] {
			demand[i] += int64(n) * s.asks[role][i]
		}
	}
	return demand
}

// newVertexClasses classifies all vertices, nodes first: a domain is known by the classes of its children.
// O(nodes * (resources + roles) + domains * log), and the search for zone fronts.
func (s *search) newVertexClasses(demand []int64) *vertexClasses {
	f := classFinder{search: s, classes: vertexClasses{demand: demand}, steps: problem.AllZoneSteps}
	f.classes.of = make([]int32, s.p.View.NumDomains()+int(s.p.View.Nodes))
	f.findNodes()
	f.findDomains()
	return &f.classes
}

// findDomains classifies the domains, children before parents, once all nodes have classes.
func (f *classFinder) findDomains() {
	n := f.search.p.View.NumDomains()
	f.classes.first = slices.Grow(f.classes.first, n)
	f.classes.children = sets.NewClassTable(2)
	f.classes.children.Reserve(n, min(len(f.classes.of), 8*n))
	f.at = make([]int32, len(f.classes.first)+n)
	for x := layout.Vertex(n) - 1; x >= 0; x-- { // parents have lower ids than their children
		f.findDomain(x)
	}
}

// beginKey starts the key of a vertex with its tier and its parent's, which decide the groups made there. A vertex
// with running members of the gang below gets a mark of its own, and so is alone in its class: it may be the home of
// a group.
func (f *classFinder) beginKey(x layout.Vertex) {
	tiers, mark := int64(f.search.p.View.TierOf(x)), int64(0)
	if up := f.search.p.View.Above(x); up >= 0 {
		tiers |= int64(f.search.p.View.TierOf(up)+1) << 32
	}
	if len(f.search.p.Siblings) > 0 && f.search.p.Siblings.At(x) > 0 {
		mark = int64(x) + 1
	}
	f.key = append(f.key[:0], tiers, mark)
}

// findNodes classifies the nodes by free amounts (capped at the demand) and by key: tiers, whether they lie outside
// the tree, the roles they are open to, and what their zones take. Unmarked neighbours in one leaf have the same key
// unless something tells single nodes apart, so that it is rarely computed.
func (f *classFinder) findNodes() {
	excluded, hard, end := f.search.p.Slots().Excluded(), f.search.p.Hard(), f.search.p.View.FirstPos[f.search.p.View.Outside]
	f.open = make([]bool, len(f.search.roles))
	for _, one := range f.search.roles {
		f.plain = append(f.plain, !one.Slots().Selective() && f.search.p.Request.Eligible == nil)
	}
	reader, zonesBind := f.search.newFreeReader(), f.search.p.Zones().Bind()
	// Zones, excluded nodes, running members and selective roles tell unmarked neighbours apart.
	alike := !zonesBind && len(excluded)+len(f.search.p.Siblings) == 0 && !slices.Contains(f.plain, false)
	key := make([]int64, 1+len(f.search.p.Needs)) // the number of the node's key, then free amounts
	known, keys, last := sets.NewClassTable(len(key)), sets.NewClassTable(0), layout.Vertex(-1)
	var zones front.Front
	for pos := range f.search.p.View.Nodes {
		id, x, free := f.search.p.View.Node(pos), f.search.p.View.NodeVertex(pos), key[1:]
		flags := reader.read(free, id)
		for i, most := range f.classes.demand {
			free[i] = min(free[i], most)
		}
		usual, leaf := flags&^snapshot.Zoned == snapshot.Present, f.search.p.View.LeafOf[pos]
		if !usual || leaf != last { // else the key of the node before holds
			status := asked
			switch {
			case len(excluded) > 0 && excluded[id] || hard && pos >= end:
				status = closed
			case usual:
				status = unmarked
			}
			f.beginKey(x)
			// Nodes outside the tree are a class of their own, since domains there hold a gang by other rules.
			f.key = append(f.key, int64(problem.Bit(pos >= end)))
			f.readOpen(id, status)
			if zonesBind {
				zones = f.zonesOf(id, status)
			}
			// The whole key is numbered once, so that the table of classes compares one number in place of it.
			key[0] = int64(keys.Of(nil, f.key))
			if last = -1; usual && alike {
				last = leaf
			}
		}
		if f.classes.of[x] = known.Of(key, nil); int(f.classes.of[x]) == len(f.classes.nodes) {
			f.classes.first = append(f.classes.first, x)
			f.classes.nodes = append(f.classes.nodes, nodeClass{free: slices.Clone(free), open: slices.Clone(f.open), zones: zones})
		}
	}
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
func (f *classFinder) readOpen(id int32, status nodeStatus) {
	for r, one := range f.search.roles {
		if r%64 == 0 {
			f.key = append(f.key, 0)
		}
		f.open[r] = status != closed && (status == unmarked && f.plain[r] || one.Slots().Refusal(id) == "")
		f.key[len(f.key)-1] |= int64(problem.Bit(f.open[r])) << (r % 64)
	}
}

// zonesOf is the front that the zones of a node take, which goes into the key; nil if zones do not bind or no member
// may come. Steps are shared by all nodes: once they are spent, fronts have fewer vectors than they could, and the
// classes are inexact.
func (f *classFinder) zonesOf(id int32, status nodeStatus) front.Front {
	reserved := f.search.reserved[id]
	state := reserved.Zones
	if state == nil {
		state = f.search.p.Zones().StateOf(id, f.search.released[id])
	}
	var fit *problem.ZoneFit
	if status != closed {
		fit = f.search.p.Zones().ZoneFit(id, state, &f.steps)
	}
	if fit == nil {
		f.key = append(f.key, 0)
		return nil
	}
	// The front is certainly complete if its largest vector has the bound of every role: all others are within that
	// one.
	zones := fit.Most
	f.classes.inexact = f.classes.inexact || !slices.Equal(zones[0], fit.Bound)
	switch {
	case f.search.relaxed:
		zones = front.Front{fit.Bound}
	case reserved.Zones != nil: // room now and room later, see problem.Reserved
		zones = zones.Meet(reserved.Beside)
		f.key = append(f.key, int64(f.zoneFronts.numberOf(zones))+1)
		return zones
	}
	f.key = append(f.key, int64(f.zoneFronts.of(fit, zones))+1)
	return zones
}

// findDomain classifies a domain whose children have classes: by its key, and by how many children of each class it
// has. The root's children leave out the nodes outside the tree, whose front splitOf adds where it counts.
// O(children * log).
func (f *classFinder) findDomain(x layout.Vertex) {
	lo, end := f.search.p.View.Kids(x)
	if x == layout.Root {
		end = f.search.p.View.Outside
	}
	f.beginKey(x)
	f.classes.of[x] = int32(len(f.classes.nodes)) + f.classes.children.Of(f.key, f.countChildren(f.classes.of[lo:end]))
	if int(f.classes.of[x]) == len(f.classes.first) {
		f.classes.first = append(f.classes.first, x)
	}
}

// countChildren lists classes with multiplicities, as childrenOf does: sorted, so that equal children give equal
// lists in any order. The slice is valid until the next call.
func (f *classFinder) countChildren(of []int32) []int64 {
	f.list = f.list[:0]
	for _, class := range of {
		if f.at[class] == 0 {
			f.list = append(f.list, int64(class)<<32)
			f.at[class] = int32(len(f.list))
		}
		f.list[f.at[class]-1]++
	}
	for _, child := range f.list {
		f.at[child>>32] = 0
	}
	slices.Sort(f.list)
	return f.list
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
	return &freeReader{search: s, page: -1, pages: make([][]int64, len(s.p.Needs)), beside: len(s.released)+len(s.reserved) > 0}
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
		for i, n := range r.search.p.Needs {
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
	for i, n := range r.search.p.Needs {
		if n.ID >= 0 {
			r.pages[i] = r.search.p.Snapshot.Free[n.ID].Page(int(page))
		} else {
			r.pages[i] = noAmounts[:]
		}
	}
}

// noAmounts is the page of a resource that no node has.
var noAmounts [cow.PageSize]int64
