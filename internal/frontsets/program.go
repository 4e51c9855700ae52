package frontsets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/keys"
)

// frontProgram finds the best of the smallest sets of children that hold a vector beside the items in use. It is a
// dynamic program over classes of equal children: after each class it has, for every vector that sets can leave, the
// best set that leaves it.
//
// Two sets that leave the same can be extended by the same children, so that only the better one can lead to the best.
// The number of vectors left is what makes the search long: steps bound it.
type frontProgram struct {
	c      *Chooser
	rules  keys.Rules
	sets   bestSets
	scale  front.Weights // of the vectors: see hopeless in add
	fewest int           // children of the smallest set known to suffice

	left front.Vector // scratch of extend
	// Memory for sets.
	all          bestSets    // with the children of the class at hand
	layers       [2]bestSets // with exactly n of them, and with n+1
	spare        []childSet
	spareNumbers front.Vector
	// Scratch of better.
	slots, children [2][]int64
}

// solve starts from what the items in use leave, and adds class after class. The answer is the set that leaves nothing,
// in path order; not ok if steps ran out.
func (p *frontProgram) solve(inUse front.Front, others []int) (set []int, ok bool) {
	for _, v := range inUse {
		take := make(front.Vector, len(v))
		if !p.c.Space.Takes(p.c.Want, v, take) {
			continue
		}
		left := p.c.Want.Minus(take)
		p.offer(&p.sets, &childSet{left: left, missing: p.scale.Of(left), open: left.Total() > 0})
	}
	for _, class := range p.classes(others) {
		if p.add(class); p.c.Left.Spent() {
			return nil, false
		}
	}
	var best *childSet
	for _, s := range p.sets.list { // where domains are counted sets may leave more or fewer of these
		if !s.open && (best == nil || p.better(s, best)) {
			best = s
		}
	}
	if best == nil {
		return nil, false // unreachable: the first that suffice are one of the sets
	}
	return best.children(), true
}

// childSet is a set of children under construction: what it leaves of the vector, and the keys that compare it with
// sets that leave the same. A set is its last child and the set before, so that sets share their first children.
type childSet struct {
	left     front.Vector
	missing  int64       // the weight of left
	sums     keys.Values // of all children
	slots    int64       // slots of child
	previous *childSet   // the set without child; nil at the empty set
	n        int32       // number of children
	child    int32       // the last one added
	open     bool        // left is not zero
}

// children lists the set in the order of paths.
func (s *childSet) children() (list []int) {
	for ; s.n > 0; s = s.previous {
		list = append(list, int(s.child))
	}
	slices.Sort(list)
	return list
}

// classes groups children with equal slots, keys and fronts; heaviest fronts first, so that the weight of a class
// bounds those that follow. Within a class only prefixes in the order of paths need be tried, because all its children
// take the same vectors and only paths tell them apart.
func (p *frontProgram) classes(children []int) [][]int {
	var out [][]int
	var ids intern.Lists
	key, differ := make([]int64, 0, 64), slices.ContainsFunc(children, func(child int) bool { return p.c.Items[child].Keys != keys.Values{} })
	for _, child := range children {
		it := &p.c.Items[child]
		if key = append(key[:0], it.Slots); differ {
			key = append(key, it.Keys[:]...)
		}
		for _, v := range it.Front {
			for _, n := range v {
				key = append(key, int64(n))
			}
		}
		id, fresh := ids.Of(key)
		if fresh {
			out = append(out, nil)
		}
		out[id] = append(out[id], child)
	}
	slices.SortStableFunc(out, func(a, b []int) int {
		return cmp.Compare(p.scale.Most(p.c.Items[b[0]].Front), p.scale.Most(p.c.Items[a[0]].Front))
	})
	return out
}

// bestSets keeps the best set for each vector that sets leave, in a hash table with open addressing.
type bestSets struct {
	list   []*childSet
	places []int32 // by hash of left: index in list + 1; 0: empty
}

// clear empties the table and keeps its memory. O(table).
func (b *bestSets) clear() {
	b.list = b.list[:0]
	clear(b.places)
}

// find returns the slot of the set that leaves a vector, or the empty slot for it.
func (b *bestSets) find(left front.Vector) *int32 {
	h := uint64(0)
	for _, n := range left {
		h = intern.Mix(h, uint64(n))
	}
	for mask := uint64(len(b.places) - 1); ; h++ { // ends, as at most half of the places are taken
		if at := &b.places[h&mask]; *at == 0 || slices.Equal(b.list[*at-1].left, left) {
			return at
		}
	}
}

// offer keeps a set unless a better one leaves the same.
func (p *frontProgram) offer(to *bestSets, s *childSet) {
	if at := p.wants(to, s); at != nil {
		to.keep(at, s)
	}
}

// wants returns the slot of a set, nil if a set that leaves the same is as good or better. The slot is valid until the
// next call, which may grow the table. The set may be scratch: it is compared, not kept.
func (p *frontProgram) wants(to *bestSets, s *childSet) *int32 {
	if 2*len(to.list) >= len(to.places) {
		to.grow()
	}
	at := to.find(s.left)
	if *at > 0 && !p.better(s, to.list[*at-1]) {
		return nil
	}
	return at
}

