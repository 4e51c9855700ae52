// How many members can start, and how many of each part?

package remedies

import (
	"slices"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/internal/problem"
)

// members finds the largest number of members that can start together; of a gang in parts, of each minimum by itself.
func (f *Search) members(at state) []step {
	if len(at.req.Parts) > 0 {
		return f.minima(at)
	}
	p := f.at(at).p
	if p == nil {
		return nil
	}
	of, running := p, p.Model.Running.Len()
	if p.Unbundled != nil {
		of = p.Unbundled
	}
	top := min(of.Model.Least-1, len(of.Model.Pending))
	to := func(n int) explain.Change { return explain.Change{Kind: explain.KindMembers, MinMember: running + n} }
	least := func(n int) edit { return edited(to(n)) }
	if top < 1 {
		return nil
	}
	plan := f.after(at, least(1))
	if plan == nil {
		return nil
	}
	n := min(plan.Members, top)
	if n > 1 {
		if more := f.after(at, least(n)); more != nil {
			plan = more
		} else {
			n = 1 // the others come beside victims that would not leave for them
		}
	}
	// Else it places as many as there is room for. Of several shapes, and where a quota does not guarantee all members, more may fit than of
	// the lowest ranks.
	if mayClear(p) || at.req.Preempt.ForTier != "" || p.Model.RoleOf != nil || len(p.Pinned) > 0 {
		n, plan = f.most(at, of, n, top, plan, least)
	}
	return f.settle(found(to(n), least(n), plan))
}

// mayClear says whether a gang might wait for somebody or evict somebody.
func mayClear(p *problem.Problem) bool {
	return len(p.Snapshot.Leaving) > 0 || mayEvict(p)
}

// fewNumbers is of up to how many numbers each is tried.
const fewNumbers = 64

// most is the largest number of members from n, which can start, to top. Fewer members never need more room, but for multiples, which
// not every number keeps, and where a quota takes back what is its own: for whom it may depends on how many come.
func (f *Search) most(at state, of *problem.Problem, n, top int, plan *explain.Plan, least func(int) edit) (int, *explain.Plan) {
	if reclaims := at.req.Quota != "" && mayEvict(of); of.Model.Multiple == nil && len(of.Model.Multiples) == 0 && (!reclaims || top-n > fewNumbers) {
		f.doubt = f.doubt || reclaims
		return f.largest(at, n, top, plan, least)
	}
	for _, m := range slices.Backward(of.Model.Wholes(n+1, top)) {
		if more := f.after(at, least(m)); more != nil {
			return m, more
		}
	}
	return n, plan
}

// settle says of steps whether they are the least.
func (f *Search) settle(steps []step) []step {
	for i := range steps {
		steps[i].least = steps[i].least && !f.doubt
	}
	return steps
}

// largest is the largest number from lo, which has a plan, to hi that has one, and its plan; whatever fits fits with less.
func (f *Search) largest(at state, lo, hi int, plan *explain.Plan, e func(int) edit) (int, *explain.Plan) {
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if more := f.after(at, e(mid)); more != nil {
			lo, plan = mid, more
		} else {
			hi = mid - 1
		}
	}
	return lo, plan
}

// found is a change with a plan, nothing without.
func found(change explain.Change, e edit, plan *explain.Plan) []step {
	if plan == nil {
		return nil
	}
	return []step{{change: change, least: true, edit: e, plan: plan}}
}

// need is a number of a gang in parts that must be placed.
type need struct {
	part   string // empty: the gang
	parts  bool   // counts parts, or groups, instead of members
	needed int    // may be more than there are
	all    int    // that there are
	lowest int
}

// minima finds, for each minimum of a gang in parts, the largest smaller one with which it can start.
func (f *Search) minima(at state) (steps []step) {
	for _, m := range minimaOf(at.req) {
		lower := func(n int) edit { return edited(m.to(at.req, n)) }
		if m.needed <= m.lowest {
			continue
		}
		plan := f.after(at, lower(m.lowest))
		if plan == nil {
			continue
		}
		n, plan := f.largest(at, m.lowest, min(m.needed-1, m.all), plan, lower)
		steps = append(steps, found(m.to(at.req, n), lower(n), plan)...)
	}
	return f.settle(steps)
}

