// What does a request ask for? Its topology is found here, members get ranks, rules become tiers and shapes become
// needs.

package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/ranks"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/internal/snapshot"
)

// chooseTree finds the topology: the one that the request names, else the only one, else "default". In it, it finds the domain in which the
// request must stay.
func chooseTree(p *Problem) error {
	if p.Model.View = p.Snapshot.Lineage.Tree(p.Request.Tree); p.Model.View == nil {
		return muster.Invalid("request.Tree", p.Request.Tree, "unknown topology")
	}
	if path := p.Request.Inside; len(path) > 0 {
		x, ok := p.Model.View.Find(path, p.Snapshot.Lineage.ID)
		if !ok {
			return muster.Invalid("request.Inside", strings.Join(path, "/"), "no domain of the topology has this path")
		}
		p.Room.Inside = x
	}
	return nil
}

// rankMembers orders new and running members together: by index where they have one, then by name. O(new ones) for a request in rank order while
// nobody of the gang is on the cluster, and else O(new members * log) and what [snapshot.GangMembers.Census] costs; where that has no answer,
// O(members * log).
func rankMembers(p *Problem) error {
	if p.Team != nil {
		place(p, p.Team.Ranking(p))
		return nil
	}
	g, runs := p.Snapshot.Gangs.Get(&snapshot.GangMembers{Name: p.Request.Name})
	if runs {
		p.Own = g.Members
	}
	if !runs && p.ordered {
		p.Model.Pending, p.names = p.scratch.pending[:0], p.scratch.names[:0]
		for i := range p.Request.Members {
			p.Model.Pending, p.names = append(p.Model.Pending, i), append(p.names, p.Request.Members[i].Name)
		}
		p.scratch.pending, p.scratch.names, p.Model.Ranks = p.Model.Pending, p.names, len(p.names)
		return nil
	}
	for i := 0; i < len(p.Request.Members) && runs; i++ {
		name := p.Request.Members[i].Name
		if m := p.Snapshot.Member(p.Request.Name, name); m != nil && (!m.Leaving || p.Request.IgnoreLeaving) {
			return muster.Invalid(fmt.Sprintf("request.Members[%d].Name", i), name, "the member runs already")
		}
	}
	if runs && rankBeside(p, g) {
		return nil
	}
	all := ranks.Of(p.Request, p.Own, p.Model.View)
	if isCut(p.Request) {
		all = ranks.AtIndexes(all)
	}
	place(p, all)
	return nil
}

// rankBeside ranks new members among those that run, as the snapshot has these; false if it does not have them in rank order, or if members are
// cut into groups and only some have an index. The ranks are those of [ranks.Of]. O(new members * log), and the cost of a census.
func rankBeside(p *Problem, g *snapshot.GangMembers) bool {
	var sizes []int
	if groups, err := p.Request.Levels(max(len(p.Request.Members)+g.Members.Len(), p.Request.Total)); err == nil { // else countMembers says so
		for _, level := range groups {
			sizes = append(sizes, level.Size)
		}
	}
	below, blocks := g.Census(p.Model.View, sizes...)
	if below == nil {
		return false
	}
	fresh, at := ranks.Beside(p.Request, ranks.Stand(&g.Members))
	if isCut(p.Request) && someIndexed(fresh, &g.Members) {
		return false
	}
	p.below, p.Model.Pending, p.names = below, append(p.scratch.pending[:0], at...), p.scratch.names[:0]
	for i := range fresh {
		p.names = append(p.names, fresh[i].Name)
	}
	p.Model.Running = roll.Beside(ranks.Stand(&g.Members), p.Model.View, at).InBlocks(blocks)
	p.fresh, p.scratch.pending, p.scratch.names, p.Model.Ranks = at, p.Model.Pending, p.names, len(fresh)+g.Members.Len()
	p.Model.LCA = runningLCA(p)
	return true
}

// isCut says whether the request cuts members into groups by their ranks.
func isCut(r *gang.Request) bool { return r.PP > 0 || r.DP > 0 || len(r.Groups) > 0 }

// someIndexed says whether some members have an index and others have none; both lists are in rank order and not empty.
func someIndexed(fresh []ranks.Ranked, running *snapshot.Members) bool {
	first, last := fresh[0].Indexed || running.At(0).Indexed, fresh[len(fresh)-1].Indexed && running.At(running.Len()-1).Indexed
	return first && !last
}

// NameOf is the name of a member, or unit. O(log new members) with running ones, else O(1).
func (p *Problem) NameOf(rank int) string {
	if p.fresh == nil {
		return p.names[rank]
	}
	i, is := slices.BinarySearch(p.fresh, rank)
	if is {
		return p.names[i]
	}
	return p.Own.At(rank - i).Name
}

