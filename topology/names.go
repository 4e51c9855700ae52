package topology

import (
	"hash/maphash"
	"slices"
)

// nameIndex finds names in a slice that its owner keeps: an open-addressed table of positions, 8 to 16 bytes a name.
// A map from names would take three times that and be slower to build, which counts at 100,000 nodes.
type nameIndex struct {
	seed  maphash.Seed
	slots []int32 // position + 1; 0 is a free slot
}

// indexNames indexes names; twice is called with both positions, the earlier first, for every name that an earlier
// position has already. Such a name stays with its first position. O(n) expected.
func indexNames(names []string, twice func(first, second int)) nameIndex {
	size := 8
	for size < 2*len(names) {
		size *= 2
	}
	x := nameIndex{seed: maphash.MakeSeed(), slots: make([]int32, size)}
	for i, name := range names {
		slot, found := x.slot(names, name)
		if found {
			twice(int(x.slots[slot])-1, i)
			continue
		}
		x.slots[slot] = int32(i) + 1
	}
	return x
}

// find returns the position of name in the indexed slice. O(1) expected.
func (x nameIndex) find(names []string, name string) (int, bool) {
	slot, found := x.slot(names, name)
	return int(x.slots[slot]) - 1, found
}

// slot is where name stands or, if it is not there, would stand. At least half of the slots are free, so it ends.
func (x nameIndex) slot(names []string, name string) (slot int, found bool) {
	mask := uint64(len(x.slots) - 1)
	for at := maphash.String(x.seed, name) & mask; ; at = (at + 1) & mask {
		i := x.slots[at]
		if i == 0 {
			return int(at), false
		}
		if names[i-1] == name {
			return int(at), true
		}
	}
}

// with is the index of names of which the one at a place came in between. O(slots), without hashing but one.
func (x nameIndex) with(names []string, at int) nameIndex {
	x.slots = slices.Clone(x.slots)
	for i, slot := range x.slots {
		if int(slot) > at {
			x.slots[i]++
		}
	}
	slot, _ := x.slot(names, names[at])
	x.slots[slot] = int32(at) + 1
	return x
}

// without is the index of names without the one at a place. Those that had to stand behind its slot move up. O(slots), with few hashes.
func (x nameIndex) without(names []string, at int) nameIndex {
	x.slots = slices.Clone(x.slots)
	free, _ := x.slot(names, names[at])
	mask := len(x.slots) - 1
	for next := (free + 1) & mask; x.slots[next] != 0; next = (next + 1) & mask {
		home := int(maphash.String(x.seed, names[x.slots[next]-1])) & mask
		if (next-home)&mask >= (next-free)&mask { // free is not before its home
			x.slots[free], free = x.slots[next], next
		}
	}
	x.slots[free] = 0
	for i, slot := range x.slots {
		if int(slot) > at+1 {
			x.slots[i]--
		}
	}
	return x
}
