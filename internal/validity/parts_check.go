package validity

import (
	"reflect"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// minima holds when the parts that run in the end have all that they need, of those that can change places the lowest ranks first.
func (c *check) minima() {
	if len(c.res.Assignments) == 0 {
		c.failf("no member is placed")
	}
	var placed []string
	for _, a := range c.res.Assignments {
		placed = append(placed, a.Member)
	}
	if why := c.parts.Lacks(placed, true); why != "" {
		c.failf("%s", why)
	}
	for _, v := range c.parts.All() {
		c.lowestFirst(v.Own)
	}
}

// lowestFirst holds if of these members, by rank, those that are alike are placed in rank order.
func (c *check) lowestFirst(names []string) {
	placed := map[string]bool{}
	for _, a := range c.res.Assignments {
		placed[a.Member] = true
	}
	for i, name := range names {
		m := c.members[name]
		for _, later := range names[i+1:] {
			o := c.members[later]
			if m != nil && o != nil && !placed[name] && placed[later] && m.NonPreemptible == o.NonPreemptible && ShapeOf(c.req, m).Equal(ShapeOf(c.req, o)) {
				c.failf("%s is left out although %s, which is like it, is placed", name, later)
			}
		}
	}
}

// levels are those of equal groups of a gang that is not seen as one with parts.
func (c *check) levels() []gang.Groups {
	if c.parts != nil {
		return nil
	}
	return Levels(c.req, len(c.req.Members)+len(c.own))
}

// mixed holds for equal groups with limits that need it, or with members of different shapes, unless these must all gather on a node, which makes units of them.
func (c *check) mixed() bool {
	if len(Levels(c.req, len(c.req.Members)+len(c.own))) == 0 || c.bundled() {
		return false
	}
	if LimitsNeedParts(c.spec, c.req) {
		return true
	}
	return c.severalShapes()
}

func (c *check) severalShapes() bool {
	first := ShapeOf(c.req, &c.req.Members[0])
	return slices.ContainsFunc(c.req.Members, func(m gang.Member) bool { return !ShapeOf(c.req, &m).Equal(first) })
}

// bundled holds for groups that are equal, rank by rank, and must all gather on a node.
func (c *check) bundled() bool {
	levels := Levels(c.req, len(c.req.Members)+len(c.own))
	if len(levels) == 0 || len(c.req.Parts) > 0 || CountsDomains(c.req) {
		return false
	}
	innermost := levels[len(levels)-1]
	must, hard := c.net.Must(withImplied(innermost.Gather, innermost.Limits, true))
	return AlikeByRank(c.spec, c.req, innermost.Size) && (len(levels) == 1 || !CountsNumbers(c.req)) && !HasMultiples(c.req) && hard && must == 0 && len(c.own) == 0 && len(c.req.Members)%innermost.Size == 0
}

// AlikeByRank holds if the groups of a size that new members make, by rank, have the same shapes in the same order.
func AlikeByRank(spec *cluster.Spec, req *gang.Request, size int) bool {
	members := Lowest(spec, req, len(req.Members))
	for i := size; i < len(members); i++ {
		if !ShapeOf(req, &members[i]).Equal(ShapeOf(req, &members[i%size])) {
			return false
		}
	}
	return true
}

// byName gives all members, new and running, their nodes.
func (c *check) byName() map[string]string {
	at := map[string]string{}
	for _, r := range c.own {
		at[r.Member] = r.Node
	}
	for _, a := range c.res.Assignments {
		at[a.Member] = a.Node
	}
	return at
}

// divisions are the groups of a gang with parts.
func (c *check) divisions() []*Division {
	if c.parts == nil {
		return nil
	}
	return slices.DeleteFunc(c.parts.All(), func(v *Division) bool { return !v.Group })
}

// networkOf is that of a division's rules.
func (c *check) networkOf(v *Division) *Network {
	if v.Tree == c.req.Tree {
		return c.net
	}
	net, ok := NewNetwork(c.spec, &gang.Request{Tree: v.Tree})
	if !ok {
		c.failf("%q has rules in %q, which does not exist", v.Name, v.Tree)
		return c.net
	}
	if net.name == c.net.name {
		return c.net
	}
	return net
}

// elsewhere holds when the groups with rules in another topology keep them, and the result says where they are.
func (c *check) elsewhere() {
	var places []placement.GroupPlace
	for _, g := range c.divisions() {
		net := c.networkOf(g)
		for _, nodes := range c.nodesOf(g) {
			if net == c.net {
				continue
			}
			place, out := net.Smallest(nodes), ""
			must, hard := net.Must(g.Rules)
			for _, node := range nodes {
				if hard && net.Smallest([]string{node}).Outside {
					place, out = Place{Tier: net.rootTier}, node
				}
			}
			if hard && place.Tier > must {
				c.failf("%q reaches tier %d of %q, must gather at %d %s", g.Name, place.Tier, net.name, must, out)
			}
			places = append(places, placement.GroupPlace{
				Part: g.Name, Tree: net.name, Tier: place.Tier, Layer: net.LayerName(place.Tier), Domain: place.Path,
			})
		}
	}
	if !slices.EqualFunc(places, c.res.Elsewhere, func(a, b placement.GroupPlace) bool { return reflect.DeepEqual(a, b) }) {
		c.failf("reports groups elsewhere %+v, the nodes say %+v", c.res.Elsewhere, places)
	}
}

// nodesOf is where a division runs: one list, none if it does not.
func (c *check) nodesOf(v *Division) [][]string {
	at := c.byName()
	var nodes []string
	for _, name := range v.Members {
		if node, ok := at[name]; ok {
			nodes = append(nodes, node)
		}
	}
	if nodes == nil {
		return nil
	}
	return [][]string{nodes}
}

// partTiers has for every level the worst tier of a group.
func (c *check) partTiers() []int {
	tiers := make([]int, c.parts.Depth())
	for _, g := range c.divisions() {
		for _, nodes := range c.nodesOf(g) {
			tiers[g.Level-1] = max(tiers[g.Level-1], c.net.Smallest(nodes).Tier)
		}
	}
	return tiers
}

// partRings are the members of each shape that are in a group, or the gang, and in no inner one.
func (c *check) partRings() [][]placement.Assignment {
	innermost := map[string]*Division{}
	for _, v := range c.parts.All() { // inner ones come later
		if v.Group {
			for _, name := range v.Members {
				innermost[name] = v
			}
		}
	}
	var out [][]placement.Assignment
	for _, v := range append(c.divisions(), nil) {
		var list []placement.Assignment
		for _, a := range c.res.Assignments {
			if innermost[a.Member] == v {
				list = append(list, a)
			}
		}
		out = append(out, c.byShape(list)...)
	}
	return out
}

// staysOutside holds for a running member of a gang with parts that no hard rule binds: others' rules do not move it.
func (c *check) staysOutside(rank int) bool {
	if _, hard := c.net.Must(c.req.Gather); c.parts == nil || hard {
		return false
	}
	i := slices.IndexFunc(c.own, func(r cluster.Running) bool { return Ranks(c.req, c.own)[r.Member] == rank })
	return i >= 0 && !slices.ContainsFunc(c.divisions(), func(g *Division) bool {
		_, hard := c.net.Must(g.Rules)
		return hard && c.networkOf(g) == c.net && slices.Contains(g.Members, c.own[i].Member)
	})
}

// HasMultiples says whether a rule binds the number of members in domains.
func HasMultiples(req *gang.Request) bool { return haveMultiple(req.Gather) }

func haveMultiple(rules []gang.Rule) bool {
	return slices.ContainsFunc(rules, func(r gang.Rule) bool { return r.Multiple > 0 })
}

func partsHaveMultiples(parts []gang.Part) bool {
	return slices.ContainsFunc(parts, func(p gang.Part) bool { return haveMultiple(p.Gather) || partsHaveMultiples(p.Parts) })
}
