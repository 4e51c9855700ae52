package sets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
)

// task is what a picked set must do: hold this many units and, if flagged, contain a child with the flag.
type task struct {
	need    int64 // units; 0 or less: none
	flagged bool  // a child with the flag is missing so far
	flag    func(*Item) bool
}

// picker finds the best set of a given size among the children outside the core. It is a dynamic program over classes
// of equal children, from the largest down; a state is the size, the units and the flag that are still missing.
//
// Only the best choice from a state need be kept: every key is a sum or compares sorted lists, so that equal children
// on both sides change no comparison. Where no smaller set holds the units, a set exceeds the need by less than its
// smallest child holds, so that states are few.
type picker struct {
	c       *Chooser
	pool    []int               // children to pick from
	core    []int               // children in the set in any case
	classes []class             // of the pool, largest slots first
	tops    []int64             // the most units of 1, 2, ... children of the pool
	memo    map[pickState]*pick // nil: no choice; for one task
	bit     uint8               // of that task's flag
	mixed   [][]int64           // by class: the most units of 0, 1, 2, ... children from it on; nil: not yet made
}

// pickState is what is still to be picked, from the children of a class and those that follow.
type pickState struct {
	class   int
	size    int   // children
	need    int64 // units, never below 0
	flagged bool  // one of the children must have the flag
}

// pick is the best choice from one class on: m of its children, then next, which is nil at the end. The sums are those
// of the whole choice.
type pick struct {
	class, m int
	sums     keys.Values
	next     *pick
}

func newPicker(c *Chooser, pool, core []int) *picker {
	k := &picker{c: c, pool: pool, core: core}
	his := make([]int64, len(pool))
	for j, i := range pool {
		his[j] = c.Items[i].Hi
	}
	slices.SortFunc(his, func(a, b int64) int { return cmp.Compare(b, a) })
	var sum int64
	for _, hi := range his {
		sum += hi
		k.tops = append(k.tops, sum)
	}
	return k
}

// fewest is the least number of children that hold need units, at least 1. O(log pool).
func (k *picker) fewest(need int64) int {
	n, _ := slices.BinarySearch(k.tops, need)
	return n + 1
}

// best is the best set of this size that does one of the tasks, nil if none does. No smaller set may do one. Each step
// decides by later keys among the sets that are best so far: sums and sizes, under Balanced the share before them,
// scores, and paths within these.
func (k *picker) best(size int, tasks []task) []int {
	if k.c.counting {
		return k.anyThatDoes(size, tasks)
	}
	if k.c.byHost && k.keepScorable(size) {
		return k.bestByScore(size)
	}
	k.classify(tasks, 0)
	best := k.solveAll(size, tasks)
	if k.c.rules.Share && best != nil {
		best = k.mostEven(size, tasks, best)
	}
	switch {
	case best == nil:
		return nil
	case k.c.scored():
		return k.bestScored(size, tasks, best)
	}
	return k.expand(best)
}

// anyOf takes the largest children. They suffice if any set of this size does, and that is all that counting needs.
func (k *picker) anyOf(size int) []int {
	out := slices.Clone(k.pool)
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(k.c.Items[j].Hi, k.c.Items[i].Hi) })
	return out[:size]
}

// anyThatDoes is a set of this size that does one of the tasks, nil if none does. Counting needs no more than its size:
// the largest children, with the largest one that has the flag in place of the last if need be. O(n log n).
func (k *picker) anyThatDoes(size int, tasks []task) []int {
	pool := k.anyOf(len(k.pool))
	for _, t := range tasks {
		set := pool[:size:size]
		flagged := func(i int) bool { return t.flag(&k.c.Items[i]) }
		if t.flagged && !slices.ContainsFunc(set, flagged) {
			at := slices.IndexFunc(pool[size:], flagged)
			if at < 0 {
				continue
			}
			set = append(slices.Clone(set[:size-1]), pool[size+at])
		}
		var sum int64
		for _, i := range set {
			sum += k.c.Items[i].Hi
		}
		if sum >= t.need {
			return set
		}
	}
	return nil
}

// solveAll is the best choice that does one of the tasks, nil if there is none; of equal ones that of the first task.
func (k *picker) solveAll(size int, tasks []task) *pick {
	var best *pick
	for i, t := range tasks {
		k.memo, k.bit = map[pickState]*pick{}, 1<<i // a choice for one flag is none for another
		if p := k.solve(pickState{0, size, max(0, t.need), t.flagged}); p != nil && (best == nil || k.compare(p, best) < 0) {
			best = p
		}
	}
	return best
}

// mostEven is the best choice among those with the largest smallest share that have what another choice has of the keys
// before slots, the best by these, which come before the share. Shares are tried from the largest down, each
// with only those children that can take it.
//
// The share of a set is its least upper bound, or the level that the units make. Children of the pool have no lower
// bound, so that the level depends on the size alone, and no set of this size has a larger share than the largest
// children. All other shares are upper bounds in the pool. The other choice is found again at its own share: the answer
// is never nil.
//
// order: sets.5
func (k *picker) mostEven(size int, tasks []task, other *pick) *pick {
	shares := []int64{k.c.evenShare(slices.Concat(k.core, k.anyOf(size)))}
	for _, i := range k.pool {
		if hi := k.c.Items[i].Hi; hi < shares[0] {
			shares = append(shares, hi)
		}
	}
	slices.SortFunc(shares, func(a, b int64) int { return cmp.Compare(b, a) })
	for _, share := range slices.Compact(shares) {
		k.classify(tasks, share)
		if best := k.solveAll(size, tasks); best != nil && best.sums.Compare(&other.sums, 0, keys.Packing) == 0 {
			return best
		}
	}
	return nil
}

