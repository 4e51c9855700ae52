package placement

import (
	"cmp"
	"errors"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/sets"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
)

// Obstacles are members of a gang that stand in the way of its others.
type Obstacles struct {
	// Members would have to be placed anew; in natural order of names. Empty if that would not help, or if the running
	// members are not the reason: too few members are known, a quota refuses, or none run.
	Members []Obstacle
	// Proven is true if it is known that no smaller set would do (with none, that no set would), and that this one is the
	// first of its size in natural order.
	Proven bool
}

// Obstacle is a running member that stands in the way.
type Obstacle struct {
	cluster.MemberRef
	Node string
}

// InTheWay names the fewest of the gang's own running members without which it could be placed. If they did not run, and
// were placed anew with those that wait, then as many members could run as do now and had to be placed, on free or
// leaving capacity, without victims. A running member has the first shape of the request that asks for what it holds,
// else the request's shape with what it holds. Nobody is moved: this is for a host that may restart some members, and
// for the question why there is no replacement.
//
// It is computed from the snapshot when asked for. Without groups that have a MustGather of their own, multiples, zones
// and different shapes it takes at most a plan for each domain with running members. Else the search ends after 1,000
// plans. Only a single member is known to be the fewest in these cases: members on nodes that would not take them back,
// parts, different shapes in zones, a minimum of members in groups or of different shapes.
func (u *Unschedulable) InTheWay() Obstacles {
	if u == nil || u.inTheWay == nil || u.Rule == minMember || u.RefusedBy != nil {
		return Obstacles{}
	}
	return u.inTheWay()
}

// obstaclePlans bounds the plans that a search for obstacles makes.
const obstaclePlans = 1000

// obstacleSearch looks for the fewest running members that a refused gang would have to place anew. A set of members is
// a count for each class, its first members.
type obstacleSearch struct {
	p        *problem.Problem
	members  []*snapshot.Member // in natural order of names
	shapes   []*gang.Shape
	all      *problem.Problem // all of them placed anew; nil if that is not supported
	search   *sets.Fewest
	groups   []int // of the innermost level, by member
	before   []int // waiting members of lower ranks, by member
	unproven bool  // a plan was refused without proof
}

// inTheWay is [Unschedulable.InTheWay] for the problem of a refused gang.
// order: refusals.6
func inTheWay(p *problem.Problem) Obstacles {
	fresh, err := search.New(p.Snapshot, p.Request, nil)
	if err != nil {
		return Obstacles{} // never, unless the request has changed since
	}
	defer fresh.Done()
	s := &obstacleSearch{p: fresh}
	s.findMembers()
	s.search = sets.NewFewest(s.classesOfMembers(), obstaclePlans, s.helps)
	c, req := s.without(s.search.Sizes)
	if s.all, err = search.New(c, req, nil); err != nil {
		s.all = nil // not supported as a whole
		return s.solve()
	}
	defer s.all.Done()
	return s.solve()
}

// solve chooses the way to search. Where slots alone decide, the fewest are all members outside some domain. Where more
// members never help less, the general search is exact. Else only single members are.
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
	return s.obstacles(s.search.Spare(sets[slices.IndexFunc(sets, s.search.Helps)]))
}

// smallestOf is the first set that helps, of sets that contain all possible answers, smallest first.
func (s *obstacleSearch) smallestOf(sets [][]int32) Obstacles {
	i := slices.IndexFunc(sets, s.search.Helps)
	if proven := !s.unproven && !s.search.Spent(); i < 0 {
		return Obstacles{Proven: proven}
	}
	return s.fewest(sets[i])
}

// oneOrSpared tries single members, then any set that helps, less the members that can be spared.
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

// findMembers lists the running members that stay, with their shapes, groups and ranks among those that wait.
func (s *obstacleSearch) findMembers() {
	size := 1
	if n := len(s.p.Levels); n > 0 {
		size = int(s.p.Levels[n-1].Size)
	}
	places := map[string][2]int{}
	waiting := 0
	for rank, r := range s.p.Ranking() {
		if r.Pos < 0 {
			waiting++
			continue
		}
		places[r.Name] = [2]int{rank / size, waiting}
	}
	for _, m := range s.p.Own {
		if at, ok := places[m.Name]; ok {
			s.members, s.shapes = append(s.members, m), append(s.shapes, s.shapeOfRunning(m))
			s.groups, s.before = append(s.groups, at[0]), append(s.before, at[1])
		}
	}
}

// shapeOfRunning is the shape that a running member counts as.
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

