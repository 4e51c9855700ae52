package cow

import (
	"slices"
	"sync/atomic"
)

// Memo keeps a few values, each under a key, that later snapshots go on with: a value that lags behind is brought up to
// date when it is asked for. Whoever reads it sees it as it was; of two who add at once both succeed, one after the other.
type Memo[K, V any] struct {
	entries atomic.Pointer[[]*memoized[K, V]]
}

// memoized is a value of now or of an earlier snapshot.
type memoized[K, V any] struct {
	key     K
	value   V
	touched *touched // what changed since the value was made
	used    *stamp   // by any snapshot of the lineage
}

// stamp is when something was last used, by the count of uses in the lineage.
type stamp struct{ n atomic.Int64 }

// Clock counts the uses in a lineage. The zero clock is ready.
type Clock struct{ uses atomic.Int64 }

// mark notes that something is used now. The count is written only if something else was used since.
func (c *Clock) mark(s *stamp) {
	if now := c.uses.Load(); s.n.Load() != now || now == 0 {
		s.n.Store(c.uses.Add(1))
	}
}

// Get returns the value whose key is meant: as it is, brought up to date by what was touched since, or made. At most
// so many are kept, those that were used last.
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
		list = append(list, fresh)
		if m.entries.CompareAndSwap(old, &list) {
			return fresh.value
		}
	}
}

// Kept says whether there is any value.
func (m *Memo[K, V]) Kept() bool {
	list := m.entries.Load()
	return list != nil && len(*list) > 0
}

// lastUsed leaves n of the entries.
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

// PassOn gives the values to the memo of a later snapshot in which something changed. Those that more than so many
// changes lie behind are left out. O(kept values), whatever has changed before.
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