// place divides members, given in rank order, into pending and running ones.
func place(p *Problem, all []ranks.Ranked) {
	p.Model.Pending, p.names = p.scratch.pending[:0], p.scratch.names[:0]
	running := make(roll.List, 0, max(0, len(all)-len(p.Request.Members)))
	for i := range all {
		m := &all[i]
		p.names = append(p.names, m.Name)
		if m.Pos < 0 {
			p.Model.Pending = append(p.Model.Pending, i)
		} else {
			running = append(running, m.Pos)
		}
	}
	p.Model.Running = roll.Beside(running, nil, slices.Clone(p.Model.Pending))
	p.scratch.pending, p.scratch.names, p.Model.Ranks = p.Model.Pending, p.names, len(all)
	p.Model.LCA = runningLCA(p)
}

// countMembers resolves MinMember and the levels of groups against the number of known members, or the Total of the
// request if that is larger. At least one new member must be placed.
func countMembers(p *Problem) error {
	total := len(p.Model.Pending) + p.Model.Running.Len()
	groups, err := p.Request.Levels(max(total, p.Request.Total))
	if err == nil && len(groups) > 1 { // of a gang that is not known as a whole they must divide the known members
		_, err = p.Request.Levels(total)
	}
	if err != nil && total >= p.Request.MinMember { // else it is refused anyway, and its size will be another one
		return err
	}
	p.Model.Levels = p.oneLevel[:0]
	for _, g := range groups {
		p.Model.Levels = append(p.Model.Levels, model.Level{Size: int64(g.Size)})
	}
	p.Model.Least = len(p.Model.Pending)
	if p.Request.MinMember > 0 {
		p.Model.Least = max(1, p.Request.MinMember-p.Model.Running.Len())
	}
	return nil
}

// readRules turns layers into tiers. An inner group is bound at least as tightly as the groups around it.
func readRules(p *Problem) error {
	g, err := gatherRules(p.Model.View, "request.Gather", limits.Implied(p.Request.Gather, p.Request.Limits, false), p.Model.View.RootTop)
	if err != nil {
		return err
	}
	p.Model.Gather = g
	outer := g.Must
	for i := range p.Model.Levels {
		if i < len(p.Request.Groups) {
			g, err = gatherRules(p.Model.View, fmt.Sprintf("request.Groups[%d].Gather", i), limits.Implied(p.Request.Groups[i].Gather, p.Request.Groups[i].Limits, true), outer)
		} else {
			g, err = gatherRules(p.Model.View, "", nil, outer) // PP and DP carry no rules
		}
		if err != nil {
			return err
		}
		p.Model.Levels[i].Gather = g
		outer = g.Must
	}
	return nil
}

// gatherRules reads the rules of a gang or group level that lies within a domain of tier outer at most. Without a
// PreferGather each tier up to the bound is a worth of its own.
//
// order: tree.3, strategy.2
func gatherRules(v *layout.View, field string, rules []gang.Rule, outer int32) (model.Gather, error) {
	g := model.Gather{Must: outer, Own: -1}
	var preferred []int32
	for i, r := range rules {
		tier, ok := v.TierNamed(r.Layer)
		if !ok {
			return g, v.UnknownLayer(fmt.Sprintf("%s[%d].Layer", field, i), r.Layer)
		}
		switch r.Strength {
		case gang.MustGather:
			// The root satisfies no rule: a bound above all layers is the highest layer.
			top := min(tier, v.RootTop-1)
			if g.Own < 0 || top < g.Own {
				g.Own, g.Name = top, r.Layer
			}
			if top <= g.Must {
				g.Must, g.Hard = top, true
			}
		case gang.PreferGather:
			preferred = append(preferred, tier)
		}
	}
	// The common case shares the topology's list, capped so that nobody appends to it.
	if i, exact := slices.BinarySearch(v.Tiers, g.Must); exact && len(preferred) == 0 {
		g.Worths = v.Tiers[: i+1 : i+1]
		return g, nil
	}
	named := len(preferred) > 0
	if !named {
		preferred = append(preferred, 0)
		for _, l := range v.Layers {
			preferred = append(preferred, int32(l.Tier))
		}
	}
	for _, t := range preferred {
		g.Worths = append(g.Worths, min(t, g.Must))
	}
	if named {
		g.Finest = 1 + slices.Min(g.Worths)
	}
	g.Worths = append(g.Worths, g.Must)
	slices.Sort(g.Worths)
	g.Worths = slices.Compact(g.Worths)
	return g, nil
}

// unbound are the rules of a gang without rules: the root is as good as any domain.
func unbound(v *layout.View) model.Gather {
	return model.Gather{Must: v.RootTop, Own: -1, Worths: []int32{v.RootTop}}
}

