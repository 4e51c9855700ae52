// Package layout answers: where in the tree does a node lie? A [View] is a topology as intervals: vertices are numbered
// so that the children of a vertex, and the nodes below it, stand next to each other. Every package of the search
// speaks of vertices and positions; names come back at the border only.
//
// Invariants: domains come before nodes, parents before children, siblings in the order of paths; vertex 0 is the
// nameless root, its last child holds the nodes outside the tree. A View never changes.
package layout

import (
	"sync"

	"github.com/muster-sched/muster/topology"
)

// Vertex is a domain or a node of a [View]: domains first, level by level, then nodes by position. A parent comes
// before its children. The children of a vertex are an interval, in the order of paths.
type Vertex = int32

// Root is the nameless root of every view.
const Root Vertex = 0

// View is one topology as the planner sees it: the tree, and one more domain, Outside, for the nodes that the tree
// lacks. All snapshots of a lineage share it. Its slices are to be read only.
type View struct {
	Name string
	Tree *topology.Tree

	// By domain. All children of one are domains, or all are nodes.
	Parent           []Vertex // -1 for the root
	Tier             []int32
	firstKid, endKid []Vertex            // the interval of the children
	FirstPos, EndPos []int32             // the interval of the positions of the nodes below
	source           []topology.DomainID // in Tree; noSource: none

	Outside Vertex
	Nodes   int32 // number of positions
	// Order maps positions to the cluster's nodes, nil where they are the same; posOf is the inverse.
	Order, posOf []int32
	LeafOf       []Vertex // by position: the domain right above the node

	Layers  []topology.Layer
	Tiers   []int32 // ascending: 0, the layers', the root's
	places  []int16 // by tier, up to 255: its place in Tiers, as TierIndex returns it
	RootTop int32   // tier of the root

	// By place in Tiers, but for the root's. UpTo is the end of the domains above a tier; lower ones may lie among
	// them.
	UpTo []int
	// Gaps tells, for the domains above the tier, the steps down to the domains of the tier: 1 where all children are
	// of the tier or lower, 2 where all children have the gap 1, else 0. Children without children of their own do not
	// count.
	Gaps [][]int8
	// Even says that all domains of the tier in the tree are of the tier itself: no lower one, and no node, stands for one.
	Even []bool
	// starts has, by place in Tiers, the first positions of the domains of that tier, empty ones left out. It is made
	// on demand.
	starts struct {
		sync.Once
		byTier [][]int32
	}
}
