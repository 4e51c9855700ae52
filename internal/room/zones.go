// What do the zones of a node take of one shape or unit, and what are they worth?

package room

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// zoneState has the demands of a problem's members on zones, and caches of the answers about nodes.
type zoneState struct {
	Aligned bool          // members have a policy of their own
	members []numa.Member // by shape
	// Members prepared for the zones of nodes: by other plans, which read them at the same time, and by this one.
	indexNeeds, OwnNeeds needsByZones
	shares               byState[*zoneShares]
	widths               byState[int64] // zones that the next member gets
	zoneFits             byState[*ZoneFit]
	Released             map[int32]Released // by node: amounts and zones that are not those of the snapshot
	// inexact: the zones of some node were counted by a bounded search, perhaps too low.
	inexact bool
}

// needsByZones are the members of a unit, prepared for nodes of the same zones and policy.
type needsByZones = map[*snapshot.ZoneClass][]*numa.Need

// noZones is the class of nodes of which no zones are known.
var noZones, _ = snapshot.NewZoneClass(&cluster.NUMA{})

// ShareFits makes two rooms of one request know what the other found that zones take, on whatever snapshots they are.
func (z Zones) ShareFits(with *Room) {
	z.r.ZoneState.zoneFits = with.ZoneState.zoneFits
}

// zonesOf is the zone class of a node.
func (z Zones) zonesOf(id int32) *snapshot.ZoneClass {
	if z := z.r.Snapshot.Static.ClassOf(id).Zones; z != nil {
		return z
	}
	return noZones
}

// NeedsOn are the members prepared for the zones of a node, by shape. They are prepared once for each class of zones.
func (z Zones) NeedsOn(id int32) []*numa.Need {
	class := z.zonesOf(id)
	if needs, ok := z.r.ZoneState.indexNeeds[class]; ok {
		return needs
	}
	if needs, ok := z.r.ZoneState.OwnNeeds[class]; ok {
		return needs
	}
	needs := make([]*numa.Need, 0, len(z.r.ZoneState.members))
	for _, m := range z.r.ZoneState.members {
		if need, err := class.Bare.Zones().Need(m, class.NUMA.Policy); err == nil { // both sides are valid
			needs = append(needs, need)
		}
	}
	if z.r.ZoneState.OwnNeeds == nil {
		z.r.ZoneState.OwnNeeds = needsByZones{}
	}
	z.r.ZoneState.OwnNeeds[class] = needs
	return needs
}

// StateOf is the state of a node's zones as the plan sees them: what is given back there decides, if it has zones.
func (z Zones) StateOf(id int32, g Released) *numa.Occupancy {
	if g.zones != nil {
		return g.zones
	}
	if state := z.r.Snapshot.Zones.At(id); state != nil {
		return state
	}
	return noZones.Bare
}

// CountZones is the number of units that the zones take in a state, at most boundlessSlots. For units of one member
// it is the count of package numa. Units of several are put in one after the other, which may end too early. Their
// Bound is the least bound of any member: a unit has one of each, and the others only take room. Where the two meet,
// the count is proven.
//
// order: zones.1
func (z Zones) CountZones(needs []*numa.Need, state *numa.Occupancy) numa.Count {
	if len(needs) == 1 {
		c := needs[0].Slots(state)
		return numa.Count{Slots: min(c.Slots, boundlessSlots), Bound: min(c.Bound, boundlessSlots)}
	}
	count := numa.Count{Bound: boundlessSlots}
	for _, need := range needs {
		count.Bound = min(count.Bound, need.Slots(state).Bound)
	}
	for count.Slots < count.Bound {
		next, _ := addUnit(needs, state)
		if next == state { // the unit takes nothing of these zones, so neither do all others
			return numa.Count{Slots: count.Bound, Bound: count.Bound}
		}
		if next == nil {
			break
		}
		state = next
		count.Slots++
	}
	return count
}

// zoneKey stands for a number of units on zones of one class, in the states with one hash.
type zoneKey struct {
	zones *snapshot.ZoneClass
	hash  uint64
	units int64
}

