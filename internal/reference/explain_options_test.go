package reference

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/quota"
)

// option is what can be changed: all changes of a kind that are about the same, the furthest one first.
type option struct {
	kind    explain.Kind
	key     string
	changes []explain.Change
}

// keyOf says what a change is about, of those of its kind.
func keyOf(c *explain.Change) string {
	switch c.Kind {
	case explain.KindMembers:
		return fmt.Sprint(c.Part, " ", c.Parts)
	case explain.KindLayer:
		return fmt.Sprint(c.Part, " ", c.Level, " ", c.From)
	case explain.KindGroup:
		return fmt.Sprint(c.Part, " ", c.Level)
	case explain.KindMultiple:
		return fmt.Sprint(c.Part, " ", c.Level, " ", c.From, " ", c.Multiple)
	case explain.KindLimit:
		return fmt.Sprint(c.Part, " ", c.Level, " ", c.From, " ", c.Limit, " ", c.OfParts)
	case explain.KindTaint:
		return fmt.Sprint(c.Taint)
	case explain.KindSelector:
		return fmt.Sprint(c.Label, " ", c.Affinity)
	default:
		return "" // any of them will do
	}
}

// options are all that can be changed.
func options(in *Input) (out []option) {
	add := func(changes ...explain.Change) {
		if len(changes) == 0 {
			return
		}
		c := &changes[0]
		same := func(o option) bool { return o.kind == c.Kind && o.key == keyOf(c) }
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].changes = append(out[i].changes, changes...)
			return
		}
		out = append(out, option{c.Kind, keyOf(c), changes})
	}
	memberOptions(in, add)
	ruleOptions(in, add)
	shapeOptions(in, add)
	clusterOptions(in, add)
	quotaOptions(in, add)
	return out
}

// memberOptions are smaller minima.
func memberOptions(in *Input, add func(...explain.Change)) {
	req := &in.Request
	if len(req.Parts) == 0 {
		for n := 1; n < neededMembers(in); n++ {
			add(explain.Change{Kind: explain.KindMembers, MinMember: n})
		}
		return
	}
	for n := 1; n < req.MinMember; n++ {
		add(explain.Change{Kind: explain.KindMembers, MinMember: n})
	}
	fewerParts := func(part string, least, all int) {
		if least == 0 {
			least = all
		}
		for n := range max(0, least) {
			add(explain.Change{Kind: explain.KindMembers, Part: part, Parts: true, MinParts: n})
		}
	}
	fewerParts("", req.MinParts, len(req.Parts))
	eachPart(req.Parts, func(p *gang.Part) {
		needed := p.MinMember
		if needed == 0 {
			needed = membersOf(p)
		}
		for n := 1; n < needed; n++ {
			add(explain.Change{Kind: explain.KindMembers, Part: p.Name, MinMember: n})
		}
		groups := len(p.Parts)
		if len(p.Groups) > 0 {
			groups = (len(p.Members) + p.Groups[0].Size - 1) / p.Groups[0].Size
		}
		fewerParts(p.Name, p.MinParts, groups)
	})
}

// eachPart calls f for every part.
func eachPart(parts []gang.Part, f func(p *gang.Part)) {
	for i := range parts {
		f(&parts[i])
		eachPart(parts[i].Parts, f)
	}
}

// ruleOptions are rules, groups, multiples and limits that are looser, or given up.
func ruleOptions(in *Input, add func(...explain.Change)) {
	req := &in.Request
	all := len(req.Members) + len(validity.Own(&in.Spec, req))
	of := func(part string, level int, rules []gang.Rule, limits []gang.Limit) {
		for _, r := range rules {
			if r.Strength == gang.MustGather {
				c := explain.Change{Kind: explain.KindLayer, Part: part, Level: level, From: r.Layer}
				add(c)
				for _, to := range layersBetween(in, &c) {
					c.To = to
					add(c)
				}
			}
			if r.Multiple > 0 {
				add(explain.Change{Kind: explain.KindMultiple, Part: part, Level: level, From: r.Layer, Multiple: r.Multiple})
			}
		}
		for _, l := range limits {
			if l.Preferred {
				continue
			}
			c := explain.Change{Kind: explain.KindLimit, Part: part, Level: level, Limit: l.Kind, From: l.Layer, OfParts: l.OfParts}
			add(c)
			for c.Most = all; c.Most > l.Most && l.Kind != gang.Alone; c.Most-- {
				add(c)
			}
		}
	}
	levels := func(part string, groups []gang.Groups) {
		for i, g := range groups {
			of(part, i+1, g.Gather, g.Limits)
			add(explain.Change{Kind: explain.KindGroup, Part: part, Level: i + 1, Size: g.Size})
		}
	}
	of("", 0, req.Gather, req.Limits)
	if req.PP+req.DP > 0 {
		add(explain.Change{Kind: explain.KindGroup, Level: 1})
	}
	levels("", req.Groups)
	eachPart(req.Parts, func(p *gang.Part) {
		of(p.Name, 0, p.Gather, p.Limits)
		levels(p.Name, p.Groups)
	})
}

