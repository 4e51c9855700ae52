// What do members hold in the NUMA zones of a node?

package snapshot

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
)

// ZoneClass is the zones and the policy of a node. Nodes share it where they share their class. It never changes.
type ZoneClass struct {
	NUMA *cluster.NUMA   // as it was given
	Bare *numa.Occupancy // without members of the cluster; InUse of the spec is taken
}

// NewZoneClass brings zones inside. The error is one or several [muster.InvalidError]s, with fields relative to n.
func NewZoneClass(n *cluster.NUMA) (*ZoneClass, error) {
	if !n.Policy.Known() {
		return nil, muster.Invalid("policy", n.Policy, "unknown policy")
	}
	zones, err := numa.NewZones(n.Zones)
	if err != nil {
		return nil, err
	}
	bare, err := zones.Occupancy(numa.State{Zones: n.InUse})
	if err != nil {
		return nil, err
	}
	return &ZoneClass{n, bare}, nil
}

// sameZones compares two descriptions of zones, the lists in the order in which they were given.
// O(zones * (zones + resources)).
func sameZones(n *cluster.NUMA, other *cluster.NUMA) bool {
	if n == nil || other == nil || n == other {
		return n == other
	}
	return n.Policy == other.Policy &&
		slices.EqualFunc(n.Zones, other.Zones, func(a, b numa.Zone) bool {
			return a.ID == b.ID && maps.Equal(a.Allocatable, b.Allocatable) && maps.Equal(a.Distances, b.Distances)
		}) &&
		slices.EqualFunc(n.InUse, other.InUse, func(a, b numa.Occupied) bool {
			return a.ID == b.ID && a.Hosts == b.Hosts && maps.Equal(a.Used, b.Used)
		})
}

// spec is the zones as the spec gave them, nil if there are none.
func (z *ZoneClass) spec() *cluster.NUMA {
	if z == nil {
		return nil
	}
	return z.NUMA
}

// state is the occupancy of a node without members, nil if it has no zones.
func (z *ZoneClass) state() *numa.Occupancy {
	if z == nil {
		return nil
	}
	return z.Bare
}

// below puts the path of the owner before the fields of defects that another package found, one or several joined.
// Other errors stay as they are.
func below(owner string, err error) error {
	var list []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	} else {
		list = []error{err}
	}
	for i, err := range list {
		var bad *muster.InvalidError
		if errors.As(err, &bad) {
			list[i] = &muster.InvalidError{Field: owner + "." + bad.Field, Value: bad.Value, Reason: bad.Reason}
		}
	}
	return errors.Join(list...)
}

// step is a change of zones by one member. Both are compared by address: equal steps at different addresses are
// computed twice, to equal results.
type step struct {
	from   *numa.Occupancy
	member *numa.Placed
}

// holdZones gives a member its shares of the zones of its node, whether they are free or not: zonesTake
// looks at that. Occupancies are immutable. While a snapshot is made, equal steps from one state lead to one state, so
// that nodes of one class with the same shares in use share their occupancy, too. The error names the member's field.
func (c *Snapshot) holdZones(m *Member) error {
	from := c.Zones.At(m.Node)
	if m.Placed == nil || from == nil {
		return nil // it counts against the amounts of the node only
	}
	// Add costs O(zones * resources) and a new occupancy; a step that was made before costs a lookup.
	s := step{from, m.Placed}
	to, ok := c.steps[s]
	if !ok {
		var err error
		if to, err = from.Add(*m.Placed); err != nil {
			return below("running member "+m.Class.Gang+" "+m.Name+" on node "+c.Lineage.Names[m.Node]+".NUMA", err)
		}
		if c.steps == nil {
			c.steps = map[step]*numa.Occupancy{}
		}
		c.steps[s] = to
	}
	c.Zones.Set(m.Node, to)
	c.touch(m.Node)
	return nil
}

// Without is the occupancy of a node once a member on it has left; from itself where that changes nothing. It may be
// nil.
func Without(from *numa.Occupancy, m *Member) *numa.Occupancy {
	if m.Placed == nil || from == nil {
		return from
	}
	to, err := from.Remove(*m.Placed)
	if err != nil {
		return from // never: the same shares were added
	}
	return to
}

// giveBackZones is the inverse of holdZones.
func (c *Snapshot) giveBackZones(m *Member) {
	from := c.Zones.At(m.Node)
	if to := Without(from, m); to != from {
		c.Zones.Set(m.Node, to)
		c.touch(m.Node)
	}
}

// zonesTake refuses a member for whose shares the zones of its node lack an amount, with the resource, and By in its
// units. Members without shares, and nodes without zones, have nothing to refuse.
func (c *Snapshot) zonesTake(m *Member) error {
	state := c.Zones.At(m.Node)
	if m.Placed == nil || state == nil {
		return nil
	}
	if lack := state.Lack(*m.Placed); lack.Amount > 0 {
		return &cluster.ConflictError{
			Node: c.Lineage.Names[m.Node], Gang: m.Class.Gang, Member: m.Name, Resource: lack.Resource, By: lack.Amount,
			Reason: fmt.Sprintf("zone %d is over-committed", lack.Zone),
		}
	}
	return nil
}

// Apart checks the exclusivity of a member that arrives, against the members that hold zones in c: members that span
// zones, and members that have one zone by policy, keep out of each other's zones. A member that has one zone without
// that policy has no foe. One that must not keep apart (must) does so from those for whom zones are kept.
func (c *Snapshot) Apart(m *Member, must bool) error {
	state := c.Zones.At(m.Node)
	if m.Placed == nil || state == nil {
		return nil
	}
	var foe numa.Hosts // which members a zone must not host; 0: any may be there
	// A member that spans zones keeps away from those with one zone by policy, and these from it.
	switch {
	case len(m.Placed.Shares) > 1:
		foe = numa.HostsSingle
	case m.Placed.Policy == numa.SingleNUMANode:
		foe = numa.HostsSpanning
	}
	there := state.Keeps
	if must {
		there = state.Hosts
	}
	for _, s := range m.Placed.Shares {
		if there(s.Zone)&foe != 0 {
			return &cluster.ConflictError{
				Node: c.Lineage.Names[m.Node], Gang: m.Class.Gang, Member: m.Name,
				Reason: fmt.Sprintf("zone %d hosts a member that this one must keep apart from", s.Zone),
			}
		}
	}
	return nil
}

// setZones replaces the zones of a node, nil for none, by those without members. It counts the nodes with a policy. For
// that it reads the old flags, so it comes before the static part is set.
func (c *Snapshot) setZones(id int32, z *ZoneClass) {
	if c.FlagsOf(id)&Zoned != 0 {
		c.Zoned--
	}
	if z != nil && z.NUMA.Policy != "" {
		c.Zoned++
	}
	if state := z.state(); state != nil || c.Zones.At(id) != nil { // nodes without zones need no page
		c.Zones.Set(id, state)
	}
}