// byState remembers values by zones and their state. Of different states with one hash it remembers the first; the
// value of another is made each time.
type byState[V any] map[zoneKey]byStateEntry[V]

type byStateEntry[V any] struct {
	state *numa.Occupancy
	value V
}

// of is the value for so many units in a state, made if it is not known. The value must follow from these alone.
func (m *byState[V]) of(z *snapshot.ZoneClass, state *numa.Occupancy, units int64, value func() V) V {
	key := zoneKey{z, state.Hash(), units}
	known, ok := (*m)[key]
	if ok && known.state.Equal(state) {
		return known.value
	}
	v := value()
	if *m == nil {
		*m = byState[V]{}
	}
	if !ok {
		(*m)[key] = byStateEntry[V]{state, v}
	}
	return v
}

// zonesAfter has, for each node that members leave, its zones once they have left; nil: nobody leaves.
func (z Zones) zonesAfter(waits []*snapshot.Member) map[int32]*numa.Occupancy {
	if len(waits) == 0 {
		return nil
	}
	gone := map[int32]*numa.Occupancy{}
	for _, m := range waits {
		if gone[m.Node] == nil {
			gone[m.Node] = z.r.Snapshot.Zones.At(m.Node)
		}
		gone[m.Node] = snapshot.Without(gone[m.Node], m)
	}
	return gone
}

// boundFurther bounds the slots of the nodes on which a waiting plan puts its first members, at positions. Slots
// above nodes are left to the caller to sum up. A further member must come into the zones twice: now, beside the
// first members, and together with them once the members in waits are gone. Neither bound implies the other: now less
// is free, and whole cores may leave less to all at once than to one after the other. The zones beside the first
// members are noted in Released, for the keys that compare nodes.
func (z Zones) boundFurther(slots []int64, positions []int32, waits []*snapshot.Member) {
	if !z.Bind() {
		return
	}
	gone, on := z.zonesAfter(waits), map[int32]int64{}
	z.r.ZoneState.Released = map[int32]Released{}
	for _, pos := range positions {
		on[pos]++
	}
	for pos, units := range on {
		id, x := z.r.Model.View.Node(pos), z.r.Model.View.NodeVertex(pos)
		if !z.BindsOn(z.r.Snapshot.FlagsOf(id)) || z.r.Slots().Refusal(id) != "" { // it takes none of the further ones
			continue
		}
		// The first members get their shares once waits are gone. If these shares cannot be added to the zones as
		// they are now, there is no room for more.
		room, state := int64(0), z.StateOf(id, Released{zones: gone[id]})
		if s := z.share(id, state, units); s != nil {
			if beside, err := z.StateOf(id, Released{}).Add(s.placed...); err == nil {
				room = min(z.CountZones(z.NeedsOn(id), beside).Slots, z.CountZones(z.NeedsOn(id), state).Slots-units)
				z.r.ZoneState.Released[id] = Released{zones: beside}
			}
		}
		slots[x] = max(0, min(z.r.Slots().Room(id, nil)-units, room))
	}
}

// zoneCause says why the zones of a node take no unit: a member that does not fit by itself is named first, and of
// several the policy; else there is no capacity for all of the unit. Empty if they take one or are not looked at.
func (z Zones) zoneCause(id int32, g Released) numa.Cause {
	if !z.BindsOn(z.r.Snapshot.FlagsOf(id)) {
		return ""
	}
	needs, state := z.NeedsOn(id), z.StateOf(id, g)
	var cause numa.Cause
	for _, need := range needs {
		if fit := need.Fit(state); !fit.Fits && (cause == "" || fit.Cause == numa.CausePolicy) {
			cause = fit.Cause
		}
	}
	if cause == "" && z.CountZones(needs, state).Slots == 0 {
		cause = numa.CauseCapacity
	}
	return cause
}

