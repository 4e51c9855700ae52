package validity

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
)

// exclusiveOf is how strictly a member keeps out of zones: its own word, else the cluster's if the member has a policy of
// its own. Members that take their node's policy and say nothing are strict.
func exclusiveOf(spec *cluster.Spec, n gang.NUMA) numa.Exclusive {
	switch {
	case n.Exclusive != "":
		return n.Exclusive
	case n.Policy != "" && spec.NUMAExclusive != "":
		return spec.NUMAExclusive
	}
	return numa.Required
}

// NUMAMember is what a member of the shape asks of the zones of its node, the cluster's default put in.
func NUMAMember(spec *cluster.Spec, shape *gang.Shape) numa.Member {
	return numa.Member{
		Resources: shape.Resources, Policy: shape.NUMA.Policy, Exclusive: exclusiveOf(spec, shape.NUMA),
		CPUs: shape.NUMA.CPUs, ThreadsPerCore: shape.NUMA.ThreadsPerCore,
	}
}

// zoneUse is what is known of the zones of one node while members are added one by one. Everything is looked up by the
// zone's id.
type zoneUse struct {
	zones            []numa.Zone
	used             map[int]muster.Resources
	single, spanning map[int]bool
	keeps            [2]map[int]bool          // those of single and spanning for whom zones are kept
	fresh            map[int]muster.Resources // of new members, by zone
	turns            []*turn
}

// turn is what members that come to a node at once have of its CPUs, by zone.
type turn struct {
	shape *gang.Shape
	piece int64
	cpus  map[int]int64

	before map[int]int64 // of members that came before it; nil: those are not known
}

func (u *zoneUse) zone(id int) *numa.Zone {
	for i := range u.zones {
		if u.zones[i].ID == id {
			return &u.zones[i]
		}
	}
	return nil
}

// newZoneUse is the node with what unknown members and these running ones have of its zones.
func newZoneUse(node *cluster.Node, on []cluster.Running) *zoneUse {
	u := &zoneUse{
		used: map[int]muster.Resources{}, single: map[int]bool{}, spanning: map[int]bool{},
		keeps: [2]map[int]bool{{}, {}}, fresh: map[int]muster.Resources{},
	}
	if node.NUMA != nil {
		u.zones = node.NUMA.Zones
		for _, o := range node.NUMA.InUse {
			plus(u.used, o.ID, o.Used)
			u.single[o.ID] = u.single[o.ID] || o.Hosts&numa.HostsSingle != 0
			u.spanning[o.ID] = u.spanning[o.ID] || o.Hosts&numa.HostsSpanning != 0
		}
	}
	for _, r := range on {
		if r.NUMA != nil {
			for _, s := range r.NUMA.Shares {
				plus(u.used, s.Zone, s.Resources)
			}
			u.mark(r.NUMA)
		}
	}
	return u
}

func plus(sums map[int]muster.Resources, zone int, more muster.Resources) {
	if sums[zone] == nil {
		sums[zone] = muster.Resources{}
	}
	for name, amount := range more {
		sums[zone][name] += amount
	}
}

// mark notes in which zones a member hosts itself. A share of nothing is none.
func (u *zoneUse) mark(p *numa.Placed) {
	var in []int
	for _, s := range p.Shares {
		some := false
		for _, amount := range s.Resources {
			some = some || amount > 0
		}
		if some && !slices.Contains(in, s.Zone) {
			in = append(in, s.Zone)
		}
	}
	for _, zone := range in {
		u.single[zone] = u.single[zone] || p.Policy == numa.SingleNUMANode
		u.spanning[zone] = u.spanning[zone] || len(in) > 1
		u.keeps[0][zone] = u.keeps[0][zone] || p.Kept && p.Policy == numa.SingleNUMANode
		u.keeps[1][zone] = u.keeps[1][zone] || p.Kept && len(in) > 1
	}
}

