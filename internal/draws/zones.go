package draws

import (
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
)

// Policies are all policies of zones, and none.
var Policies = []numa.Policy{"", numa.BestEffort, numa.Restricted, numa.SingleNUMANode}

// zones draws what is known of a node's zones, and the node's amounts after them. Nodes have one to four zones, even or
// not, seldom none; in some clusters all nodes have the same. A zone has devices, mostly CPUs, sometimes memory; what has
// no zones binds by totals alone, and totals may be less than the zones have. Nodes may have a policy, zones distances. Who
// runs there has shares of one zone or of two, under any policy, or none, seldom of more than is there; some leave; and
// somebody unknown may be in a zone.
func (d *clusterDraw) zones(n *cluster.Node) {
	if d.alike != nil {
		n.NUMA = d.alike
	} else {
		n.NUMA = &cluster.NUMA{}
		d.zoneAmounts(n.NUMA)
		d.distances(n.NUMA.Zones)
		if Chance(d.t, 30, "policy of the node") {
			n.NUMA.Policy = rapid.SampledFrom(Policies).Draw(d.t, "policy")
		}
		if Chance(d.t, 15, "somebody unknown") {
			d.unknown(n.NUMA)
		}
	}
	if d.alike == nil && Chance(d.t, 15, "from here on alike") {
		d.alike = n.NUMA
	}
	n.Allocatable = muster.Resources{Second: 8000, muster.Memory: 8}
	for name, amount := range zoned(n.NUMA) {
		n.Allocatable[name] = amount
	}
	if Chance(d.t, 10, "totals bind") {
		n.Allocatable[Device] = rapid.Int64Range(0, n.Allocatable[Device]).Draw(d.t, "total")
	}
}

// zoned is what the zones have in sum, of every resource that one of them reports.
func zoned(n *cluster.NUMA) muster.Resources {
	sum := muster.Resources{}
	for _, z := range n.Zones {
		for name, amount := range z.Allocatable {
			sum[name] += amount
		}
	}
	return sum
}

func (d *clusterDraw) zoneAmounts(n *cluster.NUMA) {
	ids := rapid.Permutation([]int{0, 1, 2, 3, 10}).Draw(d.t, "ids")[:rapid.SampledFrom([]int{2, 3, 4, 1}).Draw(d.t, "zones")]
	even := rapid.Bool().Draw(d.t, "even")
	cpus, memory := !Chance(d.t, 30, "CPUs have no zones"), Chance(d.t, 15, "memory has zones")
	for _, id := range ids {
		z := numa.Zone{ID: id, Allocatable: muster.Resources{}}
		if z.Allocatable[Device] = rapid.SampledFrom([]int64{4, 3, 2, 6, 1, 0}).Draw(d.t, "devices"); cpus {
			z.Allocatable[Second] = rapid.SampledFrom([]int64{4000, 3000, 1500, 3500, 6000, 500, 0}).Draw(d.t, "CPUs")
		}
		if memory {
			z.Allocatable[muster.Memory] = rapid.Int64Range(0, 4).Draw(d.t, "memory")
		}
		if z.Allocatable[Device] == 0 && Chance(d.t, 50, "no devices at all") {
			delete(z.Allocatable, Device)
		}
		if even && len(n.Zones) > 0 {
			z.Allocatable = n.Zones[0].Allocatable
		}
		n.Zones = append(n.Zones, z)
	}
}

// distances are known of all zones or of none; they need not be the same there and back.
func (d *clusterDraw) distances(zones []numa.Zone) {
	if !Chance(d.t, 30, "with distances") {
		return
	}
	for i := range zones {
		zones[i].Distances = map[int]int64{}
		for _, other := range zones {
			zones[i].Distances[other.ID] = rapid.Int64Range(10, 12).Draw(d.t, "distance")
		}
	}
}

func (d *clusterDraw) unknown(n *cluster.NUMA) {
	z := rapid.SampledFrom(n.Zones).Draw(d.t, "zone")
	o := numa.Occupied{ID: z.ID, Used: muster.Resources{}, Hosts: rapid.SampledFrom([]numa.Hosts{0, 1, 2, 3}).Draw(d.t, "hosts")}
	for _, name := range z.Allocatable.Names() {
		o.Used[name] = min(z.Allocatable[name], rapid.Int64Range(0, 2).Draw(d.t, "used")*unitOf(name))
	}
	n.InUse = []numa.Occupied{o}
}

