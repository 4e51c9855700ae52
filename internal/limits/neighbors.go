package limits

import (
	"iter"
	"maps"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// State says whose running members count.
type State uint8

// The states: all running members count, as for an index shared by all gangs; all but the plan's own; all but the plan's own and the
// leaving ones.
const (
	Everybody State = iota
	Others
	Staying
)

// Neighbors are the running members near each node, for one plan. A nil *Neighbors keeps nobody off.
type Neighbors struct {
	snapshot  *snapshot.Snapshot
	view      *layout.View
	limits    *Limits
	parts     []int32 // tiers of Alones that bind some of the members
	tolerated bool
	own       func(gang string) bool
	gang      string // the only own gang; empty: there may be several
	asking    string // one of several own gangs; empty: any
	known     *knownNear
}

// knownNear remembers answers, by state.
type knownNear struct {
	others [3]map[layout.Vertex]bool // do others run in this domain?
	open   [3]map[int32]int32        // by node: closing gangs without effect on the plan
}

// Near makes the neighbors of a gang, or of several own gangs; nil if none can matter. parts are the tiers of Alones that bind some of the
// members. A tolerated gang may go where others are alone.
func Near(
	c *snapshot.Snapshot, v *layout.View, l *Limits, parts []int32, tolerated bool, gang string, own func(gang string) bool,
) *Neighbors {
	if !l.AreAlone() && len(parts) == 0 && (tolerated || !c.Closed.Any()) {
		return nil
	}
	return &Neighbors{snapshot: c, view: v, limits: l, parts: parts, tolerated: tolerated, gang: gang, own: own, known: &knownNear{}}
}

// Of narrows the neighbors to the members of one gang with these limits; gang empty: any of the own gangs.
func (n *Neighbors) Of(l *Limits, gang string) *Neighbors {
	if n == nil {
		return nil
	}
	next := *n
	if next.limits, next.parts = l, nil; gang != n.asking {
		next.asking, next.known = gang, &knownNear{} // who is another depends on it
	}
	return &next
}

// isOwn says whether a member counts as ours: it is of the asking gang, or of one planned with it and stays.
func (n *Neighbors) isOwn(m *snapshot.Member) bool {
	return n.own(m.Class.Gang) && (n.asking == "" || m.Class.Gang == n.asking || !m.Leaving)
}

// ownGangs yields the running members of each own gang. O(log gangs), or O(gangs) for several.
func (n *Neighbors) ownGangs() iter.Seq[snapshot.Members] {
	return func(yield func(snapshot.Members) bool) {
		if n.gang != "" {
			yield(n.snapshot.MembersOf(n.gang))
			return
		}
		n.snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool { return !n.own(g.Name) || yield(g.Members) })
	}
}

// HasOwn says whether own members run: an index shared by all gangs takes them for others. O(log gangs), or O(gangs) for several.
func (n *Neighbors) HasOwn() bool {
	if n == nil {
		return false
	}
	for members := range n.ownGangs() {
		if members.Len() > 0 {
			return true
		}
	}
	return false
}

// Tiers are the tiers of all Alones, that of the gang last.
func (n *Neighbors) Tiers() []int32 {
	switch {
	case n == nil:
		return nil
	case n.limits.AreAlone():
		return append(slices.Clip(n.parts), n.limits.Alone)
	}
	return n.parts
}

// Fresh is a copy with nothing remembered, for another goroutine. own replaces the former function.
func (n *Neighbors) Fresh(own func(gang string) bool) *Neighbors {
	if n == nil {
		return nil
	}
	next := *n
	next.own, next.known = own, &knownNear{}
	return &next
}

// KeepsOff says why neighbors keep the gang off a node: "closed" if another gang is alone there, "occupied" if others run in a domain
// that the gang needs for itself. Empty: the node is open. O(tiers) once the domain is known, else O(its nodes and their members).
//
// order: limits.3
func (n *Neighbors) KeepsOff(id int32, state State) string {
	switch {
	case n == nil:
	case !n.tolerated && n.snapshot.Closed.By(id) > 0 && n.snapshot.Closed.By(id) > n.opened(state)[id]:
		return "closed"
	case n.Meets(n.view.At(id), state):
		return "occupied"
	}
	return ""
}

