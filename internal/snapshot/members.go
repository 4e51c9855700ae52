// Who runs? Members in their gangs, by affinity key, and on their nodes.

package snapshot

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/sorted"
	"github.com/muster-sched/muster/numa"
)

// Member is a running member. It never changes once its snapshot is published: a change replaces it. So a pointer to
// one is its identity, and lists are compared by pointers.
type Member struct {
	Class            *MemberClass
	Name             string
	Index            int   // place in rank order, if it is Indexed
	Node             int32 // id; -1 while it is made, on an absent node
	Indexed, Leaving bool
	Pinned           bool         // not preemptible, see [cluster.Running]
	Started          int64        // in seconds, 0: unknown
	Placed           *numa.Placed // nil: it has no share of any zone
}

// MemberClass is the part that members of a gang share if they came in one change and differ in nothing but what
// [Member] has itself. It never changes.
type MemberClass struct {
	Gang        string
	AffinityKey string   // empty: none
	Quota       string   // empty: none
	Holds       []int64  // by resource, never empty: pods are among the resources
	Priority    int64    // larger is more important
	MinMember   int      // as in [cluster.Running]
	End         int64    // likewise
	Budgets     []string // that its members count in
	unevictable bool
	Tolerated   bool   // no company to one that must be alone
	Alone       string // the layer whose domain is closed to others; empty: none
	AloneIn     string // the topology of that layer, as requests name it
}

// is says whether two classes of a gang are equal. Amounts are compared by address: within one change equal ones are
// mostly the same slice, see [Vectors]. Where they are not, members get two classes, which decides nothing. Nil and
// empty budgets differ, so that members read back as they were given.
func (c *MemberClass) is(o *MemberClass) bool {
	return &c.Holds[0] == &o.Holds[0] && c.AffinityKey == o.AffinityKey && c.Quota == o.Quota && c.Priority == o.Priority &&
		c.MinMember == o.MinMember && c.End == o.End && c.unevictable == o.unevictable && c.Tolerated == o.Tolerated && c.Alone == o.Alone && c.AloneIn == o.AloneIn &&
		(c.Budgets == nil) == (o.Budgets == nil) && slices.Equal(c.Budgets, o.Budgets)
}

// MayLeave says whether the member can be anybody's victim, as far as it alone decides.
func (m *Member) MayLeave() bool { return !m.Pinned && !m.Class.unevictable && !m.Leaving }

// IsDaemon says whether the member belongs to its node, and leaves only with it.
func (m *Member) IsDaemon() bool { return m.Class.unevictable }

// Members are members in the order of CompareMembers.
type Members = sorted.List[*Member]

// GangMembers are the running members of one gang in natural order of names, at least one. Snapshots share it, so it
// never changes, but for what is kept to be counted once: setGang replaces it.
type GangMembers struct {
	Name    string
	Members Members
	// Of the members that are not leaving: their number; how many of them must run together (0: each stands for itself;
	// may be more than Staying); and the lowest of their priorities (0 if all are leaving).
	Staying, Least int32
	Priority       int64

	minimum     int32 // the largest one that a member has
	asksAll     bool  // a member asks for all that stay
	marked      bool  // some have an affinity key, or must be alone, or had once
	inRankOrder bool  // as they stand, and none of them is leaving
	held        atomic.Pointer[held]
	cut         atomic.Pointer[cut]
}

// newGangMembers sums up the members that stay. Least is the largest minimum among them. A negative minimum asks for
// nothing; 0 asks for all that stay, unless that is one alone, which is a plain pod. O(members).
//
// order: victims.3
func newGangMembers(name string, members Members) *GangMembers {
	g := &GangMembers{Name: name, Members: members, inRankOrder: true}
	var last *Member
	for _, m := range members.All() {
		g.inRankOrder = g.inRankOrder && !m.Leaving && (last == nil || compareIndexes(last, m) <= 0)
		g.sum(m)
		last = m
	}
	g.settle()
	return g
}