// minimaOf lists the minima of a gang in parts, those of the gang first, then part by part.
func minimaOf(req *gang.Request) (out []need) {
	if req.MinMember > 1 {
		out = append(out, need{needed: req.MinMember, all: req.MinMember, lowest: 1})
	}
	ofParts := func(part string, least, all int) {
		needed := max(least, neededParts(least, all))
		out = append(out, need{part: part, parts: true, needed: needed, all: all})
	}
	ofParts("", req.MinParts, len(req.Parts))
	eachPart(req.Parts, func(p *gang.Part) {
		n := sizeOf(p)
		if p.MinMember > 0 {
			n = p.MinMember
		}
		out = append(out, need{part: p.Name, needed: n, all: sizeOf(p), lowest: 1})
		groups := len(p.Parts)
		if len(p.Groups) > 0 {
			groups = (len(p.Members) + p.Groups[0].Size - 1) / p.Groups[0].Size
		}
		ofParts(p.Name, p.MinParts, groups)
	})
	return out
}

// neededParts is a minimum of parts as it counts: 0 is all, a negative one none.
func neededParts(least, all int) int {
	if least == 0 {
		return all
	}
	return min(max(least, 0), all)
}

// neededOf is how many members the parts of a gang need at least, all of the parts that must be placed: the smallest ones, if not all
// must.
func neededOf(req *gang.Request) int { return neededBy(req.Parts, req.MinParts) }

func neededBy(parts []gang.Part, least int) (sum int) {
	var each []int
	for i := range parts {
		p := &parts[i]
		switch {
		case p.MinMember > 0:
			each = append(each, p.MinMember)
		case len(p.Groups) > 0:
			groups := (len(p.Members) + p.Groups[0].Size - 1) / p.Groups[0].Size
			each = append(each, min(len(p.Members), neededParts(p.MinParts, groups)*p.Groups[0].Size))
		default:
			each = append(each, len(p.Members)+neededBy(p.Parts, p.MinParts))
		}
	}
	slices.Sort(each)
	for _, n := range each[:neededParts(least, len(each))] {
		sum += n
	}
	return sum
}

func sizeOf(p *gang.Part) int {
	n := len(p.Members)
	for i := range p.Parts {
		n += sizeOf(&p.Parts[i])
	}
	return n
}

// to makes a minimum another one. That of the gang moves with it, for else the members that one part does without would have to come from others.
func (m *need) to(req *gang.Request, n int) explain.Change {
	c := explain.Change{Kind: explain.KindMembers, Part: m.part, Parts: m.parts, MinMember: n}
	if m.parts {
		c.MinMember, c.MinParts = 0, n
	}
	if m.part == "" || req.MinMember == 0 {
		return c
	}
	next, _ := kinds.Of(c.Kind).Edit(req, &c)
	if least := max(1, req.MinMember-max(0, neededOf(req)-neededOf(next))); least != req.MinMember {
		c.GangMinMember = least
	}
	return c
}

// fewestMembers asks for a single new member; of a gang in parts for no part, then for as little as can be of each.
func fewestMembers(_ *Search, at state) []edit {
	if len(at.req.Parts) > 0 {
		m := need{parts: true}
		out := []edit{edited(m.to(at.req, 0))}
		for _, m := range minimaOf(at.req) { // a part of which members run needs its own, whatever the gang does
			if (m.part != "" || !m.parts) && m.needed > m.lowest {
				out = append(out, edited(m.to(at.req, m.lowest)))
			}
		}
		return out
	}
	running := 0
	for _, m := range at.s.MembersOf(at.req.Name).All() {
		if !m.Leaving || at.req.IgnoreLeaving {
			running++
		}
	}
	return []edit{edited(explain.Change{Kind: explain.KindMembers, MinMember: running + 1})}
}
