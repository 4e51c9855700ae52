package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// zoneState is how the zones of nodes bind the members of a unit.
type zoneState struct {
	Aligned bool          // members have a policy of their own
	members []numa.Member // by shape
	// Members prepared for the zones of nodes; those of the index are others' too and only read.
	indexNeeds, OwnNeeds snapshot.NeedsByZones
	shared               byState[*shared]
	widths               byState[int64] // zones that the next member gets
	ZoneFits             byState[*ZoneFit]
	Released             map[int32]Released // of nodes whose zones are not those of the snapshot
	// inexact says that the zones of some node were perhaps not counted exactly.
	inexact bool
}

// maxKnown bounds how many zones an index has prepared members for: where nodes change their zones all the time, those that
// nobody has any more go.
const maxKnown = 1 << 10

// shared is what the members of units get, in rank order, and the sum of their scores.
type shared struct {
	placed []numa.Placed
	score  int64
}

// align reads the policies of the shapes.
func align(p *Problem) {
	for _, s := range p.Shapes {
		p.ZoneState.Aligned = p.ZoneState.Aligned || s.NUMA.Policy != ""
	}
	if !p.Zones().Bind() {
		return
	}
	for _, s := range p.Shapes {
		p.ZoneState.members = append(p.ZoneState.members, s.ZoneMember(p.Snapshot.Lineage.Exclusive))
	}
}

// Bind says whether zones are looked at on any node.
func (z Zones) Bind() bool { return z.p.ZoneState.Aligned || z.p.Snapshot.Zoned > 0 }

// BindsOn says whether zones are looked at on a node with these flags.
func (z Zones) BindsOn(flags snapshot.NodeFlags) bool {
	return z.p.ZoneState.Aligned || flags&snapshot.Zoned != 0
}

// noZones is that of nodes of which no zones are known.
var noZones, _ = snapshot.NewZoneClass(&cluster.NUMA{})

// zonesOf is what is known of the zones of a node.
func (z Zones) zonesOf(id int32) *snapshot.ZoneClass {
	if z := z.p.Snapshot.Static.ClassOf(id).Zones; z != nil {
		return z
	}
	return noZones
}

// NeedsOn are the members prepared for the zones of a node.
func (z Zones) NeedsOn(id int32) []*numa.Need {
	class := z.zonesOf(id)
	if needs, ok := z.p.ZoneState.indexNeeds[class]; ok {
		return needs
	}
	if needs, ok := z.p.ZoneState.OwnNeeds[class]; ok {
		return needs
	}
	needs := make([]*numa.Need, 0, len(z.p.ZoneState.members))
	for _, m := range z.p.ZoneState.members {
		if need, err := class.Bare.Zones().Need(m, class.NUMA.Policy); err == nil { // both sides are valid
			needs = append(needs, need)
		}
	}
	if z.p.ZoneState.OwnNeeds == nil {
		z.p.ZoneState.OwnNeeds = snapshot.NeedsByZones{}
	}
	z.p.ZoneState.OwnNeeds[class] = needs
	return needs
}

// allNeeds is what has been prepared so far, to be kept in an index.
func (z Zones) allNeeds() snapshot.NeedsByZones {
	if len(z.p.ZoneState.OwnNeeds) == 0 {
		return z.p.ZoneState.indexNeeds
	}
	all := snapshot.NeedsByZones{}
	if len(z.p.ZoneState.indexNeeds) < maxKnown {
		for class, needs := range z.p.ZoneState.indexNeeds {
			all[class] = needs
		}
	}
	for class, needs := range z.p.ZoneState.OwnNeeds {
		all[class] = needs
	}
	z.p.ZoneState.indexNeeds, z.p.ZoneState.OwnNeeds = all, nil
	return all
}

// StateOf is the zones of a node as the plan sees them.
func (z Zones) StateOf(id int32, g Released) *numa.Occupancy {
	if g.zones != nil {
		return g.zones
	}
	if state := z.p.Snapshot.Zones.At(id); state != nil {
		return state
	}
	return noZones.Bare
}

