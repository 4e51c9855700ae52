package parts

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// The choice of children, and how much each takes.

// share is the vector that one child takes.
type share struct {
	at   layout.Vertex
	take front.Vector
}

// distribute divides a vector that fits below x among the children of x; children that take nothing are left out. Where
// vectors were forgotten the search for a smallest set is meaningless: then every child may be filled, equal ones next
// to each other.
func (c *capacity) distribute(x layout.Vertex, want front.Vector) []share {
	if c.p.View.IsNode(x) {
		return nil
	}
	lo, end := c.p.View.Kids(x)
	var out []share
	if x == layout.Root {
		if c.outside.Total() > 0 {
			out, want = append(out, share{c.p.View.Outside, c.outside}), want.Minus(c.outside)
		}
		end = c.p.View.Outside
	}
	var children []layout.Vertex
	for child := lo; child < end; child++ {
		if !c.frontOf(child).IsZero() || c.p.Siblings.At(child) > 0 {
			children = append(children, child)
		}
	}
	switch {
	case want.Total() == 0:
		return out
	case c.forgets(x):
		slices.SortStableFunc(children, func(a, b layout.Vertex) int { return cmp.Compare(c.search.classes.of[a], c.search.classes.of[b]) })
		return append(out, c.fill(children, want)...)
	}
	set := c.chooseChildren(children, want)
	slices.SortFunc(set, c.compareFill)
	return append(out, c.fill(set, want)...)
}

// compareFill is the fill order.
//
// order: roles.10
func (c *capacity) compareFill(a, b layout.Vertex) int {
	return cmp.Or(
		cmp.Compare(c.p.Siblings.At(b), c.p.Siblings.At(a)),
		cmp.Compare(c.search.slots.At(b), c.search.slots.At(a)),
		cmp.Compare(a, b),
	)
}

// fill gives each child in turn as many members as leave no more than the children after it can take.
//
// order: roles.10
func (c *capacity) fill(children []layout.Vertex, want front.Vector) []share {
	after := make([]front.Front, len(children)+1) // the front of the children from i on together
	after[len(children)] = c.tables.space.Zero
	for i := len(children) - 1; i >= 0; i-- {
		after[i] = c.tables.space.Sum(c.frontOf(children[i]), after[i+1])
	}
	var out []share
	for i, child := range children {
		var best front.Vector
		for _, p := range c.frontOf(child) {
			take, ok := c.tables.space.Takes(want, p)
			if !ok || !c.tables.space.Holds(after[i+1], want.Minus(take)) {
				continue
			}
			if best == nil || cmp.Or(cmp.Compare(c.search.members(take), c.search.members(best)), slices.Compare(take, best)) > 0 {
				best = take
			}
		}
		if best.Total() > 0 {
			out = append(out, share{child, best})
			want = want.Minus(best)
		}
	}
	return out
}

// childSet is a set of children under construction: what it leaves of the vector, and the keys that compare sets which
// leave the same. Sets share their first children as a linked list.
type childSet struct {
	left     front.Vector
	open     bool  // left is not zero
	missing  int64 // the weight of left
	friends  int64
	sum      int64 // slots of all children
	n        int   // number of children
	child    layout.Vertex
	slots    int64     // slots of child
	previous *childSet // the set without child; nil at the empty set
}

// children lists the set in the order of paths.
func (s *childSet) children() (list []layout.Vertex) {
	for ; s.n > 0; s = s.previous {
		list = append(list, s.child)
	}
	slices.Sort(list)
	return list
}

