package placement

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// resultOf describes a plan.
func resultOf(o *outcome) *Result {
	p := o.of
	positions, members := o.positions, p
	if p.members != nil {
		positions, members = p.unbundle(o.positions), p.members
	}
	r := describe(members, positions)
	hold(p, r)
	waits := namesakes(p, o.waits, r.Assignments)
	for _, m := range waits {
		r.WaitsFor = append(r.WaitsFor, waited(p.c, m))
	}
	p.zones().shareZones(positions, waits, func(member int, placed *numa.Placed) { r.Assignments[member].NUMA = placed })
	return r
}

// resultWithout describes a plan with victims.
func resultWithout(e *eviction) *Result {
	r := resultOf(e.plan)
	c := e.plan.of.c
	for _, v := range e.victims {
		r.Victims = append(r.Victims, Victim{
			MemberRef: nameOf(v.member), Node: c.Lineage.Names[v.member.Node], Priority: v.priority, OverMin: v.overMin, Quota: v.member.Class.Quota,
		})
	}
	if len(e.victims) > 0 { // else the search without victims ended too soon
		r.Preemption = &Preemption{Cost: e.found.Cost, LowerBound: e.found.LowerBound, Proven: e.found.Proven}
	}
	r.Proven = r.Proven && e.proven
	return r
}

// waited names a leaving member that a plan waits for.
func waited(c *snapshot.Snapshot, m *snapshot.Member) Waited {
	return Waited{nameOf(m), c.Lineage.Names[m.Node]}
}

// nameOf names a running member.
func nameOf(m *snapshot.Member) cluster.MemberRef {
	return cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name}
}

// hold notes what the members hold.
func hold(p *problem, r *Result) {
	for _, s := range p.shapes {
		r.holds = append(r.holds, maps.Clone(s.Resources))
		r.lenient = append(r.lenient, s.ZoneMember(p.c.Lineage.Exclusive).Exclusive == numa.Preferred)
	}
	if p.hasRoles() {
		r.roles = make(map[string]int, len(p.pending))
		for i, m := range p.pending {
			r.roles[m.name] = int(p.roleOf[i])
		}
	}
}

// namesakes adds, to those that a plan waits for, leaving members whose names it gives to new ones: both cannot be there at once.
func namesakes(p *problem, waits []*snapshot.Member, new []Assignment) []*snapshot.Member {
	if !slices.ContainsFunc(p.own, func(m *snapshot.Member) bool { return m.Leaving }) {
		return waits
	}
	for i := range new {
		if m := p.c.Member(p.req.Name, new[i].Member); m != nil && !slices.Contains(waits, m) {
			waits = append(waits, m)
		}
	}
	slices.SortFunc(waits, snapshot.CompareMembers)
	return waits
}

func describe(p *problem, positions []int32) *Result {
	r := &Result{
		Gang: p.req.Name, Tree: p.v.Name, affinityKey: p.req.AffinityKey, quota: p.req.Quota, limit: p.req.QuotaLimit, pinned: p.pinned,
		priority: p.req.Priority, least: p.gangLeast(), Proven: p.provenBest(),
	}
	for i := range p.req.Members {
		if m := &p.req.Members[i]; m.Indexed {
			if r.indexes == nil {
				r.indexes = map[string]int{}
			}
			r.indexes[m.Name] = m.Index
		}
	}
	assignments(p, r, positions)
	where := slices.Clip(positions)
	for _, m := range p.running {
		where = append(where, m.pos)
	}
	domain := p.v.Named(p.v.Lowest(where))
	tier := p.v.TierOf(domain)
	r.Tier, r.Layer = int(tier), p.v.LayerName(tier)
	r.Domain = p.v.Path(domain, p.c.Lineage.NodeName)
	tiers := p.reachedByGroups(positions)
	if p.inParts() {
		r.Elsewhere = elsewhere(p, positions)
	}
	for _, t := range tiers {
		r.GroupTiers = append(r.GroupTiers, int(t))
	}
	r.Strategy, r.StrategyNumber = p.v.StrategyName(tier, tiers)
	r.Span = spanOf(p.v, where, tier)
	return r
}

