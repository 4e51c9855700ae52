package validity

import (
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// victims are running members of others that may leave together, and what is said of each and of their cost is true. Whether the gang
// fits with fewer is not asked here.
func (c *check) victims() {
	res := c.res
	if len(res.Victims) == 0 {
		if res.Preemption != nil {
			c.failf("tells the cost %+v of no victims", res.Preemption.Cost)
		}
		return
	}
	if c.req.NeverPreempts {
		c.failf("evicts %v although it never preempts", res.Victims)
	}
	// What they cost depends on whom they leave for. Of a gang with parts that may be any members without which it would not do.
	var defects []error
	for _, members := range c.leasts() {
		one := *c
		one.defects = nil
		one.victimsFor(members)
		if defects = one.defects; len(defects) == 0 {
			return
		}
	}
	c.defects = append(c.defects, defects...)
}

// leasts are sets of new members, one of which the victims leave for.
func (c *check) leasts() [][]gang.Member {
	least := min(Least(c.net, c.before, c.req), len(c.req.Members))
	if c.parts == nil && c.alike() {
		return [][]gang.Member{Lowest(c.before, c.req, least)}
	}
	var names []string
	for _, a := range c.res.Assignments {
		names = append(names, a.Member)
	}
	sets := [][]string{names}
	switch {
	case c.req.Quota == "": // they do not matter
	case c.parts != nil && (HasMultiples(c.req) || partsHaveMultiples(c.req.Parts)): // more may keep them where fewer do not
		sets = slices.Collect(c.parts.Selections(names, true))
	case c.parts != nil:
		sets = c.parts.Leasts(names, true)
	case HasMultiples(c.req):
		for n := least; n <= len(names); n++ {
			sets = append(sets, ofSize(names, n)...)
		}
	default:
		sets = ofSize(names, least)
	}
	var out [][]gang.Member
	for _, set := range sets {
		var members []gang.Member
		for _, name := range set {
			members = append(members, *c.members[name])
		}
		out = append(out, members)
	}
	return out
}

// alike holds if all members can change places.
func (c *check) alike() bool {
	first := &c.req.Members[0]
	return !slices.ContainsFunc(c.req.Members, func(m gang.Member) bool {
		return m.NonPreemptible != first.NonPreemptible || !ShapeOf(c.req, &m).Equal(ShapeOf(c.req, first))
	})
}

// ofSize lists the sets of n of some names.
func ofSize(names []string, n int) (sets [][]string) {
	if n == 0 {
		return [][]string{nil}
	}
	for i := range names {
		for _, rest := range ofSize(names[i+1:], n-1) {
			sets = append(sets, append([]string{names[i]}, rest...))
		}
	}
	return sets
}

// victimsFor is victims that leave for these members.
func (c *check) victimsFor(members []gang.Member) {
	res := c.res
	evictions, err := NewEvictions(c.before, c.req, members)
	if err != nil {
		c.failf("the quotas: %w", err)
		return
	}
	var set []int
	for i, v := range res.Victims {
		if i > 0 && compareVictims(&res.Victims[i-1], &v) >= 0 {
			c.failf("victim %s %s is there twice or not in order", v.Gang, v.Member)
		}
		at := slices.IndexFunc(c.before.Running, func(r cluster.Running) bool { return r.Gang == v.Gang && r.Member == v.Member })
		if at < 0 {
			c.failf("victim %s %s does not run", v.Gang, v.Member)
			continue
		}
		set = append(set, at)
	}
	for k, i := range set {
		if len(set) == len(res.Victims) && !c.before.Running[i].Leaving {
			c.victim(evictions, &res.Victims[k], i, set)
		}
	}
	if why := evictions.Illegal(set); why != "" {
		c.failf("the victims may not leave: %s", why)
		return
	}
	p := res.Preemption
	cost := evictions.Cost(set)
	if c.beside && p != nil { // who could leave besides, and started last, depends on what is given away
		cost.LostWork = p.Cost.LostWork
	}
	switch {
	case p == nil:
		c.failf("does not tell the cost of its victims")
	case !reflect.DeepEqual(p.Cost, cost):
		c.failf("the victims cost %+v, not %+v", cost, p.Cost)
	case p.Proven && !reflect.DeepEqual(p.Cost, p.LowerBound):
		c.failf("the cost %+v is proven, and the lower bound is %+v", p.Cost, p.LowerBound)
	}
}

// victim holds when what is said of a running member is true.
func (c *check) victim(e *Evictions, v *placement.Victim, at int, set []int) {
	r := &c.before.Running[at]
	if v.Node != r.Node || v.Quota != r.Quota || v.Priority != e.gangs[r.Gang].priority {
		c.failf("victim %+v is on %s, in quota %q, of priority %d", *v, r.Node, r.Quota, e.gangs[r.Gang].priority)
	}
	var over []string
	if !e.byPriority(r) {
		over = e.overMinIn(at, set)
	}
	if len(over) == 0 && v.OverMin != "" || len(over) > 0 && !slices.Contains(over, v.OverMin) {
		c.failf("victim %s %s is in a quota over its min in %q, of %q", v.Gang, v.Member, v.OverMin, over)
	}
}

func compareVictims(a, b *placement.Victim) int {
	if c := muster.CompareNatural(a.Gang, b.Gang); c != 0 {
		return c
	}
	return muster.CompareNatural(a.Member, b.Member)
}
