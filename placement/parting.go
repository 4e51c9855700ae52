package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// parting is what a gang that is placed in parts has beside what all gangs have.
type parting struct {
	few     content      // one of which nothing can be left out; nil: there is none
	mustRun int          // members that must run together
	state   *quota.State // what has to admit a content; nil: it admits all
	already quota.Ask    // by members that are as good as placed

	// Of a problem that is about one content: that, and the problem with all members.
	content  content
	everyone *problem

	penOf      []pen   // by role: where its members may be; nil: anywhere
	roleBefore []int32 // by role: what it was without
	pen        pen     // of a problem that is about one role
	// doubt: something better may have been left out for want of steps.
	doubt *bool
}

// steps is what the request gives to the search for a gang in parts.
func (p *problem) steps() int { return cmp.Or(min(p.req.Steps, 1<<24), 1<<16) }

// with is the problem of placing just a content; none is admitted if the quota refuses it.
func (p *problem) with(in content) *problem {
	some := *p
	some.parting.content, some.parting.everyone = in, p
	if in.size() < len(p.pending) {
		some.pending, some.roleOf = nil, nil
		for i, is := range in {
			if is {
				some.pending = append(some.pending, p.pending[i])
				if p.roleOf != nil {
					some.roleOf = append(some.roleOf, p.roleOf[i])
				}
			}
		}
	}
	some.least = len(some.pending)
	some.admitted = some.least
	if p.parting.state != nil {
		ask := some.asks(some.least)
		ask.Request.Add(p.parting.already.Request)
		ask.Pinned.Add(p.parting.already.Pinned)
		if refusal, err := p.parting.state.Admit(ask, p.req.QuotaLimit); refusal != nil || err != nil {
			some.admitted = 0
		}
	}
	return &some
}

// demand is what all new members take of the gang's quota.
func (p *problem) demand() quota.Ask {
	if p.parting.everyone != nil {
		p = p.parting.everyone
	}
	return p.asks(len(p.pending))
}

// ofMost is the cast of the best content that can be placed; nil if there is none.
func (c *cast) ofMost() *cast {
	var last *cast
	in := contentsOf(c.p).most(func(in content) bool {
		some := c.recast(in)
		if some.p.admitted == 0 || !some.possible() {
			return false
		}
		last = some
		return true
	})
	switch {
	case in == nil:
		return nil
	case !slices.Equal(last.p.parting.content, in):
		return c.recast(in)
	}
	return last
}

// search is the best plan for as many new members as there is room for, nil if not even the least fit.
func (c *cast) search() *outcome {
	if most := c.ofMost(); most != nil {
		return most.best()
	}
	return nil
}

// claim is what members that are placed already take of a node.
type claim struct {
	amounts []int64         // by resource
	zones   *numa.Occupancy // the zones with them, nil: they bind nobody
	beside  front.Front     // what the zones take beside them, when those that the plan waits for have left
}

// takeZones notes what members take of zones. Those that come later get shares together with them, when those that the plan waits for have left, and
// must fit now.
func (z zones) takeZones(held map[int32]claim, positions []int32, waits []*snapshot.Member) {
	if !z.zonesBind() {
		return
	}
	gone, on := z.zonesAfter(waits), map[int32]front.Vector{}
	for i, pos := range positions {
		id := z.p.v.Node(pos)
		if on[id] == nil {
			on[id] = make(front.Vector, len(z.p.shapes))
		}
		on[id][z.p.twin(int(z.p.role(i)))]++
	}
	for id, some := range on {
		steps, state := zoneSteps, z.stateOf(id, gift{zones: gone[id]})
		fit := z.zoneFit(id, state, &steps)
		if fit == nil {
			continue
		}
		t := held[id]
		t.zones, t.beside = z.stateOf(id, gift{}), fit.most.Beside(some)
		for _, placed := range z.inZones(id, state, some) {
			if next, err := t.zones.Add(placed...); err == nil {
				t.zones = next
			} else {
				t.beside = front.Front{make(front.Vector, len(z.p.shapes))} // a sum overflows
			}
		}
		held[id] = t
	}
}

// sortByRole lets ranks follow the tree, whoever came first: among the members of a role that lie in one group, and in none in it.
func sortByRole(p *problem, positions []int32) {
	innermost, n := make([]int, p.ranks), 0
	var walk func(a *part, group int)
	walk = func(a *part, group int) {
		if !a.bundle {
			n++
			group = n
		}
		for _, rank := range a.ranks {
			innermost[rank] = group
		}
		for _, b := range a.parts {
			walk(b, group)
		}
	}
	walk(p.whole, 0)
	of := map[[2]int][]int{} // places in pending
	for i, m := range p.pending {
		key := [2]int{innermost[m.rank], int(p.role(i))}
		of[key] = append(of[key], i)
	}
	for _, list := range of {
		at := make([]int32, len(list))
		for k, i := range list {
			at[k] = positions[i]
		}
		slices.Sort(at)
		for k, i := range list {
			positions[i] = at[k]
		}
	}
}
