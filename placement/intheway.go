// Which running members of a gang keep its others from being placed?

package placement

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/hitting"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/ranks"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
)

// Obstacles are running members of a gang that stand in the way of those that wait. The zero value names nobody and
// proves nothing.
type Obstacles struct {
	// Members would have to be placed anew; in natural order of names. Empty if that would not help, or if the running
	// members are not the reason: too few members are known, a quota refuses, or none run.
	Members []Obstacle
	// Proven is true if no smaller set would do, and this one is the first of its size in natural order. Without
	// Members: if no set would do.
	Proven bool
}

// Obstacle is a running member that stands in the way.
type Obstacle struct {
	cluster.MemberRef
	Node string
}

// InTheWay names the fewest of the gang's own running members without which it could be placed. If they did not run,
// and were placed anew with those that wait, then as many members could run as do now and had to be placed, on free or
// leaving capacity, without victims. A running member has the first shape of the request that asks for what it holds,
// else the request's shape with what it holds. Nobody is moved: this is for a host that may restart some members, and
// for the question why there is no replacement.
//
// It is computed from the snapshot when asked for. Without groups that have a MustGather of their own, multiples, limits,
// zones and different shapes it takes at most a plan for each domain with running members. Else the search ends after 1,000
// plans, or once all together have spent the steps of one ([gang.Request].Steps). Only a single member is known to be
// the fewest in these cases: members on nodes that would not take them back, limits, parts, different shapes in zones, a
// minimum of members in groups or of different shapes.
func (u *Unschedulable) InTheWay() Obstacles {
	if u == nil || u.inTheWay == nil || u.Rule == RuleMinMember || u.RefusedBy != nil {
		return Obstacles{}
	}
	return u.inTheWay()
}

// obstaclePlans bounds the plans that a search for obstacles makes; where it spares members, once more as many.
const obstaclePlans = 1000

// obstacleSearch looks for the fewest running members that a refused gang would have to place anew. Members of one
// class (same node, group, shape) help alike, so a set is a count for each class and stands for the first members of
// these. A set helps if a plan without the set's members in place, who are placed anew, places at least one waiting
// member.
type obstacleSearch struct {
	p        *problem.Problem
	members  []*snapshot.Member // that run and stay, in natural order of names; elements are places in it
	shapes   []*gang.Shape      // by member: what it is placed anew as
	all      *problem.Problem   // all of them placed anew; nil if that is not supported
	search   *hitting.Fewest
	groups   []int         // by member: its group of the innermost level; its rank without groups
	before   []int         // by member: number of waiting members of lower ranks
	bounds   bounds.Search // what all plans may spend together
	unproven bool          // a plan was refused without proof, or not made for want of steps
}

// inTheWay is [Unschedulable.InTheWay] for the problem of a refused gang. It begins with a problem of its own: the one
// of the plan has given back parts that other plans use by now.
//
// order: refusals.6
func inTheWay(p *problem.Problem) Obstacles {
	fresh, err := search.New(p.Snapshot, p.Request, nil, bounds.Search{})
	if err != nil {
		return Obstacles{} // never, unless the request has changed since
	}
	defer fresh.Done()
	s := &obstacleSearch{p: fresh, bounds: bounds.Search{Left: fresh.NewBudget()}}
	s.findMembers()
	s.search = hitting.NewFewest(s.classesOfMembers(), obstaclePlans, s.helps)
	c, req := s.without(s.search.Sizes) // the gang as if none of it ran
	if s.all, err = search.New(c, req, nil, s.bounds); err != nil {
		s.all = nil // such a request is not supported, though smaller sets may be
		return s.solve()
	}
	defer s.all.Done()
	return s.solve()
}

