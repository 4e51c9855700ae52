package limits

import (
	"iter"
	"maps"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// State says who counts as being there.
type State uint8

// The states: everybody is another, as for an index that all gangs share; members of the plan's own gangs are not; and nor are members
// that leave.
const (
	Everybody State = iota
	Others
	Staying
)

// Company says who is near nodes, for one plan. A nil *Company keeps nobody off.
type Company struct {
	snapshot  *snapshot.Snapshot
	view      *layout.View
	limits    *Limits
	parts     []int32 // tiers in whose domains some members must be alone, and others need not
	tolerated bool
	own       func(gang string) bool
	gang      string // the only gang that is own; empty: there may be several
	of        string // of several own gangs that of those who ask; empty: it does not matter
	found     *found
}

// found is what was found so far, by state: whether others are in a domain in which members must be alone; and, by node, how many of the
// gangs that close it do not bind the plan.
type found struct {
	others [3]map[layout.Vertex]bool
	open   [3]map[int32]int32
}

// Near is the company of a gang, or of several that are own; nil if nobody can matter to it. parts are the tiers in whose domains some of
// its members must be alone; tolerated gangs may go where others are alone.
func Near(
	c *snapshot.Snapshot, v *layout.View, l *Limits, parts []int32, tolerated bool, gang string, own func(gang string) bool,
) *Company {
	if !l.AreAlone() && len(parts) == 0 && (tolerated || !c.Closed.Any()) {
		return nil
	}
	return &Company{snapshot: c, view: v, limits: l, parts: parts, tolerated: tolerated, gang: gang, own: own, found: &found{}}
}

// Of is the company of those members of the plan that have these limits. Of several own gangs they are of this one; empty: it does not
// matter of which.
func (n *Company) Of(l *Limits, gang string) *Company {
	if n == nil {
		return nil
	}
	next := *n
	if next.limits, next.parts = l, nil; gang != n.of {
		next.of, next.found = gang, &found{} // who is another depends on it
	}
	return &next
}

// isOwn says whether a running member is no other to those who ask. Of other own gangs those who stay are none, as their plan keeps them
// apart; those who leave are.
func (n *Company) isOwn(m *snapshot.Member) bool {
	return n.own(m.Class.Gang) && (n.of == "" || m.Class.Gang == n.of || !m.Leaving)
}

// ownGangs are the members of each own gang. O(log gangs), or O(gangs) for several.
func (n *Company) ownGangs() iter.Seq[[]*snapshot.Member] {
	return func(yield func([]*snapshot.Member) bool) {
		if n.gang != "" {
			yield(n.snapshot.MembersOf(n.gang))
			return
		}
		n.snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool { return !n.own(g.Name) || yield(g.Members) })
	}
}

// HasOwn says whether members of own gangs run: an index for all gangs counts these as others. O(log gangs), or O(gangs) for several.
func (n *Company) HasOwn() bool {
	if n == nil {
		return false
	}
	for members := range n.ownGangs() {
		if len(members) > 0 {
			return true
		}
	}
	return false
}

// Tiers are those in whose domains members must be alone.
func (n *Company) Tiers() []int32 {
	switch {
	case n == nil:
		return nil
	case n.limits.AreAlone():
		return append(slices.Clip(n.parts), n.limits.Alone)
	}
	return n.parts
}

// Fresh is the same company, of which nothing is found yet: for another goroutine, which asks own in place of who was asked before.
func (n *Company) Fresh(own func(gang string) bool) *Company {
	if n == nil {
		return nil
	}
	next := *n
	next.own, next.found = own, &found{}
	return &next
}

// KeepsOff says why who runs near a node keeps the gang off it: "closed" if members of another gang are alone there, "occupied" if others
// run where the gang must be alone. Empty: nothing does. O(tiers) once the domain is known, else O(its nodes and their members).
//
// order: limits.3
func (n *Company) KeepsOff(id int32, state State) string {
	switch {
	case n == nil:
	case !n.tolerated && n.snapshot.Closed.By(id) > 0 && n.snapshot.Closed.By(id) > n.opened(state)[id]:
		return "closed"
	case n.Meets(n.view.At(id), state):
		return "occupied"
	}
	return ""
}

// opened has, by node, how many of the gangs that close it do not bind the plan: own ones, and those that are gone by then.
// O(gangs) for several own gangs, else O(log gangs), and the nodes of these domains, once for a state.
func (n *Company) opened(state State) map[int32]int32 {
	if state == Everybody {
		return nil
	}
	if open := n.found.open[state]; open != nil {
		return open
	}
	open := map[int32]int32{}
	for members := range n.ownGangs() {
		if state == Others && n.of != "" {
			members = slices.DeleteFunc(slices.Clone(members), func(m *snapshot.Member) bool { return !n.isOwn(m) })
		}
		n.snapshot.Lineage.CountClosed(open, members, nil)
	}
	if state == Staying {
		n.leavingOpen(open)
	}
	n.found.open[state] = open
	return open
}

// leavingOpen adds the domains that only leaving members close.
func (n *Company) leavingOpen(open map[int32]int32) {
	c, last := n.snapshot, ""
	for _, m := range c.Leaving { // in the order of gangs
		if m.Class.Alone == "" || m.Class.Gang == last || n.own(m.Class.Gang) {
			continue
		}
		last = m.Class.Gang
		var staying []*snapshot.Member
		for _, other := range c.MembersOf(last) {
			if !other.Leaving {
				staying = append(staying, other)
			}
		}
		c.Lineage.CountClosed(open, c.MembersOf(last), staying)
	}
}

