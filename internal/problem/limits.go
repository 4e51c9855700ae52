// What do limits ask of a gang beyond its slots: must it be placed as parts are, and who must be alone, where not all members are alike in
// this?

package problem

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
)

// limitsNeedParts says whether members of one shape, or equal groups of them, have limits for which they are placed as the parts of a gang
// are: slots of members and of whole groups do not tell what these leave.
//
// order: limits.10
func limitsNeedParts(p *Problem) bool {
	if p.Model.Limits == nil {
		return false
	}
	if p.Model.Multiple != nil { // slots are floored to multiples, and limits may leave fewer
		return p.Model.Limits.CountMembers() || p.Model.Limits.CountGroups() || p.Model.Limits.CountDomains()
	}
	if len(p.Model.Limits.Within) > 1 { // slots tell of one
		return true
	}
	if len(p.Model.Levels) == 0 {
		return p.Model.Limits.CapAbove()
	}
	outer := &p.Model.Levels[0]
	short := int64(p.Model.Ranks)%outer.Size != 0
	switch {
	case !slotsTellGroups(p, short) || p.Model.Limits.CapAbove():
		return true
	case p.Model.Limits.CountDomains() && (short || outer.Gather.Must > p.Model.Limits.Within[0].Tier): // a group may use several of them
		return true
	}
	return p.Model.Limits.CountGroups() && (short || len(p.Model.Levels) > 1 && p.Model.Running.Len() > 0)
}

// limitsLetUnits says whether groups on one node each may be placed like members, beside outer levels or as the only one.
//
// order: limits.10
func limitsLetUnits(p *Problem, nested bool) bool {
	l := p.Model.Limits
	return !l.CountDomains() && !(nested && (l.CountMembers() || l.CountGroups()))
}

// slotsTellGroups says whether slots tell of groups, too, what limits on the number of members leave: where these speak of nodes, or of
// domains that take no whole group, which lie above then, where slots are sums.
func slotsTellGroups(p *Problem, short bool) bool {
	inner := p.Model.Levels[len(p.Model.Levels)-1].Size
	return !slices.ContainsFunc(p.Model.Limits.Apart, func(c index.Cap) bool { return c.Tier > 0 && (short || c.Most >= inner) })
}

// triedFirst are problems of all members of a gang in one level of equal groups, which may lie in several of the domains that limit the gang.
// They are for package gather, each within a domain right above these domains: first every group lies in one of them, then groups lie
// anywhere. Who places the gang by the first that has a plan has the best strategy. None if that is not sure.
//
// order: limits.11
func triedFirst(p *Problem) (first []*Problem) {
	cut := p.Parts.cut
	if len(cut) != 1 || !countsDomainsOnly(p) || int64(p.Model.Ranks)%cut[0].Size != 0 || p.Model.Running.Len() > 0 || p.Parts.State != nil || p.Room.Zones().Bind() || p.Model.Least > len(p.Model.Pending) {
		return nil
	}
	counted, groups := p.Model.Limits.Within[0].Tier, &cut[0].Gather
	above := min(p.Model.View.Tiers[p.Model.View.TierIndex(counted)+1], p.Model.Gather.Must)
	if !slices.Contains(p.Model.Gather.Worths, above) {
		return nil // a wider domain may be worth as much
	}
	described := inLevels(p, p.Model.Gather, cut, nil)
	with := func(tier int32, levels []model.Level) {
		first = append(first, inLevels(p, upTo(p.Model.Gather, tier), levels, described))
	}
	if !slices.Contains(groups.Worths, counted) && p.Model.Gather.Worths[0] <= counted {
		with(counted, cut) // in one of the domains that are counted groups may be worth less than that
	}
	if groups.Worths[0] <= counted {
		with(above, []model.Level{{Size: cut[0].Size, Gather: upTo(*groups, counted)}})
	}
	with(above, nil)
	return first
}

// countsDomainsOnly says whether a Within of one layer is the only rule of a gang in parts on numbers.
func countsDomainsOnly(p *Problem) bool {
	return p.Model.Limits.CountDomains() && len(p.Model.Limits.Within) == 1 && !p.Model.Limits.CapAbove() && !p.Model.Limits.CountMembers() &&
		len(p.Model.Gang.Limits)+len(p.Model.Gang.Multiples) == 0
}

// inLevels is the problem of all members of a gang in equal groups, or in none, whose groups had been made parts. Plans are those of members,
// nil: of the problem itself.
func inLevels(p *Problem, gather model.Gather, levels []model.Level, members *Problem) *Problem {
	next := p.derive()
	next.Model.Gang, next.Parts, next.Model.Least = nil, partState{}, len(p.Model.Pending)
	next.Model.Doubt, next.Model.Left = nil, nil
	next.Model.Gather, next.Model.Levels, next.Unbundled = gather, levels, members
	next.Room.All, next.Room.Allowed, next.Model.Hard = nil, nil, isHard(next)
	return next
}

// upTo are rules for domains of a tier, or lower.
func upTo(g model.Gather, tier int32) model.Gather {
	g.Worths = slices.DeleteFunc(slices.Clone(g.Worths), func(t int32) bool { return t > tier })
	g.Must, g.Hard = g.Worths[len(g.Worths)-1], true
	return g
}