// chooseChildren finds the best set of children that holds want: all children with running members, and the fewest
// others.
//
// order: roles.9
func (c *capacity) chooseChildren(children []layout.Vertex, want front.Vector) []layout.Vertex {
	var used, others []layout.Vertex
	for _, child := range children {
		if c.p.Siblings.At(child) > 0 {
			used = append(used, child)
		} else {
			others = append(others, child)
		}
	}
	places := make([]front.Front, len(others))
	for i, child := range others {
		places[i] = c.frontOf(child)
	}
	scale, least := c.search.scarcestScale(places, want)
	if len(used) == 0 && least == len(others) { // only all together suffice
		return others
	}
	inUse := c.tables.space.Zero
	for _, child := range slices.Backward(used) {
		inUse = c.tables.space.Sum(c.frontOf(child), inUse)
	}
	first := c.firstThatSuffice(inUse, others, want)
	sc := setChooser{capacity: c, fewest: len(first), scale: scale, steps: c.p.Steps(), left: make(front.Vector, len(want))}
	for _, p := range inUse {
		take, ok := c.tables.space.Takes(want, p)
		if !ok {
			continue
		}
		left := want.Minus(take)
		sc.offer(&sc.sets, &childSet{left: left, missing: sc.scale.Of(left), open: left.Total() > 0})
	}
	for _, class := range sc.classes(others) {
		if sc.add(class); sc.steps < 0 {
			return append(used, first...)
		}
	}
	for _, s := range sc.sets.list {
		if !s.open {
			return append(used, s.children()...)
		}
	}
	return append(used, first...) // unreachable: the first that suffice are one of the sets
}

// firstThatSuffice returns the shortest prefix of the other children, in fill order, that holds want together with the
// children in use. It bounds the search, and is its answer when steps run out.
func (c *capacity) firstThatSuffice(inUse front.Front, others []layout.Vertex, want front.Vector) []layout.Vertex {
	others = slices.Clone(others)
	slices.SortFunc(others, c.compareFill)
	sum := inUse
	for i, child := range others {
		if c.tables.space.Holds(sum, want) {
			return others[:i]
		}
		sum = c.tables.space.Sum(sum, c.frontOf(child))
	}
	return others
}

// classes groups children with equal slots, anchors and fronts; heaviest fronts first. Within a class only prefixes in
// the order of paths need be tried.
func (sc *setChooser) classes(children []layout.Vertex) [][]layout.Vertex {
	var out [][]layout.Vertex
	at := map[string]int{}
	for _, child := range children {
		key := binary.LittleEndian.AppendUint64(nil, uint64(sc.capacity.search.slots.At(child)))
		key = binary.LittleEndian.AppendUint64(key, uint64(sc.capacity.p.Friends.At(child)))
		for _, p := range sc.capacity.frontOf(child) {
			key = p.AppendTo(key)
		}
		i, ok := at[string(key)]
		if !ok {
			i = len(out)
			at[string(key)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], child)
	}
	slices.SortStableFunc(out, func(a, b []layout.Vertex) int {
		return cmp.Compare(sc.scale.Most(sc.capacity.frontOf(b[0])), sc.scale.Most(sc.capacity.frontOf(a[0])))
	})
	return out
}

// bestSets keeps the best set for each vector that sets leave, in a hash table with open addressing.
type bestSets struct {
	list   []*childSet
	places []int32 // by hash of left: index in list + 1; 0: empty
}

// clear empties the table and keeps its memory.
func (b *bestSets) clear() {
	b.list = b.list[:0]
	clear(b.places)
}

// find returns the slot of the set that leaves a vector, or the empty slot for it.
func (b *bestSets) find(left front.Vector) *int32 {
	h := uint64(0)
	for _, n := range left {
		h = sets.Mix(h, uint64(n))
	}
	for mask := uint64(len(b.places) - 1); ; h++ {
		if at := &b.places[h&mask]; *at == 0 || slices.Equal(b.list[*at-1].left, left) {
			return at
		}
	}
}

// offer keeps a set unless a better one leaves the same.
func (sc *setChooser) offer(to *bestSets, s *childSet) {
	if at := sc.wants(to, s); at != nil {
		to.keep(at, s)
	}
}

