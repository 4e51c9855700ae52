package placement

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// zoning is what is known of the zones of nodes of one kind.
type zoning struct {
	*NUMA
	bare *numa.Occupancy // with nobody on it but those unknown
}

// newZoning brings zones inside.
func newZoning(n *NUMA) (*zoning, error) {
	if !n.Policy.Known() {
		return nil, invalid("policy", n.Policy, "unknown policy")
	}
	zones, err := numa.NewZones(n.Zones)
	if err != nil {
		return nil, err
	}
	bare, err := zones.Occupancy(numa.State{Zones: n.InUse})
	if err != nil {
		return nil, err
	}
	return &zoning{n, bare}, nil
}

// equal says whether the two describe the same zones. O(zones * (zones + resources)).
func (n *NUMA) equal(other *NUMA) bool {
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

// spec is the zones as they were given, nil if there are none.
func (z *zoning) spec() *NUMA {
	if z == nil {
		return nil
	}
	return z.NUMA
}

// state is what the nodes have free in their zones while nobody known runs there.
func (z *zoning) state() *numa.Occupancy {
	if z == nil {
		return nil
	}
	return z.bare
}

// below puts the path of the owner before the fields of the defects that another package found.
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

// step is a change of a node's zones by one member.
type step struct {
	from   *numa.Occupancy
	member *numa.Placed
}

// holdZones gives a member its shares. Equal steps from one state lead to one state, while a snapshot is made.
func (c *Cluster) holdZones(m *member) error {
	from := c.zones.at(m.node)
	if m.placed == nil || from == nil {
		return nil // counts against the totals only
	}
	s := step{from, m.placed}
	to, ok := c.steps[s]
	if !ok {
		var err error
		if to, err = from.Add(*m.placed); err != nil {
			return below("running member "+m.gang+" "+m.name+" on node "+c.names[m.node]+".NUMA", err)
		}
		if c.steps == nil {
			c.steps = map[step]*numa.Occupancy{}
		}
		c.steps[s] = to
	}
	c.zones.set(m.node, to)
	c.touch(m.node)
	return nil
}

// without is the zones of a node when a member on it has left.
func without(from *numa.Occupancy, m *member) *numa.Occupancy {
	if m.placed == nil || from == nil {
		return from
	}
	to, err := from.Remove(*m.placed)
	if err != nil {
		return from // never: it was added
	}
	return to
}

// giveBackZones is the inverse of holdZones.
func (c *Cluster) giveBackZones(m *member) {
	from := c.zones.at(m.node)
	if to := without(from, m); to != from {
		c.zones.set(m.node, to)
		c.touch(m.node)
	}
}

// noteExcess notes the zones of a new cluster in which members hold more than there is. O(nodes), if any member has zones.
func (c *Cluster) noteExcess() {
	if c.steps == nil {
		return
	}
	for id := range int32(len(c.names)) {
		state := c.zones.at(id)
		if state == nil {
			continue
		}
		for _, e := range state.Excess() {
			c.notices = append(c.notices, fmt.Sprintf("node %s: members hold %d more %s of zone %d than it has", c.names[id], e.Amount, e.Resource, e.Zone))
		}
	}
}

// zonesTake says whether the zones of its node have what a member is to get.
func (c *Cluster) zonesTake(m *member) error {
	state := c.zones.at(m.node)
	if m.placed == nil || state == nil {
		return nil
	}
	if lack := state.Lack(*m.placed); lack.Amount > 0 {
		return &ConflictError{
			Node: c.names[m.node], Gang: m.gang, Member: m.name, Resource: lack.Resource, By: lack.Amount,
			Reason: fmt.Sprintf("zone %d is over-committed", lack.Zone),
		}
	}
	return nil
}

// apart checks the exclusivity of a member that is to come: who spans zones and who has one by policy keep out of each
// other's zones.
func (c *Cluster) apart(m *member) error {
	state := c.zones.at(m.node)
	if m.placed == nil || state == nil {
		return nil
	}
	var foe numa.Hosts
	switch {
	case len(m.placed.Shares) > 1:
		foe = numa.HostsSingle
	case m.placed.Policy == numa.SingleNUMANode:
		foe = numa.HostsSpanning
	}
	for _, s := range m.placed.Shares {
		if state.Hosts(s.Zone)&foe != 0 {
			return &ConflictError{
				Node: c.names[m.node], Gang: m.gang, Member: m.name,
				Reason: fmt.Sprintf("zone %d hosts a member that this one must keep apart from", s.Zone),
			}
		}
	}
	return nil
}

// setZones sets what is known of a node's zones, nil if nothing is. It comes before the static part.
func (c *Cluster) setZones(id int32, z *zoning) {
	if c.flagsOf(id)&zoned != 0 {
		c.zoned--
	}
	if z != nil && z.Policy != "" {
		c.zoned++
	}
	if state := z.state(); state != nil || c.zones.at(id) != nil { // nodes without zones need no page
		c.zones.set(id, state)
	}
}
