package numa

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// State is what is in use on a node, and the node's own policy.
type State struct {
	// Zones holds what is in use in zones by somebody who is not among Placed, so that it never comes back.
	Zones []Occupied
	// Placed are the members that have zones.
	Placed []Placed
	// Totals is what is free on the node as a whole, members without zones taken off; it may be less than what the zones
	// have. A resource that it does not name is not bounded by it. It is kept, not copied, and [Occupancy.Add] and
	// [Occupancy.Remove] leave it as it is.
	Totals muster.Resources
}

// Occupied is what somebody unknown has of one zone.
type Occupied struct {
	// ID is the zone's.
	ID int
	// Used is what is in use of it.
	Used muster.Resources
	// Hosts says which members that hold it keep others away.
	Hosts Hosts
}

// Excess is what members hold of a zone beyond what the zone has.
type Excess struct {
	// Zone is the zone's id.
	Zone int
	// Resource is what is held beyond the zone.
	Resource string
	// Amount is how much more, in the unit of the resource.
	Amount int64
}

// Occupancy is the zones of one node: what is in use of them, by whom, and what is free. The value is immutable and safe for
// concurrent use. A nil Occupancy and the zero one have no zones.
type Occupancy struct {
	zones  *Zones
	totals muster.Resources
	// used by resource, then zone; it may be more than is allocatable, then nothing is free.
	used, free []int64
	// there counts all members with shares, kept those among them who are still to come.
	there, kept tally
	hosts       marks // of there
	keeps       marks // of kept
	hash        uint64
}

// bare stands for a nil occupancy and the zero one.
var bare = &Occupancy{zones: &noZones}

func (n *Occupancy) orEmpty() *Occupancy {
	if n == nil || n.zones == nil {
		return bare
	}
	return n
}

// Occupancy adds to the zones what is in use. Members may hold more than a zone has: then nothing of it is free, and
// [Occupancy.Excess] tells; what unknown members hold may not. All defects are reported, joined, each an [muster.InvalidError]:
// a zone that the node lacks, negative amounts, an unknown policy or flag, sums that overflow. Resources that no zone
// reports have no zones, so shares of them are not counted. O(n k + shares).
func (t *Zones) Occupancy(state State) (*Occupancy, error) {
	t = t.orEmpty()
	n := &Occupancy{
		zones: t, totals: state.Totals, used: make([]int64, len(t.allocatable)), there: newTally(len(t.ids)),
	}
	var d defects
	d.resources("totals", state.Totals)
	for i, o := range state.Zones {
		at := fmt.Sprintf("zones[%d]", i)
		z, ok := slices.BinarySearch(t.ids, o.ID)
		if !ok {
			d.add(at+".ID", o.ID, "no zone of the node has this id")
			continue
		}
		if o.Hosts > HostsSingle|HostsSpanning {
			d.add(at+".Hosts", o.Hosts, "unknown flag")
		}
		n.there.single[z] += int32(o.Hosts & HostsSingle)
		n.there.spanning[z] += int32(o.Hosts & HostsSpanning / HostsSpanning)
		n.take(&d, at+".Used", z, o.Used)
	}
	for i, amount := range n.used {
		if amount > t.allocatable[i] {
			id, name := t.ids[i%len(t.ids)], t.names[i/len(t.ids)]
			at := slices.IndexFunc(state.Zones, func(o Occupied) bool { return o.ID == id })
			d.add(fmt.Sprintf("zones[%d].Used.%s", at, name), amount, "more than the zone has: negative free")
		}
	}
	n.add(&d, state.Placed)
	if len(d) > 0 {
		return nil, errors.Join(d...)
	}
	n.derive()
	return n, nil
}

// Zones are the zones that the node shares with its equals.
func (n *Occupancy) Zones() *Zones { return n.orEmpty().zones }

// Add returns the node with further members on it; errors as in [Zones.Occupancy]. O(n k + shares).
func (n *Occupancy) Add(placed ...Placed) (*Occupancy, error) {
	n = n.orEmpty()
	next := n.copy()
	var d defects
	next.add(&d, placed)
	if len(d) > 0 {
		return nil, errors.Join(d...)
	}
	next.derive()
	return next, nil
}

// Remove returns the node without members that were added before, with the same shares and policy. More than is in use
// is an [muster.InvalidError]. O(n k + shares).
func (n *Occupancy) Remove(placed ...Placed) (*Occupancy, error) {
	n = n.orEmpty()
	next := &Occupancy{zones: n.zones, totals: n.totals, used: make([]int64, len(n.used)), there: newTally(len(n.zones.ids))}
	var d defects
	next.add(&d, placed)
	for i := range n.used {
		next.used[i] = n.used[i] - next.used[i]
		if next.used[i] < 0 {
			d.add("placed", n.zones.names[i/len(n.zones.ids)], fmt.Sprintf("more than is in use in zone %d", n.zones.ids[i%len(n.zones.ids)]))
		}
	}
	fewer := func(z int) { d.add("placed", n.zones.ids[z], "no such member is in the zone") }
	next.there, next.kept = n.there.without(next.there, fewer), n.kept.without(next.kept, fewer)
	if len(d) > 0 {
		return nil, errors.Join(d...)
	}
	next.derive()
	return next, nil
}

// WithTotals returns the node with other totals, see [State.Totals]. O(1).
func (n *Occupancy) WithTotals(totals muster.Resources) *Occupancy {
	n = n.orEmpty()
	next := *n
	next.totals = totals
	return &next
}

