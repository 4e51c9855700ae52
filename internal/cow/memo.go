package cow

import (
	"slices"
	"sync/atomic"
)

// Memo keeps a few values, each under a key, and hands them to later snapshots. A value that lags behind is brought up to
// date when it is asked for. Its entries are one immutable list behind an atomic pointer: of two callers who add at once
// one goes again. The zero memo is empty.
type Memo[K, V any] struct {
	entries atomic.Pointer[[]*memoized[K, V]]
}

// memoized is a value of this snapshot or of an earlier one. It never changes, but for its stamp.
type memoized[K, V any] struct {
	key     K
	value   V
	touched *touched // what changed since the value was made
	used    *stamp   // shared by all snapshots of the lineage
}

// stamp is the time of the last use, as the clock of the lineage counts it.
type stamp struct{ n atomic.Int64 }

// Clock counts the uses in a lineage. The zero clock is ready, and safe for concurrent use.
type Clock struct{ uses atomic.Int64 }

// mark notes a use. It writes only if something else was used since: readers of one value do not share a cache line.
func (c *Clock) mark(s *stamp) {
	if now := c.uses.Load(); s.n.Load() != now || now == 0 {
		s.n.Store(c.uses.Add(1))
	}
}

// Get returns the value whose key `is` accepts: as it is, or updated by what was touched since, or created. The memo keeps
// the `most` values that were used last. update and create may be called more than once and must not change their
// arguments. O(kept values), and what update and create cost.
func (m *Memo[K, V]) Get(clock *Clock, most int, is func(K) bool, update func(V, []int32) V, create func() (K, V)) V {
	for {
		var list []*memoized[K, V]
		old := m.entries.Load()
		if old != nil {
			list = *old
		}
		var fresh *memoized[K, V]
		if i := slices.IndexFunc(list, func(e *memoized[K, V]) bool { return is(e.key) }); i < 0 {
			key, value := create()
			fresh = &memoized[K, V]{key: key, value: value, used: &stamp{}}
			list = lastUsed(slices.Clone(list), most-1)
		} else if e := list[i]; e.touched == nil {
			clock.mark(e.used)
			return e.value
		} else {
			fresh = &memoized[K, V]{key: e.key, value: update(e.value, e.touched.all()), used: e.used}
			list = slices.Delete(slices.Clone(list), i, i+1)
		}
		clock.mark(fresh.used)
		next := append(list, fresh) // escapes in place of list: a mere reader allocates nothing
		if m.entries.CompareAndSwap(old, &next) {
			return fresh.value
		}
	}
}

// Kept says whether there is any value.
func (m *Memo[K, V]) Kept() bool {
	list := m.entries.Load()
	return list != nil && len(*list) > 0
}

// lastUsed drops all entries but the n that were used last.
func lastUsed[K, V any](list []*memoized[K, V], n int) []*memoized[K, V] {
	for len(list) > n {
		oldest := 0
		for i := range list {
			if list[i].used.n.Load() < list[oldest].used.n.Load() {
				oldest = i
			}
		}
		list = slices.Delete(list, oldest, oldest+1)
	}
	return list
}

// PassOn gives the values to the memo of a later snapshot in which something changed. Values that lag more than `most`
// changes behind are left out: to make them anew is cheaper. O(kept values), however much changed before.
func (m *Memo[K, V]) PassOn(next *Memo[K, V], changed []int32, most int) {
	old := m.entries.Load()
	if old == nil || len(changed) == 0 {
		next.entries.Store(old)
		return
	}
	list := make([]*memoized[K, V], 0, len(*old))
	for i, e := range *old {
		total := e.touched.len() + len(changed)
		if total > most {
			continue
		}
		log := &touched{changed, e.touched, total}
		if i > 0 && e.touched == (*old)[i-1].touched { // and that one was not left behind
			log = list[len(list)-1].touched
		}
		list = append(list, &memoized[K, V]{e.key, e.value, log, e.used})
	}
	next.entries.Store(&list)
}

// Adopt takes over the values of another memo of the same snapshot whose keys it does not have. O(kept values of both).
func (m *Memo[K, V]) Adopt(other *Memo[K, V], same func(a, b K) bool) {
	from := other.entries.Load()
	for from != nil {
		old, list := m.entries.Load(), []*memoized[K, V](nil)
		if old != nil {
			list = slices.Clone(*old)
		}
		for _, e := range *from {
			if !slices.ContainsFunc(list, func(has *memoized[K, V]) bool { return same(has.key, e.key) }) {
				list = append(list, e)
			}
		}
		if old != nil && len(list) == len(*old) || m.entries.CompareAndSwap(old, &list) {
			return
		}
	}
}
