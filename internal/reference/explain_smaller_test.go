package reference

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/changed"
	"github.com/muster-sched/muster/internal/validity"
)

// smallerThan lists changes of a kind that are smaller than one, or as small and before it by name.
func smallerThan(in Input, c *explain.Change) (out []explain.Change) {
	add := func(change func(*explain.Change)) {
		next := *c
		change(&next)
		out = append(out, next)
	}
	switch c.Kind {
	case explain.KindMembers:
		switch {
		case c.Part == "" && !c.Parts:
			for n := c.MinMember + 1; n < neededMembers(&in); n++ {
				add(func(s *explain.Change) { s.MinMember = n })
			}
		case c.Parts && c.GangMinMember == 0:
			for n := range len(in.Request.Members) { // beyond what is there it is invalid
				add(func(s *explain.Change) { s.MinParts += n + 1 })
			}
		case !c.Parts:
			for n := range membersOf(changed.Part(in.Request.Parts, c.Part)) - c.MinMember { // with more the part can never be placed
				add(func(s *explain.Change) {
					s.MinMember += n + 1
					if s.GangMinMember > 0 {
						s.GangMinMember = min(s.GangMinMember+n+1, in.Request.MinMember)
					}
				})
			}
		}
	case explain.KindLayer:
		for _, l := range layersBetween(&in, c) {
			add(func(s *explain.Change) { s.To = l })
		}
	case explain.KindLimit:
		for most := range tighterThan(&in, c) {
			add(func(s *explain.Change) { s.Most = most })
		}
	case explain.KindQuota:
		out = smallerQuotas(&in, c)
	case explain.KindRequest:
		for a := c.Amount + 1; a < c.Before; a++ {
			if a <= c.Amount+16 || a >= c.Before-16 {
				add(func(s *explain.Change) { s.Amount = a })
			}
		}
	case explain.KindNodes:
		for set := range subsets(outOfService(in.Spec), len(c.Nodes)-1) {
			add(func(s *explain.Change) { s.Nodes = set })
		}
	case explain.KindGangs:
		if c.FewestMembers {
			most := membersOfGangs(&in, c.Gangs)
			for set := range subsets(otherGangs(&in), most-1) {
				if membersOfGangs(&in, set) < most {
					add(func(s *explain.Change) { s.Gangs = set })
				}
			}
			break
		}
		for set := range subsets(otherGangs(&in), len(c.Gangs)) {
			if len(set) < len(c.Gangs) || slices.CompareFunc(set, c.Gangs, muster.CompareNatural) < 0 {
				add(func(s *explain.Change) { s.Gangs = set })
			}
		}
	case explain.KindPriority:
		for _, r := range in.Spec.Running {
			if p := r.Priority + 1; p < c.Priority && p > in.Request.Priority {
				add(func(s *explain.Change) { s.Priority = p })
			}
		}
	case explain.KindAdd:
		if c.Add > 1 {
			for _, a := range additionsOf(&in, c.Add-1) {
				add(func(s *explain.Change) { s.Add, s.Like, s.Domain = a.Add, a.Like, a.Domain })
			}
		}
	default:
	}
	return out
}

// membersOfGangs is how many members end with some gangs.
func membersOfGangs(in *Input, gangs []string) (n int) {
	for _, r := range in.Spec.Running {
		if slices.Contains(gangs, r.Gang) && !r.Unevictable && !r.Leaving {
			n++
		}
	}
	return n
}

// tighterThan are the numbers of a limit between what it is and what a change makes of it.
func tighterThan(in *Input, c *explain.Change) func(yield func(int) bool) {
	limits, groups := in.Request.Limits, in.Request.Groups
	if c.Part != "" {
		p := changed.Part(in.Request.Parts, c.Part)
		limits, groups = p.Limits, p.Groups
	}
	if c.Level > 0 {
		limits = groups[c.Level-1].Limits
	}
	end := cmp.Or(c.Most, len(in.Request.Members)+len(validity.Own(&in.Spec, &in.Request))+1)
	return func(yield func(int) bool) {
		for _, l := range limits {
			if l.Kind != c.Limit || l.Layer != c.From || l.OfParts != c.OfParts || l.Kind == gang.Alone {
				continue
			}
			for most := l.Most + 1; most < end && yield(most); most++ {
			}
		}
	}
}

func membersOf(p *gang.Part) int {
	n := len(p.Members)
	for i := range p.Parts {
		n += membersOf(&p.Parts[i])
	}
	return n
}

// layersBetween are the layers to which a rule of the gang or its groups moves less far; of parts none, which may speak of another topology.
func layersBetween(in *Input, c *explain.Change) (names []string) {
	if c.Part != "" {
		return nil
	}
	for _, t := range in.Spec.Trees {
		if !isMeant(in, t.Name) {
			continue
		}
		tiers := map[string]int{"": math.MaxInt}
		for _, l := range t.Tree.Layers() {
			tiers[l.Name], tiers[strconv.Itoa(l.Tier)] = l.Tier, l.Tier
		}
		tiers[""] = math.MaxInt
		for _, l := range t.Tree.Layers() {
			if l.Tier > tiers[c.From] && l.Tier < tiers[c.To] {
				names = append(names, cmp.Or(l.Name, strconv.Itoa(l.Tier))) // a draws.Second rule at a layer is invalid
			}
		}
	}
	return names
}
