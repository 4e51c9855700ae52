package render

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// load is what members on a node hold.
type load struct {
	resources muster.Resources
	zones     []numa.Placed
}

// add counts a running member.
func (l *load) add(m *placement.Running) {
	if l.resources == nil {
		l.resources = muster.Resources{}
	}
	for name, n := range m.Resources {
		l.resources[name] += n
	}
	if m.NUMA != nil {
		l.zones = append(l.zones, *m.NUMA)
	}
}

// with is both loads together.
func (l *load) with(other *load) *load {
	both := &load{resources: muster.Resources{}, zones: slices.Concat(l.zones, other.zones)}
	both.resources.Add(l.resources)
	both.resources.Add(other.resources)
	return both
}

// counter counts how many members of one shape nodes have room for.
type counter struct {
	shape     *gang.Shape
	exclusive numa.Exclusive // of members with a policy that do not say
	mixed     bool           // other members may be of other shapes
	kinds     map[*placement.NUMA]zoned
}

// zoned is the shape prepared for nodes of the same zones.
type zoned struct {
	zones *numa.Zones
	need  *numa.Need // nil if there is no such member or there are no such zones, which a snapshot does not have
}

// shapeOf is the shape that cells count: the first member's.
func shapeOf(req *gang.Request) *gang.Shape {
	if len(req.Members) > 0 && req.Members[0].Shape != nil {
		return req.Members[0].Shape
	}
	return &req.Shape
}

// shapesOf are the shapes of members by name, none where all are of one shape.
func shapesOf(req *gang.Request) map[string]*gang.Shape {
	shapes, first := map[string]*gang.Shape{}, shapeOf(req)
	mixed := false
	for i := range req.Members {
		m := &req.Members[i]
		shape := &req.Shape
		if m.Shape != nil {
			shape = m.Shape
		}
		shapes[m.Name] = shape
		mixed = mixed || shape != first && !shape.Equal(first)
	}
	if !mixed {
		return nil
	}
	return shapes
}

// slots is how many members fit beside a load, by the totals of the node and by its zones, whatever else keeps them away.
func (c *counter) slots(n *placement.Node, l *load) int64 {
	least := int64(-1)
	for name, ask := range c.shape.Resources {
		have, limited := n.Allocatable[name]
		if ask <= 0 || name == muster.Pods && !limited {
			continue
		}
		if fits := max(0, have-l.resources[name]) / ask; least < 0 || fits < least {
			least = fits
		}
	}
	return max(0, min(least, c.zoneSlots(n.NUMA, l)))
}

// zoneSlots is how many members the zones take.
func (c *counter) zoneSlots(n *placement.NUMA, l *load) int64 {
	if n == nil {
		n = &noZones
	}
	if c.shape.NUMA.Policy == "" && n.Policy == "" {
		return numa.Unbounded
	}
	kind, known := c.kinds[n]
	if !known {
		kind = c.prepare(n)
	}
	if kind.need == nil {
		return 0
	}
	state, err := kind.zones.Occupancy(numa.State{Zones: n.InUse, Placed: l.zones})
	if err != nil {
		return 0
	}
	return kind.need.Slots(state).Slots
}

var noZones placement.NUMA

// prepare prepares the shape for nodes with these zones.
func (c *counter) prepare(n *placement.NUMA) zoned {
	var kind zoned
	if zones, err := numa.NewZones(n.Zones); err == nil {
		if need, err := zones.Need(c.shape.ZoneMember(c.exclusive), n.Policy); err == nil {
			kind = zoned{zones, need}
		}
	}
	if c.kinds == nil {
		c.kinds = map[*placement.NUMA]zoned{}
	}
	c.kinds[n] = kind
	return kind
}
