package sets

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/features"
)

// isPlain says whether slots alone decide between the children of a pool: there is no short group either, and the upper
// bound of a child is its slots. O(pool).
func (c *Chooser) isPlain(pool []int) bool {
	if c.Short || c.Zoned || !features.ExtraPlain.Takes(c.Features) {
		return false
	}
	for _, i := range pool {
		if it := &c.Items[i]; it.Hi*c.Multiple != it.Slots {
			return false
		}
	}
	return true
}

// extraPlain picks the best of the smallest sets that hold need units beside the core, where slots alone decide. The
// pool must suffice. It sorts the pool, largest children first; O(n log n) for n children, beside [LeastSum.Pick].
//
// Same answer as order: sets.1, sets.5, sets.6, faster.
func (c *Chooser) extraPlain(pool, core []int, need int64) []int {
	slices.SortFunc(pool, func(i, j int) int { return cmp.Or(cmp.Compare(c.Items[j].Hi, c.Items[i].Hi), cmp.Compare(i, j)) })
	// The largest children give the size. They are the answer for Spread, which wants most slots, and if they hold
	// exactly the need, because any other sizes hold less.
	size, sum := c.first(pool, need)
	if c.counting || c.rules.Roomy || sum == need {
		return pool[:size]
	}
	if c.rules.Share { // the share comes before slots
		pool = c.withShare(pool, core, size)
	}
	if size == 1 {
		// The smallest that suffices, the first of these in path order: n is the number of children that hold the need,
		// and the last of them is the smallest.
		n, _ := slices.BinarySearchFunc(pool, need, func(i int, need int64) int { return cmp.Compare(need, c.Items[i].Hi+1) })
		first, _ := slices.BinarySearchFunc(pool, c.Items[pool[n-1]].Hi, func(i int, hi int64) int { return cmp.Compare(hi, c.Items[i].Hi) })
		return pool[first : first+1]
	}
	l := c.Scratch
	if l == nil {
		l = &LeastSum{}
	}
	l.Reset()
	for _, i := range pool {
		l.Add(c.Items[i].Hi)
	}
	var out []int
	for i, n := range l.Pick(size, need) { // class by class, the first ones in path order
		out = append(out, pool[:n]...)
		pool = pool[l.Counts[i]:]
	}
	return out
}

// first is the least number of children from the head of the pool that hold need units, all if they do not, and the
// units that they hold.
func (c *Chooser) first(pool []int, need int64) (size int, sum int64) {
	for sum < need && size < len(pool) {
		sum, size = sum+c.Items[pool[size]].Hi, size+1
	}
	return size, sum
}

// withShare keeps the children of the pool (largest first) that can take the largest smallest share. No set of this
// size has a larger share than the core with the largest children.
//
// order: sets.5
func (c *Chooser) withShare(pool, core []int, size int) []int {
	share := c.evenShare(slices.Concat(core, pool[:size]))
	n, _ := slices.BinarySearchFunc(pool, share, func(i int, share int64) int { return cmp.Compare(share, c.Items[i].Hi+1) })
	return pool[:n]
}

// extraExact picks the best of the smallest sets that do a task beside the core, if the largest children of the pool hold
// exactly the need; else it returns nil.
//
// A set without room to spare has all children with a larger bound than the smallest of these, and fills up with
// children of just that bound. Of the latter those with the fewest slots are best. The task is the first one: the short
// group can take no place of a whole group, because none is to spare. O(n log n).
//
// Same answer as order: sets.1, sets.6, faster.
func (c *Chooser) extraExact(pool []int, t task) []int {
	slices.SortFunc(pool, func(i, j int) int {
		a, b := &c.Items[i], &c.Items[j]
		return cmp.Or(cmp.Compare(b.Hi, a.Hi), cmp.Compare(a.Slots, b.Slots), cmp.Compare(i, j))
	})
	size, sum := c.first(pool, t.need)
	if sum != t.need || size == 0 {
		return nil
	}
	set := slices.Clone(pool[:size])
	if t.flagged && !slices.ContainsFunc(set, func(i int) bool { return t.flag(&c.Items[i]) }) {
		hi := c.Items[set[size-1]].Hi // of the children with just this bound the last has the most slots
		for _, i := range pool[size:] {
			if it := &c.Items[i]; it.Hi == hi && t.flag(it) {
				set[size-1] = i
				return set
			}
		}
		return nil
	}
	return set
}

// evenShare is the largest share that every child of a set can take: the least upper bound in the set, but no more than
// the level that the units make if they fill all children evenly, none below its lower bound. The set is not empty.
// O(n log units).
//
// order: sets.5
func (c *Chooser) evenShare(set []int) int64 {
	least := c.Units
	for _, i := range set {
		it := &c.Items[i]
		least = min(least, it.Hi+min(1, it.rest)) // of what is beyond multiples a share is a part of one
	}
	// The first level n such that n+1 costs more than all units, the bounds apart.
	level := sort.Search(int(min(least, c.Units/int64(len(set))+1)), func(n int) bool {
		var sum, beyond int64
		for _, i := range set {
			it := &c.Items[i]
			if sum += max(int64(n)+1, it.Lo); int64(n) >= it.Lo {
				beyond += it.rest
			}
		}
		return sum > c.Units+beyond/c.Multiple
	})
	return int64(level)
}
