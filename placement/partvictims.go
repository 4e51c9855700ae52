package placement

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/preempt"
)

// findRoles returns a function that bounds the members that fit on a node without some candidates: the most of them whatever their roles, so that the
// search for victims has a bound; [cast.allows] decides.
func (e *evicting) findRoles() func(pos int32, gone []int32) int64 {
	c := &cast{p: e.p, steps: new(int64)}
	c.readRoles()
	c.list()
	c.sumUp()
	g := &scheme{p: c.p, cast: c, fitting: &fitting{folder: front.NewSpace(c.most, e.p.steps(), c.steps)}}
	free, open := make([]int64, len(e.p.needs)), make([]bool, len(c.roles))
	return func(pos int32, gone []int32) int64 {
		id := e.p.v.Node(pos)
		extra := e.givenBack(id, gone)
		for i, n := range e.p.needs {
			free[i] = e.p.freeOf(id, n, extra)
		}
		for r, one := range c.roles {
			open[r] = one.refusal(id) == ""
		}
		f, forgot := g.onNode(free, open, e.zoneBounds(id, gone))
		if forgot {
			return int64(e.units)
		}
		return c.sizes.Most(f)
	}
}

// zoneBounds bounds what the zones of a node take of each role without some candidates; nil: they bind nobody.
func (e *evicting) zoneBounds(id int32, gone []int32) front.Front {
	if !e.p.bound(e.p.c.FlagsOf(id)) {
		return nil
	}
	state, most := e.p.stateOf(id, e.p.leavingGifts()[id]), e.p.pendingByRole()
	for _, i := range gone {
		state = snapshot.Without(state, e.members[i])
	}
	for r, need := range e.p.needsOn(id) {
		most[r] = int32(min(int64(most[r]), need.Slots(state).Bound))
	}
	return front.Front{most}
}

// refusalOfRoles returns a function that says why a node takes no member whatever is free there, empty if it takes some role.
func (e *evicting) refusalOfRoles() func(id int32) string {
	roles := e.p.ofRoles()
	return func(id int32) string {
		return causeForAll(roles, func(one *problem) string { return one.refusal(id) })
	}
}

// causeForAll is why a node takes no member of any role: the cause for the first one.
func causeForAll(roles []*problem, cause func(one *problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}

// findSchemes lists the strategies of a gang that is placed in parts. Groups bind by Fits alone.
func (e *evicting) findSchemes() {
	c := &cast{p: e.p}
	c.list()
	for st := range c.strategies(func(strategy) bool { return true }) {
		e.strategies = append(e.strategies, strategy{st.gang, slices.Clone(st.groups)})
		e.question.Strategies = append(e.question.Strategies, preempt.Strategy{Gang: e.p.v.TierIndex(st.gang)})
	}
}

// allows says whether a strategy holds the gang, and how many members lie outside the tree then.
func (c *cast) allows(st strategy) (outside int64, ok bool) {
	possible := c.possible()
	return c.beyond, possible && c.first(st) != nil
}
