package placement

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/google/btree"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// member is a running member. It is never changed, only replaced.
type member struct {
	class            *memberClass
	name             string
	index            int
	node             int32
	indexed, leaving bool
	pinned           bool // not preemptible
	started          int64
	placed           *numa.Placed // nil: it has no zones
}

// memberClass is what members of a gang have in common that came together and hold the same.
type memberClass struct {
	gang        string
	affinityKey string
	quota       string  // empty: none
	holds       []int64 // by resource
	priority    int64
	least       int      // members of the gang that must run together; 0: each stands for itself
	budgets     []string // that its members count in
	unevictable bool
}

// is says whether members that are told in the same words are of the kin; equal holds are the same slice.
func (k *memberClass) is(o *memberClass) bool {
	return &k.holds[0] == &o.holds[0] && k.affinityKey == o.affinityKey && k.quota == o.quota && k.priority == o.priority &&
		k.least == o.least && k.unevictable == o.unevictable && (k.budgets == nil) == (o.budgets == nil) && slices.Equal(k.budgets, o.budgets)
}

// mayLeave says whether the member can be anybody's victim.
func (m *member) mayLeave() bool { return !m.pinned && !m.class.unevictable && !m.leaving }

// gangMembers are the running members of one gang in natural order of names.
type gangMembers struct {
	name    string
	members []*member
	// Of those that are not leaving: how many they are, the lowest of their priorities, and how many of them must run together.
	staying, least int32
	priority       int64
}

// newGangMembers adds up what gangs need to know of themselves whose members may be victims.
func newGangMembers(name string, members []*member) *gangMembers {
	g := &gangMembers{name: name, members: members}
	for _, m := range members {
		if m.leaving {
			continue
		}
		if g.staying == 0 || m.class.priority < g.priority {
			g.priority = m.class.priority
		}
		g.staying++
		g.least = max(g.least, int32(min(m.class.least, math.MaxInt32)))
	}
	return g
}

func newGangSet() *btree.BTreeG[*gangMembers] {
	return btree.NewG(32, func(a, b *gangMembers) bool { return muster.CompareNatural(a.name, b.name) < 0 })
}

// anchor says that members of a gang have an affinity key.
type anchor struct{ key, gang string }

func newAnchors() *btree.BTreeG[anchor] {
	return btree.NewG(32, func(a, b anchor) bool {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.gang, b.gang)) < 0
	})
}

// setGang replaces the running members of a gang.
func (c *Snapshot) setGang(name string, old, members []*member) {
	eachKey(old, func(key string) { c.anchors.Delete(anchor{key, name}) })
	eachKey(members, func(key string) { c.anchors.ReplaceOrInsert(anchor{key, name}) })
	if len(members) == 0 {
		c.gangs.Delete(&gangMembers{name: name})
		return
	}
	g := newGangMembers(name, members)
	if was, ok := c.gangs.ReplaceOrInsert(g); ok && (was.priority != g.priority || (was.least > 0) != (g.least > 0)) {
		for _, m := range members {
			c.move(m.node)
		}
	}
}

// eachKey calls f with the affinity keys of members, perhaps more than once with one.
func eachKey(members []*member, f func(key string)) {
	var last *memberClass
	for _, m := range members {
		if m.class != last && m.class.affinityKey != "" {
			f(m.class.affinityKey)
		}
		last = m.class
	}
}

// eachWithKey calls f with the running members that have an affinity key. O(log gangs + members of their gangs).
func (c *Snapshot) eachWithKey(key string, f func(m *member)) {
	c.anchors.AscendGreaterOrEqual(anchor{key: key}, func(a anchor) bool {
		if a.key != key {
			return false
		}
		for _, m := range c.membersOf(a.gang) {
			if m.class.affinityKey == key {
				f(m)
			}
		}
		return true
	})
}

// compareMembers orders by gang, then name, in natural order.
func compareMembers(a, b *member) int {
	if a.class != b.class && a.class.gang != b.class.gang {
		return muster.CompareNatural(a.class.gang, b.class.gang)
	}
	return muster.CompareNatural(a.name, b.name)
}

func compareNodes(a, b *member) int { return cmp.Compare(a.node, b.node) }

// sortMembers puts members in the order of compareMembers, those of one name in the order in which they came.
func sortMembers(members []*member) {
	if !slices.IsSortedFunc(members, compareMembers) {
		slices.SortStableFunc(members, compareMembers)
	}
}

// membersOf lists the running members of a gang, nil if none.
func (c *Snapshot) membersOf(gang string) []*member {
	if g, ok := c.gangs.Get(&gangMembers{name: gang}); ok {
		return g.members
	}
	return nil
}

// member finds a running member, nil if it does not run. O(log n + log of the gang).
func (c *Snapshot) member(gang, name string) *member { return named(c.membersOf(gang), name) }

// named finds a member in a gang's list, nil if it is not there.
func named(members []*member, name string) *member {
	if i, ok := place(members, name); ok {
		return members[i]
	}
	return nil
}

// place is where a name stands in a gang's list, or would stand.
func place(members []*member, name string) (int, bool) {
	return slices.BinarySearchFunc(members, name, func(m *member, name string) int {
		return muster.CompareNatural(m.name, name)
	})
}

// hosted are the members on a node in no order: a persistent list, whose first element stands in the node's place
// since most nodes have few. The zero value is the empty list.
type hosted struct {
	m    *member
	next *hosted
}

// with is the list and a member more. O(1).
func (h hosted) with(m *member) hosted {
	if h.m == nil {
		return hosted{m: m}
	}
	rest := h // moves to the heap here, not where the list is empty
	return hosted{m, &rest}
}

// without is the list without some of its members, which are in the order of compareMembers. What stands behind the last
// of them is shared. O(list * log gone).
func (h hosted) without(gone []*member) hosted {
	var kept []*member
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

// has says whether a member is among some that are in the order of compareMembers.
func has(sorted []*member, m *member) bool {
	if len(sorted) <= 8 {
		return slices.Contains(sorted, m)
	}
	i, ok := slices.BinarySearchFunc(sorted, m, compareMembers)
	return ok && sorted[i] == m
}

// membersOn lists the members on a node in the order of gang, then name; the slice is the caller's. O(k log k).
func (c *Snapshot) membersOn(id int32) []*member {
	var out []*member
	h := c.on.At(id)
	for at := &h; at != nil && at.m != nil; at = at.next {
		out = append(out, at.m)
	}
	sortMembers(out)
	return out
}
