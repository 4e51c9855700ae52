package validity

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// limits hold for the gang, its groups and its parts, running members included; and nobody comes where others are alone.
func (c *check) limits() {
	at := c.located()
	var all []string
	for _, node := range at {
		all = append(all, node)
	}
	c.limited("the gang", c.net, ofMembers(c.req.Limits), [][]string{all}, false)
	for _, level := range c.levels() {
		c.limited("groups", c.net, level.Limits, groups(at, level.Size), true)
	}
	c.partLimits()
	c.besideThemselves()
	for _, defect := range c.unwelcome(c.res.WaitsFor, c.aloneAt(false)) {
		c.failf("%s", defect)
	}
}

// partLimits hold for parts, for what is in them, and for what is in a gang of parts.
func (c *check) partLimits() {
	if c.parts == nil {
		return
	}
	for _, v := range c.parts.All() {
		net := c.networkOf(v)
		units := func(levels int) (sets [][]string) {
			for _, unit := range v.Below(levels) {
				sets = append(sets, c.nodesOf(unit)...)
			}
			return sets
		}
		c.limited("parts of "+v.Name, net, ofParts(v.Limits), units(1), true)
		if v != c.parts {
			c.limited(v.Name, net, ofMembers(v.Limits), c.nodesOf(v), false)
		}
		for i, list := range v.CutLimits {
			c.limited("groups of "+v.Name, net, list, units(i+1), true)
		}
	}
}

// limited checks the hard limits of a gang, given as one set of nodes, one for each member; or of groups. They speak of the domains of a
// network.
func (c *check) limited(what string, net *Network, limits []gang.Limit, sets [][]string, whole bool) {
	for _, l := range limits {
		tier, ok := net.TierOf(l.Layer)
		if !ok || l.Preferred {
			continue
		}
		count, most := c.countBelow(what+" "+string(l.Kind), net, min(tier, net.RootTier()-1), sets, whole), l.Most
		if l.Kind == gang.Alone {
			most = 1
		}
		for d, n := range count {
			if n > most && (l.Kind == gang.Apart || l.Kind == gang.Alone && whole) {
				c.failf("%s %s %s: %d of %d in %s", what, l.Kind, l.Layer, n, most, d)
			}
		}
		if l.Kind == gang.Within && len(count) > l.Most && !whole { // of groups each lies in one
			c.failf("%s Within %s: %d domains, at most %d", what, l.Layer, len(count), l.Most)
		}
	}
}

// countBelow counts members, or whole groups, by the domain of a tier in a network; a group must lie in one of them.
func (c *check) countBelow(what string, net *Network, tier int, sets [][]string, whole bool) map[string]int {
	count := map[string]int{}
	for _, nodes := range sets {
		used := map[string]bool{}
		for _, node := range nodes {
			d := net.Maximal(node, tier)
			if d.Outside && tier > 0 {
				c.failf("%s: %s lies outside the tree", what, node)
			}
			if !used[d.ID] || !whole {
				count[d.ID]++
			}
			used[d.ID] = true
		}
		if whole && len(used) > 1 {
			c.failf("%s: one lies in %d domains", what, len(used))
		}
	}
	return count
}

// alone says that some members must be alone in the domains of a tier, or prefer to be; nil: all members.
type alone struct {
	tier    int
	members []string
}

// speaksOf says whether it holds for a member.
func (a *alone) speaksOf(member string) bool {
	return a.members == nil || slices.Contains(a.members, member)
}

// aloneAt lists who must be alone, or prefers to be.
func (c *check) aloneAt(preferred bool) (out []alone) {
	add := func(limits []gang.Limit, members []string) {
		for _, l := range limits {
			if tier, ok := c.net.TierOf(l.Layer); ok && l.Kind == gang.Alone && l.Preferred == preferred {
				out = append(out, alone{min(tier, c.net.RootTier()-1), members})
			}
		}
	}
	for _, list := range append([][]gang.Limit{ofMembers(c.req.Limits)}, levelLimits(c.req.Groups)...) {
		add(list, nil)
	}
	if c.parts == nil {
		return out
	}
	for _, v := range c.parts.All() {
		below := func(levels int) []string {
			members := []string{}
			for _, unit := range v.Below(levels) {
				members = append(members, unit.Members...)
			}
			return members
		}
		if add(ofParts(v.Limits), below(1)); v == c.parts {
			continue // the rest holds for all
		}
		add(ofMembers(v.Limits), append([]string{}, v.Members...)) // a part may have none, and nil are all
		for i, list := range v.CutLimits {
			add(list, below(i+1))
		}
	}
	return out
}