// nearby is who can keep the gang off nodes, nil if nobody can.
func nearby(p *Problem) *limits.Neighbors {
	tiers := aloneTiers(p)
	if !p.Model.Limits.AreAlone() && len(tiers) == 0 && !p.Snapshot.Closed.Any() {
		return nil
	}
	gangs := p.Request.Name
	if p.Team != nil {
		gangs = ""
	}
	return limits.Near(p.Snapshot, p.Model.View, p.Model.Limits, tiers, p.Request.Tolerated, gangs, p.IsOwn)
}

// settleParts moves the gang's counting limits to its root part, splits roles that a limit tells apart, and refuses combinations without
// support.
func settleParts(p *Problem) error {
	if p.Model.Limits != nil {
		parts := "parts"
		if p.Team != nil {
			parts = "gangs"
		}
		p.Model.Gang.Limits = limits.OfGang(p.Model.View, p.Request, parts)
		p.Model.Limits = p.Model.Limits.WithoutGroups() // slots know the others
	}
	joinAlone(p)
	within := p.Model.Limits.CountDomains()
	var first *limits.OnPart
	if within {
		first = &limits.OnPart{Name: p.Model.Limits.Names()[0]}
	}
	elsewhere := false
	isElsewhere := func(a *model.Part) bool { return a.OtherTree != nil }
	p.Model.Gang.Each(func(a *model.Part) {
		elsewhere = elsewhere || within && isElsewhere(a)
		for i := range a.Limits {
			if first = cmp.Or(first, &a.Limits[i]); a != p.Model.Gang {
				a.Limits[i].Name += " for " + p.Called.InRefusals(a)
			}
			depth := a.Limits[i].Depth
			elsewhere = elsewhere || isElsewhere(a) || depth > 0 && slices.ContainsFunc(a.Counted(a.Limits[i]), isElsewhere)
		}
	})
	switch {
	case first == nil:
		return nil
	case elsewhere:
		return muster.Unsupported("request.Limits", first.Name, "this limit in another topology than the gang's")
	}
	divideByLimits(p)
	if len(p.Model.Multiples) > 0 { // they count roles, which are others now
		bindMultiples(p)
	}
	p.Room.Company = nearby(p)
	return nil
}

// isHardLimit says whether a limit is a hard rule: it speaks of domains above nodes, or of how many are used.
func isHardLimit(l limits.OnPart) bool { return l.Tier > 0 || l.Domains }

// tellsMembers says whether it matters which members a limit speaks of; of groups it may count those that are alike.
func tellsMembers(l limits.OnPart) bool { return l.Alone != "" || l.Depth == 0 }

// joinAlone makes one limit of those by which several parts are alone, each within a domain of the layer: one of them in each, and nobody
// else. So parts that are alike stay alike, and their members one role. Parts within each other are of different levels.
func joinAlone(p *Problem) {
	type key struct {
		limit string
		tier  int32
		level int
	}
	number, joined := 0, map[key][]int{}
	var keys []key // in the order of their first parts
	is := func(a *model.Part, l limits.OnPart) bool {
		return l.Alone != "" && l.Depth == 0 && a.InTree() && a.Level > 0 && a.Gather.Hard && a.Gather.Must <= l.Tier
	}
	p.Model.Gang.Each(func(a *model.Part) {
		for _, l := range a.Limits {
			if k := (key{l.Alone, l.Tier, a.Level}); is(a, l) {
				if joined[k] == nil {
					keys = append(keys, k)
				}
				joined[k] = append(joined[k], number)
			}
		}
		number++
	})
	for _, k := range keys {
		if len(joined[k]) < 2 {
			continue
		}
		p.Model.Gang.Each(func(a *model.Part) {
			a.Limits = slices.DeleteFunc(a.Limits, func(l limits.OnPart) bool { return is(a, l) && k == key{l.Alone, l.Tier, a.Level} })
		})
		one := limits.OnPart{Name: fmt.Sprintf("%s %s for parts", gang.Alone, k.limit), Tier: k.tier, Most: 1, Depth: k.level, Of: joined[k]}
		alone := one
		alone.Alone = k.limit
		p.Model.Gang.Limits = append(p.Model.Gang.Limits, one, alone)
	}
}

// aloneTiers are the tiers in whose domains the members of some parts must be alone.
func aloneTiers(p *Problem) (tiers []int32) {
	if !p.InParts() {
		return nil
	}
	p.Model.Gang.Each(func(a *model.Part) {
		for _, l := range a.Limits {
			if l.Alone != "" && !slices.Contains(tiers, l.Tier) {
				tiers = append(tiers, l.Tier)
			}
		}
	})
	return tiers
}

// company is what decides who keeps a member off nodes.
type company struct {
	limits *limits.Limits
	gang   string // of several gangs that start together the member's, where siblingsLeave; else empty
}

