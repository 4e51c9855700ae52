// Which nodes are alike for members of several roles: what is free there, which roles they are open to, what their zones take?

package room

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Kinds finds which nodes are alike for members of several roles. They are numbered as they are found.
type Kinds struct {
	room     *Room
	roles    []*Room // of the members of each role alone
	demand   []int64 // amounts that all new members ask for, by need
	taken    map[int32]Reserved
	released map[int32]Released
	relaxed  bool // each role finds zones by itself, whatever the others take
	closed   bool // no node takes any member
	inexact  bool // the zone front of some node may lack vectors

	reader      freeReader
	excluded    Excluded
	keys, known intern.Classes
	key         []int64     // of the current node: equal keys and free amounts, equal kind
	row         []int64     // the number of its key, then what is free on it
	zones       front.Front // what its zones take
	plain       []bool      // by role: every unmarked node takes its members
	alike       bool        // unmarked neighbours have the same key, if they lie in one domain
	alone       int32       // of the lowest tier in whose domains members must be alone; the root's: there is none
	open        []bool      // by role: whether the current node takes its members
	zoneFronts  zoneFronts
	steps       int // left for zone fronts; 0 or less: none
}

// Kinds is ready to tell nodes apart for members of these roles. Free amounts count up to the demand. Of relaxed kinds each role finds zones
// by itself; closed: no node takes any member.
func (r *Room) Kinds(roles []*Room, demand []int64, taken map[int32]Reserved, relaxed, closed bool) *Kinds {
	k := &Kinds{
		room: r, roles: roles, demand: demand, taken: taken, released: r.Slots().LeavingReleased(), relaxed: relaxed, closed: closed,
		excluded: r.Slots().Excluded(), keys: intern.NewClasses(0), known: intern.NewClasses(1 + len(r.Needs)), steps: AllZoneSteps,
	}
	perRole := make([]bool, 2*len(roles))
	k.open, k.plain = perRole[:len(roles)], perRole[len(roles):]
	width := 1 + len(r.Needs)
	row := make([]int64, width+8) // and a key, unless it is long
	k.reader, k.row, k.key = k.newFreeReader(), row[:width:width], row[width:width]
	// Zones, excluded nodes, running members and selective roles tell unmarked neighbours apart.
	k.alike, k.alone = !r.Zones().Bind() && !k.excluded.any() && !r.Model.Siblings.Any(), r.Model.View.RootTop
	for i, one := range roles {
		open := !one.Slots().Selective() && r.Request.Eligible == nil
		if k.alike = k.alike && open; one.Model.Limits.AreAlone() {
			k.alone = min(k.alone, one.Model.Limits.Alone)
		}
		k.plain[i] = open && !one.Model.Limits.AreAlone()
	}
	return k
}

// AreInexact says whether the zone front of some node may lack vectors.
func (k *Kinds) AreInexact() bool { return k.inexact }

// Below tells take the number of the kind of each node right below a domain. Kinds are divided by free amounts and by
// key: what begin says of the place of a node, whether it lies outside the tree, the roles it is open to, and what its zones take. Unmarked
// neighbours have the same key unless something tells single nodes apart, so that it is rarely computed.
func (k *Kinds) Below(leaf layout.Vertex, begin func(key []int64, x layout.Vertex) []int64, take func(x layout.Vertex, kind int32)) {
	v, free, known := k.room.Model.View, k.row[1:], false
	for pos := v.First(leaf); pos < v.EndOf(leaf); pos++ {
		x := v.NodeVertex(pos)
		flags := k.reader.read(free, v.Node(pos))
		for i, most := range k.demand {
			free[i] = min(free[i], most)
		}
		if usual := flags&^snapshot.Zoned == snapshot.Present; !usual || !known { // else the key of the node before holds
			k.key = begin(k.key[:0], x)
			k.zones = k.readKey(pos, usual)
			// The whole key is numbered once, so that the table of kinds compares one number in place of it.
			k.row[0] = int64(k.keys.Of(nil, k.key))
			known = usual && k.alike && v.TierOf(leaf) <= k.alone
		}
		take(x, k.known.Of(k.row, nil))
	}
}

// Node describes the node that is looked at.
func (k *Kinds) Node() *front.Node {
	return &front.Node{Free: slices.Clone(k.row[1:]), Open: slices.Clone(k.open), Zones: k.zones}
}

// readKey completes the key of a node, and finds what its zones take. usual: it has no marks.
func (k *Kinds) readKey(pos int32, usual bool) (zones front.Front) {
	id, status, outside := k.room.Model.View.Node(pos), asked, pos >= k.room.Model.View.FirstPos[k.room.Model.View.Outside]
	switch {
	case k.excluded.Has(id) || outside && k.room.Model.Hard || k.closed:
		status = closed
	case usual:
		status = unmarked
	}
	// Nodes outside the tree are a class of their own, since domains there hold a gang by other rules.
	k.key = append(k.key, int64(Bit(outside)))
	k.readOpen(id, status)
	if k.room.Zones().Bind() {
		return k.zonesOf(id, status)
	}
	return nil
}

// nodeStatus says how much must be asked to know the roles that a node is open to.
type nodeStatus int8

const (
	asked    nodeStatus = iota // each role asks whether the node refuses it
	unmarked                   // in service and without marks: open to every plain role
	closed                     // open to no role
)

// readOpen finds the roles that a node is open to, and adds them to the key, a bit each. O(roles), and for nodes that
// are asked the checks of Refusal.
func (k *Kinds) readOpen(id int32, status nodeStatus) {
	for r, one := range k.roles {
		if r%64 == 0 {
			k.key = append(k.key, 0)
		}
		k.open[r] = status != closed && (status == unmarked && k.plain[r] || one.Slots().Refusal(id) == "")
		k.key[len(k.key)-1] |= int64(Bit(k.open[r])) << (r % 64)
	}
}

// zonesOf is the front that the zones of a node take, which goes into the key; nil if zones do not bind or no member
// may come. Steps are shared by all nodes: once they are spent, fronts have fewer vectors than they could, and the
// kinds are inexact.
func (k *Kinds) zonesOf(id int32, status nodeStatus) front.Front {
	taken := k.taken[id]
	state := taken.Zones
	if state == nil {
		state = k.room.Zones().StateOf(id, k.released[id])
	}
	var fit *ZoneFit
	if status != closed {
		fit = k.room.Zones().ZoneFit(id, state, &k.steps)
	}
	if fit == nil {
		k.key = append(k.key, 0)
		return nil
	}
	// The front is certainly complete if its largest vector has the bound of every role: all others are within that
	// one.
	zones := fit.Most
	k.inexact = k.inexact || !slices.Equal(zones[0], fit.Bound)
	switch {
	case k.relaxed:
		zones = front.Front{fit.Bound}
	case taken.Zones != nil: // room now and room later, see Reserved
		zones = zones.Meet(taken.Beside)
		k.key = append(k.key, int64(k.zoneFronts.numberOf(zones))+1)
		return zones
	}
	k.key = append(k.key, int64(k.zoneFronts.of(fit, zones))+1)
	return zones
}
