package reference

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// aligning is what the members of a unit need of the zones of one node, and the zones as they are without anybody known.
type aligning struct {
	needs []*numa.Need
	bare  *numa.Occupancy
	known bool // something is known of the zones of the node
}

// readZones prepares the members for the zones of every node.
func (s *solver) readZones() error {
	s.zones = map[string]aligning{}
	s.aligned = slices.ContainsFunc(s.shapes, func(shape *gang.Shape) bool { return shape.NUMA.Policy != "" })
	for i := range s.in.Spec.Nodes {
		node := &s.in.Spec.Nodes[i]
		a, given := aligning{known: node.NUMA != nil}, placement.NUMA{}
		if a.known {
			given = *node.NUMA
		}
		zones, err := numa.NewZones(given.Zones)
		if err != nil {
			return fmt.Errorf("%s: %w", node.Name, err)
		}
		if a.bare, err = zones.Occupancy(numa.State{Zones: given.InUse}); err != nil {
			return fmt.Errorf("%s: %w", node.Name, err)
		}
		for _, shape := range s.shapes {
			need, err := zones.Need(validity.NUMAMember(&s.in.Spec, shape), given.Policy)
			if err != nil {
				return err
			}
			a.needs = append(a.needs, need)
		}
		if _, err := a.with(on(s.in.Spec.Running, node.Name)); err != nil {
			return fmt.Errorf("members of %s: %w", node.Name, err)
		}
		s.zones[node.Name] = a
	}
	return nil
}

// on is who runs on a node.
func on(running []placement.Running, node string) []placement.Running {
	elsewhere := func(r placement.Running) bool { return r.Node != node }
	return slices.DeleteFunc(slices.Clone(running), elsewhere)
}

// with is the zones of a node with these members there. There is no error where some of those who run there are gone.
func (a *aligning) with(members []placement.Running) (*numa.Occupancy, error) {
	var placed []numa.Placed
	for _, r := range members {
		if a.known && r.NUMA != nil {
			placed = append(placed, *r.NUMA)
		}
	}
	return a.bare.Add(placed...)
}

// slots is how many units the zones of a node take, up to a limit.
func (a *aligning) slots(node *numa.Occupancy, limit int64) int64 {
	if len(a.needs) == 1 {
		return min(limit, a.needs[0].Slots(node).Slots)
	}
	for n := range limit {
		placed, _, next := a.unit(node)
		switch {
		case placed == nil:
			return n
		case next == node: // nobody looks at zones
			return limit
		}
		node = next
	}
	return limit
}

// unit puts one unit into the zones of a node, member by member in rank order, and says how that is rated; nil if it does
// not fit.
func (a *aligning) unit(node *numa.Occupancy) (placed []numa.Placed, score int64, next *numa.Occupancy) {
	for _, need := range a.needs {
		one := need.Split(node, 1)
		if one == nil {
			return nil, 0, nil
		}
		placed, score = append(placed, one[0]), score+need.Rate(node, one)
		if len(one[0].Shares) > 0 {
			var err error
			if node, err = node.Add(one...); err != nil {
				return nil, 0, nil
			}
		}
	}
	return placed, score, node
}

// split puts so many units into the zones of a node, those of one member together, others one after the other.
func (a *aligning) split(node *numa.Occupancy, units int) (placed []numa.Placed, score int64) {
	if len(a.needs) == 1 {
		placed = a.needs[0].Split(node, units)
		return placed, a.needs[0].Rate(node, placed)
	}
	for range units {
		unit, more, next := a.unit(node)
		placed, score, node = append(placed, unit...), score+more, next
	}
	return placed, score
}

// align finds what docs/order.md, section 1, says of the zones of a node for an aligned gang: zones(n), and the NUMA
// score of every number of members.
func (s *solver) align(v *vertex, members []placement.Running) {
	v.zones, v.rates = 0, make([]int64, 1)
	a := s.zones[v.node.Name]
	node, err := a.with(members)
	if !s.aligned || err != nil {
		return
	}
	v.zones = a.needs[0].Fit(node).Mask.Width()
	for n := 1; n <= min(v.fits, len(s.in.Request.Members)); n++ {
		_, rate := a.split(node, n)
		v.rates = append(v.rates, rate)
	}
}

// remaining is who is left on a node when those who are waited for are gone.
func (s *solver) remaining(a *Answer, node string) []placement.Running {
	return slices.DeleteFunc(on(s.in.Spec.Running, node), func(r placement.Running) bool {
		return slices.Contains(a.WaitsFor, placement.Waited{MemberRef: placement.MemberRef{Gang: r.Gang, Member: r.Member}, Node: node})
	})
}

// giveZones gives the members of the new units on every node their shares of its zones, in rank order, when those who are
// waited for are gone.
func (s *solver) giveZones(a *Answer) {
	a.shares = make([][]*numa.Placed, len(a.Assignments))
	for node, count := range a.Counts {
		zones := s.zones[node]
		state, err := zones.with(s.remaining(a, node))
		if err != nil {
			continue
		}
		placed, _ := zones.split(state, count)
		for i := range a.Assignments {
			if a.Assignments[i].Node != node {
				continue
			}
			for range s.shapes {
				a.shares[i], placed = append(a.shares[i], sharesIn(&placed[0])), placed[1:]
			}
			if len(s.shapes) == 1 {
				a.Assignments[i].NUMA = a.shares[i][0]
			}
		}
	}
}

// sharesIn is nil for a member that has none.
func sharesIn(p *numa.Placed) *numa.Placed {
	if len(p.Shares) == 0 {
		return nil
	}
	return p
}
