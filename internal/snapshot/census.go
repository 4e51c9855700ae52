// How many members of a gang are below each vertex, and how far apart are its groups? It is kept, and follows the changes of the gang.

package snapshot

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/blocks"
	"github.com/muster-sched/muster/internal/layout"
)

// keptFrom is how many members a gang has whose census is kept. Fewer are counted again as fast, in less memory.
const keptFrom = 64

// held is the census of a gang as it was when a plan asked, with what changed since. It never changes.
type held struct {
	view   *layout.View // the topology that was asked for last
	census *layout.Census
	since  *changes // nil: nothing
}

// changes are the nodes of members who came or left with one change, and the changes before it. They refer to no member, so that snapshots are
// collected when nobody holds them.
type changes struct {
	gone, fresh []int32
	before      *changes
	total       int // members in all changes
}

// Census counts the members of the gang below each vertex of a topology, and cuts them into blocks of some sizes, which may be none. Nil: their order by
// name is not that of ranks, or some of them leave, so that whoever asks looks at all members himself. O(1) if a plan asked before; O(tiers) for each
// member that came or left since, and a few pages; the first time, and after many changes, O(members * tiers). Of two callers at once each may count.
func (g *GangMembers) Census(v *layout.View, sizes ...int) (*layout.Census, *blocks.Blocks) {
	if !g.inRankOrder {
		return nil, nil
	}
	return g.count(v), g.cutAt(v, sizes)
}

// count is the census where the members are in rank order.
func (g *GangMembers) count(v *layout.View) *layout.Census {
	last := g.held.Load()
	if last != nil && last.view != v {
		last = nil
	}
	var census *layout.Census
	switch {
	case last == nil:
		census = layout.NewCensus(v)
		for _, m := range g.Members.All() {
			census.Add(v.At(m.Node), 1)
		}
	case last.since == nil:
		return last.census
	default:
		census = last.census.Fork()
		for s := last.since; s != nil; s = s.before {
			for _, node := range s.gone {
				census.Add(v.At(node), -1)
			}
			for _, node := range s.fresh {
				census.Add(v.At(node), 1)
			}
		}
	}
	if g.Members.Len() >= keptFrom {
		g.held.Store(&held{v, census, nil})
	}
	return census
}

// follow takes over what is kept of the gang as it was, less the members that are gone, with fresh ones. A census that lags far behind is left out: to
// count anew is cheaper then. O(changes * log members).
func (g *GangMembers) follow(was *GangMembers, gone, fresh []*Member) {
	if last := was.cut.Load(); last != nil {
		same := last.same
		for _, m := range slices.Concat(gone, fresh) {
			i, _ := place(g.Members, m.Name)
			same = min(same, i)
		}
		g.cut.Store(&cut{last.blocks, same})
	}
	last := was.held.Load()
	if last == nil {
		return
	}
	total := len(gone) + len(fresh)
	if last.since != nil {
		total += last.since.total
	}
	if total > g.Members.Len()/4 {
		return
	}
	since := &changes{nodesOf(gone), nodesOf(fresh), last.since, total}
	g.held.Store(&held{last.view, last.census, since})
}

// cut are the blocks of the members of a gang as it was when a plan asked; the first ones are the same. It never changes.
type cut struct {
	blocks *blocks.Blocks
	same   int // members
}

// cutAt cuts the members into blocks of each size, nil for no size. O(1) if a plan asked before; O(levels * members behind the first that came or
// left since), and a copy of numbers of blocks, after changes.
func (g *GangMembers) cutAt(v *layout.View, sizes []int) *blocks.Blocks {
	if len(sizes) == 0 {
		return nil
	}
	last := g.cut.Load()
	if last == nil {
		last = &cut{}
	}
	at := func(i int) int32 { return v.At(g.Members.At(i).Node) }
	next := blocks.Cut(g.Members.Len(), at, v, sizes, last.blocks, last.same)
	if next != last.blocks && g.Members.Len() >= keptFrom {
		g.cut.Store(&cut{next, g.Members.Len()})
	}
	return next
}

// nodesOf lists the nodes of members.
func nodesOf(members []*Member) []int32 {
	nodes := make([]int32, len(members))
	for i, m := range members {
		nodes[i] = m.Node
	}
	return nodes
}

// compareIndexes puts members with an index first, by index. Those in natural order of names are in rank order if no two neighbors are the other
// way round: the order is that of Compare in internal/ranks.
func compareIndexes(a, b *Member) int {
	switch {
	case a.Indexed && b.Indexed:
		return cmp.Compare(a.Index, b.Index)
	case a.Indexed:
		return -1
	case b.Indexed:
		return 1
	}
	return 0
}
