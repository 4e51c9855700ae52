// Which members may not be where? The host's own filters refused a node for some of them.

package placement

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/seats"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// RuleRefused is the rule that binds where a plan is known, but not one in which nobody is on a node refused for him.
const RuleRefused = "refused nodes"

const (
	// mostExclusions bounds the plans that are made without some of the refused nodes.
	mostExclusions = 64
	// mostExcludedAlone bounds the nodes of a plan that are left out one by one.
	mostExcludedAlone = 8
	// exclusionsShare: these plans may take what the first one left of its steps, or one such part of them in any case.
	exclusionsShare = 4
)

// planRefused is planFor for a gang with refused nodes. The plan is made as if there were none; then members change places; and
// only where that does not do, nodes are left out and it is made again.
func planRefused(
	ctx context.Context, s *snapshot.Snapshot, req *gang.Request, t problem.Team, leave victims.Leave, b bounds.Search,
) (*Result, error) {
	f := newRefused(s, req)
	var rest front.Budget
	b.Rest = cmp.Or(b.Rest, &rest)
	best, err := planFor(ctx, s, f.without(), t, leave, b)
	if err != nil {
		return nil, err
	}
	stuck := f.seat(best)
	if stuck == nil {
		return best, nil
	}
	p, err := search.New(s, f.without(), t, bounds.Search{Stop: ctx.Done()})
	if err != nil {
		return nil, err // never: it was planned
	}
	defer p.Done()
	if b.Left == nil {
		b.Left = b.Rest.OrPart(p.NewBudget(), exclusionsShare)
	}
	e := exclusion{refused: f, best: best, tried: map[string]bool{}}
	e.plan = func(req *gang.Request) (*Result, error) {
		return planFor(ctx, s, req, t, leave, bounds.Search{Left: b.Left, Steps: b.Left.Steps(), Bare: b.Bare})
	}
	if r := e.search(stuck); r != nil {
		return r, nil
	}
	return nil, refusedOf(ctx, p, stuck.seated)
}

// refused are the nodes that are refused for members of a gang.
type refused struct {
	snapshot *snapshot.Snapshot
	req      *gang.Request
	nodes    map[string][]int32 // by member, ascending
	all      []string           // refused for all members
}

// newRefused reads them. Members and nodes that nobody knows mean nothing. O(members + pairs * log).
func newRefused(s *snapshot.Snapshot, req *gang.Request) *refused {
	f := &refused{snapshot: s, req: req, nodes: make(map[string][]int32, len(req.Members))}
	for i := range req.Members {
		f.nodes[req.Members[i].Name] = nil
	}
	for _, r := range req.Refused {
		list, is := f.nodes[r.Member]
		if id, known := s.Lineage.ID(r.Node); is && known {
			f.nodes[r.Member] = append(list, id)
		}
	}
	times := map[int32]int{}
	for member, list := range f.nodes { // each by itself: the order does not matter
		slices.Sort(list)
		f.nodes[member] = slices.Compact(list)
		for _, id := range f.nodes[member] {
			times[id]++
		}
	}
	for id, n := range times {
		if n == len(f.nodes) {
			f.all = append(f.all, s.Lineage.Names[id])
		}
	}
	slices.Sort(f.all)
	return f
}

// without is the request without refused nodes, and without those that no member may use. Further nodes are left out too.
//
// order: refused.1
func (f *refused) without(further ...string) *gang.Request {
	next := *f.req
	next.Refused, next.Exclude = nil, slices.Concat(f.req.Exclude, f.all, further)
	return &next
}

// stuck says who cannot be seated in a plan.
type stuck struct {
	first  []string // nodes of which one must be left out, in the order of the plan: those of the first group that is stuck
	all    []string // of all groups
	seated int      // members that can be seated at once
}

// exchange are members that may change places: of one shape, in the same groups.
type exchange struct {
	part    string
	groups  string
	holding int
}

// seat lets members of a plan change places until nobody is on a node refused for him; else it says who is stuck, and nobody moves.
// Members change only with those of their shape in their innermost group, or part, so that all else about the plan stays true.
//
// order: refused.1, refused.2
func (f *refused) seat(r *Result) *stuck {
	places := make([]int32, len(r.Assignments))
	var torn map[exchange][]int // members by place in the assignments, where somebody is on a refused node
	for i := range r.Assignments {
		a := &r.Assignments[i]
		places[i], _ = f.snapshot.Lineage.ID(a.Node)
		if _, is := slices.BinarySearch(f.nodes[a.Member], places[i]); is {
			if torn == nil {
				torn = map[exchange][]int{}
			}
			torn[r.exchangeOf(a)] = nil
		}
	}
	if torn == nil {
		return nil
	}
	var order []exchange
	for i := range r.Assignments {
		x := r.exchangeOf(&r.Assignments[i])
		if list, is := torn[x]; is {
			if list == nil {
				order = append(order, x)
			}
			torn[x] = append(list, i)
		}
	}
	next := slices.Clone(r.Assignments)
	out := stuck{seated: len(next)}
	for _, x := range order {
		f.change(torn[x], places, r.Assignments, next, &out)
	}
	if len(out.all) > 0 {
		return &out
	}
	r.Assignments = next
	return nil
}

