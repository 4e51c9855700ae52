package parts

import (
	"encoding/binary"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/packing"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/numa"
)

// This file answers: how many members fit on a node, at most, once some of those that run there are gone?

// Room bounds the members that fit on a node, of any roles together, with each role finding zones by itself; nil
// where all members have one role. Where vectors are forgotten it says that all fit, so that it is never too low.
func (e Engine) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 {
	p := e.P
	if !p.Model.HasRoles() {
		return nil
	}
	s := &search{p: p}
	s.roles, s.asks = s.p.OfRoles(), s.p.Model.Room.Asks()
	s.readGroups()
	s.sumTotals()
	r := &rooms{
		search: s, demand: s.totalDemand(), free: make([]int64, len(p.Room.Needs)), open: make([]bool, len(s.roles)),
		known: map[string]int64{}, bounds: map[*numa.Need]map[uint64]zoneBounds{},
	}
	if s.vectors() <= manyShapesFrom {
		r.most = p.Room.Zones().PendingByRole()
		r.capacity = &capacity{p: p, search: s, tables: &tables{space: front.NewSpace(s.totals, p.Model.Steps, &p.Model.Left.Fronts)}}
	}
	return r.on
}

// rooms remembers what fits by what nodes have: most are alike.
type rooms struct {
	search   *search
	capacity *capacity // nil: members are bounded by their number alone
	demand   []int64   // amounts that all new members ask for, by need
	free     []int64   // of the current node, no more than the demand
	open     []bool
	most     front.Vector // new members by role
	key      []byte
	known    map[string]int64
	bounds   map[*numa.Need]map[uint64]zoneBounds // by the first member prepared for the zones, and by hash of the state
}

// zoneBounds are the members of each role that zones take in a state, and the number of that state, from 1.
type zoneBounds struct {
	state  *numa.Occupancy
	number int64
	most   front.Front
}

// on is the bound for a node. O(needs + roles) expected where it is known.
func (r *rooms) on(id int32, extra []int64, zones *numa.Occupancy) int64 {
	p := r.search.p
	r.key = r.key[:0]
	for i, n := range p.Room.Needs {
		r.free[i] = min(p.Room.Slots().FreeOf(id, n, extra), r.demand[i])
		r.key = binary.AppendVarint(r.key, r.free[i])
	}
	for role, one := range r.search.roles {
		r.open[role] = one.Room.Slots().RefusalForGood(id) == ""
		r.key = append(r.key, room.Bit(r.open[role]))
	}
	bounds, alike := r.zonesOn(id, zones)
	r.key = binary.AppendVarint(r.key, bounds.number)
	if n, ok := r.known[string(r.key)]; ok && alike {
		return n
	}
	n := r.count(bounds.most)
	if alike {
		r.known[string(r.key)] = n
	}
	return n
}

// count is the bound for the free amounts, roles and zones that were read.
func (r *rooms) count(zones front.Front) int64 {
	s := r.search
	if r.capacity == nil {
		kind := packing.Kind{Free: r.free, Open: r.open}
		return packing.New(s.asks, []packing.Kind{kind}, s.totals[:len(s.roles)], &s.p.Model.Left.Packing).Most(0)
	}
	f, forgot := r.capacity.onNode(r.free, r.open, zones)
	if forgot {
		return int64(len(s.p.Model.Pending))
	}
	return s.sizes.Most(f)
}

// zonesOn bounds the members of each role that the zones of a node take; none where zones do not bind. Alike is false for
// a state that has no number, as another one has its hash.
func (r *rooms) zonesOn(id int32, state *numa.Occupancy) (b zoneBounds, alike bool) {
	z := r.search.p.Room.Zones()
	if r.capacity == nil || !z.BindsOn(r.search.p.Snapshot.FlagsOf(id)) {
		return zoneBounds{}, true
	}
	needs := z.NeedsOn(id)
	if r.bounds[needs[0]] == nil {
		r.bounds[needs[0]] = map[uint64]zoneBounds{}
	}
	byHash := r.bounds[needs[0]]
	b, ok := byHash[state.Hash()]
	if ok && b.state.Equal(state) {
		return b, true
	}
	most := make(front.Vector, len(r.most))
	copy(most, r.most)
	for role, need := range needs {
		most[role] = int32(min(int64(most[role]), need.Slots(state).Bound))
	}
	b = zoneBounds{state: state, most: front.Front{most}}
	if !ok {
		b.number = 1
		for _, others := range r.bounds {
			b.number += int64(len(others))
		}
		byHash[state.Hash()] = b
	}
	return b, !ok
}
