package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/topology"
)

// counted is a cluster whose slots are counted by hand, node by node.
type counted struct {
	view  *layout.View
	slots []int32 // by position
	state []int32 // of zones, by position
	caps  []Cap
}

// drawView draws a tree of at most so many tiers: with empty domains, skipped tiers, ids in the order of the tree or in another one, and nodes outside.
func drawView(t *rapid.T, tiers int) *layout.View {
	var names []string
	fresh := func(most int) (out []string) {
		for range rapid.IntRange(0, most).Draw(t, "nodes") {
			out = append(out, fmt.Sprintf("n-%d", (409*len(names)+3)%1009)) // in no order
			names = append(names, out[len(out)-1])
		}
		return out
	}
	var domains func(upTo int) []topology.Domain
	domains = func(upTo int) (out []topology.Domain) {
		for i := range rapid.IntRange(0, 4).Draw(t, "domains") {
			d := topology.Domain{Name: fmt.Sprintf("d-%d", i), Tier: rapid.IntRange(max(1, upTo-1), upTo).Draw(t, "tier")}
			if d.Tier > 1 && rapid.IntRange(0, 5).Draw(t, "leaf") > 0 {
				d.Children = domains(d.Tier - 1)
			} else {
				d.Nodes = fresh(6)
			}
			out = append(out, d)
		}
		return out
	}
	var spec topology.Spec
	if rapid.IntRange(0, 9).Draw(t, "bare") == 0 {
		spec.Nodes = fresh(4)
	} else {
		spec.Roots = domains(tiers)
	}
	tree, err := topology.New(spec)
	require.NoError(t, err)
	fresh(2) // outside
	return layout.New("tree", tree, names, orderOf(tree, names))
}

// orderOf has the ids of the tree's nodes, in its order.
func orderOf(tree *topology.Tree, names []string) []int32 {
	out := make([]int32, tree.NumNodes())
	for n := range out {
		out[n] = int32(slices.Index(names, tree.NodeName(topology.NodeID(n))))
	}
	return out
}

// draw draws a tree with slots on its nodes, few or many on each, and perhaps caps.
func draw(t *rapid.T, tiers int, capped bool) *counted {
	c := &counted{view: drawView(t, tiers)}
	for range rapid.IntRange(0, 2).Draw(t, "caps") {
		if capped {
			c.caps = append(c.caps, Cap{Tier: rapid.Int32Range(0, c.view.RootTop-1).Draw(t, "capped tier"), Most: rapid.Int64Range(1, 20).Draw(t, "cap")})
		}
	}
	for range c.view.Nodes {
		c.slots, c.state = append(c.slots, c.drawSlots(t)), append(c.state, rapid.Int32Range(0, 1).Draw(t, "zones"))
	}
	return c
}

// drawSlots draws the slots of a node, no more than caps leave it.
func (c *counted) drawSlots(t *rapid.T) int32 {
	slots := rapid.SampledFrom([]int32{0, 0, 1, 1, 2, 3, 5, 8, 70}).Draw(t, "slots")
	for _, by := range c.caps {
		slots = min(slots, int32(by.Most))
	}
	return slots
}

// alike compares nodes as aligned gangs do.
func (c *counted) alike(a, b int32) bool { return c.slots[a] == c.slots[b] && c.state[a] == c.state[b] }

// build makes the index.
func (c *counted) build(t require.TestingT, aligned bool) *Index {
	ix, alike := &Index{Caps: c.caps}, c.alike
	if !aligned {
		alike = nil
	}
	require.True(t, ix.Build(c.view, func(slots *cow.Column[int32]) (total int64) {
		for pos, n := range c.slots {
			slots.Set(int32(pos), n)
			total += int64(n)
		}
		return total
	}, alike))
	return ix
}

// children are those of a domain; a node has none.
func (c *counted) children(x layout.Vertex) (out []layout.Vertex) {
	if c.view.IsNode(x) {
		return nil
	}
	lo, end := c.view.Kids(x)
	for k := lo; k < end; k++ {
		out = append(out, k)
	}
	return out
}

// domains are the highest vertices of a tier or lower, x or below it, in the order of paths.
func (c *counted) domains(tier int32, x layout.Vertex) (out []layout.Vertex) {
	if c.view.TierOf(x) <= tier {
		return []layout.Vertex{x}
	}
	for _, k := range c.children(x) {
		out = append(out, c.domains(tier, k)...)
	}
	return out
}

// positions are those of the nodes below x.
func (c *counted) positions(x layout.Vertex) (out []int32) {
	for pos := c.view.First(x); pos < c.view.EndOf(x); pos++ {
		out = append(out, pos)
	}
	return out
}

// held are the slots of a vertex, as caps leave them.
func (c *counted) held(x layout.Vertex) (sum int64) {
	if c.view.IsNode(x) {
		return int64(c.slots[c.view.Position(x)])
	}
	for _, k := range c.children(x) {
		sum += c.held(k)
	}
	for _, by := range c.caps {
		if c.view.TierOf(x) <= by.Tier {
			sum = min(sum, by.Most)
		}
	}
	return sum
}

// groups are the groups of a size that fit below x, each within a domain of a tier, no more than a cap allows.
func (c *counted) groups(of Grouping, tier int32, x layout.Vertex) (n int64) {
	if c.view.TierOf(x) <= tier {
		n = c.held(x) / of.Size
	} else {
		for _, k := range c.children(x) {
			n += c.groups(of, tier, k)
		}
	}
	if of.Cap.Most > 0 && c.view.TierOf(x) <= of.Cap.Tier {
		n = min(n, of.Cap.Most)
	}
	return n
}

// best is the sum of the n largest numbers.
func best(values []int64, n int) (sum int64) {
	values = slices.Sorted(slices.Values(values))
	slices.Reverse(values)
	for _, v := range values[:min(n, len(values))] {
		sum += v
	}
	return sum
}

// each has what something is for each of some vertices.
func each(list []layout.Vertex, of func(x layout.Vertex) int64) (out []int64) {
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

// Slots that do not fit into the columns make no index, and nor do those of a later snapshot.
func TestTooManySlotsMakeNoIndex(t *testing.T) {
	tree, err := topology.New(topology.Spec{Nodes: []string{"a", "b"}})
	require.NoError(t, err)
	v := layout.New("tree", tree, []string{"a", "b"}, nil)
	var ix, next Index
	require.False(t, ix.BuildBy(v, func(int32) int32 { return 1 << 30 }), "2^31")
	require.True(t, ix.BuildBy(v, func(id int32) int32 { return 1<<30 - id }), "2^31-1")
	require.False(t, next.Recount(&ix, []int32{1}, func(int32) int32 { return 1 << 30 }, nil))
	require.EqualValues(t, 1<<31-1, ix.At(layout.Root))
}