// provenBest says whether nothing better was left out.
func (p *problem) provenBest() bool {
	if p.parting.doubt != nil && *p.parting.doubt {
		return false
	}
	return !p.alignment.inexact || p.zones().zonesProven(p.excluded(), p.leavingGifts())
}

// gangLeast is how many members of the gang must run together once it is placed. A gang of one that declares no minimum is a plain
// pod.
func (p *problem) gangLeast() int {
	n := len(p.pending) + len(p.running)
	switch {
	case p.req.MinMember > 0 || n == 1:
		return p.req.MinMember
	case p.inParts():
		return p.parting.mustRun
	}
	return n
}

func assignments(p *problem, r *Result, positions []int32) {
	r.Assignments = make([]Assignment, len(positions))
	var groups []int
	if p.inParts() {
		groups = p.groupOf()
	}
	for i, pos := range positions {
		m, a := &p.pending[i], &r.Assignments[i]
		a.Member, a.Rank, a.Group, a.Node = m.name, m.rank, -1, p.c.Lineage.Names[p.v.Node(pos)]
		if len(p.levels) > 0 {
			a.Group = m.rank / int(p.levels[0].size)
		}
		if groups != nil {
			a.Group = groups[m.rank]
		}
	}
}

// allByRank are where all members are, the new ones at these positions; -1: nowhere.
func (p *problem) allByRank(positions []int32) []int32 {
	at := p.positionsByRank()
	for i, pos := range positions {
		at[p.pending[i].rank] = pos
	}
	return at
}

// reachedByGroups is the worst tier of each level over all groups, running members included.
func (p *problem) reachedByGroups(positions []int32) []int32 {
	if p.inParts() {
		return reachedByParts(p, p.allByRank(positions))
	}
	var out []int32
	for _, l := range p.levels {
		above := slices.Repeat([]layout.Vertex{-1}, p.ranks/int(l.size)+1) // some of the ranks may stay out
		add := func(rank int, pos int32) {
			x, g := p.v.NodeVertex(pos), rank/int(l.size)
			if above[g] >= 0 {
				x = p.v.Lca(x, above[g])
			}
			above[g] = x
		}
		for i, pos := range positions {
			add(p.pending[i].rank, pos)
		}
		for _, m := range p.running {
			add(m.rank, m.pos)
		}
		var worst int32
		for _, x := range above {
			if x >= 0 {
				worst = max(worst, p.v.TierOf(x))
			}
		}
		out = append(out, worst)
	}
	return out
}

// spanOf counts the domains used in every switch layer below a tier, widest first. Nodes that are in no domain of a layer
// do not count there.
func spanOf(v *layout.View, positions []int32, tier int32) []LayerSpan {
	below := v.Layers
	for len(below) > 0 && int32(below[len(below)-1].Tier) >= tier {
		below = below[:len(below)-1]
	}
	if len(below) == 0 {
		return nil
	}
	out := make([]LayerSpan, 0, len(below))
	leaves := make([]layout.Vertex, 0, 32)
	first, end := int32(0), int32(0) // of the last one
	for _, pos := range positions {
		if pos < first || pos >= end {
			leaf := v.LeafOf[pos]
			leaves, first, end = append(leaves, leaf), v.FirstPos[leaf], v.EndPos[leaf]
		}
	}
	for _, l := range slices.Backward(below) {
		used := make([]layout.Vertex, 0, 32)
		for _, x := range leaves {
			for x >= 0 && v.TierOf(x) < int32(l.Tier) {
				x = v.Above(x)
			}
			if x >= 0 && v.TierOf(x) == int32(l.Tier) {
				used = append(used, x)
			}
		}
		slices.Sort(used)
		out = append(out, LayerSpan{Layer: v.LayerName(int32(l.Tier)), Tier: l.Tier, Domains: len(slices.Compact(used))})
	}
	return out
}
