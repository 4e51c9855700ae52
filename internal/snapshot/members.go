package snapshot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// Member is a running member. It never changes once its snapshot is published: a change replaces it.
type Member struct {
	Class            *MemberClass
	Name             string
	Index            int
	Node             int32
	Indexed, Leaving bool
	Pinned           bool // not preemptible, see [cluster.Running]
	Started          int64
	Placed           *numa.Placed // nil: it has no share of any zone
}

// MemberClass is shared by members of a gang that came together and differ in nothing but name, index, node and start.
type MemberClass struct {
	Gang        string
	AffinityKey string
	Quota       string  // empty: none
	Holds       []int64 // by resource
	Priority    int64
	MinMember   int      // as in [cluster.Running]
	Budgets     []string // that its members count in
	unevictable bool
}

// is says whether two classes of a gang are equal; equal holds are the same slice, see [Vectors].
func (c *MemberClass) is(o *MemberClass) bool {
	return &c.Holds[0] == &o.Holds[0] && c.AffinityKey == o.AffinityKey && c.Quota == o.Quota && c.Priority == o.Priority &&
		c.MinMember == o.MinMember && c.unevictable == o.unevictable &&
		(c.Budgets == nil) == (o.Budgets == nil) && slices.Equal(c.Budgets, o.Budgets)
}

// MayLeave says whether the member can be anybody's victim.
func (m *Member) MayLeave() bool { return !m.Pinned && !m.Class.unevictable && !m.Leaving }

// GangMembers are the running members of one gang in natural order of names.
type GangMembers struct {
	Name    string
	Members []*Member
	// Of those that are not leaving: how many they are, how many of them must run together (0: each stands for itself), and
	// the lowest of their priorities.
	Staying, Least int32
	Priority       int64
}

// newGangMembers sums up the members that stay.
//
// order: victims.3
func newGangMembers(name string, members []*Member) *GangMembers {
	g := &GangMembers{Name: name, Members: members}
	all := false
	for _, m := range members {
		if m.Leaving {
			continue
		}
		if g.Staying == 0 || m.Class.Priority < g.Priority {
			g.Priority = m.Class.Priority
		}
		g.Staying++
		all = all || m.Class.MinMember == 0
		g.Least = max(g.Least, int32(min(max(m.Class.MinMember, 0), math.MaxInt32)))
	}
	if all && g.Staying > 1 { // one alone is a plain pod
		g.Least = max(g.Least, g.Staying)
	}
	return g
}

func newGangSet() *btree.BTreeG[*GangMembers] {
	return btree.NewG(32, func(a, b *GangMembers) bool { return muster.CompareNatural(a.Name, b.Name) < 0 })
}

// anchor is an affinity key and a gang with a member that has it.
type anchor struct{ key, gang string }

func newAnchors() *btree.BTreeG[anchor] {
	return btree.NewG(32, func(a, b anchor) bool {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.gang, b.gang)) < 0
	})
}

// setGang replaces the running members of a gang. Where its priority or its ties change, so do the profiles of all members,
// those that stay included.
func (c *Snapshot) setGang(name string, old, members []*Member) {
	eachKey(old, func(key string) { c.anchors.Delete(anchor{key, name}) })
	eachKey(members, func(key string) { c.anchors.ReplaceOrInsert(anchor{key, name}) })
	if len(members) == 0 {
		c.Gangs.Delete(&GangMembers{Name: name})
		return
	}
	g := newGangMembers(name, members)
	if was, ok := c.Gangs.ReplaceOrInsert(g); ok && (was.Priority != g.Priority || (was.Least > 0) != (g.Least > 0)) {
		for _, m := range members {
			c.move(m.Node)
		}
	}
}

// eachKey calls f with the affinity keys of members, perhaps more than once with one.
func eachKey(members []*Member, f func(key string)) {
	var last *MemberClass
	for _, m := range members {
		if m.Class != last && m.Class.AffinityKey != "" {
			f(m.Class.AffinityKey)
		}
		last = m.Class
	}
}

// EachWithKey calls f with the running members that have an affinity key. O(log gangs + members of their gangs).
func (c *Snapshot) EachWithKey(key string, f func(m *Member)) {
	c.anchors.AscendGreaterOrEqual(anchor{key: key}, func(a anchor) bool {
		if a.key != key {
			return false
		}
		for _, m := range c.MembersOf(a.gang) {
			if m.Class.AffinityKey == key {
				f(m)
			}
		}
		return true
	})
}

// CompareMembers orders by gang, then name, in natural order.
func CompareMembers(a, b *Member) int {
	if a.Class != b.Class && a.Class.Gang != b.Class.Gang {
		return muster.CompareNatural(a.Class.Gang, b.Class.Gang)
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// compareNodes orders by node alone.
func compareNodes(a, b *Member) int { return cmp.Compare(a.Node, b.Node) }

// SortMembers puts members in the order of CompareMembers, those of one name in the order in which they came.
func SortMembers(members []*Member) {
	if !slices.IsSortedFunc(members, CompareMembers) {
		slices.SortStableFunc(members, CompareMembers)
	}
}

// MembersOf lists the running members of a gang, nil if none.
func (c *Snapshot) MembersOf(gang string) []*Member {
	if g, ok := c.Gangs.Get(&GangMembers{Name: gang}); ok {
		return g.Members
	}
	return nil
}

// Member finds a running member, nil if it does not run. O(log n + log of the gang).
func (c *Snapshot) Member(gang, name string) *Member { return Named(c.MembersOf(gang), name) }

// Named finds a member in a gang's list, nil if it is not there.
func Named(members []*Member, name string) *Member {
	if i, ok := place(members, name); ok {
		return members[i]
	}
	return nil
}

// place is where a name stands in a gang's list, or would stand.
func place(members []*Member, name string) (int, bool) {
	return slices.BinarySearchFunc(members, name, func(m *Member, name string) int {
		return muster.CompareNatural(m.Name, name)
	})
}

// hosted are the members on a node in no order: a persistent list. Its first element stands in the column itself, since
// most nodes have few members. The zero value is the empty list.
type hosted struct {
	m    *Member
	next *hosted
}

// with is the list and a member more. O(1).
func (h hosted) with(m *Member) hosted {
	if h.m == nil {
		return hosted{m: m}
	}
	rest := h // only here does it move to the heap
	return hosted{m, &rest}
}

// without is the list less some of its members, in the order of CompareMembers. The rest behind the last of them is
// shared. O(list * log gone).
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

// has looks for a member in a list in the order of CompareMembers.
func has(sorted []*Member, m *Member) bool {
	if len(sorted) <= 8 {
		return slices.Contains(sorted, m)
	}
	i, ok := slices.BinarySearchFunc(sorted, m, CompareMembers)
	return ok && sorted[i] == m
}

// membersOn lists the members on a node in the order of gang, then name; the slice is the caller's. O(k log k).
func (c *Snapshot) membersOn(id int32) []*Member {
	var out []*Member
	h := c.on.At(id)
	for at := &h; at != nil && at.m != nil; at = at.next {
		out = append(out, at.m)
	}
	SortMembers(out)
	return out
}
