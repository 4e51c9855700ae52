// How many nodes would have to be added to a domain?

package relax

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// addition is the question to which domain nodes like one are added.
type addition struct {
	r     *rooms
	like  int32 // its id
	units int64 // that an empty node like it takes
}

// site is a lowest domain to which nodes may be added.
type site struct {
	leaf  layout.Vertex
	least int // fewer nodes there do not help
}

// additions finds the lowest domain to which the fewest nodes would have to be added, of the kind that takes most members.
func (f *Search) additions(at state) []step {
	p := f.problemOf(at)
	if p == nil {
		return nil
	}
	defer p.Done()
	if at.req.Eligible != nil {
		f.notTried = append(f.notTried, explain.NotTried{Kind: explain.KindAdd, Reason: "the host's own filter would have to judge nodes that are not there"})
		return nil
	}
	a := &addition{r: roomsOf(p)}
	if !a.choose() {
		return nil
	}
	most := int((int64(p.Least*p.Size()) + a.units - 1) / a.units) // so many hold the gang by themselves
	var best *site
	for _, s := range a.sites() {
		if best != nil && s.least >= best.least {
			break
		}
		if best != nil {
			most = best.least - 1
		}
		fits := func(n int) bool { return f.after(at, a.added(s.leaf, n)) != nil }
		switch {
		case fits(s.least):
			best = &site{s.leaf, s.least}
		case s.least < most && fits(most):
			best = &site{s.leaf, most - largest(0, most-s.least-1, func(i int) bool { return fits(most - i) })}
		}
	}
	if best == nil {
		return nil
	}
	name := at.s.Lineage.NodeName
	change := explain.Change{Kind: explain.KindAdd, Add: best.least, Like: name(a.like), Domain: p.View.Path(best.leaf, name)}
	steps := f.one(at, change, a.added(best.leaf, best.least))
	for i := range steps {
		if plan := steps[i].plan; plan.Tier == 0 && len(plan.Domain) > 0 { // all on one of the new nodes
			plan.Domain = append(slices.Clone(change.Domain), newNames(at.s, change.Like, 1)[0])
		}
	}
	return f.settle(steps)
}

// choose finds the kind of node that takes most members when it is empty, the first such node in the order of the topology. Not ok if
// no node could take any.
func (a *addition) choose() (ok bool) {
	p, known := a.r.p, map[any]bool{}
	roles := []*problem.Problem{p}
	if p.HasRoles() {
		roles = p.OfRoles()
	}
	for pos := range p.View.Nodes {
		id := p.View.Node(pos)
		class := p.Snapshot.Static.ClassOf(id)
		if p.Snapshot.FlagsOf(id)&snapshot.Present == 0 || known[class] {
			continue
		}
		for _, one := range roles {
			if cause := one.Slots().Refusal(id); cause != "" && cause != "cordoned" && cause != "not-ready" {
				continue
			}
			known[class] = true
			if units := capacity(one, class.Capacity()); units > a.units {
				a.units, a.like = units, id
			}
		}
	}
	return a.units > 0
}

// capacity is how many units an empty node with these amounts takes; its zones may allow fewer.
func capacity(p *problem.Problem, amounts []int64) int64 {
	units := int64(p.Least * p.Size())
	for _, n := range p.Needs {
		if n.ID < 0 {
			return 0
		}
		units = min(units, amounts[n.ID]/n.Amount)
	}
	return units
}

// sites lists the lowest domains to which nodes may be added, those that need fewest first, then by path.
func (a *addition) sites() (out []site) {
	v := a.r.p.View
	add := func(pos int32) {
		d, ok := a.r.domainOf(pos)
		if !ok || len(out) > 0 && out[len(out)-1].leaf == v.LeafOf[pos] {
			return
		}
		needs := max(1, a.r.units()-a.r.in(d))
		out = append(out, site{v.LeafOf[pos], int((needs + a.units - 1) / a.units)})
	}
	for pos := range v.TreePositions() {
		add(pos)
	}
	if len(out) == 0 && v.FirstPos[v.Outside] == 0 && v.Nodes > 0 { // there is no tree
		add(0)
	}
	slices.SortFunc(out, func(x, y site) int {
		return cmp.Or(cmp.Compare(x.least, y.least), cmp.Compare(v.First(x.leaf), v.First(y.leaf)))
	})
	return out
}

// added is a cluster with so many nodes like one in a lowest domain.
func (a *addition) added(leaf layout.Vertex, n int) edit {
	return func(at state) (state, bool) {
		if d, ok := a.inPlace(at, leaf, n); ok {
			return updated(at, d)
		}
		return grown(at, a.r.p.View, leaf, snapshot.NodeAt(at.s, a.like), n)
	}
}

// inPlace are nodes of the domain that have no room for the gang, whoever leaves, emptied and made like the new ones: for the gang
// that is as if these came beside them, and it costs no new layout of the tree. Not ok where what they hold matters all the same,
// to quotas or victims, or if there are too few.
func (a *addition) inPlace(at state, leaf layout.Vertex, n int) (d cluster.Delta, ok bool) {
	v, p := a.r.p.View, a.r.p
	if a.r.rough || at.s != p.Snapshot || mayEvict(p) {
		return d, false
	}
	for pos := v.First(leaf); pos < v.EndOf(leaf) && len(d.SetNodes) < n; pos++ {
		id := v.Node(pos)
		on := snapshot.MembersOn(at.s, id)
		own := slices.ContainsFunc(on, func(m *snapshot.Member) bool { return p.IsOwn(m.Class.Gang) })
		if own || a.r.upTo[pos+1] > a.r.upTo[pos] || slices.Contains(p.Request.Exclude, at.s.Lineage.Names[id]) {
			continue
		}
		for _, m := range on {
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: m.Class.Gang, Member: m.Name})
		}
		fresh := snapshot.NodeAt(at.s, a.like)
		fresh.Name, fresh.Cordoned, fresh.NotReady = at.s.Lineage.Names[id], false, false
		d.SetNodes = append(d.SetNodes, fresh)
	}
	return d, len(d.SetNodes) == n
}

// newNames are names that no node has.
func newNames(s *snapshot.Snapshot, like string, n int) (names []string) {
	for i := 1; len(names) < n; i++ {
		name := fmt.Sprintf("%s-new-%d", like, i)
		if _, known := s.Lineage.ID(name); !known {
			names = append(names, name)
		}
	}
	return names
}

// grown is a cluster with new nodes, which stand in a domain of one topology and outside of all others. O(nodes log nodes).
func grown(at state, v *layout.View, leaf layout.Vertex, like cluster.Node, n int) (state, bool) {
	var d cluster.Delta
	names := newNames(at.s, like.Name, n)
	like.Cordoned, like.NotReady = false, false
	for _, like.Name = range names {
		d.SetNodes = append(d.SetNodes, like)
	}
	if leaf != v.Outside {
		spec := v.Tree.Spec()
		if !spec.Grow(v.Path(leaf, at.s.Lineage.NodeName), names) {
			return at, false
		}
		tree, err := topology.New(spec)
		if err != nil {
			return at, false
		}
		d.Trees = []cluster.NamedTree{{Name: v.Name, Tree: tree}}
	}
	return updated(at, d)
}
