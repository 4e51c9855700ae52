// How does a plan know the slots of all nodes without counting each? From the index of its shape, which is kept from
// snapshot to snapshot: only nodes that changed are counted again.

package room

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// index finds or makes the index of the problem's shape on its snapshot. It counts every node as if the request
// excluded none and all leaving members stayed, so that all requests of the shape share it. Nil if no other request
// can share it, because the host's Eligible has no class, the host tells the slots, or only some nodes are allowed; or if slots exceed an index.
// O(kept shapes) if it is known for this snapshot, else the cost of after or newIndex.
func (k Slots) index() *snapshot.ShapeIndex {
	if k.r.Request.Class == "" && k.r.Request.Eligible != nil || k.r.Request.Slots != nil || k.r.Allowed != nil {
		return nil
	}
	key := k.Key() // in the scratch, hence a clone of it for what is kept
	ix := k.Indexes().Get(&k.r.Snapshot.Lineage.Clock, k.r.Snapshot.Lineage.KeptShapes,
		func(other []byte) bool { return bytes.Equal(other, key) },
		func(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex {
			return Slots{k.r, true}.after(s, nodes)
		},
		func() ([]byte, *snapshot.ShapeIndex) { return bytes.Clone(key), Slots{k.r, true}.newIndex() })
	if ix != nil {
		k.r.ZoneState.indexNeeds = ix.Needs
	}
	return ix
}

// Indexes keep the slots of shapes from snapshot to snapshot: those on all nodes, or on the ones that are not meant for others.
func (k Slots) Indexes() *cow.Memo[[]byte, *snapshot.ShapeIndex] {
	if k.r.Spared {
		return &k.r.Snapshot.Caches.Spared
	}
	return &k.r.Snapshot.Caches.Shapes
}

// shareOfOthers asks the nodes whether they are meant for others, and keeps the answers for later snapshots.
func (k Slots) shareOfOthers() share {
	c, key, is := k.r.Snapshot, k.Key(), k.others()
	v := c.Caches.Others.Get(&c.Lineage.Clock, c.Lineage.KeptShapes,
		func(other []byte) bool { return bytes.Equal(other, key) },
		func(before any, nodes []int32) any { return before.(*verdicts).after(c, nodes, is) },
		func() ([]byte, any) { return bytes.Clone(key), verdictsOn(c, is) }).(*verdicts)
	switch v.yeses {
	case 0:
		return none
	case v.nodes:
		return all
	}
	return some
}

// newIndex counts every node; nil if the sum of all slots does not fit into an index. O(nodes * resources), and the
// counts of zones.
func (k Slots) newIndex() *snapshot.ShapeIndex {
	s := &snapshot.ShapeIndex{Spoils: snapshot.Spoils{By: k.r.wastes().weights()}}
	s.Index.Caps = k.r.Model.Limits.Caps()
	count := func(slots *cow.Column[int32]) int64 { return k.countNodes(slots, &s.Spoils) }
	if !s.Index.Build(k.r.Model.View, count, k.r.Zones().alikeIn(&s.Index, nil)) {
		return nil
	}
	s.Needs, s.Inexact = k.r.Zones().allNeeds(), k.r.ZoneState.inexact
	return s
}

// after is the index of a later snapshot in which only these nodes changed; nil as for newIndex.
// O(touched * children of the domains above them).
func (k Slots) after(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex {
	if s == nil {
		return k.newIndex()
	}
	k.r.ZoneState.indexNeeds = s.Needs
	return k.recount(s, k.r.Company.Domains(nodes), Excluded{}, nil)
}

// overlay is the index for one request: without slots on the nodes that it excludes and, if leaving members count as
// gone, with their amounts free. It is not kept for other requests. Cost as for after, with the nodes concerned.
func (k Slots) overlay(s *snapshot.ShapeIndex) *snapshot.ShapeIndex {
	nodes, excluded, extra := k.Apart()
	if len(nodes) == 0 {
		return s
	}
	// Sums by group size are made on the index that is kept. recount then passes them on, and only the domains above
	// these nodes are summed for this request; made on the overlay, all of them would be, and be lost with it.
	for i := range k.r.Model.Levels {
		k.groupsOf(&s.Index, index.Grouping{Size: k.r.Model.Levels[i].Size, Cap: k.r.Model.Limits.CapOf(i)})
	}
	return k.recount(s, nodes, excluded, extra)
}

// Apart are the nodes, ascending, that this request counts in another way than the index that is kept: those that it
// excludes by name, and those on which leaving members count as gone.
func (k Slots) Apart() (nodes []int32, excluded Excluded, released map[int32]Released) {
	excluded, released = k.Excluded(), k.LeavingReleased()
	for id := range excluded.named {
		nodes = append(nodes, id)
	}
	for id := range released {
		nodes = append(nodes, id)
	}
	nodes = k.r.Company.Apart(nodes, k.State())
	slices.Sort(nodes) // for Compact: a node may be in both maps
	return slices.Compact(nodes), excluded, released
}

// recount is the index with these nodes counted again; nil as for newIndex. s stays as it is. An inexact count stays
// noted, though the nodes that caused it may be among these: ZonesProven then looks at the nodes themselves.
func (k Slots) recount(s *snapshot.ShapeIndex, nodes []int32, excluded Excluded, extra map[int32]Released) *snapshot.ShapeIndex {
	next := &snapshot.ShapeIndex{}
	if !next.Index.Recount(&s.Index, nodes, k.Counter(excluded, extra), k.r.Zones().alikeIn(&next.Index, extra)) {
		return nil
	}
	next.Needs, next.Inexact = k.r.Zones().allNeeds(), k.r.ZoneState.inexact || s.Inexact
	next.Spoils = k.spoilsAfter(&s.Spoils, &next.Index, nodes, extra)
	return next
}

// groupsOf are the sums of an index for groups. The index keeps the sums of the last ones asked for.
func (k Slots) groupsOf(ix *index.Index, key index.Grouping) *index.GroupSums {
	return ix.GroupsOf(&k.r.Snapshot.Lineage.Clock, k.r.Snapshot.Lineage.KeptSizes, key)
}

// countNodes fills the slots of all nodes, by position, looks at what a unit spoils there, and returns the sum of the
// slots. Where positions are node ids and nothing but amounts, marks and zones decides, it works column by column on
// pages of neighbours, in place of node by node. O(nodes * resources), and the counts of zones.
//
// Same answer as order: slots.1, faster.
func (k Slots) countNodes(slots *cow.Column[int32], spoils *snapshot.Spoils) (total int64) {
	count, most := k.Counter(Excluded{}, nil), k.r.Model.Limits.OnNode()
	if !k.hasColumns() {
		for pos := range k.r.Model.View.Nodes {
			id := k.r.Model.View.Node(pos)
			n := count(id)
			cow.Put(slots, pos, n)
			k.spoilsOn(spoils, id, n, nil)
			total += int64(n)
		}
		return total
	}
	zones, others := k.r.Zones().zoneCounter(), k.others()
	for first := int32(0); first < k.r.Model.View.Nodes; first += cow.PageSize {
		n := min(cow.PageSize, k.r.Model.View.Nodes-first)
		page := slots.OwnFrom(first)[:cow.PageSize]
		k.countAmounts(page, first)
		clear(page[n:])
		// The page has the slots by amounts alone. A node with marks is counted by itself, which also says that an
		// absent one has none; zones lower what amounts allow.
		states := k.r.Snapshot.Zones.From(first / cow.PageSize * cow.PageSize)
		for i, f := range k.r.Snapshot.Static.Flags.From(first / cow.PageSize * cow.PageSize)[:n] {
			switch id := first + int32(i); {
			case f&^snapshot.Zoned != snapshot.Present:
				page[i] = count(id)
			case others != nil && page[i] > 0 && others(id): // which nodes are full comes last: no processor can tell beforehand
				page[i] = 0
			case k.r.Zones().BindsOn(f) && page[i] > 0:
				page[i] = min(page[i], int32(zones(id, cmp.Or(states[i], noZones.Bare)).Slots))
			}
			page[i] = int32(min(int64(page[i]), most))
			total += int64(page[i])
		}
		k.spoilsOnPage(spoils, first, page[:n])
	}
	return total
}

// hasColumns says whether amounts, marks and zones decide alone, and stand in columns in the order of positions.
func (k Slots) hasColumns() bool {
	nowhere := func(n Need) bool { return n.ID < 0 } // there is no column of it
	return features.CountNodes.Takes(k.r.Model.Features()) && k.r.Model.View.Order == nil && !k.looks() && !k.r.Model.Limits.AreAlone() && k.r.Request.Eligible == nil &&
		!slices.ContainsFunc(k.r.Needs, nowhere)
}

// countAmounts fills a page with how many members the amounts allow on nodes with ids from first on. Each need can only
// lower what those before it allow; where it lowers nothing, a product says so in place of a division.
func (k Slots) countAmounts(page []int32, first int32) {
	for i := range page {
		page[i] = boundlessSlots
	}
	for j := range k.r.Needs {
		amount := k.r.Needs[j].Amount
		free := k.r.Snapshot.Free[k.r.Needs[j].ID].From(first / cow.PageSize * cow.PageSize)[:len(page)]
		if j == 0 || amount > math.MaxInt64/boundlessSlots {
			for i := range page {
				page[i] = min(page[i], fits(free[i], amount))
			}
			continue
		}
		for i := range page {
			if int64(page[i])*amount > free[i] {
				page[i] = fits(free[i], amount)
			}
		}
	}
}

// fits is how often an amount above 0 fits into what is free, at most boundlessSlots; free may be negative. Nodes
// mostly have room for none or one, and these two cases take no division.
func fits(free, amount int64) int32 {
	if left := free - amount; free >= amount && left >= amount {
		return int32(min(free/amount, boundlessSlots))
	}
	var one int32
	if free >= amount {
		one = 1
	}
	return one
}

// lastCount is the last count of zones in a state with some hash.
type lastCount struct {
	zones *snapshot.ZoneClass
	state *numa.Occupancy
	count numa.Count
}

// zoneCounter is a function that counts how many units the zones of a node take in a state. The last count is
// remembered by hash of the state: nodes in equal states are counted once, unless another state with that hash comes
// between them.
func (z Zones) zoneCounter() func(id int32, state *numa.Occupancy) numa.Count {
	var known *[256]lastCount // by hash of the state
	return func(id int32, state *numa.Occupancy) numa.Count {
		if known == nil {
			known = new([256]lastCount)
		}
		k := &known[state.Hash()%256]
		if k.state == state { // so are the zones: a state belongs to them
			return k.count
		}
		// A state that is equal to the last one, but another value, only replaces it: the next node may share that
		// value.
		if class := z.zonesOf(id); k.zones != class || !k.state.Equal(state) {
			k.zones, k.count = class, z.CountZones(z.NeedsOn(id), state)
			z.r.ZoneState.inexact = z.r.ZoneState.inexact || !k.count.Proven()
		}
		k.state = state
		return k.count
	}
}

// alikeIn is a function that says whether the nodes at two positions have as many slots by the index and zones in equal
// states, with what is given back there. Nil for a gang that is not aligned: zones do not compare its nodes.
func (z Zones) alikeIn(ix *index.Index, extra map[int32]Released) func(a, b int32) bool {
	if !z.r.ZoneState.Aligned {
		return nil
	}
	state := func(pos int32) *numa.Occupancy {
		id := z.r.Model.View.Node(pos)
		return z.StateOf(id, extra[id])
	}
	return func(a, b int32) bool { return ix.Slots.At(a) == ix.Slots.At(b) && state(a).Equal(state(b)) }
}

// maxKnown is how many zone classes with prepared members an index may have before it keeps only those of the last
// plan. Classes that no node has any more are forgotten that way.
const maxKnown = 1 << 10

// allNeeds is the members prepared so far, by zone class, to be kept in an index. Where this plan prepared some it is
// a new map: plans on other snapshots may read the old one now.
func (z Zones) allNeeds() needsByZones {
	if len(z.r.ZoneState.OwnNeeds) == 0 {
		return z.r.ZoneState.indexNeeds
	}
	// The index passes the map on to later snapshots, whose nodes may have other zones: it must not grow for ever.
	all := needsByZones{}
	if len(z.r.ZoneState.indexNeeds) < maxKnown {
		for class, needs := range z.r.ZoneState.indexNeeds {
			all[class] = needs
		}
	}
	for class, needs := range z.r.ZoneState.OwnNeeds {
		all[class] = needs
	}
	z.r.ZoneState.indexNeeds, z.r.ZoneState.OwnNeeds = all, nil
	return all
}

// Key is everything that the slots of nodes depend on beside the snapshot, the excluded nodes and the leaving
// members. A list stands behind its length, so that different shapes have different keys. The key lies in the
// scratch, and the next call overwrites it.
func (k Slots) Key() []byte {
	key := keyWriter(k.r.Memory.key[:0])
	key.text(k.r.Model.View.Name)
	key.text(k.r.Request.Class)
	key.number(len(k.r.Needs))
	for _, need := range k.r.Needs {
		key.text(need.Name)
		key = binary.AppendUvarint(key, uint64(need.Amount))
	}
	key.number(len(k.r.Shapes))
	for _, s := range k.r.Shapes {
		key.shape(s)
	}
	key.limits(k.r)
	if k.r.Spared {
		for _, s := range k.r.Shapes {
			key.preferences(s)
		}
	}
	k.r.Memory.key = key
	return key
}

// keyWriter appends to a key what makes a shape.
type keyWriter []byte

func (k *keyWriter) number(n int) { *k = binary.AppendUvarint(*k, uint64(n)) }

func (k *keyWriter) text(s string) {
	k.number(len(s))
	*k = append(*k, s...)
}

// limits writes what limits leave of the slots of nodes and domains.
func (k *keyWriter) limits(r *Room) {
	*k = append(*k, Bit(r.Request.Tolerated), Bit(r.Model.Limits != nil))
	if r.Model.Limits == nil {
		return
	}
	k.number(int(r.Model.Limits.Alone) + 1)
	caps := r.Model.Limits.Caps()
	k.number(len(caps))
	for _, c := range caps {
		k.number(int(c.Tier))
		k.number(int(c.Most))
	}
}

func (k *keyWriter) shape(s *gang.Shape) {
	k.number(len(s.Selector))
	if len(s.Selector) > 0 {
		for _, name := range slices.SortedFunc(maps.Keys(s.Selector), muster.CompareNatural) {
			k.text(name)
			k.text(s.Selector[name])
		}
	}
	k.number(len(s.Affinity))
	for _, t := range s.Affinity {
		k.expressions(t.Labels)
		k.expressions(t.Fields)
	}
	k.number(len(s.Tolerations))
	for _, t := range s.Tolerations {
		k.text(t.Key)
		k.text(t.Value)
		k.text(string(t.Effect))
		*k = append(*k, Bit(t.Exists))
		k.text(string(t.Compare))
	}
	k.text(string(s.NUMA.Policy))
	k.text(string(s.NUMA.Exclusive))
	k.text(string(s.NUMA.CPUs))
	k.number(s.NUMA.ThreadsPerCore)
}

// preferences are what tells nodes meant for others, beside the rest of a shape.
func (k *keyWriter) preferences(s *gang.Shape) {
	k.number(len(s.Preferred))
	for _, p := range s.Preferred {
		k.number(int(p.Weight))
		k.expressions(p.Nodes.Labels)
		k.expressions(p.Nodes.Fields)
	}
}

func (k *keyWriter) expressions(list []gang.Expression) {
	k.number(len(list))
	for _, e := range list {
		k.text(e.Key)
		k.text(string(e.Operator))
		k.number(len(e.Values))
		for _, v := range e.Values {
			k.text(v)
		}
	}
}

// Bit is 1 for true.
func Bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