// keep stores a set in its slot.
func (b *bestSets) keep(at *int32, s *childSet) {
	if *at > 0 {
		b.list[*at-1] = s
		return
	}
	b.list = append(b.list, s)
	*at = int32(len(b.list))
}

// grow makes room so that at most half of the slots are taken, and find ends. The size stays a power of two, as the
// mask of find needs. O(sets).
func (b *bestSets) grow() {
	b.places = make([]int32, max(64, 4*len(b.places)))
	for i, s := range b.list {
		*b.find(s.left) = int32(i + 1)
	}
}

// better compares sets that leave the same: fewest children, then the keys, among them fewest slots in sum and the smallest largest child,
// then paths. All keys are sums or sorted lists, so that equal further children change no comparison. O(n log n) for
// the children that the sets do not share.
//
// order: roles.9
func (p *frontProgram) better(a, b *childSet) bool {
	if a.n != b.n {
		return a.n < b.n
	}
	if d := a.sums.Compare(&b.sums, 0, keys.Packing+1); d != 0 {
		return d < 0
	}
	behind := a.sums.Compare(&b.sums, keys.Packing+1, keys.Count)
	var slots, children [2][]int64
	for i := range slots {
		slots[i], children[i] = p.slots[i][:0], p.children[i][:0]
	}
	// Both have n children. From where the lists meet they are the same, and common children decide nothing.
	for ; a != b && a.n > 0; a, b = a.previous, b.previous {
		for i, s := range [2]*childSet{a, b} {
			slots[i], children[i] = append(slots[i], -s.slots), append(children[i], int64(s.child))
		}
	}
	p.slots, p.children = slots, children
	for i := range slots {
		slices.Sort(slots[i]) // largest first; Spread turns the result
		slices.Sort(children[i])
	}
	if d := cmp.Or(p.rules.CompareSlots(int64(slices.Compare(slots[1], slots[0])), 0), behind); d != 0 {
		return d < 0
	}
	return slices.Compare(children[0], children[1]) < 0
}

// add extends the sets by none, one, two and more children of a class, and keeps the best for each vector left.
//
// A set is hopeless if children of the weight of this class, up to the fewest known to suffice, cannot cover what it
// misses. The bound is admissible: this class and later ones are no heavier, a child covers no more than its heaviest
// vector weighs, and a set of more children than the fewest is not the smallest. A set that may just reach it stays.
func (p *frontProgram) add(class []int) {
	first := &p.c.Items[class[0]]
	most, values := p.scale.Most(first.Front), first.Keys.WithSlots(first.Slots, p.rules) // later classes are no heavier
	hopeless := func(s *childSet) bool {
		return int64(p.fewest-int(s.n))*most < s.missing
	}
	p.sets.list = slices.DeleteFunc(p.sets.list, hopeless) // places are wrong now, but only the list is read
	p.all.clear()
	for _, s := range p.sets.list {
		p.offer(&p.all, s)
	}
	layer := p.sets.list // sets with the first i children of the class
	for i, child := range class {
		next := &p.layers[i%2]
		next.clear()
		for _, s := range layer {
			if !s.open || hopeless(s) { // fewest may have sunk since
				continue
			}
			if p.extend(s, child, &values, next); p.c.Left.Spent() {
				return
			}
		}
		for _, s := range next.list {
			if p.offer(&p.all, s); !s.open {
				p.fewest = min(p.fewest, int(s.n))
			}
		}
		if layer = next.list; len(layer) == 0 {
			break
		}
	}
	p.sets, p.all = p.all, p.sets
}

// copied moves a set, and the vector that it leaves, from scratch memory to its own.
func (p *frontProgram) copied(s *childSet) *childSet {
	out := &front.Carve(&p.spare, 1)[0]
	*out = *s
	out.left = front.Carve(&p.spareNumbers, len(s.left))
	copy(out.left, s.left)
	return out
}

// extend offers a set with one more child, once for each vector of the child's front. Each costs a step. The set is
// made in scratch memory, and copied only if it is the best so far: most are not. values are the child's.
func (p *frontProgram) extend(s *childSet, child int, values *keys.Values, to *bestSets) {
	it := &p.c.Items[child]
	more := childSet{n: s.n + 1, child: int32(child), slots: it.Slots, sums: s.sums.With(1, values), previous: s, left: p.left}
	for _, v := range it.Front {
		if p.c.Left.Spend(int64(1 + len(v)/4)); p.c.Left.Spent() {
			return
		}
		if !p.c.Space.Takes(s.left, v, more.left) {
			continue
		}
		for i, n := range s.left {
			more.left[i] = n - more.left[i]
		}
		if slices.Equal(more.left, s.left) { // a child that takes nothing is not in the set
			continue
		}
		if at := p.wants(to, &more); at != nil {
			more.open, more.missing = more.left.Total() > 0, p.scale.Of(more.left)
			to.keep(at, p.copied(&more))
		}
	}
}
