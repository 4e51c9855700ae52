// Which groups does a gang in parts have, in which topology, with which rules and minima? Its parts are read as a tree.

package problem

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
)

// Part is a gang that is placed in groups that differ, one of these groups, or a bundle of some: docs/order.md,
// sections 7 and 8.
type Part struct {
	Gather        model.Gather
	Label, Called string // its name in the request, and the name that refusals use
	Level         int    // groups around it, itself included; 0: the gang
	Bundle        bool   // it is no group: its members belong to the group around it
	Cut           bool   // it is one of the equal groups of the part around it: the request has no name for it
	// OtherTree is the topology of its rules; nil: the gang's.
	OtherTree *layout.View
	Outer     *Part // the part that it lies in; nil: it is the gang
	Idle      bool  // it only bundles parts of which none must be placed, and counts as placed
	Ranks     []int // of its own members, ascending
	Parts     []*Part
	// Multiples bind the number of all members in it.
	Multiples []Multiple
	// Least members in it and LeastParts of its parts must be placed. Least 0: all of its own members.
	Least, LeastParts int
	// Limits are on numbers of its members, or of groups below it.
	Limits        []limits.OnPart
	impliedInside []gang.Rule // what limits imply for the groups right inside it
}

// Each calls f with the part and all parts in it, outer ones first.
func (a *Part) Each(f func(*Part)) {
	f(a)
	for _, b := range a.Parts {
		b.Each(f)
	}
}

// InTree says whether it is a group in the gang's topology, or the gang.
func (a *Part) InTree() bool { return !a.Bundle && a.OtherTree == nil }

// All lists the ranks of all members in it, running ones included, part by part.
func (a *Part) All() (ranks []int) {
	a.Each(func(b *Part) { ranks = append(ranks, b.Ranks...) })
	return ranks
}

// GroupsBelow lists the groups so many levels below it; a bundle is no level.
func (a *Part) GroupsBelow(levels int) (out []*Part) {
	for _, b := range a.Parts {
		switch {
		case b.Bundle:
			out = append(out, b.GroupsBelow(levels)...)
		case levels == 1:
			out = append(out, b)
		default:
			out = append(out, b.GroupsBelow(levels-1)...)
		}
	}
	return out
}

// changed is a copy of it and all in it; change alters each copy, which is of the part from.
func (a *Part) changed(change func(from, to *Part)) *Part {
	b := *a
	change(a, &b)
	b.Parts = nil
	for _, inner := range a.Parts {
		in := inner.changed(change)
		in.Outer = &b
		b.Parts = append(b.Parts, in)
	}
	return &b
}

// First is the lowest rank in it, the largest int if it has no members.
func (a *Part) First() int {
	first := int(^uint(0) >> 1)
	a.Each(func(b *Part) {
		if len(b.Ranks) > 0 {
			first = min(first, b.Ranks[0])
		}
	})
	return first
}

// readParts reads the parts of a request as a tree. Members in no part are the gang's own. O(members * log).
//
// order: parts.1
func readParts(p *Problem) error {
	rank := make(map[string]int, len(p.Model.Pending)+len(p.Model.Running))
	for _, one := range p.Model.Pending {
		rank[p.Names[one]] = one
	}
	for _, m := range p.Model.Running {
		rank[p.Names[m.Rank]] = m.Rank
	}
	p.Gang = &Part{Gather: p.Model.Gather, Called: p.Request.Name, Least: p.Request.MinMember}
	p.Gang.impliedInside = limits.ImpliedInside(p.Request.Limits)
	r := partReader{p: p, rank: rank}
	if err := r.inner(p.Gang, "request", p.Request.Parts, p.Request.MinParts); err != nil {
		return err
	}
	for name, i := range rank {
		if !r.taken[name] {
			p.Gang.Ranks = append(p.Gang.Ranks, i)
		}
	}
	slices.Sort(p.Gang.Ranks)
	return nil
}

// partReader reads parts of a request.
type partReader struct {
	p     *Problem
	rank  map[string]int  // by name of a member
	taken map[string]bool // members of a part so far; nil: none
}

// inner reads the parts of a part. least is their MinParts, field the path of the part in the request.
func (r *partReader) inner(outer *Part, field string, parts []gang.Part, least int) error {
	outer.LeastParts = leastOf(least, len(parts))
	for i := range parts {
		a, err := r.read(outer, fmt.Sprintf("%s.Parts[%d]", field, i), &parts[i])
		if err != nil {
			return err
		}
		outer.Parts = append(outer.Parts, a)
	}
	return nil
}

// leastOf resolves a MinParts: 0 stands for all, a negative number for none.
func leastOf(least, all int) int {
	if least == 0 {
		return all
	}
	return max(0, least)
}

