package parts

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// slice is what a child takes.
type slice struct {
	at     layout.Vertex
	counts front.Vector
}

// shares distributes counts that fit below a domain to its children; those that take nobody are left out.
func (g *scheme) shares(x layout.Vertex, want front.Vector) []slice {
	if g.p.View.IsNode(x) {
		return nil
	}
	lo, end := g.p.View.Kids(x)
	var out []slice
	if x == layout.Root {
		if g.outside.Total() > 0 {
			out, want = append(out, slice{g.p.View.Outside, g.outside}), want.Minus(g.outside)
		}
		end = g.p.View.Outside
	}
	var kids []layout.Vertex
	for kid := lo; kid < end; kid++ {
		if !g.fitsIn(kid).Zero() || g.p.Siblings.At(kid) > 0 {
			kids = append(kids, kid)
		}
	}
	switch {
	case want.Total() == 0:
		return out
	case g.forgets(x):
		slices.SortStableFunc(kids, func(a, b layout.Vertex) int { return cmp.Compare(g.cast.terrain.of[a], g.cast.terrain.of[b]) })
		return append(out, g.fill(kids, want)...)
	}
	set := g.choose(kids, want)
	slices.SortFunc(set, g.compareFill)
	return append(out, g.fill(set, want)...)
}

// compareFill is the order in which children are filled.
func (g *scheme) compareFill(a, b layout.Vertex) int {
	return cmp.Or(
		cmp.Compare(g.p.Siblings.At(b), g.p.Siblings.At(a)),
		cmp.Compare(g.cast.slots.At(b), g.cast.slots.At(a)),
		cmp.Compare(a, b),
	)
}

// fill gives each child in turn the most that it can take so that the others can take the rest.
func (g *scheme) fill(kids []layout.Vertex, want front.Vector) []slice {
	after := make([]front.Front, len(kids)+1) // what fits below the children from one on
	after[len(kids)] = g.fitting.folder.None
	for i := len(kids) - 1; i >= 0; i-- {
		after[i] = g.fitting.folder.Sum(g.fitsIn(kids[i]), after[i+1])
	}
	var out []slice
	for i, kid := range kids {
		var best front.Vector
		for _, p := range g.fitsIn(kid) {
			take, ok := g.fitting.folder.Takes(want, p)
			if !ok || !g.fitting.folder.Holds(after[i+1], want.Minus(take)) {
				continue
			}
			if best == nil || cmp.Or(cmp.Compare(g.cast.members(take), g.cast.members(best)), slices.Compare(take, best)) > 0 {
				best = take
			}
		}
		if best.Total() > 0 {
			out = append(out, slice{kid, best})
			want = want.Minus(best)
		}
	}
	return out
}

// set is a choice of children on the way: what it leaves, and what decides between those that leave the same.
type set struct {
	left     front.Vector
	open     bool  // something is left
	missing  int64 // what is left weighs
	friends  int64
	sum      int64 // of slots
	n        int   // of children
	kid      layout.Vertex
	slots    int64 // of the last child
	original *set  // without the last child; nil: there is none
}

// kids lists the children of a set, in path order.
func (s *set) kids() (list []layout.Vertex) {
	for ; s.n > 0; s = s.original {
		list = append(list, s.kid)
	}
	slices.Sort(list)
	return list
}