// chooseShapes finds the unit of the search. That is a member, if all members have one shape. If not, equal groups
// that must gather on one node are units, each of which asks for the sum of its members' resources. Other gangs are
// divided into roles.
//
// order: groups.3
func chooseShapes(p *Problem) error {
	shapes := shapesByRank(p)
	odd := slices.IndexFunc(shapes, func(s *gang.Shape) bool { return s != shapes[0] && !s.Equal(shapes[0]) })
	if odd < 0 {
		p.Room.Shapes = shapes[:1:1]
		if p.Model.Gang == nil && limitsNeedParts(p) {
			p.Parts.cut = p.Model.Levels
			cutByLevels(p)
		}
		return p.Room.SumNeeds()
	}
	size := unitSize(p)
	if size == 0 || p.Model.Running.Len() > 0 || p.Model.Multiple != nil || len(shapes)%size != 0 {
		return chooseRoles(p, shapes)
	}
	for i := size; i < len(shapes); i++ {
		if !shapes[i].Equal(shapes[i%size]) {
			return chooseRoles(p, shapes)
		}
	}
	bundle(p, size)
	p.Room.Shapes = shapes[:size]
	return p.Room.SumNeeds()
}

// unitSize is the size of the innermost groups if each must gather on a node and limits let it be placed like a member; else 0.
//
// order: groups.3, limits.10
func unitSize(p *Problem) int {
	n := len(p.Model.Levels)
	if n == 0 || !p.Model.Levels[n-1].Gather.Hard || p.Model.Levels[n-1].Gather.Must > 0 || !limitsLetUnits(p, n > 1) {
		return 0
	}
	return int(p.Model.Levels[n-1].Size)
}

// shapesByRank lists the shapes of the pending members in rank order; one stands for all where none has its own.
func shapesByRank(p *Problem) []*gang.Shape {
	members := p.Request.Members
	if !slices.ContainsFunc(members, func(m gang.Member) bool { return m.Shape != nil }) {
		return []*gang.Shape{&p.Request.Shape}
	}
	var own map[string]*gang.Shape // made where members do not stand in rank order
	shapes := make([]*gang.Shape, len(p.Model.Pending))
	for i, rank := range p.Model.Pending {
		name := p.NameOf(rank)
		if own == nil && members[i].Name == name {
			shapes[i] = cmp.Or(members[i].Shape, &p.Request.Shape)
			continue
		}
		if own == nil {
			own = make(map[string]*gang.Shape, len(members))
			for k := range members {
				own[members[k].Name] = cmp.Or(members[k].Shape, &p.Request.Shape)
			}
		}
		shapes[i] = own[name]
	}
	return shapes
}

// bundle makes the innermost groups of size members the units of the search. Their level goes away, and sizes of
// outer groups and the least number of members are in units from here on, the latter rounded up.
func bundle(p *Problem, size int) {
	members := p.unbundled()
	p.Unbundled, p.together = members, true
	p.Model.Pending, p.names = nil, nil
	for rank := 0; rank < len(members.Model.Pending); rank += size {
		p.Model.Pending, p.names = append(p.Model.Pending, rank/size), append(p.names, fmt.Sprintf("group %d", rank/size))
	}
	p.Model.Levels = slices.Clone(p.Model.Levels[:len(p.Model.Levels)-1])
	for i := range p.Model.Levels {
		p.Model.Levels[i].Size /= int64(size)
	}
	p.Model.Least, p.Model.Limits = (p.Model.Least+size-1)/size, p.Model.Limits.OfUnits(size)
}

// pinnedMembers are the members of a gang that are not preemptible, nil if there are none.
func pinnedMembers(req *gang.Request) (pinned map[string]bool) {
	for i := range req.Members {
		if m := &req.Members[i]; m.NonPreemptible {
			if pinned == nil {
				pinned = map[string]bool{}
			}
			pinned[m.Name] = true
		}
	}
	return pinned
}

// settleHostSlots refuses what cannot be known of nodes whose slots the host tells: how much of several shapes goes together, what
// zones take, what victims give back.
//
// order: slots.3
func settleHostSlots(p *Problem) error {
	unsupported := func(feature string) error {
		return muster.Unsupported("request.Slots", "", "slots that the host tells, of "+feature)
	}
	switch {
	case p.Request.Slots == nil:
	case len(p.Request.Parts) > 0:
		return unsupported("a gang in parts")
	case p.Model.RoleOf != nil || p.Unbundled != nil:
		return unsupported("members of several shapes")
	case p.InParts():
		return unsupported("groups that limits make parts")
	case p.Snapshot.Zoned > 0 || p.Room.Shapes[0].NUMA.Policy != "":
		return unsupported("members or nodes with a NUMA policy")
	case p.Request.Preempt.ForTier != "":
		return unsupported("a gang for which a tier is worth victims")
	}
	return nil
}
