// What may a gang take where room is held in domains? A plan is made as if none were; only where that would not keep it, room is given to those for whom it is
// held, node by node.

package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/reserve"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

const (
	// mostKeeping bounds the plans that are made where the first one would not keep what is held.
	mostKeeping = 256
	// keepingShare: these plans may take what the first one left of its steps, or one such part of them in any case.
	keepingShare = 4
)

// bindingReserve is what is held in domains and binds a plan; nil: nothing does.
func bindingReserve(s *snapshot.Snapshot, req *gang.Request, t problem.Team) *holds.Reserve {
	return holds.Binding(s, req.Priority, req.Name, req.End, func(gang string) bool { return gang == req.Name || t != nil && t.Has(gang) })
}

// planBeside is planFor beside what is held in domains: the best plan that keeps it.
//
// order: holds.3
func planBeside(
	ctx context.Context, held *holds.Reserve, req *gang.Request, t problem.Team, leave victims.Leave, b bounds.Search,
) (*Result, error) {
	var rest front.Budget
	b.Rest = cmp.Or(b.Rest, &rest)
	bare := held.Bare()
	best, err := planFor(ctx, bare, req, t, leave, b)
	if err != nil {
		return nil, err
	}
	if spares(held, bare, best) {
		return best, nil
	}
	k := keeping{held: held, bare: bare, req: req, best: best, exact: true, tried: map[string]bool{}}
	lack, now := k.lack(best)
	if len(lack) == 0 {
		return best, nil
	}
	if b.Left == nil {
		steps, _ := b.Of(req.Steps)
		b.Left = b.Rest.OrPart(front.NewBudget(steps, ctx.Done()), keepingShare)
	}
	k.plan = func(s *snapshot.Snapshot) (*Result, error) {
		return planFor(ctx, s, req, t, leave, bounds.Search{Left: b.Left, Steps: b.Left.Steps(), Bare: true})
	}
	if r := k.search(given{plan: best, lack: lack, now: now}); r != nil {
		return r, nil
	}
	k.exact = k.exact && (leave == victims.Nobody || req.NeverPreempts || bare.Quotas == nil && !runsBelow(bare, req.Priority))
	return nil, k.refusal(ctx, lack)
}

// spares says whether a plan keeps all wherever in its domain the members lie; false: it is not known. O(members + holds).
func spares(held *holds.Reserve, s *snapshot.Snapshot, r *Result) bool {
	members := make([]int, len(r.holds))
	for i := range r.Assignments {
		members[r.holdingOf(&r.Assignments[i])]++
	}
	return held.Spares(r.Tree, r.Domain, heldByKind(s, r), members)
}

// runsBelow says whether gangs of a lower priority run. O(gangs).
func runsBelow(s *snapshot.Snapshot, priority int64) (lower bool) {
	s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		_, held := holds.For(g.Name)
		lower = !held && g.Staying > 0 && g.Priority < priority
		return !lower
	})
	return lower
}

// keeping looks for the best plan that keeps what is held: room is given to those for whom it is held on nodes that a plan would take, one node after the
// other, the best plan first. What a plan is like with less given away bounds it with more.
type keeping struct {
	held  *holds.Reserve
	bare  *snapshot.Snapshot // nothing is held in domains
	req   *gang.Request
	best  *Result // on that
	plan  func(s *snapshot.Snapshot) (*Result, error)
	exact bool // nothing was left out so far, but for plans with victims
	tried map[string]bool
	plans int
}

// given is room that is given away, and the best plan beside it.
type given struct {
	room map[int][]int // members by claim, by node of the reserve
	plan *Result
	lack []int                 // claims that are not kept; none: all are
	now  map[int]*reserve.Node // nodes beside the plan
}

// lack says which claims a plan does not keep, and what it makes of nodes.
func (k *keeping) lack(r *Result) ([]int, map[int]*reserve.Node) {
	needs := needsOf(k.bare, r)
	changes := make([]holds.Change, len(needs))
	for i, need := range needs {
		changes[i] = holds.Change{Node: need.Node, Takes: need.Sum, Tolerated: r.tolerated}
	}
	at := func(id int32) *holds.Change {
		i, is := slices.BinarySearchFunc(changes, id, func(c holds.Change, id int32) int { return cmp.Compare(c.Node, id) })
		if !is {
			changes = slices.Insert(changes, i, holds.Change{Node: id})
		}
		return &changes[i]
	}
	for i := range r.Victims {
		if m := k.bare.Member(r.Victims[i].Gang, r.Victims[i].Member); m != nil {
			c := at(m.Node)
			c.Gone = append(c.Gone, m)
		}
	}
	lack, now, exact := k.held.Short(changes)
	k.exact = k.exact && exact
	return lack, now
}

// search is the best plan that keeps all; nil: none was found.
//
// order: holds.3
func (k *keeping) search(first given) *Result {
	found := k.settled(first.plan)
	if found != nil && k.compare(found, first.plan) == 0 {
		return besides(found, k.best, k.isEqual(found))
	}
	for open := []given{first}; len(open) > 0; {
		next := slices.MinFunc(open, func(a, b given) int { return k.compare(a.plan, b.plan) })
		open = slices.DeleteFunc(open, func(g given) bool { return g.plan == next.plan })
		if found != nil && k.compare(found, next.plan) <= 0 {
			break
		}
		if len(next.lack) == 0 {
			found = next.plan
			break
		}
		open = append(open, k.branches(&next)...)
	}
	if found == nil {
		return nil
	}
	// The groups of a gang in parts, and limits that are preferred, are more than is compared; and victims may make room for members for whom it is held.
	proven := found.Proven && k.exact && len(k.req.Parts) == 0 && !prefersLimits(k.req) && len(found.Victims) == 0
	found = besides(found, k.best, k.isEqual(found))
	found.Proven = found.Proven || proven
	return found
}

