// Are vertices compared key by key, in the order of the keys?

package model_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/spec"
)

// comparison is two vertices and what tells them apart.
type comparison struct {
	m                            *model.Model
	table                        model.SlotTable
	a, b                         layout.Vertex
	anchors, zones, waste, slots int
}

// drawComparison draws two domains, or nodes, of one tier and of one depth. It says by definition how each key compares them.
func drawComparison(t *rapid.T) *comparison {
	m := spec.Draw(t)
	c := &comparison{m: m, table: m.Room.Table()}
	domains := m.View.DomainsOf(int32(rapid.IntRange(0, int(m.View.RootTop)).Draw(t, "tier")))
	c.a = rapid.SampledFrom(domains).Draw(t, "a")
	depth := len(c.above(c.a))
	c.b = rapid.SampledFrom(slices.DeleteFunc(slices.Clone(domains), func(x layout.Vertex) bool { return len(c.above(x)) != depth })).Draw(t, "b")
	c.anchors = cmp.Compare(c.friends(c.b), c.friends(c.a))
	if m.View.IsNode(c.a) && m.View.IsNode(c.b) {
		c.zones = cmp.Compare(c.width(c.a), c.width(c.b))
		c.waste = cmp.Compare(m.Room.Waste(c.a), m.Room.Waste(c.b))
	}
	c.slots = slices.Compare(c.above(c.a), c.above(c.b))
	return c
}

// above are the slots of a vertex and of all above it, fewer of which are better; under Spread their negatives.
func (c *comparison) above(x layout.Vertex) (out []int64) {
	for ; x >= 0; x = c.m.View.Above(x) {
		n := c.table.At(x)
		if c.m.Policy == gang.Spread {
			n = -n
		}
		out = append(out, n)
	}
	return out
}

// friends are the members with the affinity key on the nodes of a vertex.
func (c *comparison) friends(x layout.Vertex) (n int64) {
	for pos := range c.m.View.Nodes {
		if node := c.m.View.NodeVertex(pos); c.m.View.Contains(x, node) {
			n += c.m.Friends.At(node)
		}
	}
	return n
}

// width is the number of zones that the next unit gets on a node.
func (c *comparison) width(x layout.Vertex) int64 {
	return c.m.Room.Zones(x)
}

// by is how the keys of a set compare, the first one that tells the vertices apart; span is how the spans of two domains compare.
func (c *comparison) by(set keys.Set, span int) int {
	has := func(k keys.Key, order int) int {
		if set&(1<<k) == 0 {
			return 0
		}
		return order
	}
	return cmp.Or(has(keys.Anchors, c.anchors), span, has(keys.Zones, c.zones), has(keys.Waste, c.waste), has(keys.Packing, c.slots))
}

// Vertices are compared by anchors, then nodes by zones and waste, then by their slots, and then by those above them; between anchors and zones stands the
// span of domains.
func TestVerticesAreComparedByKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawComparison(t)
		require.Equal(t, cmp.Compare(c.above(c.a)[0], c.above(c.b)[0]), keys.RulesOf(c.m.Policy).CompareSlots(c.table.At(c.a), c.table.At(c.b)))
		for set := range keys.Set(1 << keys.Count) {
			require.Equal(t, c.by(set, 0), c.m.Compare(set, &c.table, c.a, c.b), "keys %b", set)
			for span := range 3 {
				require.Equal(t, c.by(set, cmp.Compare(span, 1)), c.m.CompareDomains(set, &c.table, c.a, c.b, span, 1), "keys %b, span %d", set, span)
			}
		}
	})
}

// The smaller value is the better one: more friends, and fewer zones and less waste where all are nodes. Slots are no sum.
func TestValuesOfVertices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawComparison(t)
		for set := range keys.Set(1 << keys.Count) {
			for _, nodes := range []bool{false, c.m.View.IsNode(c.a)} {
				var want keys.Values
				if set&(1<<keys.Anchors) != 0 {
					want[keys.Anchors] = -c.friends(c.a)
				}
				if set&(1<<keys.Zones) != 0 && nodes {
					want[keys.Zones] = c.width(c.a)
				}
				if set&(1<<keys.Waste) != 0 && nodes {
					want[keys.Waste] = c.m.Room.Waste(c.a)
				}
				require.Equal(t, want, c.m.Values(set, c.a, nodes), "keys %b", set)
			}
		}
	})
}