// classesOfMembers numbers the classes of members: to place one of a class anew helps as much as another.
func (s *obstacleSearch) classesOfMembers() []int32 {
	type class struct {
		node          int32
		group, before int
		shape         *gang.Shape
		placed        *numa.Placed
		quota         string
		pinned        bool
	}
	known, out := map[class]int32{}, make([]int32, len(s.members))
	for i, m := range s.members {
		c := class{m.Node, 0, 0, s.shapes[i], m.Placed, m.Class.Quota, m.Pinned}
		if len(s.p.Levels) > 0 {
			c.group = s.groups[i]
		}
		if len(s.p.Request.Parts) > 0 {
			c.group = i // its part is not known here
		}
		if s.p.Request.MinMember > 0 { // the lowest ranks are placed first
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

// without is the snapshot without a set of members, and the request that places them anew.
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
		req.MinMember = len(s.p.Running) + s.p.Least
		req.Total = max(req.Total, len(s.p.Running)+len(s.p.Request.Members))
	}
	c, err := s.p.Snapshot.Update(d)
	if err != nil {
		return s.p.Snapshot, s.p.Request // never: they run
	}
	return c, &req
}

// helps says whether the gang could be placed together with a set of members placed anew.
func (s *obstacleSearch) helps(counts []int32) bool {
	c, req := s.without(counts)
	res, err := planOn(c, req, victims.Nobody)
	var why *Unschedulable
	switch {
	case err == nil:
		return len(res.Assignments) > len(req.Members)-len(s.p.Request.Members) // parts may leave members out
	case !errors.As(err, &why) || !why.Proven:
		s.unproven = true
	}
	return false
}

// outsideDomains lists sets, smallest first: for each domain that the gang may gather in and that some of its members run
// in, those outside it; and all members.
func (s *obstacleSearch) outsideDomains() [][]int32 {
	domains := make([]layout.Vertex, len(s.members))
	for e, m := range s.members {
		domains[e] = s.p.View.Highest(s.p.View.NodeVertex(s.p.View.At(m.Node)), s.p.Gather.Must)
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

// slotsDecide says whether slots alone decide. Then members placed anew below the domain in which the gang gathers could
// as well stay: they make no more room than they need.
func (s *obstacleSearch) slotsDecide() bool {
	a := s.all
	if a == nil || len(a.Shapes) > 1 || a.Multiple != nil || len(s.p.Request.Parts) > 0 {
		return false
	}
	if s.p.Snapshot.Zoned > 0 || a.Shapes[0].NUMA.Policy != "" {
		return false
	}
	counted := s.p.Request.MinMember > 0 && (len(a.Levels) > 0 || s.p.Request.Quota != "")
	return !counted && !slices.ContainsFunc(a.Levels, func(l problem.Level) bool { return l.Gather.Must < a.Gather.Must })
}

// couldStay is the set of members that could be placed where they run. If these are all, monotone says whether a set that
// helps surely does with more members in it.
func (s *obstacleSearch) couldStay() (counts []int32, monotone bool) {
	a := s.all
	counts = make([]int32, len(s.search.Sizes))
	if a == nil || a.Unbundled != nil {
		return counts, false
	}
	roles := []*problem.Problem{a}
	if a.HasRoles() {
		roles = a.OfRoles()
	}
	var stay []int32
	for e, m := range s.members {
		one := roles[slices.IndexFunc(a.Shapes, func(shape *gang.Shape) bool { return shape.Equal(s.shapes[e]) })]
		full := func(n problem.Need) bool { return s.p.Slots().FreeOf(m.Node, n, nil) < 0 }
		if m.Class.Quota != s.p.Request.Quota || slices.ContainsFunc(a.Needs, full) {
			continue
		}
		slots := one.Slots().Counter(one.Slots().Excluded(), nil)
		if int(slots(m.Node)) >= s.likeOnNode(e) {
			stay = append(stay, int32(e))
		}
	}
	fewer := s.p.Request.MinMember > 0 && (len(a.Levels) > 0 || len(a.Shapes) > 1) // the lowest ranks are placed first
	mixed := len(a.Shapes) > 1 && a.Zones().Bind()                                 // more free zones may be shared out otherwise
	return s.search.With(counts, stay), len(stay) == len(s.members) && !fewer && !mixed && len(s.p.Request.Parts) == 0
}

// likeOnNode counts the members of a member's shape on its node.
func (s *obstacleSearch) likeOnNode(e int) (n int) {
	for o, m := range s.members {
		if m.Node == s.members[e].Node && s.shapes[o].Equal(s.shapes[e]) {
			n++
		}
	}
	return n
}

// fewest are the members of a set that no smaller one replaces, unless a plan was refused without proof.
func (s *obstacleSearch) fewest(counts []int32) Obstacles {
	out := s.obstacles(counts)
	out.Proven = !s.unproven
	return out
}

// obstacles are the members of a set that may not be the fewest.
func (s *obstacleSearch) obstacles(counts []int32) (out Obstacles) {
	for _, e := range s.search.Elements(counts) {
		m := s.members[e]
		out.Members = append(out.Members, Obstacle{refOf(m), s.p.Snapshot.Lineage.Names[m.Node]})
	}
	return out
}
