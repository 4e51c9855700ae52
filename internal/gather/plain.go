package gather

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/gang"
)

// isEven says whether nothing but room tells children apart: there is no score, and no affinity key.
func (c *chooser) isEven() bool {
	return !c.scored() && len(c.p.Friends) == 0 && c.p.Policy != gang.ByScore
}

// isPlain says whether slots alone decide between children: there is no short group either, and a child takes as many
// units as it has slots.
func (c *chooser) isPlain(pool []int) bool {
	if !c.isEven() || c.short {
		return false
	}
	for _, i := range pool {
		if it := &c.items[i]; it.hi*c.unit != it.slots {
			return false
		}
	}
	return true
}

// extraPlain picks the fewest children that hold need units beside the core, the best such set, where slots alone
// decide. The pool must suffice.
func (c *chooser) extraPlain(pool, core []int, need int64) []int {
	slices.SortFunc(pool, func(i, j int) int { return cmp.Or(cmp.Compare(c.items[j].hi, c.items[i].hi), cmp.Compare(i, j)) })
	size, sum := c.first(pool, need)
	if c.count || c.p.Policy == gang.Spread || sum == need {
		return pool[:size]
	}
	if c.p.Policy == gang.Balanced {
		pool = c.withShare(pool, core, size)
	}
	if size == 1 {
		// The smallest that suffices, the first of these in path order.
		n, _ := slices.BinarySearchFunc(pool, need, func(i int, need int64) int { return cmp.Compare(need, c.items[i].hi+1) })
		first, _ := slices.BinarySearchFunc(pool, c.items[pool[n-1]].hi, func(i int, hi int64) int { return cmp.Compare(hi, c.items[i].hi) })
		return pool[first : first+1]
	}
	l := &c.ask.scratch.least
	l.Reset()
	for _, i := range pool {
		l.Add(c.items[i].hi)
	}
	var out []int
	for i, n := range l.Pick(size, need) {
		out = append(out, pool[:n]...)
		pool = pool[l.Counts[i]:]
	}
	return out
}

// first is how many of the first children hold need units, all if they do not, and how many units that is.
func (c *chooser) first(pool []int, need int64) (size int, sum int64) {
	for sum < need && size < len(pool) {
		sum, size = sum+c.items[pool[size]].hi, size+1
	}
	return size, sum
}

// withShare leaves the children, largest first, that can take the largest smallest share.
func (c *chooser) withShare(pool, core []int, size int) []int {
	share := c.evenShare(slices.Concat(core, pool[:size]))
	n, _ := slices.BinarySearchFunc(pool, share, func(i int, share int64) int { return cmp.Compare(share, c.items[i].hi+1) })
	return pool[:n]
}

// extraExact picks the fewest children that hold need units beside the core, the best such set, where the largest of the
// pool hold exactly the need: then every set has all children above the smallest of these, and as many as are missing
// with as much room as that one has; flagged asks for one with room of its own for the short group. Nil if it is otherwise.
func (c *chooser) extraExact(pool []int, need int64, flagged bool) []int {
	if c.p.Policy != gang.BestFit {
		return nil
	}
	slices.SortFunc(pool, func(i, j int) int {
		a, b := &c.items[i], &c.items[j]
		return cmp.Or(cmp.Compare(b.hi, a.hi), cmp.Compare(a.slots, b.slots), cmp.Compare(i, j))
	})
	size, sum := c.first(pool, need)
	if sum != need || size == 0 {
		return nil
	}
	set := slices.Clone(pool[:size])
	if flagged && !slices.ContainsFunc(set, func(i int) bool { return c.freeShort(&c.items[i]) }) {
		hi := c.items[set[size-1]].hi
		for _, i := range pool[size:] {
			if it := &c.items[i]; it.hi == hi && c.freeShort(it) {
				set[size-1] = i
				return set
			}
		}
		return nil
	}
	return set
}

// evenShare is the largest share that every child of a set can take: its upper bound, but no more than the units make if
// all are filled up to one level, none below its lower bound.
func (c *chooser) evenShare(set []int) int64 {
	least := c.n
	for _, i := range set {
		least = min(least, c.items[i].hi)
	}
	level := sort.Search(int(min(least, c.n/int64(len(set)))), func(n int) bool {
		var sum int64
		for _, i := range set {
			sum += max(int64(n)+1, c.items[i].lo)
		}
		return sum > c.n
	})
	return int64(level)
}
