// Which domains are closed to others, because members are alone there, and who else runs in a domain?

package snapshot

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
)

// closing is a domain of a topology that a gang closes to others.
type closing struct {
	view *layout.View
	at   layout.Vertex
}

// nodes iterates over the nodes of a closing, by id.
func (d closing) nodes(yield func(id int32) bool) {
	for pos := d.view.First(d.at); pos < d.view.EndOf(d.at); pos++ {
		if !yield(d.view.Node(pos)) {
			return
		}
	}
}

// closedNodes counts the gangs that close each node.
type closedNodes struct {
	by  cow.Column[int32] // by node
	sum int
}

// Any says whether some node is closed to somebody.
func (n *closedNodes) Any() bool { return n.sum > 0 }

// By is how many gangs close domains that a node is in.
func (n *closedNodes) By(id int32) int32 { return n.by.At(id) }

// closedBy lists the domains that members of one gang close, each once, in no order that matters. A layer or a topology that is not
// there any more closes the node alone. O(members * tiers).
//
// order: limits.6
func (l *Lineage) closedBy(members iter.Seq2[int, *Member]) (out []closing) {
	for _, m := range members {
		if m.Class.Alone == "" {
			continue
		}
		if d := l.closingOf(m); len(out) == 0 || out[len(out)-1] != d {
			out = append(out, d)
		}
	}
	if len(out) < 2 {
		return out
	}
	slices.SortFunc(out, func(a, b closing) int {
		return cmp.Or(cmp.Compare(a.view.Name, b.view.Name), cmp.Compare(a.at, b.at))
	})
	return slices.Compact(out)
}

// CountClosed adds, by node, how many domains members of one gang close that others of it do not. O(members * tiers), and the nodes of the
// domains. others may be nil.
func (l *Lineage) CountClosed(into map[int32]int32, members, others iter.Seq2[int, *Member]) {
	var kept []closing
	if others != nil {
		kept = l.closedBy(others)
	}
	for _, d := range l.closedBy(members) {
		if slices.Contains(kept, d) {
			continue
		}
		for id := range d.nodes {
			into[id]++
		}
	}
}

// closingOf is the domain that a member closes.
func (l *Lineage) closingOf(m *Member) closing {
	v := l.Tree(m.Class.AloneIn)
	if v == nil {
		v = l.Views[0]
		return closing{v, v.NodeVertex(v.At(m.Node))}
	}
	tier, _ := v.TierNamed(m.Class.Alone) // 0 if it is unknown
	return closing{v, v.DomainAt(v.At(m.Node), tier)}
}

// Tree is the topology that a request means by a name: that one; without a name the only one, else "default". Nil: there is none.
func (l *Lineage) Tree(name string) *layout.View {
	if name == "" {
		if len(l.Views) == 1 {
			return l.Views[0]
		}
		name = "default"
	}
	if i := slices.IndexFunc(l.Views, func(v *layout.View) bool { return v.Name == name }); i >= 0 {
		return l.Views[i]
	}
	return nil
}

// reclose closes and opens domains where the members of a gang change. O(members), and the nodes of the domains that change.
func reclose(c *Snapshot, old, members Members) {
	before, after := c.Lineage.closedBy(old.All()), c.Lineage.closedBy(members.All())
	for _, d := range before {
		if !slices.Contains(after, d) {
			closeNodes(c, d, -1)
		}
	}
	for _, d := range after {
		if !slices.Contains(before, d) {
			closeNodes(c, d, 1)
		}
	}
}

// closeNodes adds to the number of gangs that close the nodes of a domain. A node is touched where it becomes closed, or open.
func closeNodes(c *Snapshot, d closing, by int32) {
	for id := range d.nodes {
		n := c.Closed.By(id)
		c.Closed.by.Set(id, n+by)
		c.Closed.sum += int(by)
		if (n == 0) != (n+by == 0) {
			markClosed(c, id)
		}
	}
}

// markClosed makes the flag of a node say whether it is closed.
func markClosed(c *Snapshot, id int32) {
	f := c.FlagsOf(id)
	if f&Present == 0 {
		return
	}
	if f &^= closed; c.Closed.By(id) > 0 {
		f |= closed
	}
	c.Static.Flags.Set(id, f)
	c.touch(id)
}

// recloseAll closes all domains anew, in other topologies. O(nodes + members).
func recloseAll(c *Snapshot) {
	n := int32(len(c.Lineage.Names))
	c.Closed = closedNodes{by: cow.NewColumn[int32](int(n))}
	for id := range n {
		if c.FlagsOf(id)&closed != 0 {
			markClosed(c, id)
		}
	}
	c.Gangs.Ascend(func(g *GangMembers) bool {
		reclose(c, Members{}, g.Members)
		return true
	})
}

// HasOthers says whether members run on a node who keep one that must be alone away: not those that are own, not those that are
// tolerated everywhere, and, where they are gone, not those that leave. O(members on the node).
func (l *Lineage) HasOthers(c *Snapshot, id int32, own func(m *Member) bool, leavingGone bool) bool {
	h := c.on.At(id)
	for at := &h; at != nil && at.m != nil; at = at.next {
		m := at.m
		if !m.Class.Tolerated && !(leavingGone && m.Leaving) && !own(m) {
			return true
		}
	}
	return false
}

// Unwelcome says why a member may not come to its node beside who runs on c; empty if it may. Its gang's own members do not matter.
// O(1) for one that is not alone, where no gang is; else O(gangs + members), and the nodes of its domain.
func (m *Member) Unwelcome(c *Snapshot) (reason string) {
	own := func(o *Member) bool { return o.Class.Gang == m.Class.Gang }
	if !m.Class.Tolerated && c.Closed.By(m.Node) > 0 {
		c.Gangs.Ascend(func(g *GangMembers) bool {
			if g.Name != m.Class.Gang && slices.ContainsFunc(c.Lineage.closedBy(g.Members.All()), func(d closing) bool {
				return d.view.Contains(d.at, d.view.NodeVertex(d.view.At(m.Node)))
			}) {
				reason = "members of " + g.Name + " are alone here"
			}
			return reason == ""
		})
	}
	if m.Class.Alone == "" || reason != "" {
		return reason
	}
	for id := range c.Lineage.closingOf(m).nodes {
		if c.Lineage.HasOthers(c, id, own, false) {
			return "members of another gang run where this one must be alone"
		}
	}
	return ""
}
