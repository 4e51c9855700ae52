// Which nodes can stand in for new ones in a trial?

package remedies

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

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
	if elsewhere || a.r.p.Room.Zones().Bind() { // nor has it others in its zones
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
		for _, need := range a.r.p.Room.Needs {
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
	v, places := a.r.p.Model.View, 0
	adds := wholeNodes(a.r.p, v.TierOf(leaf))
	for pos := v.First(leaf); pos < v.EndOf(leaf); pos++ {
		if in := a.standIn(s, v.Node(pos), adds); in.most > 0 {
			all, places = append(all, in), places+in.most
		}
	}
	if places < n {
		return nil
	}
	slices.SortStableFunc(all, func(x, y standIn) int { return int(room.Bit(y.like)) - int(room.Bit(x.like)) })
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
func (a *addition) standIn(s *snapshot.Snapshot, id int32, adds int64) standIn {
	p, in := a.r.p, standIn{id: id}
	keptOff := func(one *problem.Problem) bool { return one.Room.Slots().KeptOff(id) }
	if a.r.excluded.Has(id) || slices.ContainsFunc(problem.EachAlone(p), keptOff) { // a new one would be open
		return in
	}
	on, places := slices.Collect(snapshot.MembersOn(s, id)), a.r.on(id)
	if slices.ContainsFunc(on, func(m *snapshot.Member) bool { return p.IsOwn(m.Class.Gang) }) {
		return in
	}
	short := func(n room.Need) bool { return p.Room.Slots().FreeOf(id, n, nil) < 0 } // its members hold more than it has
	if adds > 0 && a.r.takes(id) && !slices.ContainsFunc(p.Room.Needs, short) {
		in.most = int(max(0, adds-1-places) / a.units)
	}
	if places == 0 && a.isEmptyFor(s, on) {
		in.like, in.most = true, max(1, in.most)
		if !a.r.takes(id) && adds > 0 {
			in.most = int(max(1, (adds-1)/a.units))
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

// wholeNodes is from how many units on a node on a gang or a group could lie on it, in lowest domains of a tier; 0: nodes may stand for one
// new one at most, as each is a domain by itself to a rule.
func wholeNodes(p *problem.Problem, tier int32) int64 {
	switch {
	case boundTier(p) < tier || p.InParts() || p.Room.Zones().Bind():
		return 0
	case len(p.Model.Levels) > 0:
		return min(int64(p.Model.Least), p.Model.Levels[len(p.Model.Levels)-1].Size)
	}
	return int64(p.Model.Least)
}

// boundTier is the lowest tier of a hard rule, a limit or a multiple; MaxInt32 without one.
func boundTier(p *problem.Problem) int32 {
	low := p.Model.Limits.LowestTier()
	for _, l := range append([]model.Level{{Gather: p.Model.Gather}}, p.Model.Levels...) {
		if l.Gather.Hard {
			low = min(low, l.Gather.Must)
		}
	}
	if p.Model.Multiple != nil {
		low = 0
	}
	return low
}
