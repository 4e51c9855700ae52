// Which rule, which groups, which multiple could be given up?

package relax

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// bound is what rules are about: the gang, a level of its groups, a part, or a level of the groups of a part.
type bound struct {
	part  string
	level int // from 1, outermost first; 0: no groups
	tree  string
}

// eachBound calls f for each of these with its rules and limits, in the order of the request.
func eachBound(req *gang.Request, f func(b bound, rules *[]gang.Rule, limits *[]gang.Limit)) {
	f(bound{tree: req.Tree}, &req.Gather, &req.Limits)
	for i := range req.Groups {
		f(bound{level: i + 1, tree: req.Tree}, &req.Groups[i].Gather, &req.Groups[i].Limits)
	}
	var walk func(parts []gang.Part, tree string)
	walk = func(parts []gang.Part, tree string) {
		for i := range parts {
			p, own := &parts[i], tree
			if p.Tree != "" {
				own = p.Tree
			}
			f(bound{part: p.Name, tree: own}, &p.Gather, &p.Limits)
			for l := range p.Groups {
				f(bound{part: p.Name, level: l + 1, tree: own}, &p.Groups[l].Gather, &p.Groups[l].Limits)
			}
			walk(p.Parts, own)
		}
	}
	walk(req.Parts, req.Tree)
}

// eachPart calls f for each part, outer ones first.
func eachPart(parts []gang.Part, f func(p *gang.Part)) {
	for i := range parts {
		f(&parts[i])
		eachPart(parts[i].Parts, f)
	}
}

// partOf finds a part by its name, nil if there is none.
func partOf(req *gang.Request, name string) (found *gang.Part) {
	eachPart(req.Parts, func(p *gang.Part) {
		if p.Name == name {
			found = p
		}
	})
	return found
}

// cloneRules is a copy of a request whose rules, groups and parts are its own. Members and shapes are shared.
func cloneRules(req *gang.Request) *gang.Request {
	next := *req
	next.Groups, next.Parts = cloneGroups(req.Groups), cloneParts(req.Parts)
	next.Gather = slices.Clone(req.Gather)
	return &next
}

func cloneGroups(groups []gang.Groups) []gang.Groups {
	out := slices.Clone(groups)
	for i := range out {
		out[i].Gather = slices.Clone(out[i].Gather)
	}
	return out
}

func cloneParts(parts []gang.Part) []gang.Part {
	out := slices.Clone(parts)
	for i := range out {
		p := &out[i]
		p.Gather, p.Groups, p.Parts = slices.Clone(p.Gather), cloneGroups(p.Groups), cloneParts(p.Parts)
	}
	return out
}

// rewrite is a change of one list of rules, in a copy of the request.
func rewrite(b bound, change func(rules []gang.Rule) []gang.Rule) edit {
	return func(at state) (state, bool) {
		req, ok := cloneRules(at.req), false
		eachBound(req, func(o bound, rules *[]gang.Rule, _ *[]gang.Limit) {
			if o.part == b.part && o.level == b.level {
				*rules, ok = change(*rules), true
			}
		})
		return state{at.s, req}, ok
	}
}

// moved is a list of rules with the MustGathers at a layer moved to another one; empty: dropped. A multiple of such a rule stays.
func moved(from, to string) func([]gang.Rule) []gang.Rule {
	return func(rules []gang.Rule) (out []gang.Rule) {
		for _, r := range rules {
			if r.Strength != gang.MustGather || r.Layer != from {
				out = append(out, r)
				continue
			}
			if to != "" {
				out = append(out, gang.Rule{Layer: to, Strength: gang.MustGather})
			}
			if r.Multiple > 0 {
				out = append(out, gang.Rule{Layer: from, Multiple: r.Multiple})
			}
		}
		return out
	}
}

// mustGathers lists the MustGathers of a request.
func mustGathers(req *gang.Request) (out []struct {
	bound
	layer string
},
) {
	eachBound(req, func(b bound, rules *[]gang.Rule, _ *[]gang.Limit) {
		for _, r := range *rules {
			if r.Strength == gang.MustGather {
				out = append(out, struct {
					bound
					layer string
				}{b, r.Layer})
			}
		}
	})
	return out
}

