// Package intern answers: which number does a key have that may have occurred before? Equal keys have equal numbers, from 0 in the order in which
// they first occur; a key is anything comparable, a list of numbers, or two of them.
package intern

import (
	"encoding/binary"
	"slices"
)

// appendAmounts appends amounts to a key, eight bytes each: keys of equally many amounts are equal if the amounts are.
func appendAmounts(key []byte, amounts []int64) []byte {
	for _, amount := range amounts {
		key = binary.LittleEndian.AppendUint64(key, uint64(amount))
	}
	return key
}

// Keys numbers keys from 0 in the order in which they first occur; equal keys have one number. The zero value is
// ready.
type Keys[K comparable] struct{ ids map[K]int }

// Len is the number of different keys.
func (t *Keys[K]) Len() int { return len(t.ids) }

// Of is the number of a key, fresh if it has not occurred before. O(1) expected.
func (t *Keys[K]) Of(key K) (id int, fresh bool) {
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

// Lists is a [Keys] whose keys are lists of numbers. The zero value is ready.
type Lists struct {
	ids Keys[string] // of the bytes of lists
	key []byte       // scratch
}

// Of is the number of a list, fresh if it has not occurred before. The list stays the caller's. O(length) expected.
func (t *Lists) Of(list []int64) (id int, fresh bool) {
	t.key = appendAmounts(slices.Grow(t.key[:0], 8*len(list)), list)
	if id, ok := t.ids.ids[string(t.key)]; ok { // so the key is not copied
		return id, false
	}
	return t.ids.Of(string(t.key))
}

// Vectors numbers lists as [Lists] does, and keeps them. The zero value is ready.
type Vectors struct {
	List   [][]int64 // by number
	intern Lists
}

// Of is the number of a vector, which is copied if it is new. O(length) expected.
func (v *Vectors) Of(amounts []int64) int {
	id, fresh := v.intern.Of(amounts)
	if fresh {
		v.List = append(v.List, slices.Clone(amounts))
	}
	return id
}

// Classes numbers nodes by their free amounts and by the numbers of what is on them; equal nodes have one number,
// their class. It is a hash table with open addressing whose entries lie one after the other in few slices.
type Classes struct {
	needs  int     // amounts of each node
	free   []int64 // by class, then need
	On     []int64 // by class: its list, one after the other
	ends   []int32 // by class: the end of its list in On
	places []int32 // by hash: class + 1; 0: empty
}

// NewClasses makes an empty table for nodes with so many free amounts each, which may be 0.
func NewClasses(needs int) Classes {
	return Classes{needs: needs, places: make([]int32, 256)}
}

// Len is the number of classes.
func (t *Classes) Len() int { return len(t.ends) }

// At returns the two lists that make a class, to be read only. O(1).
func (t *Classes) At(class int32) (free, on []int64) {
	lo := int32(0)
	if class > 0 {
		lo = t.ends[class-1]
	}
	n := int(class) * t.needs
	return t.free[n : n+t.needs : n+t.needs], t.On[lo:t.ends[class]]
}

// Of is the class of a node, a new one if no node was like it. The lists are copied. O(their length) expected.
func (t *Classes) Of(free, on []int64) int32 {
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

// Reserve makes room for so many more classes, whose lists have `on` numbers in all.
func (t *Classes) Reserve(classes, on int) {
	t.free, t.ends, t.On = slices.Grow(t.free, classes*t.needs), slices.Grow(t.ends, classes), slices.Grow(t.On, on)
}

// twice makes room for n more entries, and then for as many again as the list has: adding stays O(1) each.
func twice[T any](list []T, n int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+n)
}

// find is the index in places where a class stands, or would stand. It ends, as at most half of the places are taken.
func (t *Classes) find(free, on []int64) uint64 {
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

// grow makes four times as many places; their number stays a power of two, as the mask of find needs. O(classes).
func (t *Classes) grow() {
	t.places = make([]int32, 4*len(t.places))
	for class := range int32(t.Len()) {
		t.places[t.find(t.At(class))] = class + 1
	}
}

// hash mixes two lists; the length of one tells apart where the first ends.
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
