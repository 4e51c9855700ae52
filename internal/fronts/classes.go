package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/layout"
)

// This file answers: which vertices are alike? Fronts are found once for each class of vertices, not for each vertex.

// vertexClasses are the classes of vertices that can change places: any vector fits in all vertices of a class or in
// none, under any strategy. Classes depend on the roles and the whole demand alone, so that all selections and
// strategies share them.
//
// A vertex gets its class when it is asked for; a domain that nobody asks for is never looked into.
type vertexClasses struct {
	search *Search       // whose roles and amounts they are of
	of     [][]int32     // by page of vertices: class + 1; 0, or no page: not found yet
	list   []vertexClass // by class
	demand []int64       // amounts that all new members ask for, by need
	// inexact: the zone front of some node may lack vectors.
	inexact bool
	relaxed *vertexClasses // the classes of a relaxed search; nil: not made yet
	whole   *wholeClasses  // nil: not asked for yet
	nodes   Kinds          // nil: not asked for yet; begin and take are told to it
	begin   func(key []int64, x layout.Vertex) []int64
	take    func(x layout.Vertex, kind int32)
	byKind  []int32         // by kind of nodes: class
	divided *dividedClasses // nil: of nodes, by what is free
	domains intern.Classes
	byTable []int32 // by number in domains: class
	key     []int64 // of the current vertex: equal keys, equal class
	kids    []int64 // scratch of countChildren
	at      []int32 // by class: index in kids + 1; 0: absent
}

// vertexClass is a class of vertices.
type vertexClass struct {
	first layout.Vertex // the vertex found first, which stands for all
	node  *front.Node   // nil: they are domains
	kids  []int64       // of domains: class of the child << 32 | number of such children, ascending
}

// vertexPage is the number of vertices on a page.
const vertexPage = 256

// totalDemand is the demand of all new members, by need. A node with more free than this takes no more of them than
// one with just that, so that free amounts are capped here: nodes with much room are alike.
func (s *Search) totalDemand() []int64 {
	demand := make([]int64, len(s.asks[0]))
	for i := range s.asks[0] {
		for role, n := range s.totals[:s.roles] {
			demand[i] += int64(n) * s.asks[role][i]
		}
	}
	return demand
}

// newVertexClasses knows no class yet. To find those of all vertices takes
// O(nodes * (resources + roles) + domains * log), and the search for zone fronts.
func (s *Search) newVertexClasses(demand []int64) *vertexClasses {
	return &vertexClasses{
		search: s, demand: demand, of: make([][]int32, s.vertices()/vertexPage+1), domains: intern.NewClasses(2),
	}
}

// vertices is the number of domains and nodes.
func (s *Search) vertices() int { return s.m.View.NumDomains() + int(s.m.View.Nodes) }

// Of is the class of a vertex. O(1) if it is known, else the cost of finding those of all vertices below it.
func (c *vertexClasses) Of(x layout.Vertex) int32 {
	if page := c.of[x/vertexPage]; page != nil && page[x%vertexPage] > 0 {
		return page[x%vertexPage] - 1
	}
	switch {
	case !c.search.m.View.IsNode(x):
		c.findDomain(x)
	case c.divided != nil:
		c.divideNode(x)
	default:
		c.findNodes(c.search.m.View.LeafOf[c.search.m.View.Position(x)])
	}
	return c.of[x/vertexPage][x%vertexPage] - 1
}

// node is the class of a node.
func (c *vertexClasses) node(pos int32) *front.Node {
	return c.list[c.Of(c.search.m.View.NodeVertex(pos))].node
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
func (c *vertexClasses) beginKey(key []int64, x layout.Vertex) []int64 {
	v := c.search.m.View
	tiers, mark := int64(v.TierOf(x)), int64(0)
	if up := v.Above(x); up >= 0 {
		tiers |= int64(v.TierOf(up)+1) << 32
	}
	if c.search.m.Siblings.Any() && c.search.m.Siblings.At(x) > 0 {
		mark = int64(x) + 1
	}
	return append(key, tiers, mark)
}

// findNodes classifies the nodes right below a domain.
func (c *vertexClasses) findNodes(leaf layout.Vertex) {
	if c.nodes == nil {
		c.nodes, c.begin = c.search.asked.Kinds(c.demand, c.search.relaxed, c.search.broken), c.beginKey
		c.take = func(x layout.Vertex, kind int32) {
			c.enter(x, &c.byKind, kind, func() vertexClass { return vertexClass{first: x, node: c.nodes.Node()} })
		}
	}
	c.nodes.Below(leaf, c.begin, c.take)
	c.inexact = c.nodes.AreInexact()
}

// findDomain classifies a domain by its key, and by how many children of each class it has. The root's children leave
// out the nodes outside the tree, whose front splitOf adds where it counts. O(children * log), and what the children
// cost.
func (c *vertexClasses) findDomain(x layout.Vertex) {
	lo, end := c.search.m.View.Kids(x)
	if x == layout.Root {
		end = c.search.m.View.Outside
	}
	for child := lo; child < end; child++ {
		c.Of(child)
	}
	c.key = c.beginKey(c.key[:0], x)
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