// zonesKept names the first rule of zones that the new members on the node break when only these running ones are
// there; empty if none.
func (c *check) zonesKept(node *cluster.Node, on []cluster.Running) string {
	u, inUnits := newZoneUse(node, on), c.bundled() && c.severalShapes()
	for _, a := range c.res.Assignments {
		if a.Node != node.Name {
			continue
		}
		shape := ShapeOf(c.req, c.members[a.Member])
		m := NUMAMember(c.spec, shape)
		policy := numa.Policy("")
		if node.NUMA != nil {
			policy = node.NUMA.Policy
		}
		policy, ok := numa.Compatible(m.Policy, policy)
		defect := ""
		switch asked := u.asked(m.Resources); {
		case !ok:
			defect = "has another NUMA policy than the node"
		case policy != "" && len(u.zones) == 0:
			defect = "has a NUMA policy, and the node no zones"
		case (policy == "" || len(asked) == 0) && a.NUMA != nil:
			defect = "has zones although no policy applies, or nothing that it asks for has zones"
		case policy == "" || len(asked) == 0:
		case a.NUMA == nil || a.NUMA.Policy != policy:
			defect = fmt.Sprintf("is not placed under %s", policy)
		default:
			defect = u.shares(a.NUMA, &m, asked)
			if defect == "" {
				defect = u.add(a.NUMA, &m, u.turnOf(shape, &m, inUnits))
			}
		}
		if defect != "" {
			return a.Member + " " + defect
		}
	}
	if !inUnits && !u.inTurn(u.turns, map[int]int64{}) {
		return "in no order of the shapes do the members of each find whole pieces of CPU beside those before"
	}
	return ""
}

// inTurns holds if members of several shapes come into the zones of a node one after the other, each shape, or each member of a unit, where it is best
// for it alone. So the shares of a plan do not tell whether all would find room beside one more that runs: who comes first may take other zones then,
// which those after it need.
func (c *check) inTurns(node string) bool {
	first, several, zoned := ShapeOf(c.req, c.members[c.res.Assignments[0].Member]), false, false
	for _, a := range c.res.Assignments {
		several = several || !ShapeOf(c.req, c.members[a.Member]).Equal(first)
		zoned = zoned || a.Node == node && a.NUMA != nil
	}
	return several && zoned
}

// turnOf is the turn of a member: those of one shape come at once. In units members come one after the other, each beside those before.
func (u *zoneUse) turnOf(shape *gang.Shape, m *numa.Member, inUnits bool) *turn {
	for _, t := range u.turns {
		if !inUnits && t.shape.Equal(shape) {
			return t
		}
	}
	t := &turn{shape: shape, piece: pieceOf(m), cpus: map[int]int64{}}
	if inUnits {
		t.before = map[int]int64{}
		for zone, fresh := range u.fresh {
			t.before[zone] = fresh[muster.CPU]
		}
	}
	u.turns = append(u.turns, t)
	return t
}

// inTurn says whether there is an order of some turns in which each finds whole pieces of CPU in its zones beside those before.
func (u *zoneUse) inTurn(left []*turn, taken map[int]int64) bool {
	for i, t := range left {
		next, fits := maps.Clone(taken), true
		for zone, cpus := range t.cpus {
			free := max(0, u.zone(zone).Allocatable[muster.CPU]-u.used[zone][muster.CPU]) - taken[zone]
			fits = fits && cpus <= whole(muster.CPU, free, t.piece)
			next[zone] += cpus
		}
		if fits && u.inTurn(slices.Delete(slices.Clone(left), i, i+1), next) {
			return true
		}
	}
	return len(left) == 0
}

// asked are the resources that are asked for and that some zone reports.
func (u *zoneUse) asked(want muster.Resources) []string {
	var out []string
	for _, name := range want.Names() {
		reported := slices.ContainsFunc(u.zones, func(z numa.Zone) bool { _, ok := z.Allocatable[name]; return ok })
		if want[name] > 0 && reported {
			out = append(out, name)
		}
	}
	return out
}