// solve is the best choice from a state on, nil if none does the task. It is memoized; each state tries every number of
// children of its class.
func (k *picker) solve(st pickState) *pick {
	if st.size == 0 {
		if st.need > 0 || st.flagged {
			return nil
		}
		return &pick{class: len(k.classes)}
	}
	if st.class == len(k.classes) || k.most(st.class, st.size) < st.need { // even the largest children are too few
		return nil
	}
	if p, ok := k.memo[st]; ok {
		return p
	}
	var best *pick
	cl := &k.classes[st.class]
	for m := min(st.size, len(cl.items)); m >= 0; m-- {
		p := k.extend(st, m, k.solve(k.after(st, m)))
		if p != nil && (best == nil || k.compare(p, best) < 0) {
			best = p
		}
	}
	k.memo[st] = best
	return best
}

// after is the state behind its class once m children of it are picked. Need stops at 0: more than enough is all alike.
func (k *picker) after(st pickState, m int) pickState {
	cl := &k.classes[st.class]
	return pickState{
		class: st.class + 1, size: st.size - m, need: max(0, st.need-int64(m)*cl.hi),
		flagged: st.flagged && (m == 0 || cl.flags&k.bit == 0),
	}
}

// extend puts m children of the state's class before a choice from the classes behind it; nil stays nil.
func (k *picker) extend(st pickState, m int, next *pick) *pick {
	if next == nil {
		return nil
	}
	cl := &k.classes[st.class]
	p := &pick{class: st.class, m: m, next: next, sums: next.sums.With(int64(m), &cl.keys)}
	if m > 0 && cl.wastes != nil {
		p.sums[keys.Waste] += cl.wastes[m-1]
	}
	return p
}

// most is the largest sum of units that size children from a class on can hold. A child with more slots holds no fewer
// members, so the first classes hold most of them; it may hold fewer groups, and then all classes are looked at.
func (k *picker) most(from, size int) int64 {
	if k.c.Groups {
		return k.mostMixed(from, size)
	}
	var sum int64
	for i := from; i < len(k.classes) && size > 0; i++ {
		m := min(size, len(k.classes[i].items))
		sum, size = sum+int64(m)*k.classes[i].hi, size-m
	}
	return sum
}

// mostMixed is most for groups. It sorts the upper bounds from a class on, once a class; then O(1).
func (k *picker) mostMixed(from, size int) int64 {
	if k.mixed[from] == nil {
		var his []int64
		for _, cl := range k.classes[from:] {
			for range cl.items {
				his = append(his, cl.hi)
			}
		}
		slices.SortFunc(his, func(a, b int64) int { return cmp.Compare(b, a) })
		sums := []int64{0}
		for i, hi := range his {
			sums = append(sums, sums[i]+hi)
		}
		k.mixed[from] = sums
	}
	return k.mixed[from][min(size, len(k.mixed[from])-1)]
}

// compare is below 0 if the first of two choices from one class on, of equal size, is better by all keys but the score.
// Only for paths must children be listed; choices that take as many of each class need not, they are equal.
func (k *picker) compare(a, b *pick) int {
	if c := k.compareValues(a, b); c != 0 || k.sameClasses(a, b) {
		return c
	}
	return comparePlaces(k.expand(a), k.expand(b))
}

// comparePlaces compares sets of children by their places among the items, the first child first: the order of paths,
// but for the children that restore the order of ranks. O(n log n).
//
// order: sets.8
func comparePlaces(a, b []int) int {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Compare(a, b)
}

// compareValues goes by the keys: what is sorted is compared in sum, then by the smaller largest child (under Spread the larger), then by the
// second largest, and so on.
//
// order: sets.3, sets.4, sets.6, sets.9
func (k *picker) compareValues(a, b *pick) int {
	if c := a.sums.Compare(&b.sums, 0, keys.Packing+1); c != 0 {
		return c
	}
	if c := k.compareSizes(a, b); c != 0 {
		return k.c.rules.CompareSlots(int64(c), 0)
	}
	return a.sums.Compare(&b.sums, keys.Packing+1, keys.Count)
}

// sameClasses says whether two choices take as many children of every class: then expand gives the same list.
func (k *picker) sameClasses(a, b *pick) bool {
	a, b = a.skip(), b.skip()
	for a.next != nil && b.next != nil {
		if a.class != b.class || a.m != b.m {
			return false
		}
		a, b = a.next.skip(), b.next.skip()
	}
	return a.next == nil && b.next == nil
}

// skip passes over classes of which no child is picked.
func (p *pick) skip() *pick {
	for p.next != nil && p.m == 0 {
		p = p.next
	}
	return p
}

// compareSizes compares the slots of two choices as sequences from the largest down. Classes are in this order. It
// walks both lists in runs of equal children, so it costs O(classes), not O(children).
func (k *picker) compareSizes(a, b *pick) int {
	var am, bm int // children left of the current class of a and b; 0: on to the next class
	next := func(p **pick, m *int) (int64, bool) {
		for *m == 0 {
			if (*p).next == nil {
				return 0, false
			}
			if *m = (*p).m; *m > 0 {
				break
			}
			*p = (*p).next
		}
		return k.classes[(*p).class].slots, true
	}
	for {
		x, ok := next(&a, &am)
		y, _ := next(&b, &bm) // both have as many children, and end together
		if !ok {
			return 0
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		m := min(am, bm)
		if am, bm = am-m, bm-m; am == 0 {
			a = a.next
		}
		if bm == 0 {
			b = b.next
		}
	}
}

// expand lists the children of a choice. Within a class the first ones in path order are the best.
func (k *picker) expand(p *pick) []int {
	var out []int
	for ; p.next != nil; p = p.next {
		out = append(out, k.classes[p.class].items[:p.m]...)
	}
	return out
}