// choose finds the best set of children that take the counts: those of running members, and of the others the fewest.
func (g *scheme) choose(kids []layout.Vertex, want front.Vector) []layout.Vertex {
	var used, others []layout.Vertex
	for _, kid := range kids {
		if g.p.Siblings.At(kid) > 0 {
			used = append(used, kid)
		} else {
			others = append(others, kid)
		}
	}
	places := make([]front.Front, len(others))
	for i, kid := range others {
		places[i] = g.fitsIn(kid)
	}
	scale, least := g.cast.scarcest(places, want)
	if len(used) == 0 && least == len(others) { // no set suffices but of all
		return others
	}
	inUse := g.fitting.folder.None
	for _, kid := range slices.Backward(used) {
		inUse = g.fitting.folder.Sum(g.fitsIn(kid), inUse)
	}
	first := g.firstThatSuffice(inUse, others, want)
	c := setChooser{scheme: g, fewest: len(first), scale: scale, steps: g.p.Steps(), left: make(front.Vector, len(want))}
	for _, p := range inUse {
		take, ok := g.fitting.folder.Takes(want, p)
		if !ok {
			continue
		}
		left := want.Minus(take)
		c.offer(&c.sets, &set{left: left, missing: c.scale.Of(left), open: left.Total() > 0})
	}
	for _, class := range c.classes(others) {
		if c.add(class); c.steps < 0 {
			return append(used, first...)
		}
	}
	for _, s := range c.sets.list {
		if !s.open {
			return append(used, s.kids()...)
		}
	}
	return append(used, first...) // never: the first that suffice are a set
}

// firstThatSuffice are the first of the others in fill order with which the counts fit beside those in use.
func (g *scheme) firstThatSuffice(inUse front.Front, others []layout.Vertex, want front.Vector) []layout.Vertex {
	others = slices.Clone(others)
	slices.SortFunc(others, g.compareFill)
	sum := inUse
	for i, kid := range others {
		if g.fitting.folder.Holds(sum, want) {
			return others[:i]
		}
		sum = g.fitting.folder.Sum(sum, g.fitsIn(kid))
	}
	return others
}

// classes parts children into those that are equal but for their paths; those that take most, by the scale, come first.
func (c *setChooser) classes(kids []layout.Vertex) [][]layout.Vertex {
	var out [][]layout.Vertex
	at := map[string]int{}
	for _, kid := range kids {
		key := binary.LittleEndian.AppendUint64(nil, uint64(c.scheme.cast.slots.At(kid)))
		key = binary.LittleEndian.AppendUint64(key, uint64(c.scheme.p.Friends.At(kid)))
		for _, p := range c.scheme.fitsIn(kid) {
			key = p.AppendTo(key)
		}
		i, ok := at[string(key)]
		if !ok {
			i = len(out)
			at[string(key)] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], kid)
	}
	slices.SortStableFunc(out, func(a, b []layout.Vertex) int {
		return cmp.Compare(c.scale.Most(c.scheme.fitsIn(b[0])), c.scale.Most(c.scheme.fitsIn(a[0])))
	})
	return out
}

// childSets are the best by what they leave.
type childSets struct {
	list   []*set
	places []int32 // by hash of what they leave: place in the list + 1; 0: empty
}

func (t *childSets) clear() {
	t.list = t.list[:0]
	clear(t.places)
}

// find is where among the places the set stands that leaves so much, or would stand.
func (t *childSets) find(left front.Vector) *int32 {
	h := uint64(0)
	for _, n := range left {
		h = sets.Mix(h, uint64(n))
	}
	for mask := uint64(len(t.places) - 1); ; h++ {
		if at := &t.places[h&mask]; *at == 0 || slices.Equal(t.list[*at-1].left, left) {
			return at
		}
	}
}

// offer keeps a set unless a better one leaves the same.
func (c *setChooser) offer(to *childSets, s *set) {
	if at := c.wants(to, s); at != nil {
		to.keep(at, s)
	}
}

// wants finds the place of a set, nil if a better one leaves the same.
func (c *setChooser) wants(to *childSets, s *set) *int32 {
	if 2*len(to.list) >= len(to.places) {
		to.grow()
	}
	at := to.find(s.left)
	if *at > 0 && !c.better(s, to.list[*at-1]) {
		return nil
	}
	return at
}

// keep puts a set in its place.
func (t *childSets) keep(at *int32, s *set) {
	if *at > 0 {
		t.list[*at-1] = s
		return
	}
	t.list = append(t.list, s)
	*at = int32(len(t.list))
}

