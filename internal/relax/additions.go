// How many nodes would have to be added to a domain?

package relax

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/topology"
)

// addition is the question to which domain nodes like one are added.
type addition struct {
	r     *rooms
	like  int32 // its id
	units int64 // that an empty node like it has amounts for; of several shapes, members of any of them
	takes int64 // the same, as far as its zones and the limits allow
	adds  int64 // see wholeNodes
	// settled: more nodes like it change nothing of what quotas refuse, whose shares follow what there is.
	settled int
	// skipped: a domain was left out, as too many nodes would have to be laid out anew.
	skipped bool
}

// site is a lowest domain to which nodes of a kind may be added.
type site struct {
	*addition
	leaf  layout.Vertex
	least int // fewer nodes there do not help
	place int // among those of its kind
}

// additions finds the lowest domain to which the fewest nodes of some kind would have to be added.
func (f *Search) additions(at state) []step {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	if at.req.Eligible != nil {
		f.notTried = append(f.notTried, explain.NotTried{Kind: explain.KindAdd, Reason: "the host's own filter would have to judge nodes that are not there"})
		return nil
	}
	r := f.at(at).bounds()
	kinds := kindsToAdd(r)
	if len(kinds) > mostKinds {
		kinds, f.doubt = kinds[:mostKinds], true
	}
	for _, a := range kinds {
		a.settle(f.share)
	}
	best, plan := f.fewestNodes(at, r, sitesOf(kinds))
	if slices.ContainsFunc(kinds, func(a *addition) bool { return a.skipped }) {
		f.doubt = true
		f.notTried = append(f.notTried, explain.NotTried{Kind: explain.KindAdd, Reason: "some domains: so many nodes would have to be laid out anew for each plan"})
	}
	if best == nil {
		return nil
	}
	name := at.s.Lineage.NodeName
	change := explain.Change{Kind: explain.KindAdd, Add: best.least, Like: name(best.like), Domain: p.View.Path(best.leaf, name)}
	nameNew(at.s, &change, plan)
	return f.settle(found(change, best.added(best.leaf, best.least), plan))
}

// mostKinds is how many kinds of nodes are looked at, those of most room.
const mostKinds = 16

// fewestNodes is the site that needs the fewest nodes, with their number as its least, and its plan; nil if none helps.
func (f *Search) fewestNodes(at state, r *rooms, sites []site) (best *site, plan *explain.Plan) {
	for _, s := range sites {
		if best != nil && s.least >= best.least {
			break
		}
		if s.place >= mostDomains {
			f.doubt = true
			continue
		}
		most := len(r.p.Pending) // so many help if any do: each takes one member, or more
		if !r.p.InParts() {
			most = int(r.units())
		}
		if most = max(most, s.settled); best != nil {
			most = best.least - 1
		}
		if n, p := f.fewestAt(at, &s, most); p != nil {
			best, plan = &site{s.addition, s.leaf, n, s.place}, p
		}
	}
	return best, plan
}

// fewestAt is the fewest nodes, up to most, that help in a site, and the plan; nil if so many do not. It tries first what may be enough,
// then what is if slots and quotas tell all.
func (f *Search) fewestAt(at state, s *site, most int) (n int, plan *explain.Plan) {
	low := s.least - 1 // so few do not help
	enough := int((s.r.units() + s.takes - 1) / s.takes)
	for _, n := range [...]int{s.least, min(most, max(enough, s.settled)), most} {
		if n <= low || n > most {
			continue
		}
		if plan = f.after(at, s.added(s.leaf, n)); plan == nil {
			low = n
			continue
		}
		fewer := func(i int) edit { return s.added(s.leaf, n-i) }
		i, plan := f.largest(at, 0, n-low-1, plan, fewer)
		return n - i, plan
	}
	return 0, nil
}

// settle finds from how many nodes on more of them change no refusal of quotas. O(log nodes * quotas).
func (a *addition) settle(left *front.Budget) {
	p := a.r.p
	if p.RefusedBy == nil {
		return
	}
	q := raisingFor(p)
	with := func(n int) *quota.Refusal {
		left.Packing.Spend(int64(n+len(q.of.Quotas())) / looksInStep)
		next, err := snapshot.WithTotalOf(p.Snapshot, p.Snapshot, a.like, n)
		if err != nil {
			return p.RefusedBy
		}
		refusal, _ := q.refusalBy(next.Quotas)
		return refusal
	}
	last := with(remade)
	a.settled = sort.Search(remade, func(n int) bool {
		now := with(n)
		return now == last || now != nil && last != nil && now.Rule == last.Rule && now.Quota == last.Quota && slices.Equal(now.Short, last.Short)
	})
}

