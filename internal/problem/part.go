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

// readParts reads the parts of a request as a tree. Members in no part are the gang's own. O(members * log).
//
// order: parts.1
func readParts(p *Problem) error {
	rank := make(map[string]int, len(p.Model.Pending)+p.Model.Running.Len())
	for _, one := range p.Model.Pending {
		rank[p.NameOf(one)] = one
	}
	for m := range p.Model.Running.All() {
		rank[p.NameOf(m.Rank)] = m.Rank
	}
	p.Model.Gang = &model.Part{Number: p.Called.Gang(p.Request.Name, len(p.Request.Parts)), Gather: p.Model.Gather, Least: p.Request.MinMember}
	r := partReader{p: p, rank: rank, implied: map[*model.Part][]gang.Rule{p.Model.Gang: limits.ImpliedInside(p.Request.Limits)}}
	if err := r.inner(p.Model.Gang, "request", p.Request.Parts, p.Request.MinParts); err != nil {
		return err
	}
	for name, i := range rank {
		if !r.taken[name] {
			p.Model.Gang.Ranks = append(p.Model.Gang.Ranks, i)
		}
	}
	slices.Sort(p.Model.Gang.Ranks)
	return nil
}

// partReader reads parts of a request.
type partReader struct {
	p     *Problem
	rank  map[string]int  // by name of a member
	taken map[string]bool // members of a part so far; nil: none
	// implied are the rules that the limits of a part imply for the groups right inside it.
	implied map[*model.Part][]gang.Rule
}

// inner reads the parts of a part. least is their MinParts, field the path of the part in the request.
func (r *partReader) inner(outer *model.Part, field string, parts []gang.Part, least int) error {
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
func (r *partReader) read(outer *model.Part, field string, from *gang.Part) (*model.Part, error) {
	a := &model.Part{
		Number: r.p.Called.Part(from.Name), Level: outer.Level, Bundle: from.NoGroup,
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
func (r *partReader) readRules(a *model.Part, field string, from *gang.Part) (err error) {
	v := viewOf(r.p, a)
	a.Gather = inheritedRules(r.p, a)
	if a.Limits, err = limits.OfPart(v, field, from); err != nil {
		return err
	}
	if a.Bundle {
		return nil
	}
	a.Level++
	r.implied[a] = limits.ImpliedInside(from.Limits)
	rules := limits.Implied(slices.Concat(from.Gather, r.impliedAround(a)), from.Limits, false)
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
func (r *partReader) impliedAround(a *model.Part) []gang.Rule {
	around := a.Outer
	for around.Bundle {
		around = around.Outer
	}
	if around.OtherTree != a.OtherTree {
		return nil
	}
	return r.implied[around]
}

// cut cuts a part into its equal groups.
func (r *partReader) cut(a *model.Part, field string, from *gang.Part) error {
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
			rules = append(rules, r.impliedAround(a)...)
		}
		gather, err := gatherRules(viewOf(r.p, a), fmt.Sprintf("%s.Groups[%d].Gather", field, i), rules, must)
		if err != nil {
			return err
		}
		levels[i], must = model.Level{Size: int64(g.Size), Gather: gather}, gather.Must
	}
	cut(r.p, a, ranks, levels)
	a.LeastParts = leastOf(from.MinParts, len(a.Parts))
	return nil
}

// inheritedRules are the rules of the nearest part of the same topology around one.
func inheritedRules(p *Problem, a *model.Part) model.Gather {
	for outer := a.Outer; outer != nil; outer = outer.Outer {
		if outer.OtherTree == a.OtherTree {
			return outer.Gather
		}
	}
	return unbound(viewOf(p, a))
}

// viewOf is the topology of a part's rules.
func viewOf(p *Problem, a *model.Part) *layout.View { return cmp.Or(a.OtherTree, p.Model.View) }

// cut makes groups of consecutive ranks, level by level; the last one may be short. All groups of a part that is cut
// must be placed, unless the caller says otherwise.
func cut(p *Problem, a *model.Part, ranks []int, levels []model.Level) {
	if len(levels) == 0 {
		a.Ranks = ranks
		return
	}
	for group := range slices.Chunk(ranks, int(levels[0].Size)) {
		b := &model.Part{Number: p.Called.Group(a, levels[0].Size), Gather: levels[0].Gather, Level: a.Level + 1, OtherTree: a.OtherTree, Outer: a}
		cut(p, b, group, levels[1:])
		a.Parts = append(a.Parts, b)
	}
	a.LeastParts = len(a.Parts)
}

// cutByLevels makes parts of the equal groups of a gang whose members are of several shapes. Each group is placed
// whole or not at all; with a MinMember that decides how many, not a number of groups.
func cutByLevels(p *Problem) {
	ranks := make([]int, len(p.Model.Pending)+p.Model.Running.Len())
	for i := range ranks {
		ranks[i] = i
	}
	p.Model.Gang = &model.Part{Number: p.Called.Gang(p.Request.Name, len(p.Request.Parts)), Gather: p.Model.Gather, Least: p.Request.MinMember}
	cut(p, p.Model.Gang, ranks, p.Model.Levels)
	if p.Model.Gang.Least > 0 {
		p.Model.Gang.LeastParts = 0
	}
	p.Model.Levels = nil
}

// hasHardPart says whether any group has a MustGather, or the gang or a part a limit that speaks of domains above nodes.
func hasHardPart(p *Problem) (has bool) {
	p.Model.Gang.Each(func(a *model.Part) {
		has = has || a.Level > 0 && a.InTree() && a.Gather.Hard || slices.ContainsFunc(a.Limits, isHardLimit)
	})
	return has
}