// sum adds a member to the sums of its gang.
func (g *GangMembers) sum(m *Member) {
	if g.marked = g.marked || m.Class.AffinityKey != "" || m.Class.Alone != ""; m.Leaving {
		return
	}
	if g.Staying == 0 || m.Class.Priority < g.Priority {
		g.Priority = m.Class.Priority
	}
	g.Staying++
	g.asksAll = g.asksAll || m.Class.MinMember == 0
	g.minimum = max(g.minimum, minimumOf(m))
}

// settle finds Least once all members are summed up.
func (g *GangMembers) settle() {
	if g.Least = g.minimum; g.asksAll && g.Staying > 1 {
		g.Least = max(g.Least, g.Staying)
	}
}

// minimumOf is the number of members that one asks for.
func minimumOf(m *Member) int32 { return int32(min(max(m.Class.MinMember, 0), math.MaxInt32)) }

// after is newGangMembers of the members of a gang less some and with fresh ones. O(changes * log members) if the first member that stays in the
// list tells that the lowest priority and the largest minimum are still there, else O(members).
func (g *GangMembers) after(name string, members Members, gone, fresh []*Member) *GangMembers {
	if members.Len() == 0 || !g.inRankOrder || len(gone) > 0 && !g.isTypical(members.At(0)) {
		return newGangMembers(name, members)
	}
	next := &GangMembers{
		Name: name, Members: members, Staying: g.Staying - int32(len(gone)), Priority: g.Priority, minimum: g.minimum, asksAll: g.asksAll, marked: g.marked,
		inRankOrder: true,
	}
	for _, m := range fresh {
		i, _ := place(members, m.Name)
		next.inRankOrder = next.inRankOrder && !m.Leaving && (i == 0 || compareIndexes(members.At(i-1), m) <= 0) &&
			(i+1 == members.Len() || compareIndexes(m, members.At(i+1)) <= 0)
		next.sum(m)
	}
	next.settle()
	return next
}

// isTypical says whether the sums of the gang stay what they are as long as a member stays, whoever else leaves.
func (g *GangMembers) isTypical(m *Member) bool {
	return !m.Leaving && m.Class.Priority == g.Priority && minimumOf(m) == g.minimum && g.asksAll == (m.Class.MinMember == 0)
}

func newGangSet() *btree.BTreeG[*GangMembers] {
	return btree.NewG(32, func(a, b *GangMembers) bool { return muster.CompareNatural(a.Name, b.Name) < 0 })
}

// anchor says that a gang has a member with an affinity key, leaving ones included. There is one entry for each gang
// and key.
type anchor struct{ key, gang string }

func newAnchors() *btree.BTreeG[anchor] {
	return btree.NewG(32, func(a, b anchor) bool {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.gang, b.gang)) < 0
	})
}

// setGang replaces the running members of a gang: those before, of whom there may be none, by g, who may be none as well. O(log gangs), and O(members)
// where some have affinity keys or must be alone.
//
// The priority of a gang and whether it has a minimum are in the profiles of all its members. Where one of them
// changes, the nodes of all members count as moved, also of members that did not change themselves.
func (c *Snapshot) setGang(before, g *GangMembers) {
	if before.marked || g.marked {
		eachKey(before.Members, func(key string) { c.anchors.Delete(anchor{key, g.Name}) })
		eachKey(g.Members, func(key string) { c.anchors.ReplaceOrInsert(anchor{key, g.Name}) })
		reclose(c, before.Members, g.Members)
	}
	if g.Members.Len() == 0 {
		c.Gangs.Delete(g)
		return
	}
	if was, ok := c.Gangs.ReplaceOrInsert(g); ok && (was.Priority != g.Priority || (was.Least > 0) != (g.Least > 0)) {
		for _, m := range g.Members.All() {
			c.move(m.Node)
		}
	}
}

// eachKey calls f with the affinity keys of members, perhaps more than once with one: keys are looked at only where the
// class of members changes.
func eachKey(members Members, f func(key string)) {
	var last *MemberClass
	for _, m := range members.All() {
		if m.Class != last && m.Class.AffinityKey != "" {
			f(m.Class.AffinityKey)
		}
		last = m.Class
	}
}

