package placement

import (
	"cmp"
	"slices"

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

// countParts finds how many new members must be placed.
func (p *problem) countParts() error {
	if !p.inParts() {
		return nil
	}
	p.doubt = new(bool)
	c := p.contents()
	all := c.everything()
	if all == nil { // not enough members are known
		p.least = max(p.req.MinMember-len(p.running), len(p.pending)+1)
		return nil
	}
	chain := c.chain(all)
	p.few = chain[len(chain)-1]
	for _, in := range chain { // the last one that is a multiple, if there is any
		if len(p.evens) > 0 && c.even(in) {
			p.few = in
		}
	}
	p.mustRun = p.few.size() + len(p.running)
	if p.req.MinMember == 0 {
		p.least = p.few.size()
	}
	return nil
}

// judgeContent finds what refuses the least number of members.
func (p *problem) judgeContent() error {
	if p.few == nil {
		return nil
	}
	var err error
	p.refusedBy, err = p.state.Admit(p.with(p.few).asks(p.few.size()), p.req.QuotaLimit)
	return err
}

// mostAdmitted is how many new members the quota admits: whole groups, or those of the lowest ranks.
func (p *problem) mostAdmitted() int {
	all := *p
	all.evens = p.withKept() // fewer members need not keep them in any case
	c := all.contents()
	if len(p.whole.parts) == 0 {
		some := *c.whole
		some.least, c.whole = 1, &some
	}
	return c.most(func(in content) bool { return p.with(in).admitted > 0 }).size()
}

// with is the problem of placing just a content; none is admitted if the quota refuses it.
func (p *problem) with(in content) *problem {
	some := *p
	some.content, some.everyone = in, p
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
	if p.state != nil {
		ask := some.asks(some.least)
		ask.Request.Add(p.already.Request)
		ask.Pinned.Add(p.already.Pinned)
		if refusal, err := p.state.Admit(ask, p.req.QuotaLimit); refusal != nil || err != nil {
			some.admitted = 0
		}
	}
	return &some
}

// demand is what all new members take of the gang's quota.
func (p *problem) demand() quota.Ask {
	if p.everyone != nil {
		p = p.everyone
	}
	return p.asks(len(p.pending))
}

// ofMost is the cast of the best content that can be placed; nil if there is none.
func (c *cast) ofMost() *cast {
	var last *cast
	in := c.contents().most(func(in content) bool {
		some := c.recast(in)
		if some.admitted == 0 || !some.possible() {
			return false
		}
		last = some
		return true
	})
	switch {
	case in == nil:
		return nil
	case !slices.Equal(last.content, in):
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

// fewTried bounds for how many contents of which nothing can be left out others leave.
const fewTried = 8

// evictForFew evicts for the first content of which nothing can be left out that victims help.
func (p *problem) evictForFew(who leave) *Result {
	few := p.contents().least()
	p.unsettled = len(few) > fewTried && p.req.Priority > p.c.lowest
	for _, in := range few[:min(fewTried, len(few))] {
		some := p.with(in)
		r := some.evict(who)
		if p.unsettled = p.unsettled || some.unsettled; r != nil {
			return r
		}
	}
	return nil
}

// fewAndMore plans the first content of which nothing can be left out that fits, and further members beside it.
func (p *problem) fewAndMore() *Result {
	if p.content == nil {
		for _, in := range p.contents().least() {
			if r := p.with(in).fewAndMore(); r != nil {
				return r
			}
		}
		return nil
	}
	if p.admitted == 0 {
		return nil
	}
	o := p.newCast(nil).best()
	if o == nil {
		return nil
	}
	waits := p.waitsFor(o.positions)
	slices.SortFunc(waits, compareWaited)
	next := p.furtherInParts(o, waits)
	if next == nil {
		return o.of.result(o.positions, waits)
	}
	all := p.everyone
	in, at := make(content, len(all.pending)), make([]int32, all.ranks)
	for _, one := range []*outcome{o, next} {
		for i, pos := range one.positions {
			at[one.of.pending[i].rank] = pos
		}
	}
	place := all.places()
	for _, one := range []*outcome{o, next} {
		for _, m := range one.of.pending {
			in[place[m.rank]] = true
		}
	}
	both := all.with(in)
	positions := make([]int32, len(both.pending))
	for i, m := range both.pending {
		positions[i] = at[m.rank]
	}
	both.sortByRole(positions)
	return both.result(positions, waits)
}

// claim is what members that are placed already take of a node.
type claim struct {
	amounts []int64         // by resource
	zones   *numa.Occupancy // the zones with them, nil: they bind nobody
	beside  frontier        // what the zones take beside them, when those that the plan waits for have left
}

// takeZones notes what members take of zones. Those that come later get shares together with them, when those that the plan waits for have left, and
// must fit now.
func (p *problem) takeZones(held map[int32]claim, positions []int32, waits []Waited) {
	if !p.zonesBind() {
		return
	}
	gone, on := p.zonesAfter(waits), map[int32]counts{}
	for i, pos := range positions {
		id := p.v.node(pos)
		if on[id] == nil {
			on[id] = make(counts, len(p.shapes))
		}
		on[id][p.twin(int(p.role(i)))]++
	}
	for id, some := range on {
		steps, state := zoneSteps, p.stateOf(id, gift{zones: gone[id]})
		fit := p.zoneFit(id, state, &steps)
		if fit == nil {
			continue
		}
		t := held[id]
		t.zones, t.beside = p.stateOf(id, gift{}), fit.most.beside(some)
		for _, placed := range p.inZones(id, state, some) {
			if next, err := t.zones.Add(placed...); err == nil {
				t.zones = next
			} else {
				t.beside = frontier{make(counts, len(p.shapes))} // a sum overflows
			}
		}
		held[id] = t
	}
}

// sortByRole lets ranks follow the tree, whoever came first: among the members of a role that lie in one group, and in none in it.
func (p *problem) sortByRole(positions []int32) {
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

// furtherInParts places further members, as if those ran that a plan places: inside its domain, on what is free now.
func (p *problem) furtherInParts(o *outcome, waits []Waited) *outcome {
	all := p.everyone
	if len(o.of.pending) == len(all.pending) || p.travels() && p.zonesBind() {
		return nil // the zones of those that are placed are told by other roles
	}
	more := all.beside(o)
	more.pending, more.roleOf, more.zoneFits = nil, nil, nil
	held := map[int32]claim{}
	for i, is := range p.content {
		if !is {
			more.pending = append(more.pending, all.pending[i])
			if all.roleOf != nil {
				more.roleOf = append(more.roleOf, all.roleOf[i])
			}
		}
	}
	for i, pos := range o.positions {
		id := p.v.node(pos)
		if held[id].amounts == nil {
			held[id] = claim{amounts: make([]int64, len(p.c.resources))}
		}
		for _, n := range p.needs {
			if n.id >= 0 {
				held[id].amounts[n.id] += p.shapeOf(i).Resources[n.name]
			}
		}
	}
	p.takeZones(held, o.positions, waits)
	more.already = p.asks(len(p.pending))
	return more.newCast(held).search()
}
