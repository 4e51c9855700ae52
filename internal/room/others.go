// Which nodes are meant for others than some members?

package room

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/snapshot"
)

// share says how many of the nodes it is about.
type share int8

const (
	none share = iota
	some
	all
	untold // by the kinds of nodes
)

// placedTogether lists the shapes of each role, none for one of which no member is pending; without roles those of a unit, which
// come to a node together.
func placedTogether(shapes []*gang.Shape, roleOf []int32) [][]*gang.Shape {
	if roleOf == nil {
		return [][]*gang.Shape{shapes}
	}
	out := make([][]*gang.Shape, len(shapes))
	for _, r := range roleOf {
		out[r] = shapes[r : r+1]
	}
	return out
}

// othersMayBeLeftOut says whether the kinds of nodes leave it open that a plan without those that are meant for others is possible,
// and differs from the others. O(kinds), and O(members) with roles.
func othersMayBeLeftOut(c *snapshot.Snapshot, judges *match.Bench, shapes []*gang.Shape, roleOf []int32) bool {
	if roleOf == nil { // in this order, so that mostly nothing is allocated
		of := othersByKind(c, judges, shapes)
		return of == some || of == untold
	}
	may := false
	for _, one := range placedTogether(shapes, roleOf) {
		of := othersByKind(c, judges, one)
		if of == all {
			return false
		}
		may = may || of != none
	}
	return may
}

// SparesSome says whether a room without the nodes meant for others than the members differs from one with them, and has nodes for all. alone
// is the room of a role. To tell that is O(kinds of nodes); for shapes with preferences O(touched nodes), and O(nodes) the first time.
func (r *Room) SparesSome(alone func(role int) *Room) bool {
	differs := false
	for role, shapes := range placedTogether(r.Shapes, r.Model.RoleOf) {
		of := othersByKind(r.Snapshot, r.Judges, shapes)
		if of == untold {
			of = alone(role).Slots().shareOfOthers()
		}
		if of == all {
			return false
		}
		differs = differs || of == some
	}
	return differs
}

// MaySpare says whether nodes meant for others are to be left out, as far as the kinds of nodes tell. O(kinds).
func (r *Room) MaySpare() bool {
	return !r.Request.TakesAnyNode && !r.Spared && othersMayBeLeftOut(r.Snapshot, r.Judges, r.Shapes, r.Model.RoleOf)
}

// othersByKind says how many nodes are meant for others than members of shapes that come to a node together. O(kinds).
func othersByKind(c *snapshot.Snapshot, judges *match.Bench, shapes []*gang.Shape) share {
	if len(shapes) == 0 {
		return none
	}
	if !c.Kinds.Whole() || prefer(shapes) {
		return untold
	}
	theirs := 0
	for i := range c.Kinds.Len() {
		if meantForOthers(c.Kinds.At(i), judges, shapes) {
			theirs++
		}
	}
	switch theirs {
	case 0:
		return none
	case c.Kinds.Len():
		return all
	}
	return some
}

// prefer says whether any shape has preferences.
func prefer(shapes []*gang.Shape) bool {
	return slices.ContainsFunc(shapes, func(s *gang.Shape) bool {
		return slices.ContainsFunc(s.Preferred, func(p gang.Preference) bool { return p.Weight > 0 })
	})
}

// meantForOthers says whether nodes of a kind have devices for which no shape asks, or a taint that one does not tolerate. Nil is
// the kind of absent nodes.
func meantForOthers(k *snapshot.Kind, judges *match.Bench, shapes []*gang.Shape) bool {
	if k == nil {
		return false
	}
	for _, device := range k.Devices {
		if !slices.ContainsFunc(shapes, func(s *gang.Shape) bool { return s.Resources[device] > 0 }) {
			return true
		}
	}
	return len(k.Soft) > 0 && slices.ContainsFunc(shapes, func(s *gang.Shape) bool { return !judges.ToleratesAll(s, k.Soft) })
}

// othersThan is a function that says whether a node is meant for others than members of shapes that come to a node together.
func othersThan(c *snapshot.Snapshot, judges *match.Bench, shapes []*gang.Shape) func(id int32) bool {
	var last *snapshot.Kind // most neighbors are of one kind
	is := false
	return func(id int32) bool {
		if kind := c.Static.ClassOf(id).Kind; kind != last {
			last, is = kind, meantForOthers(kind, judges, shapes)
		}
		return is || missesPreference(c, id, judges, shapes)
	}
}

// missesPreference says whether a node fails what one of the shapes prefers most.
func missesPreference(c *snapshot.Snapshot, id int32, judges *match.Bench, shapes []*gang.Shape) bool {
	for _, s := range shapes {
		if len(s.Preferred) > 0 && judges.MissesPreference(s, c.Lineage.Names[id], c.LabelsOf(id)) {
			return true
		}
	}
	return false
}
