package manifest

import (
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// standing is a gang that runs: see Options.Standing and Options.Movers.
type standing struct {
	request gang.Request
	plain   bool  // a pod in no gang
	lost    int64 // seconds of work
}

// enterStanding tells what was asked for of gangs that run.
func (in *Input) enterStanding(gangs []standing, opt *Options) {
	slices.SortFunc(gangs, func(a, b standing) int { return muster.CompareNatural(a.request.Name, b.request.Name) })
	for i := range gangs {
		g := &gangs[i]
		if opt.Standing && !g.plain {
			in.Standing = append(in.Standing, g.request)
		}
		if opt.Movers {
			in.Movers = append(in.Movers, placement.Mover{Gang: g.request.Name, Request: &g.request, Lost: g.lost})
		}
	}
}

// standing makes the request of the members of a gang that run, as if all of them waited: where its rules cannot be those of so few, it
// has none.
func (r *reader) standing(d *draft, members []*member.Member, whole *member.Part) {
	q := gang.Request{Name: d.name, Tree: d.tree, Gather: member.Unique(d.gather), PP: d.pp, DP: d.dp, AffinityKey: object.AgreedOn(member.PodsOf(members), affinityKey)}
	whole.Group(&q)
	q.MinMember, q.MinParts = 0, 0
	var shapes shapes
	for _, m := range members {
		if m.Node != "" {
			q.Members = append(q.Members, gang.Member{Name: m.Name, Index: m.Index, Indexed: m.Indexed, Shape: shapes.of(m)})
		}
	}
	r.limit(d, members, &q)
	if reason := r.treeOf(d, &q); reason != "" || slices.ContainsFunc(invalid(&q, len(q.Members)), func(*muster.InvalidError) bool { return true }) {
		q = gang.Request{Name: d.name, Members: q.Members}
	}
	r.standings = append(r.standings, standing{q, d.plain, d.lostWork(members)})
}

// shapes are those that members ask for, one for all that ask for the same.
type shapes struct {
	byKey map[string]*gang.Shape
	last  *gang.Shape // often the next one too, and to compare is cheaper than to make a key
}

// of is the shape of a member.
func (s *shapes) of(m *member.Member) *gang.Shape {
	if s.last == nil || !reflect.DeepEqual(s.last, &m.Spec.Shape) {
		key := m.Spec.ShapeKey()
		if s.byKey[key] == nil {
			lists.Enter(&s.byKey, key, &m.Spec.Shape)
		}
		s.last = s.byKey[key]
	}
	return s.last
}

// shareShape makes the shape that all members of a request have that of the request, unless it is that already.
func shareShape(q *gang.Request) {
	if len(q.Members) == 0 || q.Members[0].Shape == nil || slices.ContainsFunc(q.Members, func(m gang.Member) bool { return m.Shape != q.Members[0].Shape }) {
		return
	}
	q.Shape = *q.Members[0].Shape
	for i := range q.Members {
		q.Members[i].Shape = nil
	}
}

// treeOf enters the topology of a request; else it says why there is none.
func (r *reader) treeOf(d *draft, q *gang.Request) (reason string) {
	if q.Tree, reason = r.trees.TreeOf(d.tree, q); d.tree != "" {
		_, reason = r.trees.Find(d.tree)
	}
	return reason
}
