// How is a plan told? Where the gang lies, in names.

package placement

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
)

// resultOf is the result of a plan. Where whole groups are placed like members, the positions of units become those of
// their members, and the gang itself is described.
func resultOf(o *outcome.Outcome) *Result {
	p := o.Of
	members, positions := o.Members()
	r := describePlaced(members, positions)
	noteHoldings(p, r)
	waits := o.WaitsFor()
	for _, m := range waits {
		r.WaitsFor = append(r.WaitsFor, waited(p.Snapshot, m))
	}
	p.Room.Zones().ShareZones(positions, waits, func(member int, placed *numa.Placed) { r.Assignments[member].NUMA = placed })
	return r
}

// resultOfEviction is the result of a plan with victims.
func resultOfEviction(e *victims.Eviction) *Result {
	r := resultOf(e.Plan)
	c := e.Plan.Of.Snapshot
	r.Victims = slices.Grow(r.Victims, len(e.Victims))
	for _, v := range e.Victims {
		r.Victims = append(r.Victims, Victim{
			MemberRef: refOf(v.Member), Node: c.Lineage.Names[v.Member.Node],
			Priority: v.Priority, OverMin: v.OverMin, Quota: v.Member.Class.Quota,
		})
	}
	if len(e.Victims) > 0 { // none: the search on free capacity had ended too soon
		r.Preemption = &Preemption{Cost: e.Found.Cost, LowerBound: e.Found.LowerBound, Proven: e.Found.Proven}
	}
	r.Proven = r.Proven && e.Proven
	return r
}

// waited names a leaving member that a plan waits for.
func waited(c *snapshot.Snapshot, m *snapshot.Member) Waited {
	return Waited{refOf(m), c.Lineage.Names[m.Node]}
}

// refOf is the name of a running member.
func refOf(m *snapshot.Member) cluster.MemberRef {
	return cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name}
}

// noteHoldings keeps, for Apply, the resources of each shape and the shape of each member.
func noteHoldings(p *problem.Problem, r *Result) {
	for _, s := range p.Room.Shapes {
		r.holds = append(r.holds, maps.Clone(s.Resources))
		r.lenient = append(r.lenient, s.ZoneMember(p.Snapshot.Lineage.Exclusive).Exclusive == numa.Preferred)
	}
	if p.Model.RoleOf != nil {
		r.roles = make(map[string]int, len(p.Model.Pending))
		for i, rank := range p.Model.Pending {
			r.roles[p.NameOf(rank)] = int(p.Model.RoleOf[i])
		}
	}
}

// describePlaced describes where the new members and the running ones lie together.
func describePlaced(p *problem.Problem, positions []int32) *Result {
	r := &Result{
		Gang: p.Request.Name, Tree: p.Model.View.Name, Proven: p.ProvenBest(),
		affinityKey: p.Request.AffinityKey, quota: p.Request.Quota, limit: p.Request.QuotaLimit, pinned: p.Pinned,
		priority: p.Request.Priority, end: p.Request.End, least: outcome.GangLeast(p), alone: closingOf(p), aloneIn: p.Request.Tree, tolerated: p.Request.Tolerated,
	}
	for i := range p.Request.Members {
		if m := &p.Request.Members[i]; m.Indexed {
			if r.indexes == nil {
				r.indexes = map[string]int{}
			}
			r.indexes[m.Name] = m.Index
		}
	}
	noteSeats(p, r)
	assignNodes(p, r, positions)
	domain := p.Model.View.Named(lowestOf(p, positions))
	tier := p.Model.View.TierOf(domain)
	r.Tier, r.Layer = int(tier), p.Model.View.LayerName(tier)
	r.Domain = p.Model.View.Path(domain, p.Snapshot.Lineage.NodeName)
	tiers := outcome.ReachedByGroups(p, positions)
	if p.InParts() {
		r.Elsewhere = elsewhere(p, positions)
	}
	for _, t := range tiers {
		r.GroupTiers = append(r.GroupTiers, int(t))
	}
	r.Strategy, r.StrategyNumber = strategyName(p.Model.View, tier, tiers)
	r.Span = spanOf(p.Model.View, positions, p.Model.Siblings, tier)
	return r
}

// lowestOf is the lowest vertex above the members at some positions and the running ones. O(positions + tiers).
func lowestOf(p *problem.Problem, positions []int32) layout.Vertex {
	switch v := p.Model.View; {
	case p.Model.LCA < 0:
		return v.Lowest(positions)
	case len(positions) == 0:
		return p.Model.LCA
	default:
		return v.LCA(p.Model.LCA, v.Lowest(positions))
	}
}

// noteSeats keeps, for Places, who runs where and which groups there are. O(levels), but for parts.
func noteSeats(p *problem.Problem, r *Result) {
	r.ranks = p.Model.Ranks
	if p.Model.Running.Len() > 0 {
		r.running = seating{p.Model.Running.OnNodes(p.Model.View), p.Snapshot.Lineage.Names}
	}
	r.sizes = slices.Grow(r.sizes, len(p.Model.Levels))
	for _, l := range p.Model.Levels {
		r.sizes = append(r.sizes, int(l.Size))
	}
	if p.InParts() {
		r.parts, r.groups = outcome.Memberships(p)
	}
}

