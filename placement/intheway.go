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
	// Members would have to be placed anew; in natural order of names. Empty if that would not help, or if the running members are
	// not the reason: too few members are known, a quota refuses, or none run.
	Members []Obstacle
	// Proven is true if it is known that no smaller set would do - with none, that no set would -, and that this one is the first of its
	// size in natural order.
	Proven bool
}

// Obstacle is a running member that stands in the way.
type Obstacle struct {
	cluster.MemberRef
	Node string
}

// InTheWay names the fewest of the gang's own running members without which it could be placed: if they did not run, and were to be placed anew
// with those that wait, as many members could run as do now and had to be placed, on what is free or leaving, without victims. A running member is taken for
// one of the first shape of the request that asks for what it holds; if none does, of the request's shape with what it holds. Nobody is moved:
// this is for a host that may restart some members, and for whoever asks why there is no replacement.
//
// It is computed when asked for, from the snapshot. Without groups that have a MustGather of their own, multiples, zones and different shapes it
// takes at most a plan for each domain with running members. Else the search ends after 1,000 plans, and with members on nodes that would not take them
// back, with parts, with different shapes in zones, or with a minimum of members in groups or of different shapes, only a single member is known to be the fewest.
func (u *Unschedulable) InTheWay() Obstacles {
	if u.inTheWay == nil || u.Rule == minMember || u.RefusedBy != nil {
		return Obstacles{}
	}
	return u.inTheWay()
}

// obstaclePlans bounds the plans that a search for obstacles makes.
const obstaclePlans = 1000

// clearing is a gang that is refused, whose running members may be placed anew.
type clearing struct {
	p        *problem.Problem
	members  []*snapshot.Member // in natural order of names
	shapes   []*gang.Shape
	all      *problem.Problem // with all of them to be placed anew; nil if that is not supported
	search   *sets.Fewest
	groups   []int // of the innermost level, by member
	before   []int // waiting members of lower ranks, by member
	unproven bool
}

// inTheWay is [Unschedulable.InTheWay] for a gang that is refused, as its request says now.
func inTheWay(p *problem.Problem) Obstacles {
	fresh, err := search.New(p.Snapshot, p.Request, nil)
	if err != nil {
		return Obstacles{} // never, unless the request has changed since
	}
	defer fresh.Done()
	w := &clearing{p: fresh}
	w.findMembers()
	w.search = sets.NewFewest(w.classes(), obstaclePlans, w.helps)
	c, req := w.without(w.search.Sizes)
	if w.all, err = search.New(c, req, nil); err != nil {
		w.all = nil // not supported as a whole
		return w.solve()
	}
	defer w.all.Done()
	return w.solve()
}

// solve chooses the way to search.
func (w *clearing) solve() Obstacles {
	sets := w.outsideDomains()
	if w.plain() {
		return w.first(sets)
	}
	lasting, monotone := w.lasting()
	if !monotone {
		return w.irregular(append(sets, lasting))
	}
	if !w.search.Helps(w.search.Sizes) {
		return Obstacles{Proven: !w.unproven && !w.search.Spent()}
	}
	if found := w.search.Search(); found != nil {
		return w.obstacles(found, !w.unproven)
	}
	w.search.Asks = obstaclePlans
	return w.obstacles(w.search.Spare(sets[slices.IndexFunc(sets, w.search.Helps)]), false)
}

// first is the first set that helps of some that contain all that may be the fewest, smallest first.
func (w *clearing) first(sets [][]int32) Obstacles {
	i := slices.IndexFunc(sets, w.search.Helps)
	if proven := !w.unproven && !w.search.Spent(); i < 0 {
		return Obstacles{Proven: proven}
	}
	return w.obstacles(sets[i], !w.unproven)
}

