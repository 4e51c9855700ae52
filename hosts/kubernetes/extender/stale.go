package extender

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest"
)

// refusalOf is what the scheduler did not offer for a gang, to be added to.
func (s *State) refusalOf(name string) *refusal {
	r := s.refused[name]
	if r == nil {
		r = &refusal{pairs: map[gang.Refusal]bool{}, nodes: map[string]bool{}, since: s.now()}
		s.refused[name] = r
	}
	return r
}

// reconsider forgets what is not so any more, or may not be, of what the scheduler did not offer: nodes that it offers for this member now, and what it
// said of other members. The extender may hear that somebody is gone before the scheduler does. It says whether there was any.
func (s *State) reconsider(name, member string, isOffered map[string]bool) bool {
	r := s.refused[name]
	if r == nil {
		return false
	}
	before := len(r.pairs) + len(r.nodes)
	maps.DeleteFunc(r.pairs, func(pair gang.Refusal, _ bool) bool { return pair.Member != member || isOffered[pair.Node] })
	maps.DeleteFunc(r.nodes, func(node string, _ bool) bool { return isOffered[node] })
	return len(r.pairs)+len(r.nodes) < before
}

// drop ends a plan, and with it what is held for its gangs.
func (s *State) drop(p *plan) {
	holds := map[string][]cluster.Hold{}
	for name := range p.gangs {
		if s.plans[name] == p {
			delete(s.plans, name)
			holds[name] = nil
		}
	}
	if !p.held || s.cluster == nil || len(holds) == 0 {
		return
	}
	next, err := s.cluster.Update(cluster.Delta{Holds: holds})
	if err != nil {
		s.metrics.failed(err)
		return
	}
	s.cluster = next
	s.version++ // there is more room
}

// dropAll ends all plans of a cluster that is not there any more.
func (s *State) dropAll() { s.plans = map[string]*plan{} }

// expire ends what is old: plans that nobody has used, and what the scheduler did not offer.
func (s *State) expire() {
	old := s.now().Add(-s.timeout)
	for _, p := range s.distinct() {
		if p.made.Before(old) {
			s.drop(p)
		}
	}
	maps.DeleteFunc(s.refused, func(_ string, r *refusal) bool { return r.since.Before(old) })
}

// distinct are the plans, each once, in the order of the names of their first gangs.
func (s *State) distinct() (all []*plan) {
	seen := map[*plan]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.plans)) {
		if p := s.plans[name]; !seen[p] {
			seen[p] = true
			all = append(all, p)
		}
	}
	return all
}

// dropChanged ends the plans that changes have made stale: what waits or was refused may now fit, room was taken, a node is another one, a gang asks
// for something else.
func (s *State) dropChanged(changes *manifest.Changes) {
	if len(s.plans) == 0 {
		return
	}
	asks := map[string]bool{}
	for i := range changes.Gangs {
		asks[changes.Gangs[i].Request.Name] = true
	}
	for _, name := range changes.Gone {
		asks[name] = true
	}
	by := touched(&changes.Delta)
	moved := len(changes.Delta.Trees) > 0
	for _, p := range s.distinct() {
		if moved || s.gangsChanged(p, asks) || s.taken(p, by) || p.held && !s.holds(p) {
			s.drop(p)
		}
	}
}

// touch is a member that came to a node, or without a gang: the node is another one.
type touch struct{ gang, member string }

// touched are the nodes that a change touches.
func touched(d *cluster.Delta) map[string][]touch {
	by := map[string][]touch{}
	for _, n := range d.SetNodes {
		by[n.Name] = append(by[n.Name], touch{})
	}
	for _, name := range d.RemoveNodes {
		by[name] = append(by[name], touch{})
	}
	for i := range d.Place {
		m := &d.Place[i]
		by[m.Node] = append(by[m.Node], touch{m.Gang, m.Member})
	}
	return by
}

// gangsChanged says whether a gang of a plan asks for something else than it did, but for members that run now.
func (s *State) gangsChanged(p *plan, asks map[string]bool) bool {
	waits := false
	for name, of := range p.gangs {
		g := s.gangs[name]
		waits = waits || g != nil
		switch {
		case !asks[name] || g == nil: // unchanged, or all its members run
		case g.Err != nil || of.err != nil || !sameButBound(of.request, g.Request):
			return true
		}
	}
	return !waits
}

// taken says whether somebody came to a node that a member of a plan is still to go to, or a member went elsewhere than planned.
func (s *State) taken(p *plan, by map[string][]touch) bool {
	needed := map[string]bool{}
	for name, of := range p.gangs {
		for _, m := range s.members(name) {
			needed[of.nodes[m.Name]] = true
		}
	}
	for node, touches := range by {
		for _, t := range touches {
			of := p.gangs[t.gang]
			switch {
			case of == nil && needed[node]:
				return true
			case of != nil && of.nodes[t.member] != "" && of.nodes[t.member] != node:
				return true
			}
		}
	}
	return false
}
