// What do plans keep for later plans of the same shape?

package snapshot

import (
	"bytes"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/numa"
)

// By default a snapshot keeps the indexes of this many shapes, and for each of them sums for this many group sizes.
const (
	keptShapes = 8
	keptSizes  = 4
)

// shapeCache keeps the indexes of the shapes that were planned last on a snapshot or its ancestors, by canonical key.
type shapeCache = cow.Memo[[]byte, *ShapeIndex]

// ShapeIndex is the index of a shape, with the needs prepared for it.
type ShapeIndex struct {
	Index   index.Index
	Needs   map[*ZoneClass][]*numa.Need // the members of a unit, prepared for nodes of the same zones and policy
	Inexact bool                        // a bounded search counted the zones of some node
	Spoils  Spoils
}

// Spoils says whether a unit spoils the same of the devices of every node that takes one.
type Spoils struct {
	Known bool     // some node takes one
	Mixed bool     // of two nodes not the same; what was so once may not be any more
	Same  [2]int64 // what it spoils on each, if not
	By    []int64  // the weights by which that was looked at
}

// passedOn are the caches of a snapshot that follows: what they keep, and what changed since. O(kept values).
func (c *caches) passedOn(next *Snapshot) *caches {
	to := &caches{}
	// Beyond this many changes in sum, to follow them costs about as much as to count all nodes again.
	most := len(next.Lineage.Names)/8 + 64
	c.Shapes.PassOn(&to.Shapes, next.touched, most)
	c.Spared.PassOn(&to.Spared, next.touched, most)
	c.Others.PassOn(&to.Others, next.touched, most)
	// Only a fork that logged moves can hand the index on; else the next search makes a new one.
	if next.follows {
		c.Leavable.PassOn(&to.Leavable, next.moved, most)
		all := slices.Concat(next.touched, next.moved)
		c.Rooms.PassOn(&to.Rooms, all, most)
		c.Costs.PassOn(&to.Costs, all, most)
		c.Reserves.PassOn(&to.Reserves, all, most)
	}
	if aside := c.aside.Load(); aside != nil {
		to.aside.Store(aside.passedOn(next))
	}
	return to
}

// adopt takes over what other caches of the same snapshot keep beside these. O(kept values).
func (c *caches) adopt(other *caches) {
	c.Shapes.Adopt(&other.Shapes, bytes.Equal)
	c.Spared.Adopt(&other.Spared, bytes.Equal)
	c.Others.Adopt(&other.Others, bytes.Equal)
	c.Rooms.Adopt(&other.Rooms, bytes.Equal)
	c.Costs.Adopt(&other.Costs, bytes.Equal)
	c.Reserves.Adopt(&other.Reserves, func(a, b any) bool { return a == b })
	c.Leavable.Adopt(&other.Leavable, func(a, b struct{}) bool { return true })
}