// companyByRank is that of each member, by rank; nil: all have that of the gang. O(limits * members).
func companyByRank(p *Problem) []company {
	if len(aloneTiers(p)) == 0 {
		return nil
	}
	out := slices.Repeat([]company{{limits: p.Model.Limits}}, p.Model.Ranks)
	if siblingsLeave(p) {
		for rank := range out {
			out[rank].gang = gangOf(p, rank)
		}
	}
	p.Model.Gang.Each(func(a *model.Part) {
		for _, l := range a.Limits {
			if l.Alone == "" {
				continue
			}
			with := map[*limits.Limits]*limits.Limits{} // those that members had before are few
			for _, rank := range a.LimitedBy(l) {
				was := out[rank].limits
				if with[was] == nil {
					with[was] = was.With(l.Tier, l.Alone)
				}
				out[rank].limits = with[was]
			}
		}
	})
	return out
}

// companyByRole is that of the members of each role; nil: all have that of the gang.
func companyByRole(p *Problem) []company {
	by := companyByRank(p)
	if by == nil {
		return nil
	}
	out := make([]company, len(p.Room.Shapes))
	for i, rank := range p.Model.Pending {
		out[p.Model.Role(i)] = by[rank]
	}
	return out
}

// AloneLayers are, by rank, the layers in whose domains members must be alone, empty: in none; nil: what holds for the gang holds for all.
// O(limits * members).
func AloneLayers(p *Problem) (layers []string) {
	for _, c := range companyByRank(p) {
		layer := ""
		if c.limits.AreAlone() {
			layer = c.limits.AloneIn
		}
		layers = append(layers, layer)
	}
	return layers
}

// aloneDomains iterates over the domains in which members lie that must be alone there, each with the member's gang: pending members, or
// units, at these positions, and running ones.
func aloneDomains(p *Problem, positions []int32) iter.Seq2[layout.Vertex, string] {
	by := companyByRank(p)
	return func(yield func(d layout.Vertex, gang string) bool) {
		at := func(pos int32, rank int) bool {
			l := p.Model.Limits
			if by != nil {
				l = by[rank].limits
			}
			return !l.AreAlone() || yield(p.Model.View.DomainAt(pos, l.Alone), gangOf(p, rank))
		}
		for i, pos := range positions {
			if !at(pos, p.Model.Pending[i]) {
				return
			}
		}
		for m := range p.Model.Running.All() {
			if !at(m.Pos, m.Rank) {
				return
			}
		}
	}
}

// withGangs iterates over the positions of pending members, or units, each with its gang.
func withGangs(p *Problem, positions []int32) iter.Seq2[int32, string] {
	return func(yield func(pos int32, gang string) bool) {
		for i, pos := range positions {
			if !yield(pos, gangOf(p, p.Model.Pending[i])) {
				return
			}
		}
	}
}

// gangOf is the gang of a member.
func gangOf(p *Problem, rank int) string {
	if p.Team == nil {
		return p.Request.Name
	}
	return p.Team.GangOf(rank)
}

// siblingsLeave says whether members are leaving of gangs that start together: these have no place in the plan, so that where somebody must
// be alone it matters of which gang a member is.
func siblingsLeave(p *Problem) bool {
	return p.Team != nil && !p.Request.IgnoreLeaving &&
		slices.ContainsFunc(p.Snapshot.Leaving, func(m *snapshot.Member) bool { return p.IsOwn(m.Class.Gang) })
}

// byGang are the pending members of each of several gangs, given by their index, if that matters to who is alone. Nil: it does not.
func byGang(p *Problem) (gangs [][]int32) {
	if len(aloneTiers(p)) == 0 || !siblingsLeave(p) {
		return nil
	}
	last := ""
	for i, rank := range p.Model.Pending { // in the order of gangs
		if gang := gangOf(p, rank); gangs == nil || gang != last {
			gangs, last = append(gangs, nil), gang
		}
		gangs[len(gangs)-1] = append(gangs[len(gangs)-1], int32(i))
	}
	return gangs
}

// aloneBroken says whether others are where running members of a part must be alone.
//
// order: limits.4
func (p *Problem) aloneBroken() bool {
	by := companyByRank(p)
	if by == nil {
		return false
	}
	for m := range p.Model.Running.All() {
		if p.Room.Company.Of(by[m.Rank].limits, by[m.Rank].gang).Meets(m.Pos, p.Room.Slots().State()) {
			return true
		}
	}
	return false
}

// Broken says whether running members of the gang break one of its limits by themselves, so that no plan keeps it.
func (p *Problem) Broken() bool {
	return p.Model.Limits.Broken(p.Model.View, p.Model.Running.Positions(), p.Model.Siblings, p.Room.Company, p.Room.Slots().State()) || p.aloneBroken()
}

// WaitsFor lists the leaving members that must be gone before the members, or units, fit at these positions: also those who are near members
// that must be alone, and those in any case. Cost of [room.Room.WaitsFor].
func (p *Problem) WaitsFor(positions []int32, anyway ...*snapshot.Member) []*snapshot.Member {
	out := p.Room.Company.Leaving(withGangs(p, positions), aloneDomains(p, positions))
	return p.Room.WaitsFor(positions, append(out, anyway...))
}
