// Package roll answers: where is each running member of a gang, by rank? A [Roll] may share the list that a snapshot has of the gang, so that a
// plan of a few late members looks at few of the others.
package roll

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/blocks"
	"github.com/muster-sched/muster/internal/layout"
)

// Member is a running member of a gang.
type Member struct {
	Pos  int32
	Rank int
}

// Places say where members are, in rank order: at which positions, or on which nodes. They never change.
type Places interface {
	Len() int
	At(i int) int32
}

// List are places side by side.
type List []int32

// Len is the number of members.
func (l List) Len() int { return len(l) }

// At is the place of the i-th.
func (l List) At(i int) int32 { return l[i] }

// Roll are the members of a gang that run and stay, in rank order. None has a rank of its own there: each is before, between or behind the
// new ones, which are few. The zero value has nobody. It never changes, and is safe for concurrent use.
type Roll struct {
	places Places       // nil: nobody
	view   *layout.View // in which the nodes at the places have positions; nil: these are positions
	gaps   []int        // ranks that others have, ascending; all other ranks are theirs
	blocks *blocks.Blocks
}

// Beside are members who have all ranks but these, which ascend; the slice belongs to the roll from now on. Their places are nodes of a topology;
// nil: positions. O(1).
func Beside(places Places, v *layout.View, ranks []int) Roll {
	if places.Len() == 0 {
		return Roll{}
	}
	return Roll{places: places, view: v, gaps: ranks}
}

// Of are members in rank order. O(ranks).
func Of(members ...Member) Roll {
	places, gaps, next := make(List, len(members)), []int(nil), 0
	for i, m := range members {
		for ; next < m.Rank; next++ {
			gaps = append(gaps, next)
		}
		places[i], next = m.Pos, m.Rank+1
	}
	return Beside(places, nil, gaps)
}

// Len is the number of members.
func (r Roll) Len() int {
	if r.places == nil {
		return 0
	}
	return r.places.Len()
}

// At is the position of the i-th.
func (r Roll) At(i int) int32 {
	if r.view == nil {
		return r.places.At(i)
	}
	return r.view.At(r.places.At(i))
}

// OnNodes is the roll with the nodes of a topology in place of positions in it. O(1) if its places are nodes, else O(members).
func (r Roll) OnNodes(v *layout.View) Roll {
	if r.view != nil || r.places == nil {
		return Roll{places: r.places, gaps: r.gaps}
	}
	nodes := make(List, r.Len())
	for i := range nodes {
		nodes[i] = v.Node(r.At(i))
	}
	return Roll{places: nodes, gaps: r.gaps}
}

// Before is how many have a rank below this one. O(log gaps).
func (r Roll) Before(rank int) int {
	k, _ := slices.BinarySearch(r.gaps, rank)
	return min(max(0, rank-k), r.Len())
}

// Positions iterates over the positions in rank order. O(members).
func (r Roll) Positions() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range r.Len() {
			if !yield(r.At(i)) {
				return
			}
		}
	}
}

// All iterates over the members in rank order. O(members + gaps).
func (r Roll) All() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		rank, gaps := 0, r.gaps
		for pos := range r.Positions() {
			for ; len(gaps) > 0 && gaps[0] == rank; rank++ {
				gaps = gaps[1:]
			}
			if !yield(Member{Pos: pos, Rank: rank}) {
				return
			}
			rank++
		}
	}
}

// LowestIn is the lowest vertex above those with ranks within [lo, hi), -1 if there are none, and how many these are. O(such members + depth).
func (r Roll) LowestIn(v *layout.View, lo, hi int) (lca layout.Vertex, n int) {
	from, end := r.Before(lo), r.Before(hi)
	if from == end {
		return -1, 0
	}
	first, last := r.At(from), r.At(from) // vertices are intervals of positions: what is above these two is above all
	for i := from + 1; i < end; i++ {
		pos := r.At(i)
		first, last = min(first, pos), max(last, pos)
	}
	return v.LCA(v.NodeVertex(first), v.NodeVertex(last)), end - from
}

// InBlocks is the roll with the blocks of its members, cut at sizes of groups.
func (r Roll) InBlocks(b *blocks.Blocks) Roll {
	r.blocks = b
	return r
}

// Leading is how many members have the first ranks, before the first that others have, and the blocks in which these stand; nil: not known.
func (r Roll) Leading() (members int, in *blocks.Blocks) {
	if members = r.Len(); len(r.gaps) > 0 {
		members = min(members, r.gaps[0])
	}
	return members, r.blocks
}
