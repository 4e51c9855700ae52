package parts

import (
	"encoding/binary"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/fronts"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/numa"
)

// This file answers: how many members fit on a node, at most, once some of those that run there are gone?

// Room bounds the members that fit on a node, of any roles together, with each role finding zones by itself; nil
// where all members have one role. Where vectors are forgotten it says that all fit, so that it is never too low.
func (e Engine) Room() func(id int32, extra []int64, zones *numa.Occupancy) int64 {
	p := e.P
	if p.Model.RoleOf == nil {
		return nil
	}
	a := &asked{p: p}
	r := &rooms{
		p: p, roles: a.each(), members: fronts.NewOnNode(a), known: map[string]int64{}, bounds: map[*numa.Need]map[uint64]zoneBounds{},
	}
	r.node = front.Node{Free: make([]int64, len(p.Room.Needs)), Open: make([]bool, len(r.roles))}
	if r.members.ByVectors() {
		r.most = p.Room.Zones().PendingByRole()
	}
	return r.on
}

// rooms remembers what fits by what nodes have: most are alike.
type rooms struct {
	p       *problem.Problem
	roles   []*problem.Problem // of the members of each role alone
	members *fronts.OnNode
	node    front.Node   // the current one
	most    front.Vector // new members by role
	key     []byte
	known   map[string]int64
	bounds  map[*numa.Need]map[uint64]zoneBounds // by the first member prepared for the zones, and by hash of the state
}

// zoneBounds are the members of each role that zones take in a state, and the number of that state, from 1.
type zoneBounds struct {
	state  *numa.Occupancy
	number int64
	most   front.Front
}

// on is the bound for a node. O(needs + roles) expected where it is known.
func (r *rooms) on(id int32, extra []int64, zones *numa.Occupancy) int64 {
	p := r.p
	r.key = r.key[:0]
	for i, n := range p.Room.Needs {
		r.node.Free[i] = min(p.Room.Slots().FreeOf(id, n, extra), r.members.Demand[i])
		r.key = binary.AppendVarint(r.key, r.node.Free[i])
	}
	for role, one := range r.roles {
		r.node.Open[role] = one.Room.Slots().RefusalForGood(id) == ""
		r.key = append(r.key, room.Bit(r.node.Open[role]))
	}
	bounds, alike := r.zonesOn(id, zones)
	r.key = binary.AppendVarint(r.key, bounds.number)
	if n, ok := r.known[string(r.key)]; ok && alike {
		return n
	}
	r.node.Zones = bounds.most
	n := r.members.Most(&r.node)
	if alike {
		r.known[string(r.key)] = n
	}
	return n
}

// zonesOn bounds the members of each role that the zones of a node take; none where zones do not bind. Alike is false for
// a state that has no number, as another one has its hash.
func (r *rooms) zonesOn(id int32, state *numa.Occupancy) (b zoneBounds, alike bool) {
	z := r.p.Room.Zones()
	if !r.members.ByVectors() || !z.BindsOn(r.p.Snapshot.FlagsOf(id)) {
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
