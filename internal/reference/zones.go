package reference

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// aligning is what members need of the zones of one node, and the zones as they are without anybody known.
type aligning struct {
	need *numa.Need
	bare *numa.Node
}

// readZones prepares the members for the zones of every node.
func (s *solver) readZones() error {
	s.zones = map[string]aligning{}
	s.aligned = s.shape.NUMA.Policy != ""
	for i := range s.in.Spec.Nodes {
		node := &s.in.Spec.Nodes[i]
		given := placement.NUMA{}
		if node.NUMA != nil {
			given = *node.NUMA
		}
		zones, err := numa.NewZones(given.Zones)
		if err != nil {
			return fmt.Errorf("%s: %w", node.Name, err)
		}
		var a aligning
		if a.bare, err = zones.Node(numa.State{Zones: given.InUse}); err != nil {
			return fmt.Errorf("%s: %w", node.Name, err)
		}
		if a.need, err = zones.Need(validity.NUMAMember(&s.in.Spec, s.shape), given.Policy); err != nil {
			return err
		}
		if _, err := a.bare.Add(sharesOf(on(s.in.Spec.Running, node.Name))...); err != nil {
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

func sharesOf(members []placement.Running) []numa.Placed {
	var out []numa.Placed
	for _, r := range members {
		if r.NUMA != nil {
			out = append(out, *r.NUMA)
		}
	}
	return out
}

// with is the zones of a node with these members there.
func (a *aligning) with(members []placement.Running) *numa.Node {
	node, err := a.bare.Add(sharesOf(members)...)
	if err != nil {
		panic(err) // all who run there could be added, see readZones
	}
	return node
}

// align finds what docs/order.md, section 1, says of the zones of a node for an aligned gang: zones(n), and the NUMA
// score of every number of members.
func (s *solver) align(v *vertex, members []placement.Running) {
	v.zones, v.rates = 0, make([]int64, 1)
	if !s.aligned {
		return
	}
	a := s.zones[v.node.Name]
	node := a.with(members)
	v.zones = a.need.Fit(node).Mask.Width()
	for n := 1; n <= min(v.fits, len(s.in.Request.Members)); n++ {
		v.rates = append(v.rates, a.need.Rate(node, a.need.Split(node, n)))
	}
}

// giveZones gives the new members on every node their shares of its zones, in rank order, when those who are waited for
// are gone.
func (s *solver) giveZones(a *Answer) {
	for node, count := range a.Counts {
		stay := slices.DeleteFunc(on(s.in.Spec.Running, node), func(r placement.Running) bool {
			return slices.Contains(a.WaitsFor, placement.Waited{MemberRef: placement.MemberRef{Gang: r.Gang, Member: r.Member}, Node: node})
		})
		zones := s.zones[node]
		if zones.need.Policy() == "" {
			continue
		}
		placed := zones.need.Split(zones.with(stay), count)
		for i := range a.Assignments {
			if a.Assignments[i].Node == node {
				if a.Assignments[i].NUMA = nil; len(placed[0].Shares) > 0 {
					a.Assignments[i].NUMA = &placed[0]
				}
				placed = placed[1:]
			}
		}
	}
}