// compare prefers the better plan, in the order in which plans are made: waiting members count last.
func (k *keeping) compare(a, b *Result) int {
	bySpan := func(x, y LayerSpan) int { return cmp.Compare(x.Domains, y.Domains) }
	return cmp.Or(
		compareMembers(a, b), compareTiers(k.bare, a, b), slices.CompareFunc(a.Span, b.Span, bySpan), cmp.Compare(len(a.WaitsFor), len(b.WaitsFor)),
	)
}

// isEqual says whether a plan is as good as the best one.
func (k *keeping) isEqual(r *Result) bool {
	e := exclusion{refused: &refused{snapshot: k.bare, req: k.req}, best: k.best}
	return k.compare(r, k.best) == 0 && e.equals(r)
}

// settled is a plan beside room on nodes for all that is held, on those that the best plan leaves alone if there are enough; nil: there is none.
func (k *keeping) settled(best *Result) *Result {
	used := map[int32]bool{}
	for i := range best.Assignments {
		id, _ := k.bare.Lineage.ID(best.Assignments[i].Node)
		used[id] = true
	}
	room, all := k.held.Settle(k.held.OutOfTheWay(func(id int32) bool { return used[id] }))
	if !all {
		return nil
	}
	s, _ := k.held.With(room)
	k.plans++
	r, err := k.plan(s)
	if err != nil {
		return nil
	}
	if lack, _ := k.lack(r); len(lack) > 0 {
		return nil
	}
	return r
}

// branches gives away more: any plan that keeps all leaves on some node that this one uses more than this one does.
func (k *keeping) branches(g *given) (out []given) {
	nodes := make([]int, 0, len(g.now))
	for i := range g.now {
		if slices.ContainsFunc(k.held.Nodes[i].Claims, func(c int) bool { return slices.Contains(g.lack, c) }) {
			nodes = append(nodes, i)
		}
	}
	slices.Sort(nodes)
	alike := map[string][][]int{} // ways by kind of nodes: of nodes that are alike one is enough
	for _, i := range nodes {
		ways, all := reserve.Beyond(k.held.Claims, k.held.Nodes[i], g.now[i])
		k.exact = k.exact && all
		kind := k.kindOf(i, g)
		for _, way := range ways {
			if kind != "" && slices.ContainsFunc(alike[kind], func(other []int) bool { return slices.Equal(other, way) }) {
				continue
			}
			alike[kind] = append(alike[kind], way)
			if next, ok := k.give(g, i, way); ok {
				out = append(out, next)
			}
		}
	}
	return out
}

// give gives so many members room on a node, at least, and plans beside that; false: not so, or it was tried.
func (k *keeping) give(g *given, i int, members []int) (given, bool) {
	room := map[int][]int{}
	for at, members := range g.room {
		room[at] = members
	}
	n, more := k.held.Nodes[i], slices.Clone(members)
	for c, before := range room[i] {
		more[c] = max(more[c], before)
	}
	switch {
	case slices.Equal(more, room[i]): // victims make room twice, or who waits: it cannot be told apart
		k.exact = false
		return given{}, false
	case !n.Takes(k.held.Claims, more):
		return given{}, false
	}
	room[i] = more
	key := fmt.Sprint(room)
	if k.tried[key] || k.tooMany(room) {
		return given{}, false
	}
	if k.tried[key] = true; k.plans == mostKeeping {
		k.exact = false
		return given{}, false
	}
	k.plans++
	s, exact := k.held.With(room)
	k.exact = k.exact && exact
	r, err := k.plan(s)
	var no *Unschedulable
	if err != nil {
		k.exact = k.exact && errors.As(err, &no) && no.Proven
		return given{}, false
	}
	k.exact = k.exact && r.Proven
	out := given{room: room, plan: r}
	out.lack, out.now = k.lack(r)
	return out, true
}

// tooMany says whether more members of a claim have room than are held for.
func (k *keeping) tooMany(room map[int][]int) bool {
	sums := make([]int, len(k.held.Claims))
	for i, members := range room { // each by itself: the order does not matter
		for c, n := range members {
			sums[k.held.Nodes[i].Claims[c]] += n
		}
	}
	for c, sum := range sums {
		if sum > k.held.Need[c] {
			return true
		}
	}
	return false
}

// kindOf is equal for nodes that change places without a difference to the gang: nobody is on them, they lie side by side in each topology and are equal
// themselves, and so is what is given away there; empty: the gang may tell them apart.
func (k *keeping) kindOf(i int, g *given) string {
	id, s := k.held.IDs[i], k.bare
	if k.req.Score != nil || k.req.Slots != nil || k.req.Eligible != nil || len(k.req.Refused)+len(k.req.Parts) > 0 {
		return ""
	}
	for range snapshot.MembersOn(s, id) {
		return ""
	}
	n := k.held.Nodes[i]
	kind := fmt.Sprintf("%p %d %v %v %v %v", s.Static.ClassOf(id), s.FlagsOf(id), n.Claims, n.Each, n.Room, g.room[i])
	for _, v := range s.Lineage.Views {
		kind += fmt.Sprint(" ", v.Above(v.NodeVertex(v.At(id))))
	}
	return kind
}

// refusal is that of a gang that has a plan, but none that was found to keep what is held.
func (k *keeping) refusal(ctx context.Context, lack []int) *Unschedulable {
	h := &k.held.Holds[lack[0]]
	why := behind(h.Gang, fmt.Sprintf("for which room for %d is held in %s", h.Count, holds.Where(h)))
	why.Gang, why.Wanted, why.Proven, why.Stopped = k.req.Name, len(k.best.Assignments), k.exact && ctx.Err() == nil, ctx.Err()
	return &why
}
