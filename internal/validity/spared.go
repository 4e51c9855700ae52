package validity

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
)

// Could fewer domains and nodes be in use?

// mostLookedDown bounds members times nodes: beyond it only the children of a domain, and theirs, are certain to be fewest (docs/limits.md).
const mostLookedDown = 2048

// spared holds when no domain or node in use, in the layers that the order compares, could be left empty because the others in use have room
// for its members. That is no proof that the span is least, but it holds for a gang of any size. It is asked of members of one shape, whom nothing but slots
// ties to nodes. A gang that is larger than the tree fills it.
func (c *check) spared() {
	if !c.onlySlotsCount() {
		return
	}
	on, more := map[string]int{}, map[string]int{}
	var nodes []string
	for _, a := range c.res.Assignments {
		if c.net.Smallest([]string{a.Node}).Outside {
			return
		}
		if on[a.Node]++; on[a.Node] == 1 {
			nodes = append(nodes, a.Node)
		}
	}
	for _, node := range nodes {
		more[node] = c.moreOn(node, on[node])
	}
	for _, tier := range c.comparedTiers(c.net.Smallest(nodes).Tier) {
		members, room := map[string]int{}, map[string]int{}
		total := 0
		for _, node := range nodes {
			place := c.net.Maximal(node, tier).ID
			members[place], room[place], total = members[place]+on[node], room[place]+more[node], total+more[node]
		}
		for _, place := range slices.Sorted(maps.Keys(members)) {
			if n := members[place]; len(members) > 1 && total-room[place] >= n {
				c.failf("%s is in use, and the others in use have room for its %d members", place, n)
			}
		}
	}
}

// onlySlotsCount says whether the span comes first of all that tells placements in a domain apart, and slots are all that decides about it.
func (c *check) onlySlotsCount() bool {
	r := c.req
	fills := r.Policy == "" || r.Policy == gang.BestFit || r.Policy == gang.ByScore
	return fills && c.parts == nil && len(c.levels())+len(c.own)+len(c.res.Victims)+len(c.res.WaitsFor)+len(r.Limits)+len(r.Refused) == 0 &&
		len(r.Members) == len(c.res.Assignments) && !c.severalShapes() &&
		!slices.ContainsFunc(r.Gather, func(rule gang.Rule) bool { return rule.Multiple > 0 }) &&
		!slices.ContainsFunc(c.spec.Nodes, func(n cluster.Node) bool { return n.NUMA != nil })
}

// comparedTiers are the tiers below that of the domain in whose layers the span is compared.
func (c *check) comparedTiers(domain int) (tiers []int) {
	var preferred []int
	for _, rule := range c.req.Gather {
		if tier, ok := c.net.TierOf(rule.Layer); ok && rule.Strength == gang.PreferGather && tier < c.net.RootTier() {
			preferred = append(preferred, tier)
		}
	}
	finest := append(slices.Sorted(slices.Values(preferred)), 0)[0] // 0 if none is preferred
	all := []int{0}
	for _, l := range c.net.Layers() {
		if l.Tier > 0 && l.Tier < domain {
			all = append(all, l.Tier)
		}
	}
	slices.Reverse(all)
	large := len(c.req.Members)*len(c.spec.Nodes) > mostLookedDown
	for i, tier := range all {
		if i == 0 || tier >= finest && (i == 1 || !large) {
			tiers = append(tiers, tier)
		}
	}
	return tiers
}

// moreOn is how many members a node takes beside so many that are new there, no more than are placed.
func (c *check) moreOn(node string, now int) int {
	if c.req.Slots != nil {
		return c.req.Slots(node) - now
	}
	on := c.staying(node, nil)
	most := int64(now + len(c.res.Assignments))
	need := ShapeOf(c.req, &c.req.Members[0]).Resources
	for r, amount := range need {
		if free, bounded := Free(c.nodes[node], r, on); bounded && amount > 0 {
			most = min(most, free/amount)
		}
	}
	return int(most) - now
}