// solve chooses the way to search, from exact and cheap to incomplete:
//   - Where slots alone decide, the fewest are all members outside some domain: one plan for each domain.
//   - Where more members never help less, the search for a smallest set is exact, as long as it has questions left. If
//     the set of all does not help, none does. If questions run out, a set that helps is made smaller member by member:
//     then none of its members can be spared, but a smaller set may exist elsewhere.
//   - Else only a single member is known to be the fewest: the gang was refused, so the empty set does not help.
func (s *obstacleSearch) solve() Obstacles {
	sets := s.outsideDomains()
	if s.slotsDecide() {
		return s.smallestOf(sets)
	}
	lasting, monotone := s.couldStay()
	if !monotone {
		return s.oneOrSpared(append(sets, lasting))
	}
	if !s.search.Helps(s.search.Sizes) {
		return Obstacles{Proven: !s.unproven && !s.search.Spent()}
	}
	if found := s.search.Search(); found != nil {
		return s.fewest(found)
	}
	s.search.Asks = obstaclePlans
	helps := s.search.Sizes // known, if no steps are left to ask again
	if i := slices.IndexFunc(sets, s.search.Helps); i >= 0 {
		helps = sets[i]
	}
	return s.obstacles(s.search.Spare(helps))
}

// smallestOf is the first set that helps, of sets that contain all possible answers, smallest first. None: proven that
// no set would do, unless a plan was refused without proof or questions ran out.
func (s *obstacleSearch) smallestOf(sets [][]int32) Obstacles {
	i := slices.IndexFunc(sets, s.search.Helps)
	if proven := !s.unproven && !s.search.Spent(); i < 0 {
		return Obstacles{Proven: proven}
	}
	return s.fewest(sets[i])
}

// oneOrSpared tries single members, one of each class; then any of the sets that helps, less the members that can be
// spared. Nothing found proves nothing.
func (s *obstacleSearch) oneOrSpared(sets [][]int32) Obstacles {
	none := make([]int32, len(s.search.Sizes))
	for e, class := range s.search.ClassOf {
		if slices.Index(s.search.ClassOf, class) < e {
			continue // its class was tried
		}
		if one := s.search.With(none, []int32{int32(e)}); s.search.Helps(one) {
			return s.fewest(one)
		}
	}
	s.search.Asks = obstaclePlans
	if i := slices.IndexFunc(sets, s.search.Helps); i >= 0 {
		return s.obstacles(s.search.Spare(sets[i]))
	}
	return Obstacles{}
}

// findMembers lists the running members that stay, in natural order of names, with their shapes, groups and the number
// of members before them in rank order that wait. O(members * resources) for few shapes.
func (s *obstacleSearch) findMembers() {
	size := 1
	if n := len(s.p.Model.Levels); n > 0 {
		size = int(s.p.Model.Levels[n-1].Size)
	}
	places := map[string][2]int{} // of running members by name: group, waiting members before
	waiting := 0
	for rank, r := range ranks.Of(s.p.Request, s.p.Own, s.p.Model.View) {
		if r.Pos < 0 { // it waits
			waiting++
			continue
		}
		places[r.Name] = [2]int{rank / size, waiting}
	}
	for _, m := range s.p.Own.All() {
		if at, ok := places[m.Name]; ok {
			s.members, s.shapes = append(s.members, m), append(s.shapes, s.shapeOfRunning(m))
			s.groups, s.before = append(s.groups, at[0]), append(s.before, at[1])
		}
	}
}

// shapeOfRunning is the shape as which a running member would be placed anew: the first of the request that asks for
// just the amounts that it holds; else the request's with these amounts, one for all members that hold them.
func (s *obstacleSearch) shapeOfRunning(m *snapshot.Member) *gang.Shape {
	holds := func(shape *gang.Shape) bool {
		for r, name := range s.p.Snapshot.Lineage.Resources {
			if shape.Resources[name] != m.Class.Holds[r] {
				return false
			}
		}
		return true
	}
	if holds(&s.p.Request.Shape) {
		return &s.p.Request.Shape
	}
	for i := range s.p.Request.Members {
		if shape := s.p.Request.Members[i].Shape; shape != nil && holds(shape) {
			return shape
		}
	}
	if i := slices.IndexFunc(s.members, func(o *snapshot.Member) bool { return slices.Equal(o.Class.Holds, m.Class.Holds) }); i >= 0 {
		return s.shapes[i]
	}
	own := s.p.Request.Shape
	own.Resources = s.p.Snapshot.Lineage.Held(m.Class.Holds)
	return &own
}

