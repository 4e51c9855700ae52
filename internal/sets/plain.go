package sets

import (
	"cmp"
	"slices"
	"sort"

	"github.com/muster-sched/muster/gang"
)

// isEven says whether nothing but room tells children apart: there is no score, and no affinity key.
func (c *Chooser) isEven() bool {
	return !c.scored() && !c.Anchored && c.Policy != gang.ByScore
}

// isPlain says whether slots alone decide between children: there is no short group either, and a child takes as many
// units as it has slots.
func (c *Chooser) isPlain(pool []int) bool {
	if !c.isEven() || c.Short {
		return false
	}
	for _, i := range pool {
		if it := &c.Items[i]; it.Hi*c.Multiple != it.Slots {
			return false
		}
	}
	return true
}

// extraPlain picks the fewest children that hold need units beside the core, the best such set, where slots alone
// decide. The pool must suffice.
//
// Same answer as order: sets.1, sets.5, sets.6, faster.
func (c *Chooser) extraPlain(pool, core []int, need int64) []int {
	slices.SortFunc(pool, func(i, j int) int { return cmp.Or(cmp.Compare(c.Items[j].Hi, c.Items[i].Hi), cmp.Compare(i, j)) })
	size, sum := c.first(pool, need)
	if c.counting || c.Policy == gang.Spread || sum == need {
		return pool[:size]
	}
	if c.Policy == gang.Balanced {
		pool = c.withShare(pool, core, size)
	}
	if size == 1 {
		// The smallest that suffices, the first of these in path order.
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
	for i, n := range l.Pick(size, need) {
		out = append(out, pool[:n]...)
		pool = pool[l.Counts[i]:]
	}
	return out
}

// first is how many of the first children hold need units, all if they do not, and how many units that is.
func (c *Chooser) first(pool []int, need int64) (size int, sum int64) {
	for sum < need && size < len(pool) {
		sum, size = sum+c.Items[pool[size]].Hi, size+1
	}
	return size, sum
}

// withShare leaves the children, largest first, that can take the largest smallest share.
//
// order: sets.5
func (c *Chooser) withShare(pool, core []int, size int) []int {
	share := c.evenShare(slices.Concat(core, pool[:size]))
	n, _ := slices.BinarySearchFunc(pool, share, func(i int, share int64) int { return cmp.Compare(share, c.Items[i].Hi+1) })
	return pool[:n]
}

// extraExact picks the fewest children that hold need units beside the core, the best such set, where the largest of
// the pool hold exactly the need: then every set has all children above the smallest of these, and as many as are
// missing with as much room as that one has; flagged asks for one with room of its own for the short group. Nil if it
// is otherwise.
//
// Same answer as order: sets.1, sets.6, faster.
func (c *Chooser) extraExact(pool []int, need int64, flagged bool) []int {
	if c.Policy != gang.BestFit {
		return nil
	}
	slices.SortFunc(pool, func(i, j int) int {
		a, b := &c.Items[i], &c.Items[j]
		return cmp.Or(cmp.Compare(b.Hi, a.Hi), cmp.Compare(a.Slots, b.Slots), cmp.Compare(i, j))
	})
	size, sum := c.first(pool, need)
	if sum != need || size == 0 {
		return nil
	}
	set := slices.Clone(pool[:size])
	if flagged && !slices.ContainsFunc(set, func(i int) bool { return c.freeShort(&c.Items[i]) }) {
		hi := c.Items[set[size-1]].Hi
		for _, i := range pool[size:] {
			if it := &c.Items[i]; it.Hi == hi && c.freeShort(it) {
				set[size-1] = i
				return set
			}
		}
		return nil
	}
	return set
}

// evenShare is the largest share that every child of a set can take: its upper bound, but no more than the units make
// if all are filled up to one level, none below its lower bound.
//
// order: sets.5
func (c *Chooser) evenShare(set []int) int64 {
	least := c.Units
	for _, i := range set {
		least = min(least, c.Items[i].Hi)
	}
	level := sort.Search(int(min(least, c.Units/int64(len(set)))), func(n int) bool {
		var sum int64
		for _, i := range set {
			sum += max(int64(n)+1, c.Items[i].Lo)
		}
		return sum > c.Units
	})
	return int64(level)
}
