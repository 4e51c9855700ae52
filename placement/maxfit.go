// How large a gang would fit now?

package placement

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// FitQuestion is a gang of any size. The zero value of each field but Shape is its default.
type FitQuestion struct {
	// Shape of each member.
	Shape gang.Shape
	// Group asks for whole groups too: their size, and a MustGather if each has to lie within one domain of a layer. Its other rules and
	// its limits do not count. Without a size there are no groups.
	Group gang.Groups
	// Tree names the topology, as in [gang.Request].
	Tree string
	// Priority is that of a gang for which others may leave: those of gangs with a lower one, whole gangs or their members one by one,
	// whatever else is said of them. Quotas and disruption budgets are not looked at.
	Priority int64
	// NeverPreempts: nobody leaves for the gang, and what could fit then is not counted.
	NeverPreempts bool
}

// LayerFit says how much fits in one domain of a layer.
type LayerFit struct {
	// Tier and Layer are as in [Result]; those of the nameless root stand for the whole topology, with the nodes outside of it.
	Tier  int
	Layer string
	// Now counts what is free, Later what is free once leaving members are gone, and Evicting what is free once also all are gone who
	// might leave for the gang; nothing with NeverPreempts.
	Now, Later, Evicting Fit
}

// Fit is the largest gang, and the largest number of whole groups, that fits in one domain.
type Fit struct {
	// Members of the largest gang, without regard to groups, and the path of the domain that holds them, of equals the first one. Nil
	// for the nameless root, and where nothing fits.
	Members int
	Domain  []string
	// Groups and GroupsDomain are the same for whole groups; of several domains of the layer the most are not always in one.
	Groups       int
	GroupsDomain []string
	// AtLeast says that perhaps more fit: zones of some node were too many to count, a gang that must keep some of its members might
	// still spare others, or one that is alone in its domain might leave it.
	AtLeast bool

	nodes func() NodeCauses // nil: some member fits
}

// Nodes counts the nodes of the cluster that take no member by cause, where nobody fits in any domain of the layer: those that it does not
// count lie outside of the topology. It is computed when asked for, from the snapshot. O(nodes * resources).
func (f *Fit) Nodes() NodeCauses {
	if f == nil || f.nodes == nil {
		return NodeCauses{}
	}
	return f.nodes()
}

// MaxFit says for every layer of a topology, nodes first, the nameless root last, how large a gang of a shape fits in one domain: the
// largest number for which [Plan] has a place with a MustGather there. The list is the caller's.
//
// What fits now is read from the index of the shape: O(tiers * children of the domains on the way down) where that is known for the
// snapshot, else as for the first plan of a shape; leaving members cost what they change there. To count victims costs
// O(nodes * resources + running members). Errors are [muster.InvalidError]s.
func MaxFit(c *Cluster, q FitQuestion) ([]LayerFit, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	req := &gang.Request{Name: "max-fit", Members: []gang.Member{{Name: "max-fit-0"}}, Shape: q.Shape, Tree: q.Tree}
	if q.Group.Size != 0 {
		req.Groups = []gang.Groups{q.Group}
		if err := req.Validate(); err != nil {
			return nil, err
		}
		req.Groups[0].Limits = nil // they would keep members off nodes, too
	}
	p, err := search.New(s, req, nil, bounds.Search{})
	if err != nil {
		return nil, err
	}
	defer p.Done()
	f := fitFinder{p: p, q: &q}
	out := make([]LayerFit, len(p.Model.View.Tiers))
	for i, tier := range p.Model.View.Tiers {
		out[i].Tier, out[i].Layer = int(tier), p.Model.View.LayerName(tier)
	}
	if !f.fill(p.Room.Slots().OwnIndex(), func(l *LayerFit) *Fit { return &l.Now }, out) {
		return nil, tooSmall("question.Shape.Resources")
	}
	f.noteCauses(room.Slots.LeavingReleased, func(l *LayerFit) *Fit { return &l.Now }, out)
	if len(s.Leaving) == 0 {
		for i := range out {
			out[i].Later = out[i].Now
		}
	} else {
		f.p = p.WithLeavingGone()
		f.fill(f.p.Room.Slots().OwnIndex(), func(l *LayerFit) *Fit { return &l.Later }, out)
		f.noteCauses(room.Slots.LeavingReleased, func(l *LayerFit) *Fit { return &l.Later }, out)
	}
	if !q.NeverPreempts {
		f.evicting(out)
	}
	return out, nil
}

// fitFinder answers a question from indexes.
type fitFinder struct {
	p *problem.Problem
	q *FitQuestion
}

// fill enters what an index has for every layer; false if there is no index.
func (f *fitFinder) fill(ix *index.Index, of func(*LayerFit) *Fit, out []LayerFit) bool {
	if ix == nil {
		return false
	}
	var groups *index.GroupSums
	size := int64(f.q.Group.Size)
	if size > 0 {
		groups = f.p.Model.Room.GroupsOf(ix, index.Grouping{Size: size})
	}
	least := !f.p.ProvenBest()
	for i := range out {
		fit := of(&out[i])
		fit.AtLeast = least
		slots := bounded{tier: int32(out[i].Tier), most: func(x layout.Vertex, t int) int64 { return int64(ix.Most[t].At(x)) }, of: ix.At}
		fit.Members, fit.Domain = f.best(&slots)
		if size == 0 {
			continue
		}
		inner := f.groupTier()
		whole := bounded{
			tier: slots.tier,
			most: func(x layout.Vertex, t int) int64 { return mostGroups(ix, groups, inner, size, x, t) },
			of:   func(d layout.Vertex) int64 { return groupsIn(ix, groups, inner, size, d) },
		}
		fit.Groups, fit.GroupsDomain = f.best(&whole)
	}
	return true
}

