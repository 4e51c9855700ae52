package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/numa"
)

// alignment is how the zones of nodes bind the members of a unit.
type alignment struct {
	aligned bool          // members have a policy of their own
	members []numa.Member // by shape
	// Members prepared for the zones of nodes; those of the index are others' too and only read.
	indexNeeds, ownNeeds needsByZones
	shared               byState[*shared]
	widths               byState[int64] // zones that the next member gets
	zoneFits             byState[*zoneFit]
	gifts                map[int32]gift // of nodes whose zones are not those of the snapshot
	// inexact says that the zones of some node were perhaps not counted exactly.
	inexact bool
}

// needsByZones are the members of a unit, prepared for nodes of the same zones and policy.
type needsByZones map[*zoning][]*numa.Need

// maxKnown bounds how many zones an index has prepared members for: where nodes change their zones all the time, those that
// nobody has any more go.
const maxKnown = 1 << 10

// shared is what the members of units get, in rank order, and the sum of their scores.
type shared struct {
	placed []numa.Placed
	score  int64
}

// align reads the policies of the shapes.
func (p *problem) align() {
	for _, s := range p.shapes {
		p.aligned = p.aligned || s.NUMA.Policy != ""
	}
	if !p.zonesBind() {
		return
	}
	for _, s := range p.shapes {
		p.alignment.members = append(p.alignment.members, s.ZoneMember(p.c.exclusive))
	}
}

// zonesBind says whether zones are looked at on any node.
func (p *problem) zonesBind() bool { return p.aligned || p.c.zoned > 0 }

// bound says whether zones are looked at on a node with these flags.
func (p *problem) bound(flags nodeFlags) bool { return p.aligned || flags&zoned != 0 }

// noZoning is that of nodes of which no zones are known.
var noZoning, _ = newZoning(&NUMA{})

// zoningOf is what is known of the zones of a node.
func (p *problem) zoningOf(id int32) *zoning {
	if z := p.c.static.kindOf(id).zoning; z != nil {
		return z
	}
	return noZoning
}

// needsOn are the members prepared for the zones of a node.
func (p *problem) needsOn(id int32) []*numa.Need {
	z := p.zoningOf(id)
	if needs, ok := p.indexNeeds[z]; ok {
		return needs
	}
	if needs, ok := p.ownNeeds[z]; ok {
		return needs
	}
	needs := make([]*numa.Need, 0, len(p.alignment.members))
	for _, m := range p.alignment.members {
		if need, err := z.bare.Zones().Need(m, z.Policy); err == nil { // both sides are valid
			needs = append(needs, need)
		}
	}
	if p.ownNeeds == nil {
		p.ownNeeds = needsByZones{}
	}
	p.ownNeeds[z] = needs
	return needs
}

// allNeeds is what has been prepared so far, to be kept in an index.
func (p *problem) allNeeds() needsByZones {
	if len(p.ownNeeds) == 0 {
		return p.indexNeeds
	}
	all := needsByZones{}
	if len(p.indexNeeds) < maxKnown {
		for z, needs := range p.indexNeeds {
			all[z] = needs
		}
	}
	for z, needs := range p.ownNeeds {
		all[z] = needs
	}
	p.indexNeeds, p.ownNeeds = all, nil
	return all
}

// stateOf is the zones of a node as the plan sees them.
func (p *problem) stateOf(id int32, g gift) *numa.Occupancy {
	if g.zones != nil {
		return g.zones
	}
	if state := p.c.zones.at(id); state != nil {
		return state
	}
	return noZoning.bare
}

