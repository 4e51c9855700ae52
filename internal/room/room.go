// Package room answers: what room do nodes have for members? A [Room] knows on a snapshot, for members of some shapes, the slots of each node
// ([Slots]), what its zones take ([Zones]), why it takes none, and which leaving members a plan would wait for. What does not depend on the
// gang it looks up in the snapshot's indexes, and keeps there.
//
// A Room belongs to one plan and is not safe for concurrent use; the snapshot that it looks at is.
package room

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// Room is what nodes have for the members of a model.
type Room struct {
	Model       *model.Model
	Snapshot    *snapshot.Snapshot
	Request     *gang.Request // what it says of nodes: which ones are left out, or told by the host
	Shapes      []*gang.Shape // of the members of a unit, in rank order; or by role, if the model has roles
	Needs       []Need        // of a unit; with roles the sum over all roles
	All         *Room         // of a selection of members: that of all of them; nil: this one
	Judges      *match.Bench  // of shapes, which all rooms of a request ask; nil: the shapes list too little to need any
	Company     *limits.Neighbors
	LeavingGone bool          // leaving members count as gone
	Allowed     Allowed       // where members may be; nil: anywhere
	Inside      layout.Vertex // where new members must be; the root: anywhere
	Spared      bool          // nodes meant for others than the members are left out
	Owner       Owner
	Before      *Placed // of a plan that waits, whose further members are asked for: the first ones; else nil
	ZoneState   zoneState
	Memory      *Memory // nil: it answers no more than causes
	waster      waster
	mixed       [2]bool         // units spoil not the same of all nodes: beside indexes
	indexes     [2]*index.Index // with leaving members staying, and gone; nil: not looked up, see OwnIndex
}

// Memory is memory that rooms use again.
type Memory struct{ key []byte }

// Need is one resource that a member asks for.
type Need struct {
	ID     int // -1: no node has it
	Amount int64
	Name   string
}

// Allowed are the nodes that lie in all of some domains, one of each topology; nil: all nodes.
type Allowed []Interval

// Interval is a domain of a topology, as an interval of positions.
type Interval struct {
	View       *layout.View
	First, End int32 // End is behind the last one
}

// Holds says whether a node, by id, lies in all of the domains.
func (a Allowed) Holds(id int32) bool {
	return !slices.ContainsFunc(a, func(f Interval) bool { return !f.holds(id) })
}

// holds says whether a node, by id, lies in the domain.
func (f *Interval) holds(id int32) bool {
	pos := f.View.At(id)
	return pos >= f.First && pos < f.End
}

// Placed are the members of a plan that waits.
type Placed struct {
	Positions []int32
	Waits     []*snapshot.Member // for whom they wait
}

// Reserved is the part of a node that new members take which were placed before.
type Reserved struct {
	Amounts []int64         // by resource
	Zones   *numa.Occupancy // the zones as they are now, with these members; nil: zones bind no member
	Beside  front.Front     // room in the zones beside them, once the leaving members that the plan waits for are gone
}

// Size is the number of members of a unit.
func (r *Room) Size() int { return max(1, len(r.Shapes)) }

// ShapeOf is the shape of the i-th pending member. Where units are placed, i counts their members one by one.
func (r *Room) ShapeOf(i int) *gang.Shape {
	if r.Model.RoleOf != nil {
		return r.Shapes[r.Model.RoleOf[i]]
	}
	return r.Shapes[i%len(r.Shapes)]
}

// Forget forgets the index that was looked up: nodes take other numbers of members now.
func (r *Room) Forget() { r.indexes = [2]*index.Index{} }

// Fresh is a room with caches of its own, so that several may be asked at the same time; isOwn says of a gang whether the plan is for it.
func (r *Room) Fresh(isOwn func(string) bool) Room {
	next := *r
	next.Forget()
	next.waster = waster{}
	next.Memory, next.Company, next.Judges = nil, r.Company.Fresh(isOwn), r.Judges.Fresh()
	z := &next.ZoneState // these maps are filled while questions are answered
	z.OwnNeeds, z.shares, z.widths, z.zoneFits = nil, nil, nil, nil
	return next
}

// Align reads the policies of the shapes, and what they ask of zones if zones are looked at on any node.
func (r *Room) Align() {
	for _, s := range r.Shapes {
		r.ZoneState.Aligned = r.ZoneState.Aligned || s.NUMA.Policy != ""
	}
	if !r.Zones().Bind() {
		return
	}
	r.ZoneState.zoneFits = byState[*ZoneFit]{} // all selections of the gang share it
	for _, s := range r.Shapes {
		r.ZoneState.members = append(r.ZoneState.members, s.ZoneMember(r.Snapshot.Lineage.Exclusive))
	}
}

// AlignAnew forgets what zones take of the shapes before, and reads the policies of the new ones. What leaving
// members give back is by node and resource, whatever the shapes, and stays known.
func (r *Room) AlignAnew() {
	r.ZoneState = zoneState{Released: r.ZoneState.Released}
	r.Align()
}

// ForgetFits forgets what zones take of the pending members, which are others now.
func (r *Room) ForgetFits() { r.ZoneState.zoneFits = nil }

// Zones are a room's questions about the zones of nodes.
type Zones struct{ r *Room }

// Zones asks about the zones of nodes.
func (r *Room) Zones() Zones { return Zones{r} }

// Bind says whether zones are looked at on any node.
func (z Zones) Bind() bool { return z.r.ZoneState.Aligned || z.r.Snapshot.Zoned > 0 }

// BindsOn says whether zones are looked at on a node with these flags.
func (z Zones) BindsOn(flags snapshot.NodeFlags) bool {
	return z.r.ZoneState.Aligned || flags&snapshot.Zoned != 0
}

// Slots are a room's questions about the slots of nodes.
type Slots struct {
	r      *Room
	shared bool // for an index that all gangs of the shape share
}

// Slots asks about the slots of nodes.
func (r *Room) Slots() Slots { return Slots{r: r} }