// assignNodes lists the new members in rank order, with their nodes and outermost groups.
func assignNodes(p *problem.Problem, r *Result, positions []int32) {
	r.Assignments = make([]Assignment, len(positions))
	names := p.Snapshot.Lineage.Names
	for i, pos := range positions {
		rank, a := p.Model.Pending[i], &r.Assignments[i]
		a.Member, a.Rank, a.Group, a.Node = p.NameOf(rank), rank, -1, names[p.Model.View.Node(pos)]
		if len(p.Model.Levels) > 0 {
			a.Group = rank / int(p.Model.Levels[0].Size)
		}
		if r.groups != nil && len(r.groups[rank]) > 0 {
			a.Group = r.groups[rank][0]
		}
	}
}

// spanOf counts the domains used in every switch layer below a tier, widest first: those with running members, and those that only members
// at these positions use. Nodes outside all domains of a layer do not count there. Positions come mostly leaf by leaf, so a leaf is noted once
// for a run of them. O(positions * tiers).
func spanOf(v *layout.View, positions []int32, running *layout.Census, tier int32) []LayerSpan {
	below := v.Layers
	for len(below) > 0 && int32(below[len(below)-1].Tier) >= tier {
		below = below[:len(below)-1]
	}
	if len(below) == 0 {
		return nil
	}
	out := make([]LayerSpan, 0, len(below))
	leaves := make([]layout.Vertex, 0, 32)
	first, end := int32(0), int32(0) // positions of the last leaf: none yet
	for _, pos := range positions {
		if pos < first || pos >= end {
			leaf := v.LeafOf[pos]
			leaves, first, end = append(leaves, leaf), v.FirstPos[leaf], v.EndPos[leaf]
		}
	}
	for _, l := range slices.Backward(below) {
		tier := int32(l.Tier)
		out = append(out, LayerSpan{Layer: v.LayerName(tier), Tier: l.Tier, Domains: running.Used(tier) + newlyUsed(v, leaves, running, tier)})
	}
	return out
}

// newlyUsed counts the domains of a tier above some leaves in which nobody runs. O(leaves * tiers).
func newlyUsed(v *layout.View, leaves []layout.Vertex, running *layout.Census, tier int32) int {
	used := make([]layout.Vertex, 0, 32)
	for _, x := range leaves {
		for x >= 0 && v.TierOf(x) < tier {
			x = v.Above(x)
		}
		if x >= 0 && v.TierOf(x) == tier && (len(used) == 0 || used[len(used)-1] != x) && running.At(x) == 0 {
			used = append(used, x)
		}
	}
	slices.Sort(used)
	return len(slices.Compact(used))
}

// elsewhere describes the groups whose rules speak of another topology, in the order of the request; groups without a
// placed member are left out.
func elsewhere(p *problem.Problem, positions []int32) (out []GroupPlace) {
	var at []int32 // positions by rank, running members included; made for the first such group
	p.Model.Gang.Each(func(a *model.Part) {
		if a.OtherTree == nil || a.Bundle {
			return
		}
		if at == nil {
			at = outcome.AllByRank(p, positions)
		}
		v := a.OtherTree
		x := p.Model.LowestInOtherTree(a, at)
		if x < 0 {
			return
		}
		x = v.Named(x)
		tier := v.TierOf(x)
		out = append(out, GroupPlace{
			Part: p.Called.Label(a), Tree: v.Name, Tier: int(tier), Layer: v.LayerName(tier), Domain: v.Path(x, p.Snapshot.Lineage.NodeName),
		})
	})
	return out
}

// closing says in whose domains new members must be alone, for Apply: of which layer; empty: of none.
type closing struct {
	layer string            // of all members
	by    map[string]string // by member, where some must be alone and others need not; nil: what holds for all
}

// of is the layer for a member.
func (c *closing) of(member string) string {
	if layer, is := c.by[member]; is {
		return layer
	}
	return c.layer
}

// named says it of members that have other names there.
func (c *closing) named(members []Assignment, there func(member string) string) closing {
	own := closing{layer: c.layer}
	if c.by != nil {
		own.by = make(map[string]string, len(members))
		for i := range members {
			own.by[members[i].Member] = c.of(there(members[i].Member))
		}
	}
	return own
}

// closingOf reads the limits of a gang. O(limits * members).
func closingOf(p *problem.Problem) (c closing) {
	if p = cmp.Or(p.Parts.All, p); p.Model.Limits.AreAlone() {
		c.layer = p.Model.Limits.AloneIn
	}
	if layers := problem.AloneLayers(p); layers != nil {
		c.by = make(map[string]string, len(p.Model.Pending))
		for _, rank := range p.Model.Pending {
			c.by[p.NameOf(rank)] = layers[rank]
		}
	}
	return c
}