// sharing is so many units in zones of one kind, in states of that hash.
type sharing struct {
	zones *snapshot.ZoneClass
	hash  uint64
	units int64
}

// byState remembers a value for zones and their state. Of different states with one hash the first is remembered.
type byState[V any] map[sharing]remembered[V]

type remembered[V any] struct {
	state *numa.Occupancy
	value V
}

// of is the value of so many units in a state, made if need be.
func (m *byState[V]) of(z *snapshot.ZoneClass, state *numa.Occupancy, units int64, value func() V) V {
	key := sharing{z, state.Hash(), units}
	known, ok := (*m)[key]
	if ok && known.state.Equal(state) {
		return known.value
	}
	v := value()
	if *m == nil {
		*m = byState[V]{}
	}
	if !ok {
		(*m)[key] = remembered[V]{state, v}
	}
	return v
}

// counted is a count of zones of one kind in a state.
type counted struct {
	zones *snapshot.ZoneClass
	state *numa.Occupancy
	count numa.Count
}

// zoneCounter is a function that counts how many units the zones of a node take. Nodes in the same state are counted once, as
// long as few states come one after the other.
func (z Zones) zoneCounter() func(id int32, state *numa.Occupancy) numa.Count {
	var known *[256]counted // by hash of the state
	return func(id int32, state *numa.Occupancy) numa.Count {
		if known == nil {
			known = new([256]counted)
		}
		k := &known[state.Hash()%256]
		if k.state == state { // so is the kind: a state comes of one
			return k.count
		}
		if class := z.zonesOf(id); k.zones != class || !k.state.Equal(state) {
			k.zones, k.count = class, z.CountZones(z.NeedsOn(id), state)
			z.p.ZoneState.inexact = z.p.ZoneState.inexact || !k.count.Proven()
		}
		k.state = state
		return k.count
	}
}

