// What do plans keep for later plans of the same shape?

package snapshot

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/numa"
)

// NeedsByZones are the members of a unit, prepared for nodes of the same zones and policy.
type NeedsByZones map[*ZoneClass][]*numa.Need

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
	Needs   NeedsByZones
	Inexact bool // a bounded search counted the zones of some node
}

// RoomCosts is what room for a gang costs in domains, once members up to a priority may leave. It never changes.
type RoomCosts struct {
	Ceiling, Lowest int64      // the priority, and the lowest one of all that may leave
	Of              []RoomCost // by domain
}

// RoomCost is what room costs in one domain.
type RoomCost struct {
	Key     []int64 // nil: not known; empty: there is no room
	Members int64   // how many leave
}