// read reads a part and all in it. Names of members that are not known are skipped: the request may name members to
// come.
func (r *partReader) read(outer *Part, field string, from *gang.Part) (*Part, error) {
	a := &Part{
		Label: from.Name, Called: "part " + from.Name, Level: outer.Level, Bundle: from.NoGroup,
		OtherTree: outer.OtherTree, Outer: outer, Least: from.MinMember,
	}
	if from.Tree != "" {
		if a.OtherTree = r.p.Snapshot.View(from.Tree); a.OtherTree == nil {
			return nil, muster.Invalid(field+".Tree", from.Tree, "unknown topology")
		}
		if a.OtherTree == r.p.Model.View {
			a.OtherTree = nil
		}
	}
	if err := r.readRules(a, field, from); err != nil {
		return nil, err
	}
	for _, name := range from.Members {
		if i, ok := r.rank[name]; ok {
			a.Ranks = append(a.Ranks, i)
		}
		if r.taken == nil {
			r.taken = map[string]bool{}
		}
		r.taken[name] = true
	}
	slices.Sort(a.Ranks)
	a.Idle = a.Bundle && len(from.Parts) > 0 && from.MinParts < 0 && from.MinMember == 0 && len(from.Members) == 0
	if len(from.Groups) == 0 {
		return a, r.inner(a, field, from.Parts, from.MinParts)
	}
	return a, r.cut(a, field, from)
}

// readRules reads the rules and the limits of a part whose topology is known.
func (r *partReader) readRules(a *Part, field string, from *gang.Part) (err error) {
	v := viewOf(r.p, a)
	a.Gather = inheritedRules(r.p, a)
	if a.Limits, err = limits.OfPart(v, field, from); err != nil {
		return err
	}
	if a.Bundle {
		return nil
	}
	a.Level++
	a.impliedInside = limits.ImpliedInside(from.Limits)
	rules := limits.Implied(slices.Concat(from.Gather, impliedAround(a)), from.Limits, false)
	if a.Gather, err = gatherRules(v, field+".Gather", rules, a.Gather.Must); err != nil {
		return err
	}
	if a.Multiples = multiplesIn(v, from.Gather); len(a.Multiples) > 0 && a.OtherTree != nil {
		return muster.Unsupported(field+".Gather", from.Tree, "multiples in another topology than the gang's")
	}
	return nil
}

// impliedAround are the rules that the limits of the group around a part imply for the groups right inside it. In another topology than that
// group's they mean nothing: settleParts refuses such limits.
func impliedAround(a *Part) []gang.Rule {
	around := a.Outer
	for around.Bundle {
		around = around.Outer
	}
	if around.OtherTree != a.OtherTree {
		return nil
	}
	return around.impliedInside
}

// cut cuts a part into its equal groups.
func (r *partReader) cut(a *Part, field string, from *gang.Part) error {
	if len(from.Groups) > 1 && len(a.Ranks)%from.Groups[0].Size != 0 {
		return muster.Unsupported(field+".Groups[0].Size", fmt.Sprint(from.Groups[0].Size),
			fmt.Sprintf("unequal nested groups, as in a part of %d", len(a.Ranks)))
	}
	ranks := a.Ranks
	a.Ranks = nil
	levels := make([]model.Level, len(from.Groups))
	must := a.Gather.Must
	for i, g := range from.Groups {
		rules := limits.Implied(g.Gather, g.Limits, true)
		if i == 0 && a.Bundle { // its groups lie right inside what surrounds it
			rules = append(rules, impliedAround(a)...)
		}
		gather, err := gatherRules(viewOf(r.p, a), fmt.Sprintf("%s.Groups[%d].Gather", field, i), rules, must)
		if err != nil {
			return err
		}
		levels[i], must = model.Level{Size: int64(g.Size), Gather: gather}, gather.Must
	}
	a.cut(ranks, levels)
	a.LeastParts = leastOf(from.MinParts, len(a.Parts))
	return nil
}

// inheritedRules are the rules of the nearest part of the same topology around one.
func inheritedRules(p *Problem, a *Part) model.Gather {
	for outer := a.Outer; outer != nil; outer = outer.Outer {
		if outer.OtherTree == a.OtherTree {
			return outer.Gather
		}
	}
	return unbound(viewOf(p, a))
}

// viewOf is the topology of a part's rules.
func viewOf(p *Problem, a *Part) *layout.View { return cmp.Or(a.OtherTree, p.Model.View) }