// EachWithKey calls f with the running members that have an affinity key, leaving ones included. O(log gangs + members
// of their gangs). The empty key has none.
func (c *Snapshot) EachWithKey(key string, f func(m *Member)) {
	// Anchors are ordered by key first, so those of a key lie together; the empty gang comes before all others.
	c.anchors.AscendGreaterOrEqual(anchor{key: key}, func(a anchor) bool {
		if a.key != key {
			return false
		}
		for _, m := range c.MembersOf(a.gang).All() {
			if m.Class.AffinityKey == key {
				f(m)
			}
		}
		return true
	})
}

// CompareMembers orders by gang, then name, in natural order. Lists that several snapshots share are in this order.
func CompareMembers(a, b *Member) int {
	if a.Class != b.Class && a.Class.Gang != b.Class.Gang {
		return muster.CompareNatural(a.Class.Gang, b.Class.Gang)
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// compareNodes orders by node alone.
func compareNodes(a, b *Member) int { return cmp.Compare(a.Node, b.Node) }

// Member finds a running member, nil if it does not run. O(log gangs + log of the gang).
func (c *Snapshot) Member(gang, name string) *Member { return named(c.MembersOf(gang), name) }

// sortMembers puts members in the order of CompareMembers. O(n) if they are in order.
func sortMembers(members []*Member) {
	if !slices.IsSortedFunc(members, CompareMembers) {
		slices.SortStableFunc(members, CompareMembers)
	}
}

// named finds a member in a gang's list, nil if it is not there. O(log n).
func named(members Members, name string) *Member {
	if i, ok := place(members, name); ok {
		return members.At(i)
	}
	return nil
}

// place is where a name stands in a gang's list, or would stand; the bool says which.
func place(members Members, name string) (int, bool) {
	return members.Search(func(m *Member) int { return muster.CompareNatural(m.Name, name) })
}

// hosted are the members on a node in no order: a persistent linked list, whose elements snapshots share. Its first
// element stands in the column itself, since most nodes have few members. The zero value is the empty list.
type hosted struct {
	m    *Member // nil only in the empty list
	next *hosted // never changes; nil: m is the last one
}

// with is the list and one more member, at the front; h stays as it is. O(1).
func (h hosted) with(m *Member) hosted {
	if h.m == nil {
		return hosted{m: m}
	}
	rest := h // only here does it move to the heap
	return hosted{m, &rest}
}

// without is the list less gone, which is in the order of CompareMembers. Every one of gone must be in the list: the
// loop ends when it has met them all. The rest behind the last of them is shared; the members before it are put in
// front of that again, from the last to the first, so that their order stays. O(list * log gone).
func (h hosted) without(gone []*Member) hosted {
	var kept []*Member
	at, left := &h, len(gone)
	for ; left > 0; at = at.next {
		if has(gone, at.m) {
			left--
		} else {
			kept = append(kept, at.m)
		}
	}
	out := hosted{}
	if at != nil {
		out = *at
	}
	for _, m := range slices.Backward(kept) {
		out = out.with(m)
	}
	return out
}

// has looks for a member, by pointer, in a list in the order of CompareMembers. O(log n).
func has(sorted []*Member, m *Member) bool {
	if len(sorted) <= 8 { // pointers are compared faster than names
		return slices.Contains(sorted, m)
	}
	i, ok := slices.BinarySearchFunc(sorted, m, CompareMembers)
	return ok && sorted[i] == m
}

// sortedOn lists the members on a node, [MembersOn], in the order of gang, then name, leaving ones included. The slice is the
// caller's. O(k log k) for k members there.
func (c *Snapshot) sortedOn(id int32) []*Member {
	out := slices.Collect(MembersOn(c, id))
	sortMembers(out)
	return out
}

// TiesOthers says whether other members decide whether this one may leave, or at which cost: its gang has a minimum, or
// a budget counts it. Only members of which none is tied leave one by one.
func TiesOthers(g *GangMembers, m *Member) bool { return g.Least > 0 || len(m.Class.Budgets) > 0 }