// wants returns the slot of a set, nil if a better set leaves the same. The slot is valid until the table grows.
func (sc *setChooser) wants(to *bestSets, s *childSet) *int32 {
	if 2*len(to.list) >= len(to.places) {
		to.grow()
	}
	at := to.find(s.left)
	if *at > 0 && !sc.better(s, to.list[*at-1]) {
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

// grow makes room before half of the slots are taken, so that find ends.
func (b *bestSets) grow() {
	b.places = make([]int32, max(64, 4*len(b.places)))
	for i, s := range b.list {
		*b.find(s.left) = int32(i + 1)
	}
}

// setChooser is a dynamic program over classes of children: after each class it has, for every vector that may be left,
// the best set that leaves it.
//
// Two sets that leave the same can be extended by the same children, so that only the better one can lead to the best.
type setChooser struct {
	capacity *capacity
	sets     bestSets
	scale    front.Weights
	fewest   int // children of the smallest set known to suffice
	steps    int

	left front.Vector // scratch of extend
	// Memory for sets.
	all          bestSets
	layers       [2]bestSets
	spare        []childSet
	spareNumbers front.Vector
	// Scratch of better.
	slots, children [2][]int64
}

// better compares sets that leave the same: fewest children, most anchors, fewest slots, smallest largest child, then
// paths. All keys are sums or sorted lists, so that equal further children change no comparison.
//
// order: roles.9
func (sc *setChooser) better(a, b *childSet) bool {
	if d := cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(b.friends, a.friends), sc.capacity.p.CompareFree(a.sum, b.sum)); d != 0 {
		return d < 0
	}
	var slots, children [2][]int64
	for i := range slots {
		slots[i], children[i] = sc.slots[i][:0], sc.children[i][:0]
	}
	for ; a != b && a.n > 0; a, b = a.previous, b.previous { // common children do not matter
		for i, s := range [2]*childSet{a, b} {
			slots[i], children[i] = append(slots[i], -s.slots), append(children[i], int64(s.child))
		}
	}
	sc.slots, sc.children = slots, children
	for i := range slots {
		slices.Sort(slots[i]) // largest first; CompareFree turns the result under Spread
		slices.Sort(children[i])
	}
	if d := sc.capacity.p.CompareFree(int64(slices.Compare(slots[1], slots[0])), 0); d != 0 {
		return d < 0
	}
	return slices.Compare(children[0], children[1]) < 0
}

// add extends the sets by one, two and more children of a class. A set is hopeless if children of this weight, up to the
// fewest known to suffice, cannot cover what it misses.
func (sc *setChooser) add(class []layout.Vertex) {
	most := sc.scale.Most(sc.capacity.frontOf(class[0])) // later classes are no heavier
	hopeless := func(s *childSet) bool {
		return int64(sc.fewest-s.n)*most < s.missing
	}
	sc.sets.list = slices.DeleteFunc(sc.sets.list, hopeless)
	sc.all.clear()
	for _, s := range sc.sets.list {
		sc.offer(&sc.all, s)
	}
	layer := sc.sets.list
	for i, child := range class {
		next := &sc.layers[i%2]
		next.clear()
		for _, s := range layer {
			if !s.open || hopeless(s) {
				continue
			}
			if sc.extend(s, child, next); sc.steps < 0 {
				return
			}
		}
		for _, s := range next.list {
			if sc.offer(&sc.all, s); !s.open {
				sc.fewest = min(sc.fewest, s.n)
			}
		}
		if layer = next.list; len(layer) == 0 {
			break
		}
	}
	sc.sets, sc.all = sc.all, sc.sets
}

// copied moves a set, and the vector that it leaves, from scratch memory to its own.
func (sc *setChooser) copied(s *childSet) *childSet {
	out := &front.Carve(&sc.spare, 1)[0]
	*out = *s
	out.left = front.Carve(&sc.spareNumbers, len(s.left))
	copy(out.left, s.left)
	return out
}

// extend offers a set with one more child, once for each vector of the child's front.
func (sc *setChooser) extend(s *childSet, child layout.Vertex, to *bestSets) {
	more := childSet{n: s.n + 1, child: child, slots: sc.capacity.search.slots.At(child), previous: s, left: sc.left}
	more.friends = s.friends + sc.capacity.p.Friends.At(child)
	more.sum = s.sum + more.slots
	for _, p := range sc.capacity.frontOf(child) {
		if sc.steps--; sc.steps < 0 {
			return
		}
		if sc.capacity.tables.space.Exact && !p.Within(s.left) {
			continue
		}
		for i, n := range s.left {
			more.left[i] = n - min(n, p[i])
		}
		if slices.Equal(more.left, s.left) {
			continue
		}
		if at := sc.wants(to, &more); at != nil {
			more.open, more.missing = more.left.Total() > 0, sc.scale.Of(more.left)
			to.keep(at, sc.copied(&more))
		}
	}
}