// change seats the members of one exchange, or notes that they are stuck.
func (f *refused) change(members []int, places []int32, was, next []Assignment, out *stuck) {
	on, barred := make([]int32, len(members)), make([][]int32, len(members))
	for k, i := range members {
		on[k], barred[k] = places[i], f.nodes[was[i].Member]
	}
	seated, why := seats.Seat(on, barred)
	if why == nil {
		for k, i := range members {
			seat := &was[members[seated[k]]]
			next[i].Node, next[i].NUMA = seat.Node, seat.NUMA
		}
		return
	}
	first := len(out.all) == 0
	for _, id := range why.Nodes {
		name := f.snapshot.Lineage.Names[id]
		if first {
			out.first = append(out.first, name)
		}
		if !slices.Contains(out.all, name) {
			out.all = append(out.all, name)
		}
	}
	out.seated -= len(members) - why.Seated
}

// exchangeOf says with whom a member of the plan may change places.
func (r *Result) exchangeOf(a *Assignment) exchange {
	x := exchange{holding: r.holdingOf(a)}
	switch {
	case r.groups != nil:
		x.part, x.groups = r.parts[a.Rank], fmt.Sprint(r.groups[a.Rank])
	case len(r.sizes) > 0:
		x.groups = fmt.Sprint(a.Rank / r.sizes[len(r.sizes)-1])
	}
	return x
}

// exclusion looks for a plan without some of the nodes on which members are stuck.
type exclusion struct {
	refused *refused
	best    *Result // as if nothing were refused
	plan    func(req *gang.Request) (*Result, error)
	tried   map[string]bool // sets of nodes
	plans   int
}

// stuckWithout is a plan without some nodes in which members are stuck.
type stuckWithout struct {
	nodes []string
	stuck *stuck
}

// search leaves out, one by one, the nodes on which members are stuck; of the plans in which nobody is, it takes the best one. If
// there is none, it goes on from each: first from that without all of these nodes. It is over at once where a plan is as good as if
// nothing were refused. Nil: no plan was found within the bound.
//
// order: refused.3
func (e *exclusion) search(first *stuck) *Result {
	for todo := []stuckWithout{{nil, first}}; len(todo) > 0 && e.plans < mostExclusions; todo = todo[1:] {
		at := todo[0]
		var found *Result
		var further []stuckWithout
		alone := at.stuck.first[:min(len(at.stuck.first), mostExcludedAlone)]
		for i := 0; i <= len(alone); i++ {
			without := slices.Concat(at.nodes, at.stuck.all) // all at once, if none by itself does
			if i < len(alone) {
				without = slices.Concat(at.nodes, alone[i:i+1])
			} else if found != nil {
				break
			}
			r, still := e.try(without)
			switch {
			case r == nil:
			case still != nil && i < len(alone):
				further = append(further, stuckWithout{without, still})
			case still != nil:
				further = slices.Insert(further, 0, stuckWithout{without, still})
			case e.equals(r):
				return besides(r, e.best, true)
			case found == nil || comparePlans(e.refused.snapshot, r, found) < 0:
				found = r
			}
		}
		if found != nil {
			return besides(found, e.best, false)
		}
		todo = append(todo, further...)
	}
	return nil
}

// try plans without some nodes; nil if there is no such plan, or it was tried before.
func (e *exclusion) try(without []string) (*Result, *stuck) {
	slices.Sort(without)
	key := fmt.Sprintf("%q", without)
	if e.tried[key] || e.plans == mostExclusions {
		return nil, nil
	}
	e.tried[key] = true
	e.plans++
	r, err := e.plan(e.refused.without(without...))
	if err != nil {
		return nil, nil
	}
	return r, e.refused.seat(r)
}

// besides is a plan beside something that says no more than is known: what is as good as the best plan without that is as good as can be.
func besides(r, best *Result, equal bool) *Result {
	r.Proven = equal && best.Proven
	if r.Preemption == nil {
		return r
	}
	was := best.Preemption
	if was == nil {
		was = &Preemption{}
	}
	cost := &r.Preemption.Cost
	equal = equal && cost.Unknown == was.Cost.Unknown && cost.LostWork == was.Cost.LostWork
	if r.Preemption.Proven = equal && was.Proven; !r.Preemption.Proven {
		r.Preemption.LowerBound = was.LowerBound
	}
	return r
}

