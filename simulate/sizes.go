// Who need not be tried, as a smaller gang was refused?

package simulate

import (
	"reflect"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
)

// sizes are kinds of gangs that differ in nothing that decides whether they have a place but in how many members they have: where a gang of one kind has a place, a smaller one has a part of it. So
// until something is freed all are refused that are no smaller than one who was, and beside room that is held for the first one that waits end no sooner. Most plans of a full cluster are refusals, of gangs of
// many sizes and ends each time that one ends.
type sizes struct {
	kinds []kind
	known map[string]int // by class: the kind; -1: none
	ends  bool           // it matters when a gang ends
}

// kind is one of them, by a gang of it.
type kind struct {
	like    gang.Request
	refused []refusal // since something was freed; none is no smaller than another one and ends no sooner
}

// refusal is a gang that was refused: how many members it has, and when it would have ended; 0 where that does not matter.
type refusal struct {
	members int
	ends    int64
}

// mostKinds bounds them, as each new class is compared with all.
const mostKinds = 64

// newSizes is nil where that does not hold, or where nobody would pass by: other placers may know rules of their own, who waits may find a place by moves or victims, room that is held by hosts, or
// for each gang, is for one and not for the other, and zones are searched up to a bound.
func newSizes(opt *Options) *sizes {
	if _, plans := opt.Placer.(Muster); !plans || opt.Moves != nil || opt.Victims || (opt.Discipline != queue.NextThatFits && opt.Discipline != queue.EASY && opt.Discipline != "") {
		return nil
	}
	if len(opt.Cluster.Holds()) > 0 || len(opt.Cluster.DomainHolds()) > 0 {
		return nil
	}
	for n := range opt.Cluster.Nodes() {
		if n.NUMA != nil {
			return nil
		}
	}
	return &sizes{known: map[string]int{}, ends: opt.Discipline == queue.EASY}
}

// kindOf is the kind of a gang; -1: none.
func (s *sizes) kindOf(p *pending) int {
	if k, known := s.known[p.class]; known {
		return k
	}
	k := -1
	if plain(&p.Request) {
		k = slices.IndexFunc(s.kinds, func(k kind) bool { return alike(&k.like, &p.Request) })
		if k < 0 && len(s.kinds) < mostKinds {
			k, s.kinds = len(s.kinds), append(s.kinds, kind{like: p.Request})
		}
	}
	if p.Class != "" { // those without one are not many times the same
		s.known[p.class] = k
	}
	return k
}

// plain says that a request has nothing but a shape, a topology and layers to gather in; what only says which place is better does not count.
func plain(req *gang.Request) bool {
	for i := range req.Members {
		if m := &req.Members[i]; m.Shape != nil || m.NonPreemptible {
			return false
		}
	}
	if req.Shape.NUMA != (gang.NUMA{}) || slices.ContainsFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 1 }) {
		return false
	}
	rest := *req
	rest.Name, rest.Members, rest.Shape, rest.Tree, rest.Gather, rest.Policy = "", nil, gang.Shape{}, "", nil, ""
	rest.Priority, rest.NeverPreempts, rest.End = 0, false, 0 // nobody leaves, and whoever waits behind the one for whom room is held plans beside it
	if rest.MinMember == len(req.Members) {
		rest.MinMember = 0
	}
	return reflect.ValueOf(&rest).Elem().IsZero()
}

// alike says whether two plain gangs are of one kind.
func alike(a, b *gang.Request) bool {
	return a.Tree == b.Tree && slices.Equal(a.Gather, b.Gather) && a.Shape.Equal(&b.Shape)
}

// refusalOf is that of a gang if it were refused now.
func (s *sizes) refusalOf(p *pending, now int64) refusal {
	r := refusal{members: len(p.Request.Members)}
	if s.ends {
		r.ends = now + p.expected(p.left)
	}
	return r
}

// implies says whether who is refused of another gang is refused as well.
func (r refusal) implies(o refusal) bool { return r.members <= o.members && r.ends <= o.ends }

// hopeless says whether a gang of the kind was refused that is no larger and ends no later. O(refusals of the kind).
func (s *sizes) hopeless(p *pending, now int64) bool {
	if s == nil {
		return false
	}
	k, own := s.kindOf(p), s.refusalOf(p, now)
	return k >= 0 && slices.ContainsFunc(s.kinds[k].refused, func(r refusal) bool { return r.implies(own) })
}

// refuse notes that a gang was refused, and with it all that wait, are no smaller and end no sooner.
func (s *sizes) refuse(p *pending, w *waiting, now int64) {
	if s == nil {
		return
	}
	k := s.kindOf(p)
	if k < 0 {
		return
	}
	r := s.refusalOf(p, now)
	if s.ends {
		r.ends = max(r.ends, p.Request.End) // it said that it ends so late
	}
	s.kinds[k].refused = append(slices.DeleteFunc(s.kinds[k].refused, r.implies), r)
	for _, l := range w.lines {
		if s.hopeless(l.gangs[0], now) {
			w.refused[l.class] = true
		}
	}
}

// forget forgets who was refused.
func (s *sizes) forget() {
	if s == nil {
		return
	}
	for k := range s.kinds {
		s.kinds[k].refused = s.kinds[k].refused[:0]
	}
}
