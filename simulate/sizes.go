// Who need not be tried, as a smaller gang was refused?

package simulate

import (
	"reflect"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
)

// sizes are kinds of gangs that differ in nothing that decides whether they have a place but in how many members they have: where a gang of one kind has a place, a smaller one has a part of it. So
// until something is freed all are refused that are no smaller than one who was. Most plans of a full cluster are refusals, of gangs of many sizes each time that one ends.
type sizes struct {
	kinds []kind
	known map[string]int // by class: the kind; -1: none
}

// kind is one of them, by a gang of it.
type kind struct {
	like    gang.Request
	refused int // members of the smallest one that was refused since something was freed; 0: nobody
}

// mostKinds bounds them, as each new class is compared with all.
const mostKinds = 64

// newSizes is nil where that does not hold, or where nobody would pass by: other placers may know rules of their own, who waits may find a place by moves or victims, room that is held is for one and
// not for the other, and zones are searched up to a bound.
func newSizes(opt *Options) *sizes {
	if _, plans := opt.Placer.(Muster); !plans || opt.Moves != nil || opt.Victims || (opt.Discipline != queue.NextThatFits && opt.Discipline != "") {
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
	return &sizes{known: map[string]int{}}
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
	rest.Priority, rest.NeverPreempts, rest.End = 0, false, 0 // nobody leaves, and nothing is held
	if rest.MinMember == len(req.Members) {
		rest.MinMember = 0
	}
	return reflect.ValueOf(&rest).Elem().IsZero()
}

// alike says whether two plain gangs are of one kind.
func alike(a, b *gang.Request) bool {
	return a.Tree == b.Tree && slices.Equal(a.Gather, b.Gather) && a.Shape.Equal(&b.Shape)
}

// hopeless says whether a smaller gang of the kind was refused.
func (s *sizes) hopeless(p *pending) bool {
	if s == nil {
		return false
	}
	k := s.kindOf(p)
	return k >= 0 && s.kinds[k].refused > 0 && len(p.Request.Members) >= s.kinds[k].refused
}

// refuse notes that a gang was refused, and with it all that wait and are no smaller.
func (s *sizes) refuse(p *pending, w *waiting) {
	if s == nil {
		return
	}
	k := s.kindOf(p)
	if k < 0 {
		return
	}
	s.kinds[k].refused = len(p.Request.Members)
	for _, l := range w.lines {
		if s.hopeless(l.gangs[0]) {
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
		s.kinds[k].refused = 0
	}
}
