// Which children can stand for each other?

package sets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
)

// class lists children with equal keys; only scores and the order of paths can tell them apart. Without scores they may differ in waste, which mostly
// has as many values as there are children: of equal ones those with the least are the best, whatever else is picked.
type class struct {
	slots, hi int64
	keys      keys.Values // slots included
	flags     uint8       // bit i: the flag of task i
	items     []int       // in path order, those with less waste first
	wastes    []int64     // the sums of waste of the first 1, 2, ...; nil: the keys have it
}

// classify groups the children of the pool with an upper bound of at least `least`: largest slots first, as
// compareSizes walks them, and next to each other where slots and zones are equal, as bestScores takes them.
func (k *picker) classify(tasks []task, least int64) {
	k.classes = k.classes[:0]
	type alike struct {
		hi    int64
		keys  keys.Values
		flags uint8
	}
	at, merges := map[alike]int{}, !k.c.scored() && k.c.Features.Has(features.Wasteful)
	for _, i := range k.pool {
		it := &k.c.Items[i]
		if it.Hi < least {
			continue
		}
		var flags uint8
		for j, t := range tasks {
			if t.flag(it) {
				flags |= 1 << j
			}
		}
		key := alike{it.Hi, it.Keys.WithSlots(it.Slots, k.c.rules), flags}
		if merges {
			key.keys[keys.Waste] = 0
		}
		n, ok := at[key]
		if !ok {
			n = len(k.classes)
			at[key] = n
			k.classes = append(k.classes, class{slots: it.Slots, hi: it.Hi, keys: key.keys, flags: flags})
		}
		k.classes[n].items = append(k.classes[n].items, i)
	}
	slices.SortStableFunc(k.classes, func(a, b class) int {
		return cmp.Or(
			cmp.Compare(b.slots, a.slots), cmp.Compare(a.keys[keys.Zones], b.keys[keys.Zones]), cmp.Compare(b.hi, a.hi),
			a.keys.Compare(&b.keys, 0, keys.Count), cmp.Compare(b.flags, a.flags),
		)
	})
	k.mixed = make([][]int64, len(k.classes))
	for i := range k.classes {
		if merges {
			k.sortByWaste(&k.classes[i])
		}
	}
}

// sortByWaste puts the children of a class with less waste first.
func (k *picker) sortByWaste(cl *class) {
	waste := func(i int) int64 { return k.c.Items[i].Keys[keys.Waste] }
	slices.SortStableFunc(cl.items, func(i, j int) int { return cmp.Compare(waste(i), waste(j)) })
	sum := int64(0)
	for _, i := range cl.items {
		sum += waste(i)
		cl.wastes = append(cl.wastes, sum)
	}
}