// besideThemselves holds when no other member of the gang is where one must be alone with those of whom the limit speaks.
func (c *check) besideThemselves() {
	at := c.byName()
	for _, a := range c.aloneAt(false) {
		for name, node := range at {
			for other, near := range at {
				if a.speaksOf(name) && !a.speaksOf(other) && c.net.Maximal(node, a.tier).ID == c.net.Maximal(near, a.tier).ID {
					c.failf("%s is not alone on %s: %s of its gang is on %s", name, node, other, near)
				}
			}
		}
	}
}

// aloneThen lists who must be alone, or prefers to be and is once nobody is waited for.
func (c *check) aloneThen() []alone {
	out := c.aloneAt(false)
	for _, a := range c.aloneAt(true) {
		if len(c.unwelcome(c.res.WaitsFor, []alone{a})) == 0 {
			out = append(out, a)
		}
	}
	return out
}

// unwelcome says who is near the gang's members, where these must be alone, that may not be once some are gone, or near whom
// the new ones may not come.
func (c *check) unwelcome(gone []placement.Waited, where []alone) (defects []string) {
	for i := range c.spec.Running {
		r := &c.spec.Running[i]
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
		if r.Gang == c.req.Name || slices.ContainsFunc(gone, func(w placement.Waited) bool { return w.MemberRef == ref }) {
			continue
		}
		for _, a := range c.res.Assignments {
			if !c.req.Tolerated && Closes(c.spec, r, a.Node) {
				defects = append(defects, a.Member+" is on "+a.Node+", where "+r.Member+" is alone")
			}
		}
	}
	for _, a := range c.res.Assignments {
		defects = append(defects, c.company(a.Member, a.Node, gone, where)...)
	}
	for _, r := range c.own {
		defects = append(defects, c.company(r.Member, r.Node, gone, where)...)
	}
	return defects
}

// company says who is near a member of the gang, where it must be alone, once some are gone.
func (c *check) company(member, node string, gone []placement.Waited, where []alone) (defects []string) {
	for i := range c.spec.Running {
		r := &c.spec.Running[i]
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
		if r.Tolerated || r.Gang == c.req.Name || slices.ContainsFunc(gone, func(w placement.Waited) bool { return w.MemberRef == ref }) {
			continue
		}
		for _, a := range where {
			if tier := a.tier; a.speaksOf(member) && c.net.Maximal(node, tier).ID == c.net.Maximal(r.Node, tier).ID {
				defects = append(defects, member+" is not alone on "+node+": "+r.Member+" runs on "+r.Node)
			}
		}
	}
	return defects
}

// levelLimits are the limits of each level.
func levelLimits(levels []gang.Groups) (out [][]gang.Limit) {
	for _, l := range levels {
		out = append(out, l.Limits)
	}
	return out
}

// Closes says whether a running member keeps others off a node: it lies in the domain, of the layer that the member says, that has the
// member's node. A topology or a layer that is not there closes the member's own node.
func Closes(spec *cluster.Spec, r *cluster.Running, node string) bool {
	if r.Alone == "" {
		return false
	}
	net, ok := NewNetwork(spec, &gang.Request{Tree: r.AloneIn})
	if !ok {
		return r.Node == node
	}
	tier, _ := net.TierOf(r.Alone)
	tier = min(tier, net.RootTier()-1)
	return net.Maximal(node, tier).ID == net.Maximal(r.Node, tier).ID
}

// LimitsNeedParts says whether members of one shape, or equal groups of them, are placed as parts are because of their limits.
func LimitsNeedParts(spec *cluster.Spec, req *gang.Request) bool {
	own := len(Own(spec, req))
	levels := Levels(req, len(req.Members)+own)
	switch {
	case len(req.Parts) > 0:
		return false
	case HasMultiples(req):
		return CountsNumbers(req) || CountsDomains(req)
	case countsTwice(req):
		return true
	case CountsDomains(req) && capsAbove(spec, req):
		return true
	case len(levels) == 0:
		return false
	}
	short := (len(req.Members)+own)%levels[0].Size != 0
	if CountsDomains(req) && (short || groupsSpan(spec, req, &levels[0])) {
		return true
	}
	return !slotsTellGroups(spec, req, levels, short) || countsGroups(req) && (short || len(levels) > 1 && own > 0)
}