// ZonesProven says whether the zones of every node that could take a member are counted exactly. An inexact count
// does no harm where amounts, or limits, allow no more than what surely fits. O(1), unless some count was inexact:
// O(nodes * resources), and the counts of zones.
func (z Zones) ZonesProven(excluded Excluded, extra map[int32]Released) bool {
	if !z.r.ZoneState.inexact {
		return true
	}
	zones, most := z.zoneCounter(), z.r.Model.Limits.OnNode()
	for id := range int32(len(z.r.Snapshot.Lineage.Names)) {
		if !z.BindsOn(z.r.Snapshot.FlagsOf(id)) || excluded.Has(id) || z.r.Slots().Refusal(id) != "" {
			continue
		}
		count, room := zones(id, z.StateOf(id, extra[id])), min(z.r.Slots().Room(id, extra[id].Amounts), most)
		if min(count.Slots, room) < min(count.Bound, room) {
			return false
		}
	}
	return true
}

// on is the number of zones that the next member gets on a node as it is, 0 if its resources have no zones
// there. The gang must be aligned, and of one shape or in units, whose first member counts.
//
// order: zones.3
func (z Zones) on(x layout.Vertex) int64 {
	id, state := z.r.Model.View.Node(z.r.Model.View.Position(x)), z.StateAt(x)
	return z.r.ZoneState.widths.of(z.zonesOf(id), state, 1, func() int64 { return int64(z.NeedsOn(id)[0].Fit(state).Mask.Width()) })
}

// score is the NUMA score of so many units on a node: the sum over their members, 0 for a gang that is not aligned.
//
// order: zones.3
func (z Zones) score(x layout.Vertex, units int64) int64 {
	if !z.r.ZoneState.Aligned || units == 0 {
		return 0
	}
	id := z.r.Model.View.Node(z.r.Model.View.Position(x))
	if s := z.share(id, z.StateAt(x), units); s != nil {
		return s.score
	}
	return 0
}

// least is a lower bound for on on all nodes for which members are prepared: a member with zones
// gets one at least.
func (z Zones) least() int64 {
	for _, known := range []needsByZones{z.r.ZoneState.indexNeeds, z.r.ZoneState.OwnNeeds} {
		for _, needs := range known {
			if !needs[0].Zoned() {
				return 0
			}
		}
	}
	return 1
}

// StateAt is the state of the zones of a node as the plan sees them.
func (z Zones) StateAt(x layout.Vertex) *numa.Occupancy {
	id := z.r.Model.View.Node(z.r.Model.View.Position(x))
	return z.StateOf(id, z.r.ZoneState.Released[id])
}

// Released is the amounts and zones that leaving members give back on a node.
type Released struct {
	Amounts []int64         // by resource
	zones   *numa.Occupancy // the node's zones without them, nil where no zones are known
}

// LeavingReleased has, by node, the amounts and zones that leaving members give back; nil while they count as staying.
// O(leaving members * resources) the first time.
func (k Slots) LeavingReleased() map[int32]Released {
	if !k.r.LeavingGone || len(k.r.Snapshot.Leaving) == 0 {
		return nil
	}
	if k.r.ZoneState.Released != nil {
		return k.r.ZoneState.Released
	}
	k.r.ZoneState.Released = k.ReleasedBy(k.r.Snapshot.Leaving)
	return k.r.ZoneState.Released
}

// ReleasedBy has, by node, the amounts and zones that some members give back. O(members * resources).
func (k Slots) ReleasedBy(members []*snapshot.Member) map[int32]Released {
	out := map[int32]Released{}
	for _, m := range members {
		g, ok := out[m.Node]
		if !ok {
			g = Released{make([]int64, len(k.r.Snapshot.Lineage.Resources)), k.r.Snapshot.Zones.At(m.Node)}
		}
		for r, amount := range m.Class.Holds {
			g.Amounts[r] += amount
		}
		g.zones = snapshot.Without(g.zones, m)
		out[m.Node] = g
	}
	return out
}

// Proven says whether the zones of nodes were counted exactly, as far as it matters. Cost of [Zones.ZonesProven].
func (r *Room) Proven() bool {
	return !r.ZoneState.inexact || r.Zones().ZonesProven(r.Slots().Excluded(), r.Slots().LeavingReleased())
}