// noteCauses lets layers in which nothing fits say why nodes take no member, given what nodes get back.
func (f *fitFinder) noteCauses(released func(room.Slots) map[int32]room.Released, of func(*LayerFit) *Fit, out []LayerFit) {
	if !slices.ContainsFunc(out, func(l LayerFit) bool { return of(&l).Members == 0 }) {
		return
	}
	kept := f.p.Kept()
	for i := range out {
		if fit := of(&out[i]); fit.Members == 0 {
			fit.nodes = func() NodeCauses { return countCauses(kept, released) }
		}
	}
}

// groupTier is the tier within which a domain each group has to lie.
func (f *fitFinder) groupTier() int32 {
	if f.p.Unbundled != nil || len(f.p.Model.Levels) == 0 || !f.p.Model.Levels[0].Gather.Hard {
		return f.p.Model.View.RootTop
	}
	return f.p.Model.Levels[0].Gather.Must
}

// groupsIn is how many whole groups a domain holds; those that must lie in a domain of a layer find none outside the tree.
func groupsIn(ix *index.Index, g *index.GroupSums, inner int32, size int64, d layout.Vertex) int64 {
	if ix.V.TierOf(d) <= inner {
		return ix.At(d) / size
	}
	n := int64(g.Whole[ix.V.TierIndex(inner)].At(d))
	if d == layout.Root {
		n -= groupsIn(ix, g, inner, size, ix.V.Outside)
	}
	return n
}

// mostGroups bounds the groups in one domain of the tier at a place below x.
func mostGroups(ix *index.Index, g *index.GroupSums, inner int32, size int64, x layout.Vertex, t int) int64 {
	if place := ix.V.TierIndex(inner); place < t {
		return g.Most(t, place, x)
	}
	return int64(ix.Most[t].At(x)) / size
}

// bounded is a count of the domains of a tier, with what bounds it below a domain, given the place of the tier.
type bounded struct {
	tier int32
	most func(x layout.Vertex, t int) int64
	of   func(d layout.Vertex) int64
}

// best is the largest count over the domains of a tier, and the first domain that has it. Nodes outside the tree are in no domain but
// the root. It goes down only where a bound is above what it has.
func (f *fitFinder) best(b *bounded) (most int, domain []string) {
	v := f.p.Model.View
	if b.tier >= v.RootTop {
		return int(b.of(layout.Root)), nil
	}
	place, best, at := v.TierIndex(b.tier), int64(0), layout.Vertex(-1)
	target := b.most(layout.Root, place) // where it is exact nothing else need be looked at
	var walk func(x layout.Vertex)
	walk = func(x layout.Vertex) {
		switch {
		case x == v.Outside:
		case v.TierOf(x) <= b.tier:
			if n := b.of(x); n > best {
				best, at = n, x
			}
		case b.most(x, place) > best:
			lo, end := v.Kids(x)
			for c := lo; c < end && best < target; c++ {
				walk(c)
			}
		}
	}
	walk(layout.Root)
	if at < 0 {
		return 0, nil
	}
	return int(best), v.Path(at, f.p.Snapshot.Lineage.NodeName)
}

// evicting counts every node with all gone who might leave.
func (f *fitFinder) evicting(out []LayerFit) {
	s := f.p.Snapshot
	f.p = f.p.WithLeavingGone()
	if s.Lowest >= f.q.Priority {
		for i := range out {
			out[i].Evicting = out[i].Later
		}
		return
	}
	gone, short := mayLeaveFor(s, f.q.Priority)
	gone = append(gone, s.Leaving...)
	var ix index.Index
	released := f.p.Room.Slots().ReleasedBy(gone)
	if !ix.BuildBy(f.p.Model.View, f.p.Room.Slots().Counter(room.Excluded{}, released)) {
		return // never: on empty nodes as many fit as were counted
	}
	f.fill(&ix, func(l *LayerFit) *Fit { return &l.Evicting }, out)
	f.noteCauses(func(room.Slots) map[int32]room.Released { return released }, func(l *LayerFit) *Fit { return &l.Evicting }, out)
	for i := range out {
		out[i].Evicting.AtLeast = out[i].Evicting.AtLeast || short || s.Closed.Any()
	}
}

// mayLeaveFor lists the members that may leave for a gang of a priority, all at once; short says that some gang has to keep members, and
// could yet spare others: none of its members is listed.
//
// order: victims.3
func mayLeaveFor(s *snapshot.Snapshot, priority int64) (out []*snapshot.Member, short bool) {
	s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if g.Staying == 0 || g.Priority >= priority {
			return true
		}
		first := len(out)
		for _, m := range g.Members.All() {
			if m.MayLeave() {
				out = append(out, m)
			}
		}
		if g.Least > 0 && len(out)-first < int(g.Staying) {
			out, short = out[:first], short || g.Staying > g.Least && len(out) > first
		}
		return true
	})
	return out, short
}
