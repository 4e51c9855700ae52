package sets

import (
	"encoding/binary"
	"slices"
)

// AppendAmounts appends amounts to a key.
func AppendAmounts(key []byte, amounts []int64) []byte {
	for _, amount := range amounts {
		key = binary.LittleEndian.AppendUint64(key, uint64(amount))
	}
	return key
}

// Intern numbers keys in the order in which they first occur; equal ones have one number. The zero value is ready.
type Intern[K comparable] struct{ ids map[K]int }

// Len is how many numbers were given.
func (t *Intern[K]) Len() int { return len(t.ids) }

// Of is the number of a key, fresh if it has not occurred before. O(1) expected.
func (t *Intern[K]) Of(key K) (id int, fresh bool) {
	id, ok := t.ids[key]
	if !ok {
		if t.ids == nil {
			t.ids = map[K]int{}
		}
		id = len(t.ids)
		t.ids[key] = id
	}
	return id, !ok
}

// InternLists is an [Intern] of lists of numbers.
type InternLists struct {
	ids Intern[string] // of their bytes
	key []byte
}

// Of is the number of a list, fresh if it has not occurred before. The list stays the caller's. O(length) expected.
func (t *InternLists) Of(list []int64) (id int, fresh bool) {
	t.key = AppendAmounts(t.key[:0], list)
	if id, ok := t.ids.ids[string(t.key)]; ok { // so the key is not copied
		return id, false
	}
	return t.ids.Of(string(t.key))
}

// Vectors is an interner that keeps the lists.
type Vectors struct {
	List   [][]int64 // by number
	intern InternLists
}

// Of is the number of a vector, which is copied if it is new. O(length) expected.
func (v *Vectors) Of(amounts []int64) int {
	id, fresh := v.intern.Of(amounts)
	if fresh {
		v.List = append(v.List, slices.Clone(amounts))
	}
	return id
}

// ClassTable numbers nodes by what they have free and who is on them, equal ones alike: a hash table whose entries lie
// one after the other.
type ClassTable struct {
	needs  int
	free   []int64 // by class, then need
	On     []int64 // by class
	ends   []int32 // by class: behind its part of on
	places []int32 // by hash: class + 1; 0: empty
}

// NewClassTable is for nodes of which so many amounts count.
func NewClassTable(needs int) *ClassTable {
	return &ClassTable{needs: needs, places: make([]int32, 256)}
}

// Len is the number of classes.
func (t *ClassTable) Len() int { return len(t.ends) }

// At is what makes a class.
func (t *ClassTable) At(class int32) (free, on []int64) {
	lo := int32(0)
	if class > 0 {
		lo = t.ends[class-1]
	}
	n := int(class) * t.needs
	return t.free[n : n+t.needs : n+t.needs], t.On[lo:t.ends[class]]
}

// Of is the class of a node, if need be a new one.
func (t *ClassTable) Of(free, on []int64) int32 {
	at := t.find(free, on)
	if t.places[at] == 0 {
		if 2*t.Len() >= len(t.places) {
			t.grow()
			at = t.find(free, on)
		}
		t.free, t.On = append(t.free, free...), append(twice(t.On, len(on)), on...)
		t.ends = append(t.ends, int32(len(t.On)))
		t.places[at] = int32(t.Len())
	}
	return t.places[at] - 1
}

// Reserve makes room for so many classes, and what is on so many in all.
func (t *ClassTable) Reserve(classes, on int) {
	t.free, t.ends, t.On = slices.Grow(t.free, classes*t.needs), slices.Grow(t.ends, classes), slices.Grow(t.On, on)
}

// twice makes room for n more in a list: where there is none, twice as much as there was.
func twice[T any](list []T, n int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+n)
}

// find is where a class stands in places, or would stand.
func (t *ClassTable) find(free, on []int64) uint64 {
	mask := uint64(len(t.places) - 1)
	for at := hash(free, on) & mask; ; at = (at + 1) & mask {
		class := t.places[at] - 1
		if class < 0 {
			return at
		}
		if f, o := t.At(class); slices.Equal(f, free) && slices.Equal(o, on) {
			return at
		}
	}
}

func (t *ClassTable) grow() {
	t.places = make([]int32, 4*len(t.places))
	for class := range int32(t.Len()) {
		t.places[t.find(t.At(class))] = class + 1
	}
}

// hash mixes two lists.
func hash(a, b []int64) uint64 {
	h := uint64(len(b))
	for _, v := range a {
		h = Mix(h, uint64(v))
	}
	for _, v := range b {
		h = Mix(h, uint64(v))
	}
	return h
}

// Mix adds a number to a hash.
func Mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