func (t *childSets) grow() {
	t.places = make([]int32, max(64, 4*len(t.places)))
	for i, s := range t.list {
		*t.find(s.left) = int32(i + 1)
	}
}

// setChooser tries sets of children, class by class.
type setChooser struct {
	scheme *scheme
	sets   childSets
	scale  front.Weights
	fewest int // that are known to suffice
	steps  int

	left front.Vector // of the set in hand
	// Room for sets.
	all         childSets
	layers      [2]childSets
	spare       []set
	spareCounts front.Vector
	// To compare sets.
	slots, kids [2][]int64
}

// better compares sets that leave the same. None of this changes when both get the same children more.
func (c *setChooser) better(a, b *set) bool {
	if d := cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(b.friends, a.friends), c.scheme.p.CompareFree(a.sum, b.sum)); d != 0 {
		return d < 0
	}
	var slots, kids [2][]int64
	for i := range slots {
		slots[i], kids[i] = c.slots[i][:0], c.kids[i][:0]
	}
	for ; a != b && a.n > 0; a, b = a.original, b.original { // what both have does not matter
		for i, s := range [2]*set{a, b} {
			slots[i], kids[i] = append(slots[i], -s.slots), append(kids[i], int64(s.kid))
		}
	}
	c.slots, c.kids = slots, kids
	for i := range slots {
		slices.Sort(slots[i]) // the largest first, under Spread too
		slices.Sort(kids[i])
	}
	if d := c.scheme.p.CompareFree(int64(slices.Compare(slots[1], slots[0])), 0); d != 0 {
		return d < 0
	}
	return slices.Compare(kids[0], kids[1]) < 0
}

// add tries the sets so far with the first children of a class, one, two and so on.
func (c *setChooser) add(class []layout.Vertex) {
	most := c.scale.Most(c.scheme.fitsIn(class[0])) // and no child of the classes that follow takes more
	hopeless := func(s *set) bool {
		return int64(c.fewest-s.n)*most < s.missing
	}
	c.sets.list = slices.DeleteFunc(c.sets.list, hopeless)
	c.all.clear()
	for _, s := range c.sets.list {
		c.offer(&c.all, s)
	}
	layer := c.sets.list
	for i, kid := range class {
		next := &c.layers[i%2]
		next.clear()
		for _, s := range layer {
			if !s.open || hopeless(s) {
				continue
			}
			if c.extend(s, kid, next); c.steps < 0 {
				return
			}
		}
		for _, s := range next.list {
			if c.offer(&c.all, s); !s.open {
				c.fewest = min(c.fewest, s.n)
			}
		}
		if layer = next.list; len(layer) == 0 {
			break
		}
	}
	c.sets, c.all = c.all, c.sets
}

// copied is a set and what it leaves, of its own.
func (c *setChooser) copied(s *set) *set {
	out := &front.Carve(&c.spare, 1)[0]
	*out = *s
	out.left = front.Carve(&c.spareCounts, len(s.left))
	copy(out.left, s.left)
	return out
}

// extend offers a set and a child more, whichever of the counts it takes that fit there.
func (c *setChooser) extend(s *set, kid layout.Vertex, to *childSets) {
	more := set{friends: s.friends + c.scheme.p.Friends.At(kid), n: s.n + 1, kid: kid, slots: c.scheme.cast.slots.At(kid), original: s, left: c.left}
	more.sum = s.sum + more.slots
	for _, p := range c.scheme.fitsIn(kid) {
		if c.steps--; c.steps < 0 {
			return
		}
		if c.scheme.fitting.folder.Exact && !p.Within(s.left) {
			continue
		}
		for i, n := range s.left {
			more.left[i] = n - min(n, p[i])
		}
		if slices.Equal(more.left, s.left) {
			continue
		}
		if at := c.wants(to, &more); at != nil {
			more.open, more.missing = more.left.Total() > 0, c.scale.Of(more.left)
			to.keep(at, c.copied(&more))
		}
	}
}
