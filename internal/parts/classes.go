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

// vertexClasses says which vertices are alike for members of several roles: the same fits there, however the gang is made of them.
type vertexClasses struct {
	of []int32 // the class of each vertex
	// first has the first vertex of each class. Those of nodes come first; children have lower numbers than what they are in.
	first    []layout.Vertex
	nodes    []nodeClass
	children *sets.ClassTable // of the other classes
	// inexact: the zones of some node may take more than was found.
	inexact bool
	relaxed *vertexClasses // nil: not asked for
	demand  []int64        // of the gang, by need: more is as good
}

// nodeClass are nodes that are alike. One that running members of the gang are on is alone in its class.
type nodeClass struct {
	free []int64 // by need
	open []bool  // by role
	// zones are the largest counts, by role, that the zones of nodes take; nil: they bind nobody.
	zones front.Front
}

// childrenOf lists the children of domains of a class, each number with a class in its upper half, in the order of these.
func (c *vertexClasses) childrenOf(class int32) []int64 {
	_, children := c.children.At(class - int32(len(c.nodes)))
	return children
}

// classFinder finds the classes.
type classFinder struct {
	search     *search
	classes    vertexClasses
	key        []int64
	list       []int64      // see countKids
	at         []int32      // by class: the place in list, from 1 on; 0: it has none
	plain      []bool       // by role: open to it are all nodes that nothing is wrong with
	open       []bool       // by role, of the node in hand
	zoneFronts sets.Vectors // numbers what zones take
	steps      int          // that are left to look at zones
}

// totalDemand is what all members ask for, by need.
func (s *search) totalDemand() []int64 {
	demand := make([]int64, len(s.p.Needs))
	for i := range s.p.Needs {
		for role, n := range s.totals[:len(s.roles)] {
			demand[i] += int64(n) * s.asks[role][i]
		}
	}
	return demand
}

// newVertexClasses finds the classes. O(nodes * (resources + roles) + domains * log).
func (s *search) newVertexClasses(demand []int64) *vertexClasses {
	f := classFinder{search: s, classes: vertexClasses{demand: demand}, steps: problem.AllZoneSteps}
	f.classes.of = make([]int32, s.p.View.NumDomains()+int(s.p.View.Nodes))
	f.findNodes()
	f.findDomains()
	return &f.classes
}

// findDomains finds the classes of all domains, those of nodes being known.
func (f *classFinder) findDomains() {
	n := f.search.p.View.NumDomains()
	f.classes.first = slices.Grow(f.classes.first, n)
	f.classes.children = sets.NewClassTable(2)
	f.classes.children.Reserve(n, min(len(f.classes.of), 8*n))
	f.at = make([]int32, len(f.classes.first)+n)
	for x := layout.Vertex(n) - 1; x >= 0; x-- {
		f.findDomain(x)
	}
}

// beginKey begins the key of a vertex: tiers decide where groups are made, and members that run set it apart.
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

// findNodes reads what each node has free and which roles it is open to.
func (f *classFinder) findNodes() {
	excluded, hard, end := f.search.p.Counting().Excluded(), f.search.p.Hard(), f.search.p.View.FirstPos[f.search.p.View.Outside]
	f.open = make([]bool, len(f.search.roles))
	for _, one := range f.search.roles {
		f.plain = append(f.plain, !one.Counting().Selective() && f.search.p.Request.Eligible == nil)
	}
	reader, zonesBind := f.search.newFreeReader(), f.search.p.Zones().Bind()
	alike := !zonesBind && len(excluded)+len(f.search.p.Siblings) == 0 && !slices.Contains(f.plain, false)
	key := make([]int64, 1+len(f.search.p.Needs)) // one number for all but what is free
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
			f.key = append(f.key, int64(problem.Bit(pos >= end)))
			f.readOpen(id, status)
			if zonesBind {
				zones = f.zonesOf(id, status)
			}
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

// nodeStatus
type nodeStatus int8

const (
	asked    nodeStatus = iota // each role asks whether the node refuses it
	unmarked                   // in service and without marks: open to every plain role
	closed                     // open to no role
)

// readOpen finds which roles a node is open to, which goes into its key; usual: nothing is wrong with it.
func (f *classFinder) readOpen(id int32, status nodeStatus) {
	for r, one := range f.search.roles {
		if r%64 == 0 {
			f.key = append(f.key, 0)
		}
		f.open[r] = status != closed && (status == unmarked && f.plain[r] || one.Counting().Refusal(id) == "")
		f.key[len(f.key)-1] |= int64(problem.Bit(f.open[r])) << (r % 64)
	}
}

// zonesOf is what the zones of a node take, which goes into its key; nil: they bind nobody, or nobody may come.
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
	zones := fit.Most
	f.classes.inexact = f.classes.inexact || !slices.Equal(zones[0], fit.Bound)
	switch {
	case f.search.relaxed:
		zones = front.Front{fit.Bound}
	case reserved.Zones != nil:
		zones = zones.Meet(reserved.Beside)
	}
	var all []int64
	for _, p := range zones {
		for _, n := range p {
			all = append(all, int64(n))
		}
	}
	f.key = append(f.key, int64(f.zoneFronts.Of(all))+1)
	return zones
}

// freeReader reads what nodes have free, and their flags, a page at a time.
type freeReader struct {
	search *search
	page   int32
	pages  [][]int64 // by need
	flags  []snapshot.NodeFlags
	// beside: on some nodes somebody counts as gone, or something is as good as taken.
	beside bool
}

func (s *search) newFreeReader() *freeReader {
	return &freeReader{search: s, page: -1, pages: make([][]int64, len(s.p.Needs)), beside: len(s.released)+len(s.reserved) > 0}
}

// read finds what a node has free of each resource beside what is as good as taken, once those are gone who count as gone, and its flags.
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

// turnTo turns to a page.
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

// noAmounts is a page of what no node has.
var noAmounts [cow.PageSize]int64

// findDomain finds the class of a domain, those of its children being known. Nodes outside the tree do not count at the root.
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

// countChildren lists classes with numbers, as kidsOf does. The slice is good until the next call.
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