// unitOf is the smallest amount that is drawn.
func unitOf(resource string) int64 {
	if resource == Second {
		return 500
	}
	return 1
}

// occupyZones draws who runs on a node with zones, as far as its totals allow and mostly as far as its zones do.
func (d *clusterDraw) occupyZones(n cluster.Node) {
	left := muster.Resources{}
	for name, amount := range n.Allocatable {
		left[name] = amount
	}
	inZone := map[int]muster.Resources{}
	for _, z := range n.NUMA.Zones {
		inZone[z.ID] = muster.Resources{}
		for name, amount := range z.Allocatable {
			inZone[z.ID][name] = amount
		}
	}
	for range rapid.SampledFrom([]int{1, 0, 2, 3, 0, 4}).Draw(d.t, "members") {
		what := rapid.SampledFrom([]string{"leaving", "other", "own", "leaving", "key", "other"}).Draw(d.t, "who")
		r := RunningMember(d.running, n.Name, what)
		d.running++
		d.shares(&r, n.NUMA.Zones)
		excess := !fits(left, r.Resources)
		if r.NUMA != nil {
			for _, s := range r.NUMA.Shares {
				excess = excess || !fits(inZone[s.Zone], s.Resources) && !Chance(d.t, 10, "more than the zone has")
			}
		}
		if excess {
			continue
		}
		minus(left, r.Resources)
		if r.NUMA != nil {
			for _, s := range r.NUMA.Shares {
				minus(inZone[s.Zone], s.Resources)
			}
		}
		d.spec.Running = append(d.spec.Running, r)
	}
}

func minus(left, amounts muster.Resources) {
	for name := range left {
		left[name] -= amounts[name]
	}
}

// shares draws what a member has of the zones: of one, of two, or nothing.
func (d *clusterDraw) shares(r *cluster.Running, zones []numa.Zone) {
	width := rapid.SampledFrom([]int{0, 1, 1, 1, 2, 2}).Draw(d.t, "width")
	r.Resources = muster.Resources{}
	if width > 0 {
		r.NUMA = &numa.Placed{Policy: rapid.SampledFrom(Policies).Draw(d.t, "policy"), Kept: rapid.IntRange(0, 3).Draw(d.t, "kept") == 0}
		for _, z := range rapid.Permutation(zones).Draw(d.t, "zones")[:min(width, len(zones))] {
			share := numa.Share{Zone: z.ID, Resources: muster.Resources{}}
			for _, name := range z.Allocatable.Names() {
				share.Resources[name] = unitOf(name) * rapid.Int64Range(0, 2).Draw(d.t, "amount")
				r.Resources[name] += share.Resources[name]
			}
			r.NUMA.Shares = append(r.NUMA.Shares, share)
		}
	}
	for _, name := range []string{Device, Second} {
		if r.Resources[name] == 0 {
			r.Resources[name] = unitOf(name) * rapid.Int64Range(0, 1).Draw(d.t, "without zones")
		}
	}
}

// alignMembers draws what members ask of zones, in a cluster that has some.
func alignMembers(t *rapid.T, req *gang.Request, spec *cluster.Spec) {
	for i := range spec.Nodes {
		if spec.Nodes[i].NUMA != nil {
			req.Shape.Resources = muster.Resources{
				Device: rapid.SampledFrom([]int64{1, 2, 3, 5, 1}).Draw(t, "devices"), Second: 500 * rapid.Int64Range(0, 4).Draw(t, "CPUs"),
			}
			if Chance(t, 10, "asks for memory") {
				req.Shape.Resources[muster.Memory] = 1
			}
			req.Shape.NUMA = NUMA(t)
			return
		}
	}
}

// NUMA draws what members want of zones.
func NUMA(t *rapid.T) gang.NUMA {
	n := gang.NUMA{
		Policy:    rapid.SampledFrom([]numa.Policy{"", numa.BestEffort, numa.BestEffort, numa.Restricted, numa.Restricted, numa.SingleNUMANode}).Draw(t, "policy"),
		Exclusive: rapid.SampledFrom([]numa.Exclusive{"", "", numa.Preferred, numa.Required}).Draw(t, "exclusive"),
	}
	switch rapid.IntRange(0, 9).Draw(t, "granularity") {
	case 8:
		n.CPUs = numa.WholeCPUs
	case 9:
		n.CPUs, n.ThreadsPerCore = numa.WholeCores, rapid.IntRange(0, 2).Draw(t, "threads")
	}
	return n
}
