// Package sorted answers: what stands where in a long list of which few elements change at a time? A list is kept in chunks, and one that comes of
// another by a change shares the chunks that have not changed.
package sorted

import (
	"iter"
	"slices"
)

// most is how many elements stand in a chunk at most. Lists that are no longer are slices.
const most = 512

// List is an ordered list, which never changes: it is safe for concurrent use. The zero value is the empty list.
type List[T comparable] struct {
	few    []T   // all elements, if there are no more than stand in a chunk
	chunks [][]T // else all of them; none is empty
	starts []int // by chunk: how many elements are before it
	n      int
}

// Of is the list of some elements, which are its own from now on. O(elements / most).
func Of[T comparable](elements []T) List[T] {
	if len(elements) <= most {
		return List[T]{few: elements, n: len(elements)}
	}
	var l List[T]
	for part := range slices.Chunk(elements, most) {
		l.push(part)
	}
	return l
}

// push puts a chunk behind those that are there. Only a list that nobody else has is pushed to.
func (l *List[T]) push(chunk []T) {
	l.chunks, l.starts = append(l.chunks, chunk), append(l.starts, l.n)
	l.n += len(chunk)
}

// Len is the number of elements.
func (l List[T]) Len() int { return l.n }

// At is the i-th element. O(log chunks).
func (l List[T]) At(i int) T {
	if l.chunks == nil {
		return l.few[i]
	}
	k, is := slices.BinarySearch(l.starts, i)
	if !is {
		k--
	}
	return l.chunks[k][i-l.starts[k]]
}

// All iterates over the elements in their order, with their places.
func (l List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, e := range l.few {
			if !yield(i, e) {
				return
			}
		}
		for k, chunk := range l.chunks {
			for i, e := range chunk {
				if !yield(l.starts[k]+i, e) {
					return
				}
			}
		}
	}
}

// Those iterates over the elements that are so, in their order, with their places.
func (l List[T]) Those(are func(e T) bool) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, e := range l.All() {
			if are(e) && !yield(i, e) {
				return
			}
		}
	}
}

// ContainsFunc says whether some element is so.
func (l List[T]) ContainsFunc(is func(e T) bool) bool {
	return slices.ContainsFunc(l.few, is) || slices.ContainsFunc(l.chunks, func(chunk []T) bool { return slices.ContainsFunc(chunk, is) })
}

// Slice is a copy of the elements. The slice is the caller's; nil for none.
func (l List[T]) Slice() []T {
	all := append(slices.Grow([]T(nil), l.n), l.few...)
	for _, chunk := range l.chunks {
		all = append(all, chunk...)
	}
	return all
}

// Search is where the first element stands that is not before something, as compare says of elements, or would stand; is says whether it is that. O(log elements).
func (l List[T]) Search(compare func(e T) int) (i int, is bool) {
	by := func(e T, _ struct{}) int { return compare(e) }
	if l.chunks == nil {
		return slices.BinarySearchFunc(l.few, struct{}{}, by)
	}
	last := l.chunks[len(l.chunks)-1]
	if compare(last[len(last)-1]) < 0 { // as those who come later mostly are
		return l.Len(), false
	}
	// The last chunk whose first element is before it, for it is not before that.
	k, _ := slices.BinarySearchFunc(l.chunks, struct{}{}, func(chunk []T, _ struct{}) int { return compare(chunk[0]) })
	k = max(0, k-1)
	i, is = slices.BinarySearchFunc(l.chunks[k], struct{}{}, by)
	if !is && i == len(l.chunks[k]) && k+1 < len(l.chunks) {
		is = compare(l.chunks[k+1][0]) == 0
	}
	return l.starts[k] + i, is
}
