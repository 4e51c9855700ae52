package budgets

import (
	"iter"
	"maps"
	"slices"
)

// index finds the budgets of a namespace that may select a pod. Each stands at one label that all have whom it selects: of those in its
// selector the one that fewest other budgets ask for, so that a pod is not compared with budgets of which it has no more than a common label.
type index struct {
	at   map[pair][]*budget
	rest []*budget // whose selectors ask for no value
}

// pair is a label with its value.
type pair struct{ key, value string }

// index is that of a namespace. O(labels of all its selectors), once.
func (all *All) index(namespace string) *index {
	if x := all.indexes[namespace]; x != nil {
		return x
	}
	of := map[pair]int{} // budgets that ask for a label
	for _, b := range all.bySpace[namespace] {
		for key, value := range b.selector.Equal() {
			of[pair{key, value}]++
		}
	}
	x := &index{at: map[pair][]*budget{}}
	for _, b := range all.bySpace[namespace] {
		rarest := pair{}
		for _, key := range slices.Sorted(maps.Keys(b.selector.Equal())) {
			if p := (pair{key, b.selector.Equal()[key]}); rarest.key == "" || of[p] < of[rarest] {
				rarest = p
			}
		}
		switch {
		case b.none:
		case rarest.key == "":
			x.rest = append(x.rest, b)
		default:
			x.at[rarest] = append(x.at[rarest], b)
		}
	}
	if all.indexes == nil {
		all.indexes = map[string]*index{}
	}
	all.indexes[namespace] = x
	return x
}

// selecting are the budgets that select a pod with these labels, in no order.
func (x *index) selecting(labels map[string]string) iter.Seq[*budget] {
	return func(yield func(*budget) bool) {
		look := func(list []*budget) bool {
			return !slices.ContainsFunc(list, func(b *budget) bool { return b.selector.Matches(labels) && !yield(b) })
		}
		if !look(x.rest) {
			return
		}
		for key, value := range labels {
			if !look(x.at[pair{key, value}]) {
				return
			}
		}
	}
}