// shapeOptions are smaller requests, and nodes that members may be let to.
func shapeOptions(in *Input, add func(...explain.Change)) {
	shapes := []*gang.Shape{}
	for i := range in.Request.Members {
		shapes = append(shapes, validity.ShapeOf(&in.Request, &in.Request.Members[i]))
	}
	for _, resource := range []string{draws.Device, muster.CPU, muster.Memory, muster.Pods} {
		before := int64(0)
		for _, s := range shapes {
			before = max(before, s.Resources[resource])
		}
		for _, amount := range fewerThan(before) {
			add(explain.Change{Kind: explain.KindRequest, Resource: resource, Before: before, Amount: amount})
		}
	}
	for _, n := range in.Spec.Nodes {
		for _, t := range n.Taints {
			tolerates := func(s *gang.Shape) bool { return gang.Tolerates([]gang.Taint{t}, s.Tolerations) }
			if slices.ContainsFunc(shapes, func(s *gang.Shape) bool { return !tolerates(s) }) {
				add(explain.Change{Kind: explain.KindTaint, Taint: t})
			}
		}
	}
	for _, s := range shapes {
		for label := range s.Selector {
			add(explain.Change{Kind: explain.KindSelector, Label: label})
		}
		if len(s.Affinity) > 0 {
			add(explain.Change{Kind: explain.KindSelector, Affinity: true})
		}
	}
}

// fewerThan are amounts below one, the smallest first: all of a few, some of many.
func fewerThan(before int64) (out []int64) {
	step := max(1, before/16)
	for a := int64(1); a < before; a += step {
		out = append(out, a)
	}
	if before > 1 && step > 1 {
		out = append(out, before-1)
	}
	return out
}

// clusterOptions are nodes that return, gangs that end, higher priorities and new nodes.
func clusterOptions(in *Input, add func(...explain.Change)) {
	var largest []explain.Change
	for set := range subsets(outOfService(in.Spec), len(in.Spec.Nodes)) {
		largest = append(largest, explain.Change{Kind: explain.KindNodes, Nodes: set})
	}
	add(furthestFirst(largest)...)
	largest = nil
	for set := range subsets(otherGangs(in), len(in.Spec.Running)) {
		largest = append(largest, explain.Change{Kind: explain.KindGangs, Gangs: set})
	}
	add(furthestFirst(largest)...)
	for _, p := range slices.Backward(prioritiesAbove(in)) {
		add(explain.Change{Kind: explain.KindPriority, Priority: p, Preempts: in.Request.NeverPreempts})
	}
	for n := len(in.Request.Members); n > 0; n-- {
		add(additionsOf(in, n)...)
	}
}

// furthestFirst orders sets by size, the largest first.
func furthestFirst(changes []explain.Change) []explain.Change {
	slices.SortStableFunc(changes, func(a, b explain.Change) int { return len(b.Nodes) + len(b.Gangs) - len(a.Nodes) - len(a.Gangs) })
	return changes
}

// prioritiesAbove are those that reach more gangs, ascending.
func prioritiesAbove(in *Input) (out []int64) {
	if in.Request.QuotaLimit == quota.Borrow {
		return nil
	}
	if in.Request.NeverPreempts {
		out = append(out, in.Request.Priority)
	}
	for _, r := range in.Spec.Running {
		if r.Priority+1 > in.Request.Priority && !r.Leaving {
			out = append(out, r.Priority+1)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// quotaOptions are quotas without any limit, and one quota with more.
func quotaOptions(in *Input, add func(...explain.Change)) {
	if in.Request.Quota == "" {
		return
	}
	enough := explain.Change{Kind: explain.KindQuota}
	more := explain.Change{Kind: explain.KindQuota}
	leaf := in.Request.Quota
	for name := leaf; name != ""; {
		s, _ := in.Spec.Quotas.Spec(name)
		most, least := muster.Resources{}, muster.Resources{}
		for _, resource := range []string{draws.Device, muster.CPU} {
			if amount, bounded := s.Max[resource]; bounded {
				most[resource] = amount + 1e7
			}
			least[resource] = s.Min[resource] + 1e6
		}
		enough.Quotas = append(enough.Quotas, explain.QuotaChange{Quota: name, Max: most})
		more.Quotas = append(more.Quotas, explain.QuotaChange{Quota: name, Max: most, Min: least})
		name = s.Parent
	}
	add(more, enough)
}