// irregular tries single members, then whatever helps, without those that can be spared.
func (w *clearing) irregular(sets [][]int32) Obstacles {
	none := make([]int32, len(w.search.Sizes))
	for e, class := range w.search.ClassOf {
		if slices.Index(w.search.ClassOf, class) < e {
			continue // one as good was tried
		}
		if one := w.search.With(none, []int32{int32(e)}); w.search.Helps(one) {
			return w.obstacles(one, !w.unproven)
		}
	}
	w.search.Asks = obstaclePlans
	if i := slices.IndexFunc(sets, w.search.Helps); i >= 0 {
		return w.obstacles(w.search.Spare(sets[i]), false)
	}
	return Obstacles{}
}

// findMembers lists the running members that stay, with their shapes and groups.
func (w *clearing) findMembers() {
	size := 1
	if n := len(w.p.Levels); n > 0 {
		size = int(w.p.Levels[n-1].Size)
	}
	places := map[string][2]int{}
	waiting := 0
	for rank, r := range w.p.Ranking() {
		if r.Pos < 0 {
			waiting++
			continue
		}
		places[r.Name] = [2]int{rank / size, waiting}
	}
	for _, m := range w.p.Own {
		if at, ok := places[m.Name]; ok {
			w.members, w.shapes = append(w.members, m), append(w.shapes, w.shapeOfRunning(m))
			w.groups, w.before = append(w.groups, at[0]), append(w.before, at[1])
		}
	}
}

// shapeOfRunning is the shape that a running member is taken to have.
func (w *clearing) shapeOfRunning(m *snapshot.Member) *gang.Shape {
	holds := func(s *gang.Shape) bool {
		for r, name := range w.p.Snapshot.Lineage.Resources {
			if s.Resources[name] != m.Class.Holds[r] {
				return false
			}
		}
		return true
	}
	if holds(&w.p.Request.Shape) {
		return &w.p.Request.Shape
	}
	for i := range w.p.Request.Members {
		if s := w.p.Request.Members[i].Shape; s != nil && holds(s) {
			return s
		}
	}
	if i := slices.IndexFunc(w.members, func(o *snapshot.Member) bool { return slices.Equal(o.Class.Holds, m.Class.Holds) }); i >= 0 {
		return w.shapes[i]
	}
	own := w.p.Request.Shape
	own.Resources = w.p.Snapshot.Lineage.Held(m.Class.Holds)
	return &own
}

