package snapshot

import (
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/numa"
)

// NeedsByZones are the members of a unit, prepared for nodes of the same zones and policy.
type NeedsByZones map[*ZoneClass][]*numa.Need

// How many shapes a lineage of snapshots keeps an index for, and for how many group sizes each, unless the spec says.
const (
	keptShapes = 8
	keptSizes  = 4
)

// shapeCache keeps the indexes of the last shapes planned on a snapshot or on those it was derived from. It is shared
// by all who plan on the snapshot.
type shapeCache = cow.Memo[[]byte, *ShapeIndex]

// ShapeIndex is the index of a shape, and what was found out while its nodes were counted.
type ShapeIndex struct {
	Index   index.Index
	Needs   NeedsByZones
	Inexact bool // the zones of some node were perhaps not counted exactly
}