// comparePlans prefers the plan on what is free to one that waits, and both to one with victims; then that with more members, then lower
// ranks, then the cheaper victims by the default order, then that which waits for fewer, then that with fewer members outside the
// tree, then tighter tiers, outermost first.
func comparePlans(s *snapshot.Snapshot, a, b *Result) int {
	return cmp.Or(compareMembers(a, b), cmp.Compare(len(a.WaitsFor), len(b.WaitsFor)), compareTiers(s, a, b))
}

// compareMembers is which of two plans of a gang is the better one by when it starts, by its members and by who leaves for it.
func compareMembers(a, b *Result) int {
	stage := func(r *Result) int { return 2*min(1, len(r.Victims)) + min(1, len(r.WaitsFor)) }
	byRank := func(x, y Assignment) int { return cmp.Compare(x.Rank, y.Rank) }
	return cmp.Or(
		cmp.Compare(stage(a), stage(b)), cmp.Compare(len(b.Assignments), len(a.Assignments)),
		slices.CompareFunc(a.Assignments, b.Assignments, byRank), compareCosts(a, b),
	)
}

// compareTiers is which of two plans of a gang is the tighter one.
func compareTiers(s *snapshot.Snapshot, a, b *Result) int {
	return cmp.Or(cmp.Compare(outside(s, a), outside(s, b)), cmp.Compare(a.Tier, b.Tier), slices.Compare(a.GroupTiers, b.GroupTiers))
}

// compareCosts compares what the victims of two plans cost, as it is by default.
func compareCosts(a, b *Result) int {
	if a.Preemption == nil || b.Preemption == nil {
		return cmp.Compare(len(a.Victims), len(b.Victims))
	}
	x, y := &a.Preemption.Cost, &b.Preemption.Cost
	if c := cmp.Or(cmp.Compare(x.Budgets, y.Budgets), cmp.Compare(x.HighestPriority, y.HighestPriority)); c != 0 {
		return c
	}
	names := slices.Concat(x.BelowMin.Names(), y.BelowMin.Names())
	slices.SortFunc(names, muster.CompareResources)
	for _, name := range names {
		if c := cmp.Compare(x.BelowMin[name], y.BelowMin[name]); c != 0 {
			return c
		}
	}
	return cmp.Or(
		cmp.Compare(x.GangsEnded, y.GangsEnded), cmp.Compare(x.Members, y.Members), cmp.Compare(x.PrioritySum, y.PrioritySum),
	)
}

// equals says whether a plan is known to be as good as the best one. Of a gang in parts each group has to reach the same tier:
// groups of one level may prefer others. Which preferred limits a plan keeps nobody knows any more.
func (e *exclusion) equals(r *Result) bool {
	same := func(a, b GroupPlace) bool { return a.Part == b.Part && a.Tier == b.Tier }
	return !prefersLimits(e.refused.req) && comparePlans(e.refused.snapshot, r, e.best) == 0 && slices.EqualFunc(r.Elsewhere, e.best.Elsewhere, same) && maps.Equal(e.reached(r), e.reached(e.best))
}

// reached has the tier of each group of a gang in parts, by its places among those of its level and around it.
func (e *exclusion) reached(r *Result) map[string]int32 {
	v, at, out := e.refused.snapshot.Lineage.Tree(r.Tree), map[string][]int32{}, map[string]int32{}
	note := func(rank int, node string) {
		id, ok := e.refused.snapshot.Lineage.ID(node)
		for k := 1; ok && r.groups != nil && k <= len(r.groups[rank]); k++ {
			key := fmt.Sprint(r.groups[rank][:k])
			at[key] = append(at[key], v.At(id))
		}
	}
	for i := range r.Assignments {
		note(r.Assignments[i].Rank, r.Assignments[i].Node)
	}
	for m := range r.running.all() {
		note(m.rank, m.node)
	}
	for key, positions := range at {
		out[key] = v.TierOf(v.Named(v.Lowest(positions)))
	}
	return out
}

// outside is how many members of a plan are outside its tree.
func outside(s *snapshot.Snapshot, r *Result) (n int) {
	v := s.Lineage.Tree(r.Tree)
	for i := range r.Assignments {
		if id, ok := s.Lineage.ID(r.Assignments[i].Node); ok && v.At(id) >= v.FirstPos[v.Outside] {
			n++
		}
	}
	return n
}

// refusedOf refuses a gang of which so many members could be seated. There may be a plan that was not looked for.
func refusedOf(ctx context.Context, p *problem.Problem, seated int) *Unschedulable {
	kept := p.Kept()
	u := &Unschedulable{
		Gang: p.Request.Name, Refuser: RefuserRule, Rule: RuleRefused, Wanted: p.Model.Least, Fits: seated, AtLeast: true, Stopped: ctx.Err(),
		nodes: func() NodeCauses { return countCauses(kept, room.Slots.LeavingReleased) },
	}
	if p.Unbundled != nil {
		u.Wanted = p.Unbundled.Model.Least
	}
	return u
}