// CountZones is how many units the zones take. Units of several members are put in one after the other.
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
		if next == state { // the unit has no zones here
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

// addUnit puts one member of each need into the zones; nil if they do not fit.
func addUnit(needs []*numa.Need, state *numa.Occupancy) (*numa.Occupancy, *shared) {
	out := &shared{}
	for _, need := range needs {
		placed := need.Split(state, 1)
		if placed == nil {
			return nil, nil
		}
		out.score += need.Rate(state, placed)
		out.placed = append(out.placed, placed[0])
		if len(placed[0].Shares) == 0 {
			continue
		}
		next, err := state.Add(placed[0])
		if err != nil {
			return nil, nil // the sum overflows
		}
		state = next
	}
	return state, out
}

// share splits so many units over the zones of a node; nil if they do not fit.
func (z Zones) share(id int32, state *numa.Occupancy, units int64) *shared {
	return z.p.ZoneState.shared.of(z.zonesOf(id), state, units, func() *shared {
		needs, s := z.NeedsOn(id), &shared{}
		if len(needs) == 1 {
			s.placed = needs[0].Split(state, int(units))
			s.score = needs[0].Rate(state, s.placed)
		}
		for n := int64(0); n < units && len(needs) > 1; n++ {
			next, unit := addUnit(needs, state)
			if unit == nil {
				return nil
			}
			state = next
			s.placed, s.score = append(s.placed, unit.placed...), s.score+unit.score
		}
		if s.placed == nil {
			return nil
		}
		return s
	})
}

// ShareZones gives new members at positions, by number, their shares of the zones of their nodes, when those that the plan waits for
// have left.
func (z Zones) ShareZones(positions []int32, waits []*snapshot.Member, share func(member int, placed *numa.Placed)) {
	if !z.Bind() {
		return
	}
	gone := z.zonesAfter(waits)
	give := func(pos int32, members []int) {
		id := z.p.View.Node(pos)
		if !z.BindsOn(z.p.Snapshot.FlagsOf(id)) {
			return
		}
		state := z.StateOf(id, Released{zones: gone[id]})
		if z.p.HasRoles() {
			z.giveZones(id, state, members, share)
			return
		}
		s := z.share(id, state, int64(len(members)/z.p.Size()))
		for n := 0; s != nil && n < len(members); n++ {
			if placed := &s.placed[n]; len(placed.Shares) > 0 {
				share(members[n], placed)
			}
		}
	}
	on := make([]int, len(positions)) // members by node, in rank order
	for i := range on {
		on[i] = i
	}
	if !slices.IsSorted(positions) {
		slices.SortStableFunc(on, func(i, j int) int { return cmp.Compare(positions[i], positions[j]) })
	}
	for len(on) > 0 {
		pos, n := positions[on[0]], 1
		for n < len(on) && positions[on[n]] == pos {
			n++
		}
		give(pos, on[:n])
		on = on[n:]
	}
}

// zonesAfter is the zones of the nodes that members leave, when they have left.
func (z Zones) zonesAfter(waits []*snapshot.Member) map[int32]*numa.Occupancy {
	if len(waits) == 0 {
		return nil
	}
	gone := map[int32]*numa.Occupancy{}
	for _, m := range waits {
		if gone[m.Node] == nil {
			gone[m.Node] = z.p.Snapshot.Zones.At(m.Node)
		}
		gone[m.Node] = snapshot.Without(gone[m.Node], m)
	}
	return gone
}

// alikeIn is a function that says whether the nodes at two positions have as many slots by the index and zones in the same
// state; nil for a gang that is not aligned.
func (z Zones) alikeIn(ix *index.Index, extra map[int32]Released) func(a, b int32) bool {
	if !z.p.ZoneState.Aligned {
		return nil
	}
	state := func(pos int32) *numa.Occupancy {
		id := z.p.View.Node(pos)
		return z.StateOf(id, extra[id])
	}
	return func(a, b int32) bool { return ix.Slots.At(a) == ix.Slots.At(b) && state(a).Equal(state(b)) }
}

// BoundFurther bounds the slots of nodes on which a waiting plan puts members by what is free now in their zones beside
// these, and by what the zones take of all together: whole cores may leave less to all at once than to one after the other.
func (z Zones) BoundFurther(slots []int64, positions []int32, waits []*snapshot.Member) {
	if !z.Bind() {
		return
	}
	gone, on := z.zonesAfter(waits), map[int32]int64{}
	z.p.ZoneState.Released = map[int32]Released{}
	for _, pos := range positions {
		on[pos]++
	}
	for pos, units := range on {
		id, x := z.p.View.Node(pos), z.p.View.NodeVertex(pos)
		if !z.BindsOn(z.p.Snapshot.FlagsOf(id)) {
			continue
		}
		room, state := int64(0), z.StateOf(id, Released{zones: gone[id]})
		if s := z.share(id, state, units); s != nil {
			if beside, err := z.StateOf(id, Released{}).Add(s.placed...); err == nil {
				room = min(z.CountZones(z.NeedsOn(id), beside).Slots, z.CountZones(z.NeedsOn(id), state).Slots-units)
				z.p.ZoneState.Released[id] = Released{zones: beside}
			}
		}
		slots[x] = max(0, min(z.p.Counting().Room(id, nil)-units, room))
	}
}

// zoneCause says why the zones of a node take no unit, empty if they do or are not looked at.
func (z Zones) zoneCause(id int32, g Released) numa.Cause {
	if !z.BindsOn(z.p.Snapshot.FlagsOf(id)) {
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

// ZonesProven says whether the zones of every node that could take somebody were counted exactly. O(1), unless some were not
// when the slots were counted: O(nodes).
func (z Zones) ZonesProven(excluded map[int32]bool, extra map[int32]Released) bool {
	if !z.p.ZoneState.inexact {
		return true
	}
	zones := z.zoneCounter()
	for id := range int32(len(z.p.Snapshot.Lineage.Names)) {
		if !z.BindsOn(z.p.Snapshot.FlagsOf(id)) || excluded[id] || z.p.Counting().Refusal(id) != "" {
			continue
		}
		count, room := zones(id, z.StateOf(id, extra[id])), z.p.Counting().Room(id, extra[id].Amounts)
		if min(count.Slots, room) < min(count.Bound, room) {
			return false
		}
	}
	return true
}
