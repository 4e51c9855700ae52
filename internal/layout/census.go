package layout

import (
	"slices"

	"github.com/muster-sched/muster/internal/cow"
)

// Census counts members below every vertex, and the domains that have any. A fork shares what it does not change. A nil census counts
// nobody, and cannot be added to. Who made or forked it may write until others have it; from then on it never changes, and is safe for
// concurrent use.
type Census struct {
	view  *View
	below cow.Column[int32]
	used  []int32 // by the place of a tier in Tiers: its domains that have somebody
}

// NewCensus counts nobody. O(vertices / 2048).
func NewCensus(v *View) *Census {
	return &Census{v, cow.NewColumn[int32](v.NumDomains() + int(v.Nodes)), make([]int32, len(v.Tiers))}
}

// Fork is a census that may be written. O(tiers), and what writing costs first: O(vertices / 2048).
func (c *Census) Fork() *Census {
	return &Census{c.view, c.below.Fork(), slices.Clone(c.used)}
}

// At is how many are below a vertex, or on it.
func (c *Census) At(x Vertex) int64 {
	if c == nil {
		return 0
	}
	return int64(c.below.At(x))
}

// AppendTo appends how many are below, or on, the vertices [lo, end) to a list. O(end - lo).
func (c *Census) AppendTo(list []int32, lo, end Vertex) []int32 {
	if c == nil {
		return append(list, make([]int32, end-lo)...)
	}
	return cow.AppendTo(list, &c.below, lo, end)
}

// Any says whether it counts anybody.
func (c *Census) Any() bool { return c.At(Root) > 0 }

// Add counts n more at a position and above it; n may be negative. O(depth), and the pages that are written.
func (c *Census) Add(pos, n int32) {
	for x := c.view.NodeVertex(pos); x >= 0; x = c.view.Above(x) {
		was := c.below.At(x)
		c.below.Set(x, was+n)
		if c.view.IsNode(x) || (was == 0) == (was+n == 0) {
			continue
		}
		tier := c.view.TierIndex(c.view.TierOf(x))
		if was == 0 {
			c.used[tier]++
		} else {
			c.used[tier]--
		}
	}
}

// Used is the number of domains of a layer's tier that have somebody.
func (c *Census) Used(tier int32) int {
	if c == nil {
		return 0
	}
	return int(c.used[c.view.TierIndex(tier)])
}

// Lowest is the lowest vertex above all of them, of whom one is at this position. O(depth).
func (c *Census) Lowest(pos int32) Vertex {
	x, all := c.view.NodeVertex(pos), c.below.At(Root)
	for c.below.At(x) < all {
		x = c.view.Above(x)
	}
	return x
}