// cut makes groups of consecutive ranks, level by level; the last one may be short. All groups of a part that is cut
// must be placed, unless the caller says otherwise.
func (a *Part) cut(ranks []int, levels []model.Level) {
	if len(levels) == 0 {
		a.Ranks = ranks
		return
	}
	for group := range slices.Chunk(ranks, int(levels[0].Size)) {
		b := &Part{
			Label: fmt.Sprintf("%s/%d", a.Label, len(a.Parts)), Called: fmt.Sprintf("groups of %d", levels[0].Size),
			Gather: levels[0].Gather, Level: a.Level + 1, Cut: true, OtherTree: a.OtherTree, Outer: a,
		}
		b.cut(group, levels[1:])
		a.Parts = append(a.Parts, b)
	}
	a.LeastParts = len(a.Parts)
}

// cutByLevels makes parts of the equal groups of a gang whose members are of several shapes. Each group is placed
// whole or not at all; with a MinMember that decides how many, not a number of groups.
func cutByLevels(p *Problem) {
	ranks := make([]int, len(p.Model.Pending)+len(p.Model.Running))
	for i := range ranks {
		ranks[i] = i
	}
	p.Gang = &Part{Gather: p.Model.Gather, Called: p.Request.Name, Least: p.Request.MinMember}
	p.Gang.cut(ranks, p.Model.Levels)
	if p.Gang.Least > 0 {
		p.Gang.LeastParts = 0
	}
	p.Model.Levels = nil
}

// hasHardPart says whether any group has a MustGather, or the gang or a part a limit that speaks of domains above nodes.
func hasHardPart(p *Problem) (has bool) {
	above := func(l limits.OnPart) bool { return l.Tier > 0 || l.Domains }
	p.Gang.Each(func(a *Part) {
		has = has || a.Level > 0 && a.InTree() && a.Gather.Hard || slices.ContainsFunc(a.Limits, above)
	})
	return has
}

// Memberships are, by rank, the innermost part of the request that a member is in, empty if in none, and the groups that it is in, outermost
// first: their numbers on each level, in the order of the request. Members of one part share their groups. O(members + parts * levels).
func Memberships(p *Problem) (parts []string, groups [][]int) {
	parts, groups = make([]string, p.Ranks), make([][]int, p.Ranks)
	var numbered []int // by level: the groups so far
	var walk func(a *Part, part string, in []int)
	walk = func(a *Part, part string, in []int) {
		for _, rank := range a.Ranks {
			parts[rank], groups[rank] = part, in
		}
		for _, b := range a.Parts {
			part, in := part, in
			if !b.Cut {
				part = b.Label
			}
			if !b.Bundle {
				level := len(in)
				if level == len(numbered) {
					numbered = append(numbered, 0)
				}
				in = append(slices.Clip(in), numbered[level])
				numbered[level]++
			}
			walk(b, part, in)
		}
	}
	walk(p.Gang, "", nil)
	return parts, groups
}

// reachedByParts is, by level, the highest tier that any group reaches in the gang's topology; at has positions by
// rank, -1: nowhere. O(parts * members).
func reachedByParts(p *Problem, at []int32) []int32 {
	var out []int32
	p.Gang.Each(func(a *Part) {
		if a.Level == 0 || a.Bundle {
			return
		}
		if len(out) < a.Level {
			out = append(out, 0)
		}
		if x := p.Model.View.LowestOf(a.All(), at); x >= 0 {
			out[a.Level-1] = max(out[a.Level-1], p.Model.View.TierOf(x))
		}
	})
	return out
}

// LowestInOtherTree is the lowest vertex above the members of a part in its own topology; -1 if none has a position.
// at has positions in the gang's topology, by rank, -1: nowhere. Nodes outside its topology satisfy no hard rule:
// under one, members there reach the root.
func LowestInOtherTree(p *Problem, a *Part, at []int32) layout.Vertex {
	var there []int32
	for _, rank := range a.All() {
		if pos := at[rank]; pos >= 0 {
			there = append(there, a.OtherTree.At(p.Model.View.Node(pos)))
		}
	}
	if len(there) == 0 {
		return -1
	}
	x := a.OtherTree.Lowest(there)
	if a.Gather.Hard && a.OtherTree.Contains(a.OtherTree.Outside, x) {
		return layout.Root
	}
	return x
}

// SpansTrees says whether the rules of any part are of another topology.
func (p *Problem) SpansTrees() (is bool) {
	p.Gang.Each(func(a *Part) { is = is || a.OtherTree != nil && !a.Bundle })
	return is
}

// ComparePartRanks puts parts in the order of their lowest ranks.
func ComparePartRanks(a, b *Part) int { return cmp.Compare(a.First(), b.First()) }

// HardRule is a MustGather of the gang, or of all groups with one name for it.
type HardRule struct {
	Name  string
	parts []*Part // whose rule it is
}

// calledIn is the name of a group in a refusal; each of several gangs that start together is a group.
func calledIn(p *Problem, a *Part) string {
	if p.Team == nil {
		return a.Called
	}
	return p.Team.Called(a)
}