// classes part the members: those of a class are as good as each other to be placed anew.
func (w *clearing) classes() []int32 {
	type class struct {
		node          int32
		group, before int
		shape         *gang.Shape
		placed        *numa.Placed
		quota         string
		pinned        bool
	}
	known, out := map[class]int32{}, make([]int32, len(w.members))
	for i, m := range w.members {
		c := class{m.Node, 0, 0, w.shapes[i], m.Placed, m.Class.Quota, m.Pinned}
		if len(w.p.Levels) > 0 {
			c.group = w.groups[i]
		}
		if len(w.p.Request.Parts) > 0 {
			c.group = i // it has a part of its own, for all that is known here
		}
		if w.p.Request.MinMember > 0 { // the lowest ranks are placed
			c.before = w.before[i]
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

// without is the snapshot without some members, and the request with them. The nodes are those of the first ones of each class.
func (w *clearing) without(counts []int32) (*snapshot.Snapshot, *gang.Request) {
	req, d := *w.p.Request, cluster.Delta{}
	req.Members, req.Preempt.ForTier = slices.Clone(req.Members), ""
	for _, e := range w.search.Elements(counts) {
		m, shape := w.members[e], w.shapes[e]
		if shape == &w.p.Request.Shape {
			shape = nil
		}
		d.Remove = append(d.Remove, cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name})
		req.Members = append(req.Members, gang.Member{Name: m.Name, Index: m.Index, Indexed: m.Indexed, Shape: shape, NonPreemptible: m.Pinned})
	}
	if req.MinMember > 0 && len(req.Parts) == 0 {
		req.MinMember = len(w.p.Running) + w.p.Least
		req.Total = max(req.Total, len(w.p.Running)+len(w.p.Request.Members))
	}
	c, err := w.p.Snapshot.Update(d)
	if err != nil {
		return w.p.Snapshot, w.p.Request // never: they run
	}
	return c, &req
}

// helps says whether the gang could be placed if some members were placed anew with it.
func (w *clearing) helps(counts []int32) bool {
	c, req := w.without(counts)
	res, err := planOn(c, req, victims.Nobody)
	var why *Unschedulable
	switch {
	case err == nil:
		return len(res.Assignments) > len(req.Members)-len(w.p.Request.Members) // parts may leave out whom they need not have
	case !errors.As(err, &why) || !why.Proven:
		w.unproven = true
	}
	return false
}

// outsideDomains lists, smallest first, the members outside of each domain that the gang may gather in and that some of them run in, and at
// last all of them.
func (w *clearing) outsideDomains() [][]int32 {
	domains := make([]layout.Vertex, len(w.members))
	for e, m := range w.members {
		domains[e] = w.p.View.Highest(w.p.View.NodeVertex(w.p.View.At(m.Node)), w.p.Gather.Must)
	}
	sets := [][]int32{w.search.Sizes}
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
		sets = append(sets, w.search.With(make([]int32, len(w.search.Sizes)), outside))
	}
	slices.SortStableFunc(sets, func(a, b []int32) int {
		x, y := w.search.Elements(a), w.search.Elements(b)
		return cmp.Or(cmp.Compare(len(x), len(y)), slices.Compare(x, y))
	})
	return sets
}

// plain says whether slots alone decide. Then members that are placed anew below the domain in which the gang gathers could as well stay: they
// make no more room than they need.
func (w *clearing) plain() bool {
	a := w.all
	if a == nil || len(a.Shapes) > 1 || a.Multiple != nil || len(w.p.Request.Parts) > 0 || w.p.Snapshot.Zoned > 0 || a.Shapes[0].NUMA.Policy != "" {
		return false
	}
	counted := w.p.Request.MinMember > 0 && (len(a.Levels) > 0 || w.p.Request.Quota != "")
	return !counted && !slices.ContainsFunc(a.Levels, func(l problem.Level) bool { return l.Gather.Must < a.Gather.Must })
}

// lasting are the members that could be placed where they were. If that are all, monotone says whether what helps surely does with more members
// in it.
func (w *clearing) lasting() (counts []int32, monotone bool) {
	a := w.all
	counts = make([]int32, len(w.search.Sizes))
	if a == nil || a.Unbundled != nil {
		return counts, false
	}
	roles := []*problem.Problem{a}
	if a.HasRoles() {
		roles = a.OfRoles()
	}
	var stay []int32
	for e, m := range w.members {
		one := roles[slices.IndexFunc(a.Shapes, func(s *gang.Shape) bool { return s.Equal(w.shapes[e]) })]
		full := func(n problem.Need) bool { return w.p.Counting().FreeOf(m.Node, n, nil) < 0 }
		if m.Class.Quota == w.p.Request.Quota && int(one.Counting().Counter(one.Counting().Excluded(), nil)(m.Node)) >= w.alike(e) && !slices.ContainsFunc(a.Needs, full) {
			stay = append(stay, int32(e))
		}
	}
	fewer := w.p.Request.MinMember > 0 && (len(a.Levels) > 0 || len(a.Shapes) > 1) // the lowest ranks are placed
	mixed := len(a.Shapes) > 1 && a.Zones().Bind()                                 // more free zones may be taken otherwise
	return w.search.With(counts, stay), len(stay) == len(w.members) && !fewer && !mixed && len(w.p.Request.Parts) == 0
}

// alike counts the members of one shape on a member's node.
func (w *clearing) alike(e int) (n int) {
	for o, m := range w.members {
		if m.Node == w.members[e].Node && w.shapes[o].Equal(w.shapes[e]) {
			n++
		}
	}
	return n
}

// obstacles are the members of a set.
func (w *clearing) obstacles(counts []int32, proven bool) Obstacles {
	out := Obstacles{Proven: proven}
	for _, e := range w.search.Elements(counts) {
		m := w.members[e]
		out.Members = append(out.Members, Obstacle{cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name}, w.p.Snapshot.Lineage.Names[m.Node]})
	}
	return out
}
