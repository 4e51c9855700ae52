// How many nodes would have to be added to a domain?

package remedies

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
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
	// settled: more nodes like it change nothing of what quotas refuse, whose shares follow what there is.
	settled int
	// skipped: a domain was left out, as too many nodes would have to be laid out anew.
	skipped bool
	first   []site // that are looked into
	// spare are names of new nodes there; nil: not asked for yet.
	spare *spare
}

// spare is a snapshot that knows names for new nodes, of which none is there yet: they come in a trial without a tree laid out anew.
type spare struct {
	s     *snapshot.Snapshot // nil: there is none
	names map[layout.Vertex][]string
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
		a.findSettled(f.share)
	}
	best, plan := f.fewestNodes(at, sitesOf(kinds))
	if slices.ContainsFunc(kinds, func(a *addition) bool { return a.skipped }) {
		f.doubt = true
		f.notTried = append(f.notTried, explain.NotTried{Kind: explain.KindAdd, Reason: "some domains: so many nodes would have to be laid out anew for each plan"})
	}
	if best == nil {
		return nil
	}
	name := at.s.Lineage.NodeName
	change := explain.Change{Kind: explain.KindAdd, Add: best.least, Like: name(best.like), Domain: p.Model.View.Path(best.leaf, name)}
	nameNew(at.s, &change, plan)
	return f.settle(found(change, best.added(best.leaf, best.least), plan))
}

// mostKinds is how many kinds of nodes are looked at, those of most room.
const mostKinds = 16

// fewestNodes is the site that needs the fewest nodes, with their number as its least, and its plan; nil if none helps.
func (f *Search) fewestNodes(at state, sites []site) (best *site, plan *explain.Plan) {
	for _, s := range sites {
		if best != nil && s.least >= best.least {
			break
		}
		if s.place >= mostDomains {
			f.doubt = true
			continue
		}
		most := s.mostAdded()
		if best != nil {
			most = best.least - 1
		}
		if n, p := f.fewestAt(at, &s, most); p != nil {
			best, plan = &site{s.addition, s.leaf, n, s.place}, p
		}
	}
	return best, plan
}

// mostAdded is how many help if any number does: each takes one member, or more.
func (a *addition) mostAdded() int {
	most := len(a.r.p.Model.Pending)
	if !a.r.p.InParts() {
		most = int(a.r.units())
	}
	return max(most, a.settled)
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

// findSettled finds from how many nodes on more of them change no refusal of quotas. O(log nodes * quotas).
func (a *addition) findSettled(left *front.Budget) {
	p := a.r.p
	if p.RefusedBy == nil {
		return
	}
	q := raisingFor(p, leastAsk(p))
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

// sites are those of a kind, those that need fewest first, then by path: none outside the domain in which the gang must be.
func (a *addition) sites() (out []site) {
	v := a.r.p.Model.View
	add := func(pos int32) {
		d, ok := a.r.domainOf(pos)
		if !ok || !v.Contains(a.r.p.Room.Inside, v.LeafOf[pos]) || len(out) > 0 && out[len(out)-1].leaf == v.LeafOf[pos] {
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
	a.first = out[:min(mostDomains, len(out))]
	return out
}

// remade bounds the clusters that are laid out anew for a trial, in nodes: that costs far more than a plan.
const remade = 1 << 12

// added is a cluster with so many nodes like one in a lowest domain.
func (a *addition) added(leaf layout.Vertex, n int) edit {
	return func(at state) (state, bool) {
		like := cluster.InService(snapshot.NodeAt(at.s, a.like))
		if next, ok := a.inPlace(at, leaf, like, n); ok {
			return next, true
		}
		if len(at.s.Lineage.Names)+n > remade {
			a.skipped = true
			return at, false
		}
		if next, ok := a.fromSpare(at, leaf, like, n); ok {
			return next, true
		}
		return grown(at, a.r.p.Model.View, leaf, like, n)
	}
}

// fromSpare lets new nodes come under names that are known. Not ok if there are too few.
func (a *addition) fromSpare(at state, leaf layout.Vertex, like cluster.Node, n int) (state, bool) {
	if at.s != a.r.p.Snapshot { // beside another change
		return at, false
	}
	if a.spare == nil {
		a.spare = a.findSpare(at)
	}
	names := a.spare.names[leaf]
	if a.spare.s == nil || len(names) < n {
		return at, false
	}
	var d cluster.Delta
	for _, like.Name = range names[:n] {
		d.SetNodes = append(d.SetNodes, like)
	}
	return updated(state{a.spare.s, at.req}, d)
}

// For how many new nodes there may be names: so many for each node that there is, or so many in all.
const (
	spareNodes = 2
	fewSpare   = 1 << 8
)

// findSpare lays out the tree once, with names of as many nodes in each domain as may be added, as far as there may be so many.
func (a *addition) findSpare(at state) *spare {
	nodes := len(at.s.Lineage.Names)
	each := min(max(spareNodes*nodes, fewSpare)/len(a.first), a.mostAdded())
	if len(a.first) < 2 || nodes+each*len(a.first) > remade {
		return &spare{}
	}
	all, out := newNames(at.s, at.s.Lineage.NodeName(a.like), each*len(a.first)), &spare{names: map[layout.Vertex][]string{}}
	spec, v := topology.Spec{}, a.r.p.Model.View
	if v.Tree != nil {
		spec = v.Tree.Spec()
	}
	for i, s := range a.first {
		names := all[i*each : (i+1)*each]
		if s.leaf == v.Outside || !spec.Grow(v.Path(s.leaf, at.s.Lineage.NodeName), names) {
			return &spare{}
		}
		out.names[s.leaf] = names
	}
	tree, err := topology.New(spec)
	if err != nil {
		return &spare{}
	}
	next, ok := updated(at, cluster.Delta{Trees: []cluster.NamedTree{{Name: v.Name, Tree: tree}}})
	if ok {
		out.s = next.s
	}
	return out
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