// layers moves each MustGather by itself to the tightest wider layer at which the gang fits, or drops it.
func (f *Search) layers(at state) (steps []step) {
	for _, r := range mustGathers(at.req) {
		for _, to := range f.wider(at, r.tree, r.layer) {
			change := explain.Change{Kind: explain.KindLayer, Part: r.part, Level: r.level, From: r.layer, To: to}
			if s := f.one(at, change, rewrite(r.bound, moved(r.layer, to))); s != nil {
				steps = append(steps, s...)
				break
			}
		}
	}
	return f.settle(steps)
}

// wider lists the layers above one, the tightest first, and nothing in place of a layer last.
func (f *Search) wider(at state, tree, layer string) (out []string) {
	v := at.s.Lineage.Views[0]
	if named := at.s.View(tree); named != nil && tree != "" {
		v = named
	} else if p := f.at(at).p; p != nil {
		v = p.Model.View
	}
	tier, _ := v.TierNamed(layer)
	for _, l := range v.Layers {
		switch {
		case int32(l.Tier) <= tier:
		case l.Name != "":
			out = append(out, l.Name)
		default:
			out = append(out, strconv.Itoa(l.Tier))
		}
	}
	return append(out, "")
}

func withoutRules(_ *Search, at state) (out []edit) {
	for _, r := range mustGathers(at.req) {
		out = append(out, rewrite(r.bound, moved(r.layer, "")))
	}
	return out
}

// droppable is a level of groups that can be dropped.
type droppable struct {
	bound
	size int
}

// levelsOf lists the levels of groups of a gang, then those of its parts.
func levelsOf(req *gang.Request) (out []droppable) {
	if req.PP > 0 || req.DP > 0 {
		size := req.PP
		if levels, err := req.Levels(max(len(req.Members), req.Total)); err == nil && len(levels) > 0 {
			size = levels[0].Size
		}
		return append(out, droppable{bound{level: 1}, size})
	}
	for i, g := range req.Groups {
		out = append(out, droppable{bound{level: i + 1}, g.Size})
	}
	eachPart(req.Parts, func(p *gang.Part) {
		for i, g := range p.Groups {
			out = append(out, droppable{bound{part: p.Name, level: i + 1}, g.Size})
		}
	})
	return out
}

// drop is a request without a level of groups.
func (d *droppable) drop(at state) (state, bool) {
	req := cloneRules(at.req)
	groups := &req.Groups
	if d.part != "" {
		p := partOf(req, d.part)
		if p == nil {
			return at, false
		}
		groups = &p.Groups
	}
	if req.PP, req.DP = 0, 0; d.level <= len(*groups) {
		*groups = slices.Delete(*groups, d.level-1, d.level)
	}
	return state{at.s, req}, true
}

// groups drops each level of groups by itself.
func (f *Search) groups(at state) (steps []step) {
	for _, d := range levelsOf(at.req) {
		change := explain.Change{Kind: explain.KindGroup, Part: d.part, Level: d.level, Size: d.size}
		steps = append(steps, f.one(at, change, d.drop)...)
	}
	return steps
}

func withoutGroups(_ *Search, at state) (out []edit) {
	for _, d := range levelsOf(at.req) {
		out = append(out, d.drop)
	}
	return out
}

// multiplesOf lists the rules with a multiple.
func multiplesOf(req *gang.Request) (out []struct {
	bound
	gang.Rule
},
) {
	eachBound(req, func(b bound, rules *[]gang.Rule, _ *[]gang.Limit) {
		for _, r := range *rules {
			if r.Multiple > 0 {
				out = append(out, struct {
					bound
					gang.Rule
				}{b, r})
			}
		}
	})
	return out
}

// withoutMultiple is a list of rules without the multiple of a rule.
func withoutMultiple(r gang.Rule) func([]gang.Rule) []gang.Rule {
	return func(rules []gang.Rule) []gang.Rule {
		if i := slices.Index(rules, r); i >= 0 {
			if rules[i].Multiple = 0; r.Strength == "" {
				rules = slices.Delete(rules, i, i+1)
			}
		}
		return rules
	}
}

// multiples drops each multiple by itself.
func (f *Search) multiples(at state) (steps []step) {
	for _, m := range multiplesOf(at.req) {
		change := explain.Change{Kind: explain.KindMultiple, Part: m.part, Level: m.level, From: m.Layer, Multiple: m.Multiple}
		steps = append(steps, f.one(at, change, rewrite(m.bound, withoutMultiple(m.Rule)))...)
	}
	return steps
}

func withoutMultiples(_ *Search, at state) (out []edit) {
	for _, m := range multiplesOf(at.req) {
		out = append(out, rewrite(m.bound, withoutMultiple(m.Rule)))
	}
	return out
}
