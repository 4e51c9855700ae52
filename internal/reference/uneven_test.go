package reference

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/topology"
)

// Plans equal the reference's in trees of uneven depth, where nodes and domains of several tiers stand beside each other, for gangs that no
// single one of them holds, under every policy, with scores, zones and limits.
func TestUnevenPlanEqualsReference(t *testing.T) { holdsFor(t, mixed(drawUneven), planAgrees) }

// unevenDraw is such a cluster being drawn.
type unevenDraw struct {
	t     *rapid.T
	spec  cluster.Spec
	zoned bool
	slots int // free ones
}

// unevenLayers are those of every uneven tree.
var unevenLayers = []topology.Layer{{Name: "unit", Tier: 1}, {Name: "leaf", Tier: 2}, {Name: "spine", Tier: 3}}

// mostUneven bounds the nodes.
const mostUneven = 9

func drawUneven(t *rapid.T) Input {
	d := &unevenDraw{t: t, zoned: draws.Chance(t, 30, "with zones")}
	spec := topology.Spec{Layers: unevenLayers}
	for i := range rapid.IntRange(2, 4).Draw(t, "roots") {
		spec.Roots = append(spec.Roots, d.domain(fmt.Sprint("d", i), rapid.IntRange(1, 3).Draw(t, "tier")))
	}
	tree, err := topology.New(spec)
	if err != nil {
		panic(err)
	}
	d.spec.Trees = []cluster.NamedTree{{Tree: tree}}
	if draws.Chance(t, 15, "nodes outside") {
		d.nodes(2)
	}
	return Input{Spec: d.spec, Request: d.request()}
}

// domain draws one with nodes, or with domains of lower tiers.
func (d *unevenDraw) domain(name string, tier int) topology.Domain {
	out := topology.Domain{Name: name, Tier: tier}
	if tier == 1 || draws.Chance(d.t, 35, "nodes directly") {
		out.Nodes = d.nodes(2)
		return out
	}
	for i := range rapid.IntRange(1, 3).Draw(d.t, "children") {
		out.Children = append(out.Children, d.domain(fmt.Sprint(name, "-", i), rapid.IntRange(1, tier-1).Draw(d.t, "tier")))
	}
	return out
}

// nodes draws up to so many, and who runs there.
func (d *unevenDraw) nodes(most int) (names []string) {
	for range rapid.IntRange(1, most).Draw(d.t, "nodes") {
		if len(d.spec.Nodes) == mostUneven {
			return names
		}
		n := cluster.Node{Name: fmt.Sprint("n", len(d.spec.Nodes)), Allocatable: muster.Resources{}}
		slots := rapid.IntRange(0, 3).Draw(d.t, "slots")
		n.Allocatable[draws.Device] = int64(slots)
		if d.zoned {
			n.NUMA = &cluster.NUMA{}
			for z := range 2 {
				has := int64((slots + z) / 2)
				n.NUMA.Zones = append(n.NUMA.Zones, numa.Zone{ID: z, Allocatable: muster.Resources{draws.Device: has}})
			}
		}
		names, d.spec.Nodes, d.slots = append(names, n.Name), append(d.spec.Nodes, n), d.slots+slots
		if slots > 0 && !d.zoned && draws.Chance(d.t, 15, "somebody runs") {
			r := draws.RunningMember(len(d.spec.Running), n.Name, rapid.SampledFrom([]string{"key", "own", "other"}).Draw(d.t, "who"))
			r.Resources = muster.Resources{draws.Device: 1}
			d.spec.Running, d.slots = append(d.spec.Running, r), d.slots-1
		}
	}
	return names
}

// request draws a gang that takes much of what is free.
func (d *unevenDraw) request() gang.Request {
	t := d.t
	req := gang.Request{
		Name: draws.GangName, Shape: gang.Shape{Resources: muster.Resources{draws.Device: 1}}, NeverPreempts: true,
		Policy: rapid.SampledFrom([]gang.Policy{gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore, gang.ByScore, gang.ByScore}).Draw(t, "policy"),
	}
	if d.zoned {
		req.Shape.NUMA.Policy = rapid.SampledFrom(draws.Policies).Draw(t, "NUMA policy")
	}
	layers := []string{"0", "unit", "leaf", "spine"}
	if draws.Chance(t, 25, "with rules") {
		req.Gather = draws.Gather(t, layers)
	}
	members, size := rapid.IntRange(min(2, 1+d.slots/2), max(2, min(mostUneven, d.slots))).Draw(t, "members"), 0
	if draws.Chance(t, 30, "in groups") {
		size = rapid.IntRange(1, 3).Draw(t, "size")
		members = size * max(1, members/size)
		req.Groups = []gang.Groups{{Size: size, Gather: draws.Gather(t, layers)}}
	}
	own := draws.TakeOwn(&d.spec, size == 0)
	draws.NameMembers(t, &req, &d.spec, members, own)
	if draws.Chance(t, 20, "elastic") {
		req.MinMember = rapid.IntRange(1, members).Draw(t, "min")
	}
	if draws.Chance(t, 30, "affinity") {
		req.AffinityKey = draws.AffinityKey
	}
	if draws.Chance(t, 75, "scored") {
		scores := map[string]int64{}
		for _, n := range d.spec.Nodes {
			scores[n.Name] = rapid.Int64Range(0, 2).Draw(t, "score")
		}
		req.Score = func(node string) int64 { return scores[node] }
	}
	d.limit(&req)
	return req
}

// limit draws limits, most of them on the number of domains.
func (d *unevenDraw) limit(req *gang.Request) {
	t := d.t
	layer := func() string { return rapid.SampledFrom([]string{"unit", "unit", "leaf", "0"}).Draw(t, "layer") }
	if draws.Chance(t, 80, "within") {
		l := gang.Limit{Layer: layer(), Kind: gang.Within, Most: rapid.IntRange(2, 4).Draw(t, "domains")}
		if req.Limits = append(req.Limits, l); len(req.Groups) > 0 && draws.Chance(t, 60, "groups too") {
			req.Groups[0].Gather = []gang.Rule{{Layer: l.Layer, Strength: gang.MustGather}}
		}
	}
	if draws.Chance(t, 20, "apart") {
		req.Limits = append(req.Limits, gang.Limit{Layer: layer(), Kind: gang.Apart, Most: rapid.IntRange(1, 3).Draw(t, "most")})
	}
	if draws.Chance(t, 10, "alone") {
		req.Limits = append(req.Limits, gang.Limit{Layer: layer(), Kind: gang.Alone})
	}
	if len(req.Groups) > 0 && draws.Chance(t, 20, "groups apart") {
		req.Groups[0].Limits = []gang.Limit{{Layer: layer(), Kind: gang.Apart, Most: rapid.IntRange(1, 2).Draw(t, "groups")}}
	}
}