// slotsTellGroups holds if all limits on the number of members speak of nodes, or of domains that take no whole group.
func slotsTellGroups(spec *cluster.Spec, req *gang.Request, levels []gang.Groups, short bool) bool {
	net, ok := NewNetwork(spec, req)
	return ok && !slices.ContainsFunc(req.Limits, func(l gang.Limit) bool {
		tier, _ := net.TierOf(l.Layer)
		return isApart(l) && tier > 0 && (short || l.Most >= levels[len(levels)-1].Size)
	})
}

// LimitsMayNeedParts is LimitsNeedParts for a gang that keeps any of the limits that it prefers. Those of groups count either way: kept, they
// keep groups together. Exponential in their number.
func LimitsMayNeedParts(spec *cluster.Spec, req *gang.Request) bool {
	some, preferred := *req, []*gang.Limit(nil)
	some.Limits, some.Groups = slices.Clone(req.Limits), slices.Clone(req.Groups)
	lists := [][]gang.Limit{some.Limits}
	for i := range some.Groups {
		some.Groups[i].Limits = slices.Clone(some.Groups[i].Limits)
		lists = append(lists, some.Groups[i].Limits)
	}
	for _, list := range lists {
		for i := range list {
			if list[i].Preferred {
				preferred = append(preferred, &list[i])
			}
		}
	}
	for mask := range 1 << len(preferred) {
		for i, l := range preferred {
			if l.Preferred = mask>>i&1 == 1; l.Kind == gang.Apart {
				l.Most = math.MaxInt // one that is kept as well as can be is as large as it must
			}
		}
		if LimitsNeedParts(spec, &some) {
			return true
		}
	}
	return false
}

// groupsSpan holds if groups may lie in several of the domains that are counted.
func groupsSpan(spec *cluster.Spec, req *gang.Request, level *gang.Groups) bool {
	net, ok := NewNetwork(spec, req)
	if !ok {
		return false
	}
	must, _ := net.Must(append(withImplied(req.Gather, req.Limits, false), withImplied(level.Gather, level.Limits, true)...))
	return must > countedTier(net, req)
}

// capsAbove holds if a number of members or groups is bounded in domains above those that are counted.
func capsAbove(spec *cluster.Spec, req *gang.Request) bool {
	net, ok := NewNetwork(spec, req)
	above := func(l gang.Limit) bool {
		tier, known := net.TierOf(l.Layer)
		return known && !l.Preferred && !l.OfParts && l.Kind != gang.Within && min(tier, net.RootTier()-1) > countedTier(net, req)
	}
	isApart := func(l gang.Limit) bool { return l.Kind == gang.Apart && above(l) }
	return ok && (slices.ContainsFunc(req.Limits, isApart) ||
		slices.ContainsFunc(req.Groups, func(g gang.Groups) bool { return slices.ContainsFunc(g.Limits, above) }))
}

// countedTier is that of the domains that are counted.
func countedTier(net *Network, req *gang.Request) int {
	tier, _ := net.TierOf(req.Limits[slices.IndexFunc(req.Limits, countsDomains)].Layer)
	return min(tier, net.RootTier()-1)
}

// CountsDomains says whether the gang must lie in at most so many domains of a layer, and may in more than one.
func CountsDomains(req *gang.Request) bool { return slices.ContainsFunc(req.Limits, countsDomains) }

// countsTwice holds if the domains are counted of two layers.
func countsTwice(req *gang.Request) bool {
	i := slices.IndexFunc(req.Limits, countsDomains)
	return i >= 0 && slices.ContainsFunc(req.Limits[i+1:], countsDomains)
}

func countsDomains(l gang.Limit) bool { return l.Kind == gang.Within && !l.Preferred && l.Most > 1 }

// CountsNumbers says whether a limit of the gang, or of a level of its groups, is on a number of members or groups.
func CountsNumbers(req *gang.Request) bool {
	return countsMembers(req) || countsGroups(req)
}

func countsGroups(req *gang.Request) bool {
	return slices.ContainsFunc(req.Groups, func(g gang.Groups) bool {
		return slices.ContainsFunc(g.Limits, func(l gang.Limit) bool { return !l.Preferred && l.Kind != gang.Within })
	})
}

func countsMembers(req *gang.Request) bool { return slices.ContainsFunc(req.Limits, isApart) }

func isApart(l gang.Limit) bool { return l.Kind == gang.Apart && !l.Preferred && !l.OfParts }
