package placement_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
)

// hasZonesOf holds if the node has every zone of which a member has a share, or if nothing is known of its zones.
func hasZonesOf(n cluster.Node, r cluster.Running) bool {
	if r.NUMA == nil || n.NUMA == nil {
		return true
	}
	return !slices.ContainsFunc(r.NUMA.Shares, func(s numa.Share) bool { return zoneOf(n.NUMA, s.Zone) == nil })
}

func zoneOf(n *cluster.NUMA, id int) *numa.Zone {
	if i := slices.IndexFunc(n.Zones, func(z numa.Zone) bool { return z.ID == id }); i >= 0 {
		return &n.Zones[i]
	}
	return nil
}

// hasRoomInZones holds if the zones of the node, which it has, have room for the shares of a member.
func (m model) hasRoomInZones(n cluster.Node, r cluster.Running) bool {
	if r.NUMA == nil || n.NUMA == nil {
		return true
	}
	used := map[int]muster.Resources{}
	add := func(zone int, more muster.Resources) {
		if used[zone] == nil {
			used[zone] = muster.Resources{}
		}
		for name, amount := range more {
			used[zone][name] += amount
		}
	}
	for _, o := range n.NUMA.InUse {
		add(o.ID, o.Used)
	}
	for _, other := range m.on(n.Name) {
		if other.NUMA != nil {
			for _, s := range other.NUMA.Shares {
				add(s.Zone, s.Resources)
			}
		}
	}
	for _, s := range r.NUMA.Shares {
		for name, amount := range s.Resources {
			reported := slices.ContainsFunc(n.NUMA.Zones, func(z numa.Zone) bool { _, ok := z.Allocatable[name]; return ok })
			if free := zoneOf(n.NUMA, s.Zone).Allocatable[name] - used[s.Zone][name]; reported && amount > 0 && amount > free {
				return false
			}
		}
	}
	return true
}

// drawZones draws up to three zones of a node, mostly nothing, with a policy or not, and somebody unknown in the first.
func drawZones(t *rapid.T) *cluster.NUMA {
	var n *cluster.NUMA
	for id := range rapid.SampledFrom([]int{0, 0, 2, 3, 1}).Draw(t, "zones") {
		if n == nil {
			n = &cluster.NUMA{Policy: drawPolicy(t)}
		}
		n.Zones = append(n.Zones, numa.Zone{ID: id, Allocatable: gpus(rapid.Int64Range(0, 2).Draw(t, "in a zone"))})
	}
	if n != nil && rapid.IntRange(0, 5).Draw(t, "somebody unknown") == 5 {
		n.InUse = []numa.Occupied{{ID: 0, Used: n.Zones[0].Allocatable, Hosts: numa.HostsSingle}}
	}
	return n
}

func drawPolicy(t *rapid.T) numa.Policy {
	return rapid.SampledFrom([]numa.Policy{"", numa.BestEffort, numa.Restricted, numa.SingleNUMANode}).Draw(t, "policy")
}

// drawShares draws what a member has of zones: mostly nothing, else a device of each of the first ones.
func drawShares(t *rapid.T) *numa.Placed {
	var p *numa.Placed
	for id := range rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "shares") {
		if p == nil {
			p = &numa.Placed{Policy: drawPolicy(t)}
		}
		p.Shares = append(p.Shares, numa.Share{Zone: id, Resources: gpus(1)})
	}
	return p
}
