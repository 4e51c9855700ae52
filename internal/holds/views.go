// What does a plan see that does not see all that is held? A view of the snapshot, which is made once.

package holds

import (
	"iter"
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/snapshot"
)

// mostViews bounds the views that a snapshot remembers; the one that was made first goes.
const mostViews = 8

// view is a snapshot without what is held for some gangs, by their places.
type view struct {
	without []int32
	seen    *snapshot.Snapshot
	asked   atomic.Bool // on this very snapshot, not only on one before
}

// viewOf is the snapshot without what is held for some gangs, by their places. O(views), and the cost of an update the first time.
func (b *board) viewOf(c *snapshot.Snapshot, without []int32) *snapshot.Snapshot {
	if len(without) == 0 {
		return c
	}
	v := b.known(without)
	if v == nil {
		d := cluster.Delta{}
		for _, i := range without {
			d.RemoveGangs = append(d.RemoveGangs, b.holders[i].held.Name)
		}
		next, err := c.Update(d)
		if err != nil {
			return c // never: they are there
		}
		v = b.add(without, next)
	}
	if !v.asked.Load() {
		v.asked.Store(true)
	}
	return reserving(v.seen, c.Reserved)
}

// known is a view that was made before; nil: none.
func (b *board) known(without []int32) *view {
	if list := b.views.Load(); list != nil {
		for _, v := range *list {
			if slices.Equal(v.without, without) {
				return v
			}
		}
	}
	return nil
}

// add remembers a view, unless somebody else has made it meanwhile: then it is theirs.
func (b *board) add(without []int32, seen *snapshot.Snapshot) *view {
	fresh := &view{without: slices.Clone(without), seen: seen}
	for {
		old := b.views.Load()
		if v := b.known(without); v != nil {
			return v
		}
		var next []*view
		if old != nil {
			next = slices.Clone((*old)[max(0, len(*old)+1-mostViews):])
		}
		next = append(next, fresh)
		if b.views.CompareAndSwap(old, &next) {
			return fresh
		}
	}
}

// carry makes the views of a snapshot that were asked for on it views of the next one, which a change made that lets stay all that is held. It costs that
// change once more for each.
func carry(c, next *snapshot.Snapshot, d cluster.Delta) {
	from := boardOf(c)
	list := from.views.Load()
	if list == nil || c.Lineage != next.Lineage || len(next.LeftOut) > 0 {
		return
	}
	to := boardOf(next)
	for _, v := range *list {
		if !v.asked.Load() || len(to.holders) != len(from.holders) {
			continue
		}
		if seen, err := v.seen.Update(d); err == nil && len(seen.LeftOut) == 0 {
			to.add(v.without, seen)
		}
	}
}

// without are the places of those of whom some say so.
func (b *board) without(room []int32, are func(h *holder) bool) []int32 {
	for i := range b.holders {
		if are(&b.holders[i]) {
			room = append(room, int32(i))
		}
	}
	return room
}

// Hidden are those for whom room is held that a plan for a gang does not see ([Seen]) at some of n instants, and the first one at which it does; its new members end at one
// that is not before that of an earlier instant, 0: never at any.
func Hidden(c *snapshot.Snapshot, priority int64, gang string, n int, end func(i int) int64) iter.Seq2[*snapshot.GangMembers, int] {
	return func(yield func(*snapshot.GangMembers, int) bool) {
		runs := ends.With(c, gang, math.MinInt64) // 0: for ever
		for _, h := range boardOf(c).holders {
			until := n
			if h.held.Priority >= priority && h.gang != gang {
				until = sort.Search(n, func(i int) bool { return runs == 0 || end(i) == 0 || !begins(h.from, max(runs, end(i))) })
			}
			if until > 0 && !yield(h.held, until) {
				return
			}
		}
	}
}
