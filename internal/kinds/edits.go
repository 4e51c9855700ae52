// What is a request once a change is made?

package kinds

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// setMinimum needs so many members, or parts, of the gang or of a part.
func setMinimum(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	next := *req
	members, parts := &next.MinMember, &next.MinParts
	if c.Part != "" {
		next.Parts = cloneParts(req.Parts)
		p := partOf(next.Parts, c.Part)
		if p == nil {
			return req, false
		}
		members, parts = &p.MinMember, &p.MinParts
	}
	switch {
	case c.Parts && c.MinParts == 0:
		*parts = -1
	case c.Parts:
		*parts = c.MinParts
	default:
		*members = c.MinMember
	}
	if c.GangMinMember > 0 {
		next.MinMember = c.GangMinMember
	}
	return &next, true
}

// moveLayer moves the MustGathers at a layer to another one, or drops them. A multiple of such a rule stays.
func moveLayer(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	next, of := withRules(req, c)
	if of == nil {
		return req, false
	}
	var rules []gang.Rule
	for _, r := range *of.rules {
		if r.Strength != gang.MustGather || r.Layer != c.From {
			rules = append(rules, r)
			continue
		}
		if c.To != "" {
			rules = append(rules, gang.Rule{Layer: c.To, Strength: gang.MustGather})
		}
		if r.Multiple > 0 {
			rules = append(rules, gang.Rule{Layer: c.From, Multiple: r.Multiple})
		}
	}
	*of.rules = rules
	return next, true
}

// dropGroups drops a level of groups.
func dropGroups(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	next := cloneRules(req)
	groups := &next.Groups
	if c.Part != "" {
		p := partOf(next.Parts, c.Part)
		if p == nil {
			return req, false
		}
		groups = &p.Groups
	}
	if next.PP, next.DP = 0, 0; c.Level > 0 && c.Level <= len(*groups) {
		*groups = slices.Delete(*groups, c.Level-1, c.Level)
	}
	return next, true
}

// dropMultiple drops a multiple, and the rule with it that says nothing else.
func dropMultiple(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	next, of := withRules(req, c)
	if of == nil {
		return req, false
	}
	rules := *of.rules
	if i := slices.IndexFunc(rules, func(r gang.Rule) bool { return r.Layer == c.From && r.Multiple == c.Multiple }); i >= 0 {
		if rules[i].Multiple = 0; rules[i].Strength == "" {
			*of.rules = slices.Delete(rules, i, i+1)
		}
	}
	return next, true
}

// loosenLimit gives a hard limit another number, or drops it.
func loosenLimit(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	next, of := withRules(req, c)
	if of == nil {
		return req, false
	}
	meant := func(l gang.Limit) bool {
		return l.Kind == c.Limit && l.Layer == c.From && l.OfParts == c.OfParts && !l.Preferred
	}
	i := slices.IndexFunc(*of.limits, meant)
	if i < 0 {
		return req, false
	}
	limits := slices.Clone(*of.limits)
	if limits[i].Most = c.Most; c.Most == 0 {
		limits = slices.Delete(limits, i, i+1)
	}
	*of.limits = limits
	return next, true
}

// askForLess lets members ask for at most so much of a resource.
func askForLess(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	return reshaped(req, func(s *gang.Shape) bool {
		if s.Resources[c.Resource] <= c.Amount {
			return false
		}
		s.Resources = maps.Clone(s.Resources)
		s.Resources[c.Resource] = c.Amount
		return true
	})
}

// tolerate lets members to nodes with a taint.
func tolerate(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	t := c.Taint
	return reshaped(req, func(s *gang.Shape) bool {
		if gang.Tolerates([]gang.Taint{t}, s.Tolerations) {
			return false
		}
		s.Tolerations = append(slices.Clip(s.Tolerations), gang.Toleration{Key: t.Key, Value: t.Value, Effect: t.Effect})
		return true
	})
}

// dropSelector drops a label of all selectors, or all affinities.
func dropSelector(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	return reshaped(req, func(s *gang.Shape) bool {
		if c.Affinity {
			had := len(s.Affinity) > 0
			s.Affinity = nil
			return had
		}
		if _, ok := s.Selector[c.Label]; !ok {
			return false
		}
		s.Selector = maps.Clone(s.Selector)
		delete(s.Selector, c.Label)
		return true
	})
}

func raisePriority(req *gang.Request, c *explain.Change) (*gang.Request, bool) {
	next := *req
	next.Priority, next.NeverPreempts = c.Priority, req.NeverPreempts && !c.Preempts
	return &next, true
}

// reshaped is a request with all of its shapes changed, in copies of them; change returns false for a shape that stays. Not ok if all do.
func reshaped(req *gang.Request, change func(s *gang.Shape) bool) (next *gang.Request, ok bool) {
	out := *req
	if s := req.Shape; change(&s) {
		out.Shape, ok = s, true
	}
	out.Members = slices.Clone(req.Members)
	known := map[*gang.Shape]*gang.Shape{} // members that share a shape go on sharing one
	for i := range out.Members {
		old := out.Members[i].Shape
		if old == nil {
			continue
		}
		s, seen := known[old]
		if !seen {
			if fresh := *old; change(&fresh) {
				s = &fresh
			}
			known[old] = s
		}
		if s != nil {
			out.Members[i].Shape, ok = s, true
		}
	}
	return &out, ok
}

// ruled are the rules and the limits of the gang, of a level of its groups, of a part, or of a level of the groups of a part.
type ruled struct {
	rules  *[]gang.Rule
	limits *[]gang.Limit
}

// withRules is a copy of a request, and in it the rules and limits that a change is about; nil: there are none such.
func withRules(req *gang.Request, c *explain.Change) (*gang.Request, *ruled) {
	next := cloneRules(req)
	of, groups := &ruled{&next.Gather, &next.Limits}, next.Groups
	if c.Part != "" {
		p := partOf(next.Parts, c.Part)
		if p == nil {
			return next, nil
		}
		of, groups = &ruled{&p.Gather, &p.Limits}, p.Groups
	}
	switch {
	case c.Level > len(groups):
		return next, nil
	case c.Level > 0:
		g := &groups[c.Level-1]
		of = &ruled{&g.Gather, &g.Limits}
	}
	return next, of
}

// partOf finds a part by its name, at any depth; nil if there is none.
func partOf(parts []gang.Part, name string) *gang.Part {
	for i := range parts {
		if parts[i].Name == name {
			return &parts[i]
		}
		if p := partOf(parts[i].Parts, name); p != nil {
			return p
		}
	}
	return nil
}

// cloneRules is a copy of a request whose rules, groups and parts are its own. Members, shapes and limits are shared.
func cloneRules(req *gang.Request) *gang.Request {
	next := *req
	next.Gather, next.Groups, next.Parts = slices.Clone(req.Gather), cloneGroups(req.Groups), cloneParts(req.Parts)
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
