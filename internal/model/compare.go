// Which of two vertices is better, by the keys that count what a vertex has?

package model

import (
	"cmp"

	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
)

// value is what a vertex has of a key that is not sorted, the smaller one is the better one. Zones are those of a node.
func (m *Model) value(k keys.Key, x layout.Vertex) (n int64) {
	switch k {
	case keys.Anchors:
		n = m.Friends.At(x)
	case keys.Zones:
		n = m.Room.Zones(x)
	case keys.Waste:
		n = m.Room.Waste(x)
	case keys.Packing, keys.Count: // sorted, and none at all
	}
	if keys.Table[k].Most {
		return -n
	}
	return n
}

// Values are what a vertex has of the keys of a set, but for those that are sorted. nodes: it is one of some children that are all nodes.
func (m *Model) Values(set keys.Set, x layout.Vertex, nodes bool) (v keys.Values) {
	for ; set != 0; set &= set - 1 {
		if k := set.First(); !keys.Table[k].Sorted && (nodes || !keys.Table[k].Nodes) {
			v[k] = m.value(k, x)
		}
	}
	return v
}

// Compare compares two vertices by the keys of a set, below 0 if a is better. O(keys), and O(tiers) for a sorted one.
func (m *Model) Compare(set keys.Set, slots *SlotTable, a, b layout.Vertex) (order int) {
	nodes := m.View.IsNode(a) && m.View.IsNode(b)
	for ; set != 0 && order == 0; set &= set - 1 {
		switch k := set.First(); {
		case keys.Table[k].Sorted:
			order = m.compareRoom(slots, a, b)
		case nodes || !keys.Table[k].Nodes:
			order = cmp.Compare(m.value(k, a), m.value(k, b))
		}
	}
	return order
}

// CompareDomains compares two domains by the keys of a set, and by their spans where these belong; below 0 if a is better.
func (m *Model) CompareDomains(set keys.Set, slots *SlotTable, a, b layout.Vertex, spanA, spanB int) int {
	if c := cmp.Or(m.Compare(set.Before(keys.Span), slots, a, b), cmp.Compare(spanA, spanB)); c != 0 {
		return c
	}
	return m.Compare(set.From(keys.Span), slots, a, b)
}

// compareRoom prefers the vertex with fewer slots (Spread: more), then the one whose parent has, and so on up to the common
// one, from which on all are equal. O(tiers).
func (m *Model) compareRoom(slots *SlotTable, a, b layout.Vertex) int {
	rules := keys.RulesOf(m.Policy)
	for a != b && a >= 0 && b >= 0 {
		if order := rules.CompareSlots(slots.At(a), slots.At(b)); order != 0 {
			return order
		}
		a, b = m.View.Above(a), m.View.Above(b)
	}
	return 0
}
