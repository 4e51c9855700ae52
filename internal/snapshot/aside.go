// How does somebody who only asks "what if" look at a snapshot and at changed ones?

package snapshot

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/quota"
)

// Aside is the same snapshot with caches of its own: whoever plans many shapes that nobody will plan again does not push out those of
// others. They begin with what is kept now, and with what was found aside before, on this snapshot or on its ancestors. O(kept values).
func Aside(c *Snapshot) *Snapshot {
	next := *c
	if c.Caches.aside.Load() == nil {
		c.Caches.aside.CompareAndSwap(nil, &caches{}) // one is first
	}
	next.Caches = c.Caches.aside.Load()
	next.Caches.adopt(c.Caches)
	return &next
}

// WithQuotas is the snapshot with another state of its quotas, which has the same usage. O(1).
func WithQuotas(c *Snapshot, state *quota.State) *Snapshot {
	next := *c
	next.Quotas, next.Caches = state, &caches{} // what victims cost may depend on quotas
	c.Caches.Shapes.PassOn(&next.Caches.Shapes, nil, 0)
	c.Caches.Reserves.PassOn(&next.Caches.Reserves, nil, 0)
	return &next
}

// WithTotalOf is the snapshot with quotas that divide what those of another one of its lineage would divide with n nodes more like one of
// its own; what the host fixes stays. O(n * resources).
func WithTotalOf(c, other *Snapshot, like int32, n int) (*Snapshot, error) {
	if c.Quotas == nil || c.Lineage.fixedTotal {
		return c, nil
	}
	totals := slices.Clone(other.totals) // which may be below zero: what quotas are told is not
	for range n {
		raise(totals, other.Static.ClassOf(like).allocatable)
	}
	quotas, err := c.Quotas.WithTotal(amountsOf(other.Lineage, totals))
	if err != nil {
		return nil, err
	}
	return WithQuotas(c, quotas), nil
}

// NodeAt is the node with an id as it was given; it must be present. Labels and taints are shared.
func NodeAt(c *Snapshot, id int32) cluster.Node { return c.export(id, c.Static.at(id)) }

// MembersOn iterates over the members on a node in no order. O(members on it).
func MembersOn(c *Snapshot, id int32) iter.Seq[*Member] {
	return func(yield func(*Member) bool) {
		h := c.on.At(id)
		for at := &h; at != nil && at.m != nil; at = at.next {
			if !yield(at.m) {
				return
			}
		}
	}
}

// ByNode goes through members of gangs node by node, in memory that it uses again.
type ByNode struct {
	seen []int32 // by node, the list in which it was met last
	list int32
	copy []*Member
}

// Each calls f with the members on each node that some of a list are on; f may not keep the slice. O(members), and sorted where several
// are on one node.
func (b *ByNode) Each(c *Snapshot, list iter.Seq2[int, *Member], f func(id int32, on []*Member)) {
	if n := len(c.Lineage.Names); len(b.seen) != n {
		b.seen, b.list = make([]int32, n), 0
	}
	b.list++
	b.copy = b.copy[:0]
	for _, m := range list {
		b.copy = append(b.copy, m)
	}
	apart, members := true, b.copy
	for _, m := range members {
		apart = apart && b.seen[m.Node] != b.list
		b.seen[m.Node] = b.list
	}
	if !apart && !slices.IsSortedFunc(members, compareNodes) {
		slices.SortFunc(members, compareNodes)
	}
	for first, i := 0, 0; i < len(members); first = i {
		for i < len(members) && members[i].Node == members[first].Node {
			i++
		}
		f(members[first].Node, members[first:i])
	}
}

// Capacity is what a node has in all, by resource, pods Boundless where it does not bound them; empty for an absent node. It is
// to be read only.
func (c *nodeClass) Capacity() []int64 { return c.allocatable }