// Meets says whether others are where a member at this position must be alone. Cost as for [Company.KeepsOff].
func (n *Company) Meets(pos int32, state State) bool {
	return n != nil && n.limits.AreAlone() && n.occupied(n.view.DomainAt(pos, n.limits.Alone), state)
}

// occupied says whether others run in a domain in which the gang must be alone.
func (n *Company) occupied(d layout.Vertex, state State) bool {
	others := n.found.others[state]
	if others == nil {
		others = map[layout.Vertex]bool{}
		n.found.others[state] = others
	}
	if is, known := others[d]; known {
		return is
	}
	own := n.isOwn
	if state == Everybody {
		own = func(*snapshot.Member) bool { return false }
	}
	is := false
	for pos := n.view.First(d); pos < n.view.EndOf(d) && !is; pos++ {
		is = n.snapshot.Lineage.HasOthers(n.snapshot, n.view.Node(pos), own, state == Staying)
	}
	others[d] = is
	return is
}

// Apart adds to a list the nodes that the plan may see in another way than an index for everybody does, as who is near is its own, or gone.
func (n *Company) Apart(nodes []int32, state State) []int32 {
	if n == nil {
		return nodes
	}
	for id := range n.opened(state) {
		nodes = append(nodes, id)
	}
	if !n.limits.AreAlone() {
		return nodes
	}
	var near []int32
	for members := range n.ownGangs() {
		for _, m := range members {
			near = append(near, m.Node)
		}
	}
	if state == Staying {
		for _, m := range n.snapshot.Leaving {
			near = append(near, m.Node)
		}
	}
	return append(nodes, n.Domains(near)...)
}

// Domains are all nodes of the domains, of the tier in which the gang must be alone, that some nodes lie in; without such a limit the
// nodes themselves. Who comes to a node, or leaves it, matters to all of them.
func (n *Company) Domains(nodes []int32) (out []int32) {
	tiers := n.Tiers()
	if len(tiers) == 0 {
		return nodes
	}
	widest := slices.Max(tiers) // whose domains the others lie in
	domains := make([]layout.Vertex, 0, len(nodes))
	for _, id := range nodes {
		domains = append(domains, n.view.DomainAt(n.view.At(id), widest))
	}
	slices.SortFunc(domains, n.view.ComparePaths)
	for _, d := range slices.Compact(domains) {
		for pos := n.view.First(d); pos < n.view.EndOf(d); pos++ {
			out = append(out, n.view.Node(pos))
		}
	}
	return out
}

// Leaving lists the leaving members that must be gone because of who they are: others in domains in which members must be alone, and
// members that close a domain to them. at are the positions of the new members, alone the domains in which new or running ones lie that
// must be alone there; each with the gang of that member. O(positions + leaving members * tiers), and the nodes of closed domains.
//
// order: limits.5
func (n *Company) Leaving(at iter.Seq2[int32, string], alone iter.Seq2[layout.Vertex, string]) (out []*snapshot.Member) {
	if n == nil {
		return nil
	}
	used, entered, tiers := maps.Collect(alone), n.entered(at), n.Tiers() // one gang by domain: it is alone there
	for _, m := range n.snapshot.Leaving {
		if n.isBeside(m, used, tiers) || n.shuts(m, entered) {
			out = append(out, m)
		}
	}
	return out
}

// entered are, by node that some gang closes to the plan, the gangs of the members that come there.
func (n *Company) entered(at iter.Seq2[int32, string]) map[int32][]string {
	out := map[int32][]string{}
	for pos, gang := range at {
		id := n.view.Node(pos)
		if !n.tolerated && n.snapshot.Closed.By(id) > 0 && !slices.Contains(out[id], gang) {
			out[id] = append(out[id], gang)
		}
	}
	return out
}

// isBeside says whether a running member is in a domain of some tiers where another gang is to be alone; used has the gang by domain.
func (n *Company) isBeside(m *snapshot.Member, used map[layout.Vertex]string, tiers []int32) bool {
	if m.Class.Tolerated || len(used) == 0 {
		return false
	}
	return slices.ContainsFunc(tiers, func(tier int32) bool {
		gang, is := used[n.view.DomainAt(n.view.At(m.Node), tier)]
		return is && gang != m.Class.Gang
	})
}

// shuts says whether a running member that must be alone closes a node that members of another gang come to.
func (n *Company) shuts(m *snapshot.Member, entered map[int32][]string) bool {
	if m.Class.Alone == "" || len(entered) == 0 {
		return false
	}
	shut := map[int32]int32{}
	n.snapshot.Lineage.CountClosed(shut, []*snapshot.Member{m}, nil)
	for id := range shut {
		if slices.ContainsFunc(entered[id], func(gang string) bool { return gang != m.Class.Gang }) {
			return true
		}
	}
	return false
}

// Broken says whether members that run, at these positions, break a limit of the gang by themselves: more of them in a domain, or in
// more domains, than there may be, others where they must be alone, or a node outside the tree where a limit speaks of domains. siblings counts them by
// vertex. O(members * tiers).
//
// order: limits.4
func (l *Limits) Broken(v *layout.View, positions func(yield func(pos int32) bool), siblings layout.Tally, near *Company, state State) bool {
	if l == nil {
		return false
	}
	hard, lie := l.AreHard(), map[layout.Vertex]bool{}
	for pos := range positions {
		for _, c := range l.Within[:min(1, len(l.Within))] {
			if lie[v.DomainAt(pos, c.Tier)] = true; int64(len(lie)) > c.Most {
				return true
			}
		}
		if hard && pos >= v.FirstPos[v.Outside] {
			return true
		}
		for _, c := range l.Apart {
			if siblings.At(v.DomainAt(pos, c.Tier)) > c.Most {
				return true
			}
		}
		if near.Meets(pos, state) {
			return true
		}
	}
	return false
}
