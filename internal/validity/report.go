package validity

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// gather holds when the gang and every group lie within the layers that they must.
func (c *check) gather() {
	at := c.located()
	hard := c.gathered(c.req.Gather, [][]string{slices.Collect(maps.Values(at))})
	for _, level := range c.levels() {
		hard = c.gathered(level.Gather, groups(at, level.Size)) || hard
	}
	c.elsewhere()
	for _, g := range c.divisions() {
		if c.networkOf(g) != c.net {
			continue
		}
		hard = c.gathered(g.Rules, c.nodesOf(g)) || hard
	}
	if !hard {
		return
	}
	for rank, node := range at {
		if c.net.Smallest([]string{node}).Outside && !c.staysOutside(rank) {
			c.failf("rank %d is on %s outside the tree, which satisfies no hard rule", rank, node)
		}
	}
}

// gathered checks one level of sets of nodes against its rules and tells whether a hard one is among them.
func (c *check) gathered(rules []gang.Rule, sets [][]string) bool {
	must, hard := c.net.Must(rules)
	for i, nodes := range sets {
		if tier := c.net.Smallest(nodes).Tier; hard && tier > must {
			c.failf("set %d of %d reaches tier %d, must gather at %d", i, len(sets), tier, must)
		}
	}
	return hard
}

// multiples holds when every domain of a layer with a multiple, or the vertex that stands for it, has its multiple: of all members, and of those of each
// part.
func (c *check) multiples() {
	all := slices.Collect(maps.Values(c.located()))
	for _, rule := range c.req.Gather {
		c.multipleOf(rule, all, "members")
	}
	for _, v := range c.divisions() {
		for _, nodes := range c.nodesOf(v) {
			for _, rule := range v.Rules {
				c.multipleOf(rule, nodes, fmt.Sprintf("members of %q", v.Name))
			}
		}
	}
}

// multipleOf holds when every domain of the layer of a rule has its multiple of those who are on these nodes.
func (c *check) multipleOf(rule gang.Rule, nodes []string, who string) {
	tier, ok := c.net.TierOf(rule.Layer)
	if rule.Multiple <= 0 || !ok {
		return
	}
	count := map[string]int{}
	for _, node := range nodes {
		count[c.net.Maximal(node, tier).ID]++
	}
	for place, n := range count {
		if n%rule.Multiple != 0 {
			c.failf("%s has %d %s, no multiple of %d", place, n, who, rule.Multiple)
		}
	}
}

// report holds when the result says about itself what its nodes say.
func (c *check) report() {
	at := c.located()
	nodes := slices.Collect(maps.Values(at))
	place := c.net.Smallest(nodes)
	tiers := []int{place.Tier}
	for _, level := range c.levels() {
		worst := 0
		for _, group := range groups(at, level.Size) {
			worst = max(worst, c.net.Smallest(group).Tier)
		}
		tiers = append(tiers, worst)
	}
	if c.parts != nil {
		tiers = append(tiers, c.partTiers()...)
	}
	r := c.res
	if r.Tier != place.Tier || r.Layer != c.net.LayerName(place.Tier) || !slices.Equal(r.Domain, place.Path) {
		c.failf("reports tier %d %q %v, the nodes say %d %q %v",
			r.Tier, r.Layer, r.Domain, place.Tier, c.net.LayerName(place.Tier), place.Path)
	}
	if !slices.Equal(r.GroupTiers, tiers[1:]) {
		c.failf("reports group tiers %v, the nodes say %v", r.GroupTiers, tiers[1:])
	}
	name, number := c.net.strategyName(tiers), c.net.strategyNumber(tiers)
	if r.Strategy != name || r.StrategyNumber != number {
		c.failf("reports strategy %d %q, the nodes say %d %q", r.StrategyNumber, r.Strategy, number, name)
	}
	if span := c.net.spans(nodes, place.Tier); !slices.Equal(r.Span, span) {
		c.failf("reports span %v, the nodes say %v", r.Span, span)
	}
}

// ring holds when a ring over the new members in rank order leaves every place from the group tier upward at most
// once. With running members the ranks are not free to follow the tree, nor are those of groups that a waiting plan adds
// to the least number of members, as if these ran; nor are those of members that change places as nodes are refused for some.
func (c *check) ring() {
	further := len(c.res.WaitsFor) > 0 && c.req.MinMember > 0 && len(c.res.Assignments) > c.req.MinMember
	if len(c.own) > 0 || len(c.req.Refused) > 0 || further && len(c.res.GroupTiers) > 0 {
		return
	}
	lowest := 0
	if n := len(c.res.GroupTiers); n > 0 && c.parts == nil {
		lowest = c.res.GroupTiers[0]
	}
	for _, list := range c.rings() {
		crossings := map[string]int{}
		for i, a := range list {
			next := list[(i+1)%len(list)]
			for _, p := range c.net.chains[a.Node] {
				if p.Tier >= lowest && !c.net.below(next.Node, p) {
					crossings[p.ID]++
				}
			}
		}
		for place, n := range crossings {
			if n > 1 {
				c.failf("the ring of ranks leaves %s %d times", place, n)
			}
		}
	}
}

// rings are the members whose ranks follow the tree together: all, or without groups, and in one that is the gang, those of each shape.
func (c *check) rings() [][]placement.Assignment {
	if c.parts != nil {
		return c.partRings()
	}
	if levels := Levels(c.req, len(c.req.Members)); len(levels) > 0 && levels[len(levels)-1].Size < len(c.req.Members) {
		return [][]placement.Assignment{c.res.Assignments}
	}
	return c.byShape(c.res.Assignments)
}

// byShape are the members of each shape.
func (c *check) byShape(list []placement.Assignment) [][]placement.Assignment {
	var shapes []*gang.Shape
	var out [][]placement.Assignment
	for _, a := range list {
		shape := ShapeOf(c.req, c.members[a.Member])
		i := slices.IndexFunc(shapes, shape.Equal)
		if i < 0 {
			i, shapes, out = len(shapes), append(shapes, shape), append(out, nil)
		}
		out[i] = append(out[i], a)
	}
	return out
}