// Equal says whether every need fits alike on both, whatever their totals: same zones, same amounts free, members with the
// same marks. O(n k).
func (n *Occupancy) Equal(other *Occupancy) bool {
	n, other = n.orEmpty(), other.orEmpty()
	return n == other || n.hash == other.hash && n.zones.Equal(other.zones) && n.hosts == other.hosts && n.keeps == other.keeps && slices.Equal(n.free, other.free)
}

func (n *Occupancy) copy() *Occupancy {
	next := *n
	next.used, next.there, next.kept = slices.Clone(n.used), n.there.clone(), n.kept.clone()
	return &next
}

// add takes what members hold, and counts those that the flags tell of. A share of nothing is none.
func (n *Occupancy) add(d *defects, placed []Placed) {
	for i, p := range placed {
		at := fmt.Sprintf("placed[%d]", i)
		if !p.Policy.Known() {
			d.add(at+".Policy", p.Policy, "unknown policy")
		}
		mask := Mask(0)
		for j, s := range p.Shares {
			at := fmt.Sprintf("%s.Shares[%d]", at, j)
			z, ok := slices.BinarySearch(n.zones.ids, s.Zone)
			if !ok {
				d.add(at+".Zone", s.Zone, "no zone of the node has this id")
				continue
			}
			if n.take(d, at+".Resources", z, s.Resources) {
				mask |= 1 << z
			}
		}
		n.there.add(mask, p.Policy)
		if p.Kept {
			if n.kept.single == nil {
				n.kept = newTally(len(n.zones.ids))
			}
			n.kept.add(mask, p.Policy)
		}
	}
}

// take adds amounts to what is used in a zone; it says whether any is positive.
func (n *Occupancy) take(d *defects, field string, zone int, amounts muster.Resources) bool {
	d.resources(field, amounts)
	some := false
	for _, name := range amounts.Names() {
		amount := amounts[name]
		if amount <= 0 { // negative ones are reported
			continue
		}
		some = true
		r := slices.Index(n.zones.names, name)
		if r < 0 {
			continue // it has no zones here
		}
		used := &n.used[r*len(n.zones.ids)+zone]
		if amount > math.MaxInt64-*used {
			d.add(field+"."+name, amount, "the sum over the members of the zone overflows")
			continue
		}
		*used += amount
	}
	return some
}

// derive works out what is free, and the flags.
func (n *Occupancy) derive() {
	n.free = make([]int64, len(n.used))
	for i, used := range n.used {
		n.free[i] = max(0, n.zones.allocatable[i]-used)
	}
	n.hash = 0
	for _, free := range n.free {
		n.hash = (n.hash ^ uint64(free)) * 0x9e3779b97f4a7c15
		n.hash ^= n.hash >> 32
	}
	n.hosts, n.keeps = n.there.marks(), n.kept.marks()
	n.hash ^= uint64(n.hosts.single)<<MaxZones | uint64(n.hosts.spanning) | uint64(n.keeps.single)<<(3*MaxZones) | uint64(n.keeps.spanning)<<(2*MaxZones)
}

// Hash is the same for nodes that are [Occupancy.Equal]. O(1).
func (n *Occupancy) Hash() uint64 { return n.orEmpty().hash }

// Free is what is free in the zone with this id, of every resource that some zone of the node reports, zeros included.
// Nil: no such zone. The map is the caller's. O(k).
func (n *Occupancy) Free(id int) muster.Resources {
	n = n.orEmpty()
	z, ok := slices.BinarySearch(n.zones.ids, id)
	if !ok {
		return nil
	}
	free := muster.Resources{}
	for r, name := range n.zones.names {
		free[name] = n.free[r*len(n.zones.ids)+z]
	}
	return free
}

// Hosts says which members have a share in the zone with this id; 0 for a zone that the node lacks. O(log n).
func (n *Occupancy) Hosts(id int) Hosts {
	n = n.orEmpty()
	return n.flags(id, n.hosts)
}

// Keeps says for which members the zone with this id is kept ([Placed.Kept]); they are among Hosts. O(log n).
func (n *Occupancy) Keeps(id int) Hosts {
	n = n.orEmpty()
	return n.flags(id, n.keeps)
}

// flags are the marks of the zone with an id; 0 for one that the node lacks.
func (n *Occupancy) flags(id int, m marks) Hosts {
	z, ok := slices.BinarySearch(n.zones.ids, id)
	if !ok {
		return 0
	}
	return Hosts(m.single>>z&1)*HostsSingle | Hosts(m.spanning>>z&1)*HostsSpanning
}

// Lack is what a zone lacks for the shares of a member that is not on the node, of the first share and resource that has
// too little; the amount is 0 if there is room. O(shares * k).
func (n *Occupancy) Lack(p Placed) Excess {
	n = n.orEmpty()
	for _, s := range p.Shares {
		z, ok := slices.BinarySearch(n.zones.ids, s.Zone)
		for r, name := range n.zones.names {
			if amount := s.Resources[name]; ok && amount > n.free[r*len(n.zones.ids)+z] {
				return Excess{Zone: s.Zone, Resource: name, Amount: amount - n.free[r*len(n.zones.ids)+z]}
			}
		}
	}
	return Excess{}
}

// Excess lists what members hold beyond the zones, by resource, then zone. The list is the caller's. O(n k).
func (n *Occupancy) Excess() []Excess {
	n = n.orEmpty()
	var list []Excess
	for i, used := range n.used {
		if over := used - n.zones.allocatable[i]; over > 0 {
			list = append(list, Excess{Zone: n.zones.ids[i%len(n.zones.ids)], Resource: n.zones.names[i/len(n.zones.ids)], Amount: over})
		}
	}
	return list
}
