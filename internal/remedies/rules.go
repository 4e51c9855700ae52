// Which rule, which groups, which multiple could be given up?

package remedies

import (
	"strconv"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// eachRuled calls f for the gang, each level of its groups, each part and each level of the groups of a part, in the order of the request: with
// a change that names part and level, and the rules and limits there.
func eachRuled(req *gang.Request, f func(about explain.Change, rules []gang.Rule, limits []gang.Limit)) {
	groups := func(part string, all []gang.Groups) {
		for i := range all {
			f(explain.Change{Part: part, Level: i + 1}, all[i].Gather, all[i].Limits)
		}
	}
	f(explain.Change{}, req.Gather, req.Limits)
	groups("", req.Groups)
	eachPart(req.Parts, func(p *gang.Part) {
		f(explain.Change{Part: p.Name}, p.Gather, p.Limits)
		groups(p.Name, p.Groups)
	})
}

// eachPart calls f for each part, outer ones first.
func eachPart(parts []gang.Part, f func(p *gang.Part)) {
	for i := range parts {
		f(&parts[i])
		eachPart(parts[i].Parts, f)
	}
}

// treeOf is the topology of a part, by its own word or that of the nearest one around it; false if it is none of these parts.
func treeOf(parts []gang.Part, name, around string) (string, bool) {
	for i := range parts {
		p, tree := &parts[i], around
		if p.Tree != "" {
			tree = p.Tree
		}
		if p.Name == name {
			return tree, true
		}
		if tree, found := treeOf(p.Parts, name, tree); found {
			return tree, true
		}
	}
	return around, false
}

// withoutLayers drops each MustGather by itself.
func withoutLayers(req *gang.Request) (out []explain.Change) {
	eachRuled(req, func(c explain.Change, rules []gang.Rule, _ []gang.Limit) {
		for _, r := range rules {
			if r.Strength == gang.MustGather {
				c.Kind, c.From = explain.KindLayer, r.Layer
				out = append(out, c)
			}
		}
	})
	return out
}

// layers moves each MustGather by itself to the tightest wider layer at which the gang fits, or drops it.
func (f *Search) layers(at state) (steps []step) {
	for _, c := range withoutLayers(at.req) {
		tree, _ := treeOf(at.req.Parts, c.Part, at.req.Tree)
		for _, c.To = range f.wider(at, tree, c.From) {
			if s := f.one(at, c); s != nil {
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

// withoutGroups drops each level of groups of a gang by itself, then those of its parts.
func withoutGroups(req *gang.Request) (out []explain.Change) {
	add := func(part string, level, size int) {
		out = append(out, explain.Change{Kind: explain.KindGroup, Part: part, Level: level, Size: size})
	}
	if req.PP > 0 || req.DP > 0 {
		size := req.PP
		if levels, err := req.Levels(max(len(req.Members), req.Total)); err == nil && len(levels) > 0 {
			size = levels[0].Size
		}
		add("", 1, size)
		return out
	}
	for i, g := range req.Groups {
		add("", i+1, g.Size)
	}
	eachPart(req.Parts, func(p *gang.Part) {
		for i, g := range p.Groups {
			add(p.Name, i+1, g.Size)
		}
	})
	return out
}

// groups drops each level of groups by itself.
func (f *Search) groups(at state) []step { return f.all(at, withoutGroups(at.req)) }

// withoutMultiples drops each multiple by itself.
func withoutMultiples(req *gang.Request) (out []explain.Change) {
	eachRuled(req, func(c explain.Change, rules []gang.Rule, _ []gang.Limit) {
		for _, r := range rules {
			if r.Multiple > 0 {
				c.Kind, c.From, c.Multiple = explain.KindMultiple, r.Layer, r.Multiple
				out = append(out, c)
			}
		}
	})
	return out
}

// multiples drops each multiple by itself.
func (f *Search) multiples(at state) []step { return f.all(at, withoutMultiples(at.req)) }