// opened counts, by node, the closing gangs without effect on the plan: own ones, and with [Staying] those that leave.
// O(gangs) for several own gangs, else O(log gangs), and the nodes of these domains, once for a state.
func (n *Neighbors) opened(state State) map[int32]int32 {
	if state == Everybody {
		return nil
	}
	if open := n.known.open[state]; open != nil {
		return open
	}
	open := map[int32]int32{}
	for members := range n.ownGangs() {
		those := members.All()
		if state == Others && n.asking != "" {
			those = members.Those(n.isOwn)
		}
		n.snapshot.Lineage.CountClosed(open, those, nil)
	}
	if state == Staying {
		n.leavingOpen(open)
	}
	n.known.open[state] = open
	return open
}

// leavingOpen adds the nodes closed by leaving members only.
func (n *Neighbors) leavingOpen(open map[int32]int32) {
	c, last := n.snapshot, ""
	for _, m := range c.Leaving { // in the order of gangs
		if m.Class.Alone == "" || m.Class.Gang == last || n.own(m.Class.Gang) {
			continue
		}
		last = m.Class.Gang
		members := c.MembersOf(last)
		c.Lineage.CountClosed(open, members.All(), members.Those(func(m *snapshot.Member) bool { return !m.Leaving }))
	}
}

// Meets says whether a member at this position would be near others in spite of an Alone. Cost as for [Neighbors.KeepsOff].
func (n *Neighbors) Meets(pos int32, state State) bool {
	return n != nil && n.limits.AreAlone() && n.occupied(n.view.DomainAt(pos, n.limits.Alone), state)
}

// occupied says whether others run in a domain.
func (n *Neighbors) occupied(d layout.Vertex, state State) bool {
	others := n.known.others[state]
	if others == nil {
		others = map[layout.Vertex]bool{}
		n.known.others[state] = others
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

// Apart appends the nodes on which the plan may differ from an index shared by all gangs: near own or leaving members.
func (n *Neighbors) Apart(nodes []int32, state State) []int32 {
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
		for _, m := range members.All() {
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

// Domains widens nodes to their domains at the widest tier of an Alone; without one they stay. A change on one node of such a domain
// matters to all of them.
func (n *Neighbors) Domains(nodes []int32) (out []int32) {
	tiers := n.Tiers()
	if len(tiers) == 0 {
		return nodes
	}
	widest := slices.Max(tiers) // its domains hold the others
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

// Leaving lists the leaving members that must be gone first whatever they hold: others in a domain of an Alone, and members that close a
// node to the plan. at are the positions of the new members, alone the domains of all members with an Alone; each with the member's gang. O(positions + leaving members * tiers), and the nodes of closed domains.
//
// order: limits.5
func (n *Neighbors) Leaving(at iter.Seq2[int32, string], alone iter.Seq2[layout.Vertex, string]) (out []*snapshot.Member) {
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
func (n *Neighbors) entered(at iter.Seq2[int32, string]) map[int32][]string {
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
func (n *Neighbors) isBeside(m *snapshot.Member, used map[layout.Vertex]string, tiers []int32) bool {
	if m.Class.Tolerated || len(used) == 0 {
		return false
	}
	return slices.ContainsFunc(tiers, func(tier int32) bool {
		gang, is := used[n.view.DomainAt(n.view.At(m.Node), tier)]
		return is && gang != m.Class.Gang
	})
}

// shuts says whether a running member that must be alone closes a node that members of another gang come to.
func (n *Neighbors) shuts(m *snapshot.Member, entered map[int32][]string) bool {
	if m.Class.Alone == "" || len(entered) == 0 {
		return false
	}
	shut := map[int32]int32{}
	n.snapshot.Lineage.CountClosed(shut, slices.All([]*snapshot.Member{m}), nil)
	for id := range shut {
		if slices.ContainsFunc(entered[id], func(gang string) bool { return gang != m.Class.Gang }) {
			return true
		}
	}
	return false
}