// shares checks what a member has of the zones by itself: all that it asks for and nothing else, of as many zones as its
// policy allows.
func (u *zoneUse) shares(p *numa.Placed, m *numa.Member, asked []string) string {
	has := muster.Resources{}
	last := -1
	for _, s := range p.Shares {
		switch {
		case u.zone(s.Zone) == nil:
			return fmt.Sprintf("has a share of zone %d, which the node lacks", s.Zone)
		case s.Zone <= last:
			return fmt.Sprintf("has a share of zone %d behind one of zone %d", s.Zone, last)
		case len(s.Resources) == 0:
			return fmt.Sprintf("has a share of nothing of zone %d", s.Zone)
		}
		last = s.Zone
		for name, amount := range s.Resources {
			if amount <= 0 || !slices.Contains(asked, name) {
				return fmt.Sprintf("has %d %s of zone %d", amount, name, s.Zone)
			}
			has[name] += amount
		}
	}
	for _, name := range asked {
		if has[name] != m.Resources[name] {
			return fmt.Sprintf("has %d %s of the zones, want %d", has[name], name, m.Resources[name])
		}
	}
	width := len(p.Shares)
	switch {
	case p.Policy == numa.SingleNUMANode && width != 1:
		return fmt.Sprintf("has shares of %d zones, want one", width)
	case p.Policy == numa.Restricted && width != u.leastWidth(m, asked):
		return fmt.Sprintf("has shares of %d zones, an empty node needs %d", width, u.leastWidth(m, asked))
	}
	return ""
}

// leastWidth is the smallest number of zones that would cover the member if the node were empty; 0 if none do.
func (u *zoneUse) leastWidth(m *numa.Member, asked []string) int {
	least := 0
	for mask := uint(1); mask < 1<<len(u.zones); mask++ {
		covers := !slices.ContainsFunc(asked, func(name string) bool {
			sum := int64(0)
			for i, z := range u.zones {
				if mask>>i&1 == 1 {
					sum += whole(name, z.Allocatable[name], pieceOf(m))
				}
			}
			return sum < m.Resources[name]
		})
		if w := bits.OnesCount(mask); covers && (least == 0 || w < least) {
			least = w
		}
	}
	return least
}

// add puts a member into its zones: there must be room beside those before it, in whole pieces of CPU, and its
// exclusivity must allow it. Who comes in looks at who is there, in rank order.
func (u *zoneUse) add(p *numa.Placed, m *numa.Member, t *turn) string {
	for _, s := range p.Shares {
		plus(u.fresh, s.Zone, s.Resources)
		t.cpus[s.Zone] += s.Resources[muster.CPU]
		for _, name := range s.Resources.Names() {
			free := max(0, u.zone(s.Zone).Allocatable[name]-u.used[s.Zone][name])
			if u.fresh[s.Zone][name] > free || name == muster.CPU && t.cpus[s.Zone] > whole(name, max(0, free-t.before[s.Zone]), t.piece) {
				return fmt.Sprintf("finds too little %s in zone %d", name, s.Zone)
			}
		}
		switch strict := m.Exclusive == numa.Required; {
		case len(p.Shares) > 1 && (strict && u.single[s.Zone] || u.keeps[0][s.Zone]):
			return fmt.Sprintf("spans zone %d, which hosts a member of one zone", s.Zone)
		case p.Policy == numa.SingleNUMANode && (strict && u.spanning[s.Zone] || u.keeps[1][s.Zone]):
			return fmt.Sprintf("has zone %d, which hosts a member that spans zones", s.Zone)
		}
	}
	u.mark(p)
	return ""
}

// pieceOf is the smallest amount of CPU that the member can get.
func pieceOf(m *numa.Member) int64 {
	switch m.CPUs {
	case numa.WholeCPUs:
		return 1000
	case numa.WholeCores:
		return 1000 * int64(max(1, m.ThreadsPerCore))
	}
	return 1
}

// whole is what of an amount of CPU consists of whole pieces; other amounts count as they are.
func whole(resource string, amount, piece int64) int64 {
	if resource != muster.CPU {
		return amount
	}
	return amount / piece * piece
}
