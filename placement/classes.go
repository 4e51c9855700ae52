package placement

import "slices"

// vectors numbers vectors of amounts, equal ones alike.
type vectors struct {
	list [][]int64
	ids  map[string]int
	key  []byte
}

// of is the number of a vector, which is copied if it is new.
func (v *vectors) of(amounts []int64) int {
	v.key = appendAmounts(v.key[:0], amounts)
	id, ok := v.ids[string(v.key)]
	if !ok {
		if v.ids == nil {
			v.ids = map[string]int{}
		}
		id = len(v.list)
		v.ids[string(v.key)], v.list = id, append(v.list, slices.Clone(amounts))
	}
	return id
}

// classTable numbers nodes by what they have free and who is on them, equal ones alike: a hash table whose entries lie one after the other.
type classTable struct {
	needs  int
	free   []int64 // by class, then need
	on     []int64 // by class
	ends   []int32 // by class: behind its part of on
	places []int32 // by hash: class + 1; 0: empty
}

func newClassTable(needs int) *classTable {
	return &classTable{needs: needs, places: make([]int32, 256)}
}

func (t *classTable) len() int { return len(t.ends) }

// at is what makes a class.
func (t *classTable) at(class int32) (free, on []int64) {
	lo := int32(0)
	if class > 0 {
		lo = t.ends[class-1]
	}
	n := int(class) * t.needs
	return t.free[n : n+t.needs : n+t.needs], t.on[lo:t.ends[class]]
}

// of is the class of a node, if need be a new one.
func (t *classTable) of(free, on []int64) int32 {
	at := t.find(free, on)
	if t.places[at] == 0 {
		if 2*t.len() >= len(t.places) {
			t.grow()
			at = t.find(free, on)
		}
		t.free, t.on = append(t.free, free...), append(twice(t.on, len(on)), on...)
		t.ends = append(t.ends, int32(len(t.on)))
		t.places[at] = int32(t.len())
	}
	return t.places[at] - 1
}

// reserve makes room for so many classes, and what is on so many in all.
func (t *classTable) reserve(classes, on int) {
	t.free, t.ends, t.on = slices.Grow(t.free, classes*t.needs), slices.Grow(t.ends, classes), slices.Grow(t.on, on)
}

// twice makes room for n more in a list: where there is none, twice as much as there was.
func twice[T any](list []T, n int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+n)
}

// find is where a class stands in places, or would stand.
func (t *classTable) find(free, on []int64) uint64 {
	mask := uint64(len(t.places) - 1)
	for at := hash(free, on) & mask; ; at = (at + 1) & mask {
		class := t.places[at] - 1
		if class < 0 {
			return at
		}
		if f, o := t.at(class); slices.Equal(f, free) && slices.Equal(o, on) {
			return at
		}
	}
}

func (t *classTable) grow() {
	t.places = make([]int32, 4*len(t.places))
	for class := range int32(t.len()) {
		t.places[t.find(t.at(class))] = class + 1
	}
}

// hash mixes two lists.
func hash(a, b []int64) uint64 {
	h := uint64(len(b))
	for _, v := range a {
		h = mix(h, uint64(v))
	}
	for _, v := range b {
		h = mix(h, uint64(v))
	}
	return h
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