// classesOfMembers numbers the classes of members: to place one of a class anew helps as much as another, as they give
// back the same on the same node and their places in the gang count alike.
func (s *obstacleSearch) classesOfMembers() []int32 {
	type class struct {
		node          int32
		group, before int // 0 where they do not matter
		shape         *gang.Shape
		placed        *numa.Placed
		quota         string
		pinned        bool
	}
	known, out := map[class]int32{}, make([]int32, len(s.members))
	for i, m := range s.members {
		c := class{m.Node, 0, 0, s.shapes[i], m.Placed, m.Class.Quota, m.Pinned}
		if len(s.p.Model.Levels) > 0 {
			c.group = s.groups[i]
		}
		if len(s.p.Request.Parts) > 0 {
			c.group = i // its part is not known here
		}
		if s.p.Request.MinMember > 0 { // the lowest ranks are placed first: the rank among those that wait matters
			c.before = s.before[i]
		}
		id, ok := known[c]
		if !ok {
			id = int32(len(known))
			known[c] = id
		}
		out[i] = id
	}
	return out
}

// without is the snapshot without a set of members, and the request that places them anew beside the waiting ones. A
// minimum becomes the number of members that run now and that had to be placed: so nobody is placed anew in vain.
func (s *obstacleSearch) without(counts []int32) (*snapshot.Snapshot, *gang.Request) {
	req, d := *s.p.Request, cluster.Delta{}
	req.Members, req.Preempt.ForTier = slices.Clone(req.Members), ""
	for _, e := range s.search.Elements(counts) {
		m, shape := s.members[e], s.shapes[e]
		if shape == &s.p.Request.Shape {
			shape = nil
		}
		d.Remove = append(d.Remove, refOf(m))
		anew := gang.Member{Name: m.Name, Index: m.Index, Indexed: m.Indexed, Shape: shape, NonPreemptible: m.Pinned}
		req.Members = append(req.Members, anew)
	}
	if req.MinMember > 0 && len(req.Parts) == 0 {
		req.MinMember = s.p.Model.Running.Len() + s.p.Model.Least
		req.Total = max(req.Total, s.p.Model.Running.Len()+len(s.p.Request.Members))
	}
	c, err := s.p.Snapshot.Update(d)
	if err != nil {
		return s.p.Snapshot, s.p.Request // never: they run
	}
	return c, &req
}

// helps says whether the gang could be placed together with a set of members placed anew, on free or leaving capacity.
// A refusal without proof leaves open whether a set would help, so the answer of the whole search is not proven then.
func (s *obstacleSearch) helps(counts []int32) bool {
	left := s.bounds.Left
	if left.Fronts.Spent() || left.Packing.Spent() {
		s.unproven = true
		return false
	}
	c, req := s.without(counts)
	res, err := planOn(context.Background(), c, req, victims.Nobody, s.bounds)
	if s.p.InParts() { // nodes are told apart in each plan anew
		left.Packing.Spend(int64(s.p.Model.View.Nodes) + int64(s.p.Model.Ranks))
	}
	var why *Unschedulable
	switch {
	case err == nil && len(res.Assignments) > len(req.Members)-len(s.p.Request.Members):
		return true // more are placed than the set has members: parts may leave out members that wait
	case err == nil:
		s.unproven = s.unproven || !res.Proven
	case !errors.As(err, &why) || !why.Proven:
		s.unproven = true
	}
	return false
}

// outsideDomains lists sets, smallest first, of equals the one with the first members: for each domain that the gang
// may gather in and that some of its members run in, the members outside it; and all members. Domains are the highest
// that the gang's MustGather allows, so smaller ones add nothing. O(members * (domains + log members)).
func (s *obstacleSearch) outsideDomains() [][]int32 {
	domains := make([]layout.Vertex, len(s.members))
	for e, m := range s.members {
		domains[e] = s.p.Model.View.Highest(s.p.Model.View.NodeVertex(s.p.Model.View.At(m.Node)), s.p.Model.Gather.Must)
	}
	sets := [][]int32{s.search.Sizes}
	for e, d := range domains {
		if slices.Index(domains, d) < e {
			continue
		}
		var outside []int32
		for o := range domains {
			if domains[o] != d {
				outside = append(outside, int32(o))
			}
		}
		sets = append(sets, s.search.With(make([]int32, len(s.search.Sizes)), outside))
	}
	slices.SortStableFunc(sets, func(a, b []int32) int {
		x, y := s.search.Elements(a), s.search.Elements(b)
		return cmp.Or(cmp.Compare(len(x), len(y)), slices.Compare(x, y))
	})
	return sets
}

