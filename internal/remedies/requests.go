// What is the most of a resource that members can ask for?

package remedies

import (
	"maps"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// less is the search for the largest amount of a resource with which a gang starts. Less asked never fits worse, but in zones.
type less struct {
	f        *Search
	at       state
	resource string
	before   int64                   // what some member asks for
	amounts  []int64                 // ascending from 1, below before: where room may change; others may count, too
	mayFit   func(amount int64) bool // false: it does not help, nor does more
	bounded  bool                    // mayFit is false for some
}

func (f *Search) lessOf(at state, p *problem.Problem, resource string) *less {
	l := &less{f: f, at: at, resource: resource}
	l.before = mostAsked(p, resource)
	l.amounts = l.quotients(p)
	return l
}

func (l *less) try(amount int64) *explain.Plan {
	return l.f.after(l.at, edited(askedFor(l.resource, l.before, amount)))
}

// most is the largest amount that helps and its plan, if asking for less never fits worse: the largest that may fit or, where that is not
// enough, found among the amounts that are likely to count, and then between two of them.
func (l *less) most() (int64, *explain.Plan) {
	end := l.before
	if l.bounded {
		top := lastOf(1, l.before, l.mayFit) // 1 may
		if plan := l.try(top); plan != nil || top == 1 {
			return top, plan
		}
		end = top
	}
	plan := l.try(1)
	if plan == nil {
		return 0, nil
	}
	n := sort.Search(len(l.amounts), func(i int) bool { return l.amounts[i] >= end })
	i, plan := l.f.largest(l.at, 0, n-1, plan, func(i int) edit { return edited(askedFor(l.resource, l.before, l.amounts[i])) })
	if i+1 < n {
		end = l.amounts[i+1]
	}
	return l.between(l.amounts[i], end, plan)
}

// between is the largest amount that helps, from low, which does, to below end.
func (l *less) between(low, end int64, plan *explain.Plan) (int64, *explain.Plan) {
	best := low
	helps := func(amount int64) bool {
		if !l.mayFit(amount) {
			return false
		}
		next := l.try(amount)
		if next != nil {
			best, plan = amount, next
		}
		return next != nil
	}
	if low+1 < end && helps(low+1) { // mostly not
		lastOf(low+1, end, helps)
	}
	return best, plan
}

// lastOf is the largest number from low to below end for which something holds that holds for low, and for less wherever it holds for more.
func lastOf(low, end int64, is func(int64) bool) int64 {
	for low+1 < end {
		if mid := low + (end-low)/2; is(mid) {
			low = mid
		} else {
			end = mid
		}
	}
	return low
}

// any is some amount that helps, the largest first, where asking for less may fit worse.
func (l *less) any() (int64, *explain.Plan) {
	tried := 0
	for _, amount := range slices.Backward(l.amounts) {
		if tried == fewNumbers {
			break
		}
		if tried++; l.mayFit(amount) {
			if plan := l.try(amount); plan != nil {
				return amount, plan
			}
		}
	}
	return 0, nil
}

// mostAmounts is how many amounts are told apart.
const mostAmounts = 1 << 16

// quotients lists amounts at which room may change, ascending from 1: few are all there are, of more what is free somewhere, divided by the
// members that it is for.
func (l *less) quotients(p *problem.Problem) (out []int64) {
	if l.before <= fewNumbers {
		for a := int64(1); a < l.before; a++ {
			out = append(out, a)
		}
		return out
	}
	known := map[int64]bool{}
	out = append(out, 1)
	for _, free := range frees(p, l.resource) {
		if free <= 0 || known[free] {
			continue
		}
		known[free] = true
		for n := int64(1); n <= min(free, int64(p.Model.Least*p.Room.Size())) && len(out) < mostAmounts; n++ {
			if a := free / n; a < l.before {
				out = append(out, a)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// frees lists what is free of a resource: on each node, also once its members leave one after the other, in each zone when it
// is empty.
func frees(p *problem.Problem, resource string) (out []int64) {
	need := p.Room.Needs[slices.IndexFunc(p.Room.Needs, func(n room.Need) bool { return n.Name == resource })]
	released := p.Room.Slots().LeavingReleased()
	leave, zones := mayEvict(p), map[*snapshot.ZoneClass]bool{}
	var before []int64 // on the node before, as most are alike
	add := func(i int, free int64) {
		if i == len(before) {
			before = append(before, free)
		} else if before[i] == free {
			return
		}
		before[i], out = free, append(out, free)
	}
	for id := range int32(len(p.Snapshot.Lineage.Names)) {
		free, i := p.Room.Slots().FreeOf(id, need, released[id].Amounts), 0
		add(0, free)
		if class := p.Snapshot.Static.ClassOf(id); class != nil && class.Zones != nil && !zones[class.Zones] {
			zones[class.Zones] = true
			for _, z := range class.Zones.NUMA.Zones {
				out = append(out, z.Allocatable[resource])
			}
		}
		if !leave || need.ID < 0 {
			continue
		}
		for m := range snapshot.MembersOn(p.Snapshot, id) {
			i, free = i+1, free+m.Class.Holds[need.ID]
			add(i, free)
		}
	}
	return out
}

// lessBounds say which amounts may help at all: as far as slots and, where nobody may leave, quotas tell.
type lessBounds struct {
	p       *problem.Problem
	quotas  *quota.State // nil: they are not asked
	free    *rooms       // of the gang in no quota; nil: slots are not asked
	another *problem.Problem
}

// boundsOfLess reads the bounds of a gang of one shape.
func (f *Search) boundsOfLess(at state, r *rooms) *lessBounds {
	b := &lessBounds{p: r.p, free: r}
	if at.req.Quota == "" || at.s.Quotas == nil || r.evicts || r.p.InParts() || r.p.Room.Size() > 1 || r.p.Model.Least > len(r.p.Model.Pending) {
		return b
	}
	req := *at.req
	req.Quota = ""
	if b.another = f.inside(state{at.s, &req}); b.another != nil {
		b.free = roomsOf(b.another)
	}
	b.quotas = at.s.Quotas
	return b
}

func (b *lessBounds) done() {
	if b.another != nil {
		b.another.Done()
	}
}

// of says of amounts of a resource whether they may help; not bounded: nothing is known.
func (b *lessBounds) of(resource string) (mayFit func(amount int64) bool, bounded bool) {
	fits, admits := b.free.withLess(resource), b.admits(resource)
	bounded = fits != nil || admits != nil
	return func(amount int64) bool { return (admits == nil || admits(amount)) && (fits == nil || fits(amount)) }, bounded
}

// admits says whether quotas admit the least members once they ask for no more than an amount; nil: that is not known.
func (b *lessBounds) admits(resource string) func(amount int64) bool {
	if b.quotas == nil {
		return nil
	}
	least, all, each := b.p.Asks(b.p.Model.Least), b.p.Demand(), b.p.Room.Shapes[0].Resources[resource]
	with := func(a quota.Ask, amount int64) quota.Ask {
		a.Request, a.Pinned = maps.Clone(a.Request), maps.Clone(a.Pinned)
		for _, sum := range []muster.Resources{a.Request, a.Pinned} {
			if sum[resource] > 0 {
				sum[resource] = sum[resource] / each * amount
			}
		}
		return a
	}
	return func(amount int64) bool {
		state := b.quotas
		if wanting, err := state.Wanting(with(all, amount)); err == nil {
			state = wanting
		}
		refusal, err := state.Admit(with(least, amount), b.p.Request.QuotaLimit)
		return err == nil && refusal == nil
	}
}