// nameNew names the new node on which all members lie, where a plan has a node that stands in for it.
func nameNew(s *snapshot.Snapshot, c *explain.Change, plan *explain.Plan) {
	if plan.Tier == 0 && len(plan.Domain) > 0 {
		plan.Domain = append(slices.Clone(c.Domain), newNames(s, c.Like, 1)[0])
	}
}

// sitesOf lists the lowest domains to which nodes may be added, those that need fewest first, then by path, then by kind.
func sitesOf(kinds []*addition) (out []site) {
	for _, a := range kinds {
		out = append(out, a.sites()...)
	}
	slices.SortStableFunc(out, func(x, y site) int { return cmp.Or(cmp.Compare(x.least, y.least), cmp.Compare(x.place, y.place)) })
	return out
}

// sites are those of a kind, those that need fewest first, then by path.
func (a *addition) sites() (out []site) {
	v := a.r.p.View
	add := func(pos int32) {
		d, ok := a.r.domainOf(pos)
		if !ok || len(out) > 0 && out[len(out)-1].leaf == v.LeafOf[pos] {
			return
		}
		needs := max(1, a.r.units()-a.r.in(d))
		out = append(out, site{addition: a, leaf: v.LeafOf[pos], least: int((needs + a.takes - 1) / a.takes)})
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
	for i := range out {
		out[i].place = i
	}
	return out
}

// remade bounds the clusters that are laid out anew for a trial, in nodes: that costs far more than a plan.
const remade = 1 << 12

// added is a cluster with so many nodes like one in a lowest domain.
func (a *addition) added(leaf layout.Vertex, n int) edit {
	return func(at state) (state, bool) {
		like := snapshot.NodeAt(at.s, a.like)
		like.Cordoned, like.NotReady = false, false
		if next, ok := a.inPlace(at, leaf, like, n); ok {
			return next, true
		}
		if len(at.s.Lineage.Names)+n > remade {
			a.skipped = true
			return at, false
		}
		return grown(at, a.r.p.View, leaf, like, n)
	}
}

// standIn is a node that stands in for new ones beside it, so that the tree need not be laid out anew for a trial.
type standIn struct {
	id      int32
	like    bool // it becomes like a new one, as it has no room for the gang, whoever leaves
	n, most int  // new nodes that it stands for
}

// inPlace lets nodes of the domain stand in for new ones: they get the amounts of these on top of what their members hold. Not ok if
// there are too few.
func (a *addition) inPlace(at state, leaf layout.Vertex, like cluster.Node, n int) (state, bool) {
	if at.req != a.r.p.Request || at.s != a.r.p.Snapshot { // beside another change: what may stand in was judged without it
		return at, false
	}
	elsewhere := false // a new node is in no domain of another topology; one that is there already may be
	eachPart(at.req.Parts, func(p *gang.Part) { elsewhere = elsewhere || p.Tree != "" })
	if elsewhere || a.r.p.Zones().Bind() { // nor has it others in its zones
		return at, false
	}
	var d cluster.Delta
	for _, in := range a.standIns(at.s, leaf, n) {
		fresh, extra := snapshot.NodeAt(at.s, in.id), muster.Resources{}
		if in.like {
			name := fresh.Name
			for m := range snapshot.MembersOn(at.s, in.id) {
				extra.Add(at.s.Lineage.Held(m.Class.Holds))
			}
			fresh, in.n = like, in.n-1
			fresh.Name, fresh.Allocatable = name, maps.Clone(like.Allocatable)
		}
		for _, need := range a.r.p.Needs {
			extra[need.Name] += int64(in.n) * a.units * need.Amount
		}
		for name, amount := range extra {
			if _, bounded := fresh.Allocatable[name]; bounded || name != muster.Pods { // a node that has none of it does not name it
				fresh.Allocatable[name] += amount
			}
		}
		d.SetNodes = append(d.SetNodes, fresh)
	}
	if len(d.SetNodes) == 0 {
		return at, false
	}
	next, ok := updated(at, d)
	if !ok {
		return at, false
	}
	var err error
	next.s, err = snapshot.WithTotalOf(next.s, at.s, a.like, n) // nodes that stand in for new ones do not say how much these have
	return next, err == nil
}

// standIns chooses nodes of a domain that stand in for n new ones, as evenly as they can be; none if there are too few.
func (a *addition) standIns(s *snapshot.Snapshot, leaf layout.Vertex, n int) []standIn {
	var all []standIn
	v, room := a.r.p.View, 0
	for pos := v.First(leaf); pos < v.EndOf(leaf); pos++ {
		if in := a.standIn(s, v.Node(pos)); in.most > 0 {
			all, room = append(all, in), room+in.most
		}
	}
	if room < n {
		return nil
	}
	slices.SortStableFunc(all, func(x, y standIn) int { return int(problem.Bit(y.like)) - int(problem.Bit(x.like)) })
	for n > 0 {
		for i := range all {
			if n > 0 && all[i].n < all[i].most {
				all[i].n, n = all[i].n+1, n-1
			}
		}
	}
	return slices.DeleteFunc(all, func(in standIn) bool { return in.n == 0 })
}

// standIn is for how many new nodes a node may stand. Units are whole and one resource more or less decides nothing, so that amounts
// of several nodes may lie on one as long as no gang and no group fits there that would not fit on a new one: then what fits in
// every domain is the same, whoever leaves.
func (a *addition) standIn(s *snapshot.Snapshot, id int32) standIn {
	p, in := a.r.p, standIn{id: id}
	keptOff := func(one *problem.Problem) bool { return one.Slots().KeptOff(id) }
	if slices.Contains(p.Request.Exclude, s.Lineage.Names[id]) || slices.ContainsFunc(problem.EachAlone(p), keptOff) { // a new one would be open
		return in
	}
	on, room := slices.Collect(snapshot.MembersOn(s, id)), a.r.on(id)
	if slices.ContainsFunc(on, func(m *snapshot.Member) bool { return p.IsOwn(m.Class.Gang) }) {
		return in
	}
	short := func(n problem.Need) bool { return p.Slots().FreeOf(id, n, nil) < 0 } // its members hold more than it has
	if a.adds > 0 && a.r.takes(id) && !slices.ContainsFunc(p.Needs, short) {
		in.most = int(max(0, a.adds-1-room) / a.units)
	}
	if room == 0 && a.isEmptyFor(s, on) {
		in.like, in.most = true, max(1, in.most)
		if !a.r.takes(id) && a.adds > 0 {
			in.most = int(max(1, (a.adds-1)/a.units))
		}
	}
	return in
}

// isEmptyFor says whether members that hold so much that the gang has no room beside them could be on a node like the new ones, with
// room for no more units whoever leaves. Where joint use of what is left counts, nobody of them may leave at all.
func (a *addition) isEmptyFor(s *snapshot.Snapshot, on []*snapshot.Member) bool {
	p, class := a.r.p, s.Static.ClassOf(a.like)
	if len(on) > 0 && class.Zones != nil {
		return false
	}
	most := slices.Clone(class.Capacity())
	for _, m := range on {
		if !m.MayLeave() && !m.Leaving {
			continue
		}
		if p.InParts() {
			return false
		}
		for r, amount := range m.Class.Holds {
			if most[r] != snapshot.Boundless {
				most[r] += amount
			}
		}
	}
	return p.InParts() || capacity(p, most) == a.units
}

// wholeNodes is from how many units on a node on a gang or a group could lie on it; 0: nodes may stand for one new one at most.
func wholeNodes(p *problem.Problem) int64 {
	bound := p.Gather.Must == 0 || p.Limits.TellNodes()
	for _, l := range p.Levels {
		bound = bound || l.Gather.Must == 0
	}
	switch {
	case bound || p.InParts() || p.Multiple != nil || p.Zones().Bind():
		return 0
	case len(p.Levels) > 0:
		return min(int64(p.Least), p.Levels[len(p.Levels)-1].Size)
	}
	return int64(p.Least)
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