// slotsDecide says whether slots alone decide. Then a smallest set that helps is all members outside some domain: take
// the domain in which the gang gathers once the set is placed anew. Members that stay are in it. A member of the set
// that runs in it could as well stay, since it makes no more room than it needs itself; so a smallest set has none.
//
// That fails where members differ, zones, limits or multiples count, groups have to gather lower than the gang, or a minimum
// chooses among ranks whose groups or quota decide.
func (s *obstacleSearch) slotsDecide() bool {
	a := s.all
	if a == nil || len(a.Room.Shapes) > 1 || a.Model.Multiple != nil || a.Model.Limits != nil || len(s.p.Request.Parts) > 0 {
		return false
	}
	if s.p.Snapshot.Zoned > 0 || a.Room.Shapes[0].NUMA.Policy != "" {
		return false
	}
	counted := s.p.Request.MinMember > 0 && (len(a.Model.Levels) > 0 || s.p.Request.Quota != "")
	return !counted && !slices.ContainsFunc(a.Model.Levels, func(l model.Level) bool { return l.Gather.Must < a.Model.Gather.Must })
}

// couldStay is the set of members that could be placed where they run now. monotone says whether a set that helps
// surely helps with more members in it: it does if every further member can be put back to its node, so that the same
// plan holds. It is false if some member could not stay, or not beside others by a limit, or if more members change which are placed, or how zones are
// shared.
func (s *obstacleSearch) couldStay() (counts []int32, monotone bool) {
	a := s.all
	counts = make([]int32, len(s.search.Sizes))
	if a == nil || a.Unbundled != nil {
		return counts, false
	}
	roles := problem.EachAlone(a)
	var stay []int32
	for e, m := range s.members {
		one := roles[slices.IndexFunc(a.Room.Shapes, func(shape *gang.Shape) bool { return shape.Equal(s.shapes[e]) })]
		// A node that is over-committed now would not take back all that it runs.
		full := func(n room.Need) bool { return s.p.Room.Slots().FreeOf(m.Node, n, nil) < 0 }
		if m.Class.Quota != s.p.Request.Quota || slices.ContainsFunc(a.Room.Needs, full) {
			continue
		}
		slots := one.Room.Slots().Counter(one.Room.Slots().Excluded(), nil)
		// Slots are counted with the whole gang gone: enough of them for all of its members of this shape there.
		if int(slots(m.Node)) >= s.likeOnNode(e) {
			stay = append(stay, int32(e))
		}
	}
	fewer := s.p.Request.MinMember > 0 && (len(a.Model.Levels) > 0 || len(a.Room.Shapes) > 1) // the lowest ranks are placed first
	mixed := len(a.Room.Shapes) > 1 && a.Room.Zones().Bind()                                  // shapes may share more free zones in another way
	return s.search.With(counts, stay), len(stay) == len(s.members) && !fewer && !mixed && a.Model.Limits == nil && len(s.p.Request.Parts) == 0
}

// likeOnNode counts the gang's running members of a member's shape on its node, itself included. O(members).
func (s *obstacleSearch) likeOnNode(e int) (n int) {
	for o, m := range s.members {
		if m.Node == s.members[e].Node && s.shapes[o].Equal(s.shapes[e]) {
			n++
		}
	}
	return n
}

// fewest are the members of a set than which no smaller one helps: proven, unless a plan was refused without proof.
func (s *obstacleSearch) fewest(counts []int32) Obstacles {
	out := s.obstacles(counts)
	out.Proven = !s.unproven
	return out
}

// obstacles names the members of a set, in natural order; it claims no proof.
func (s *obstacleSearch) obstacles(counts []int32) (out Obstacles) {
	for _, e := range s.search.Elements(counts) {
		m := s.members[e]
		out.Members = append(out.Members, Obstacle{refOf(m), s.p.Snapshot.Lineage.Names[m.Node]})
	}
	return out
}