// sharing is so many units in zones of one kind, in states of that hash.
type sharing struct {
	*zoning
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
func (m *byState[V]) of(z *zoning, state *numa.Occupancy, units int64, value func() V) V {
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
	*zoning
	state *numa.Occupancy
	count numa.Count
}

// zoneCounter is a function that counts how many units the zones of a node take. Nodes in the same state are counted once, as
// long as few states come one after the other.
func (p *problem) zoneCounter() func(id int32, state *numa.Occupancy) numa.Count {
	var known *[256]counted // by hash of the state
	return func(id int32, state *numa.Occupancy) numa.Count {
		if known == nil {
			known = new([256]counted)
		}
		k := &known[state.Hash()%256]
		if k.state == state { // so is the kind: a state comes of one
			return k.count
		}
		if z := p.zoningOf(id); k.zoning != z || !k.state.Equal(state) {
			k.zoning, k.count = z, p.countZones(p.needsOn(id), state)
			p.inexact = p.inexact || !k.count.Proven()
		}
		k.state = state
		return k.count
	}
}

// countZones is how many units the zones take. Units of several members are put in one after the other.
func (p *problem) countZones(needs []*numa.Need, state *numa.Occupancy) numa.Count {
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
func (p *problem) share(id int32, state *numa.Occupancy, units int64) *shared {
	return p.shared.of(p.zoningOf(id), state, units, func() *shared {
		needs, s := p.needsOn(id), &shared{}
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

// shareZones gives the new members of a result their shares, when those that the plan waits for have left.
func (p *problem) shareZones(r *Result, positions []int32) {
	if !p.zonesBind() {
		return
	}
	gone := p.zonesAfter(r.WaitsFor)
	give := func(pos int32, members []int) {
		id := p.v.node(pos)
		if !p.bound(p.c.flagsOf(id)) {
			return
		}
		state := p.stateOf(id, gift{zones: gone[id]})
		if p.hasRoles() {
			p.giveZones(r, id, state, members)
			return
		}
		s := p.share(id, state, int64(len(members)/p.size()))
		for n := 0; s != nil && n < len(members); n++ {
			if placed := &s.placed[n]; len(placed.Shares) > 0 {
				r.Assignments[members[n]].NUMA = placed
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
func (p *problem) zonesAfter(waits []Waited) map[int32]*numa.Occupancy {
	if len(waits) == 0 {
		return nil
	}
	gone := map[int32]*numa.Occupancy{}
	for _, w := range waits {
		if m := p.c.member(w.Gang, w.Member); m != nil {
			if gone[m.node] == nil {
				gone[m.node] = p.c.zones.at(m.node)
			}
			gone[m.node] = without(gone[m.node], m)
		}
	}
	return gone
}

// alikeIn is a function that says whether the nodes at two positions have as many slots by the index and zones in the same
// state.
func (p *problem) alikeIn(ix *index, extra map[int32]gift) func(a, b int32) bool {
	state := func(pos int32) *numa.Occupancy {
		id := p.v.node(pos)
		return p.stateOf(id, extra[id])
	}
	return func(a, b int32) bool { return ix.slots.at(a) == ix.slots.at(b) && state(a).Equal(state(b)) }
}

// boundFurther bounds the slots of nodes on which a waiting plan puts members by what is free now in their zones beside
// these, and by what the zones take of all together: whole cores may leave less to all at once than to one after the other.
func (p *problem) boundFurther(slots []int64, positions []int32, waits []Waited) {
	if !p.zonesBind() {
		return
	}
	gone, on := p.zonesAfter(waits), map[int32]int64{}
	p.gifts = map[int32]gift{}
	for _, pos := range positions {
		on[pos]++
	}
	for pos, units := range on {
		id, x := p.v.node(pos), p.v.nodeVertex(pos)
		if !p.bound(p.c.flagsOf(id)) {
			continue
		}
		room, state := int64(0), p.stateOf(id, gift{zones: gone[id]})
		if s := p.share(id, state, units); s != nil {
			if beside, err := p.stateOf(id, gift{}).Add(s.placed...); err == nil {
				room = min(p.countZones(p.needsOn(id), beside).Slots, p.countZones(p.needsOn(id), state).Slots-units)
				p.gifts[id] = gift{zones: beside}
			}
		}
		slots[x] = max(0, min(p.room(id, nil)-units, room))
	}
}

// zoneCause says why the zones of a node take no unit, empty if they do or are not looked at.
func (p *problem) zoneCause(id int32, g gift) numa.Cause {
	if !p.bound(p.c.flagsOf(id)) {
		return ""
	}
	needs, state := p.needsOn(id), p.stateOf(id, g)
	var cause numa.Cause
	for _, need := range needs {
		if fit := need.Fit(state); !fit.Fits && (cause == "" || fit.Cause == numa.CausePolicy) {
			cause = fit.Cause
		}
	}
	if cause == "" && p.countZones(needs, state).Slots == 0 {
		cause = numa.CauseCapacity
	}
	return cause
}

// zonesProven says whether the zones of every node that could take somebody were counted exactly. O(1), unless some were not
// when the slots were counted: O(nodes).
func (p *problem) zonesProven(excluded map[int32]bool, extra map[int32]gift) bool {
	if !p.inexact {
		return true
	}
	zones := p.zoneCounter()
	for id := range int32(len(p.c.names)) {
		if !p.bound(p.c.flagsOf(id)) || excluded[id] || p.refusal(id) != "" {
			continue
		}
		count, room := zones(id, p.stateOf(id, extra[id])), p.room(id, extra[id].amounts)
		if min(count.Slots, room) < min(count.Bound, room) {
			return false
		}
	}
	return true
}
