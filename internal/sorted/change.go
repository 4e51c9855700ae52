package sorted

import "slices"

// Change is the list less gone and with fresh, both in its order by compare. All of gone must be in the list; a fresh element that is equal to a gone one by compare stands in
// its place. O(changes * (most + log elements) + elements / most).
func (l List[T]) Change(gone, fresh []T, compare func(a, b T) int) List[T] {
	if l.chunks == nil || len(gone) == l.n {
		return Of(Merge(l.few, gone, fresh, compare))
	}
	next := List[T]{chunks: make([][]T, 0, len(l.chunks)+1), starts: make([]int, 0, len(l.chunks)+1)}
	rest := l.chunks
	for len(gone)+len(fresh) > 0 {
		first := gone
		if len(gone) == 0 || len(fresh) > 0 && compare(fresh[0], gone[0]) < 0 {
			first = fresh
		}
		next.copy(&rest, chunkOf(rest, first[0], compare))
		g, f := len(gone), len(fresh)
		if len(rest) > 1 {
			g, f = before(gone, rest[1][0], compare), before(fresh, rest[1][0], compare)
		}
		next.add(Merge(rest[0], gone[:g], fresh[:f], compare))
		gone, fresh, rest = gone[g:], fresh[f:], rest[1:]
	}
	next.copy(&rest, len(rest))
	if next.n <= most {
		return Of(next.Slice())
	}
	return next
}

// chunkOf is the chunk in which an element stands, or would stand.
func chunkOf[T comparable](chunks [][]T, e T, compare func(a, b T) int) int {
	k, is := slices.BinarySearchFunc(chunks, e, func(chunk []T, e T) int { return compare(chunk[0], e) })
	if !is {
		k = max(0, k-1)
	}
	return k
}

// before counts the elements before another one. There are few.
func before[T comparable](some []T, other T, compare func(a, b T) int) (n int) {
	for n < len(some) && compare(some[n], other) < 0 {
		n++
	}
	return n
}

// copy takes over some chunks as they are.
func (l *List[T]) copy(from *[][]T, n int) {
	if n > 0 {
		l.add((*from)[0]) // the one before it may be short now
	}
	for _, chunk := range (*from)[min(1, n):n] {
		l.push(chunk)
	}
	*from = (*from)[n:]
}

// add puts a chunk of any length behind those that are there, in pieces if it is long, and with the last one if both are short: two chunks side by side have more than half
// of what one may have.
func (l *List[T]) add(chunk []T) {
	if last := len(l.chunks) - 1; last >= 0 && len(l.chunks[last])+len(chunk) <= most/2 {
		l.n += len(chunk)
		l.chunks[last] = slices.Concat(l.chunks[last], chunk)
		return
	}
	for ; len(chunk) > most; chunk = chunk[most/2:] {
		l.push(chunk[: most/2 : most/2])
	}
	if len(chunk) > 0 {
		l.push(chunk)
	}
}

// Merge is a copy of an ordered list less gone and with fresh, both in the same order. All of gone must be in the list:
// then they are met from first to last, so the next one to drop is always gone[0]. O(list + fresh * log list).
func Merge[T comparable](list, gone, fresh []T, compare func(a, b T) int) []T {
	if len(gone) >= len(list) {
		return slices.Clone(fresh) // the whole list goes; a copy, since fresh is the caller's
	}
	out := make([]T, 0, len(list)-len(gone)+len(fresh))
	keep := func(part []T) {
		for len(gone) > 0 {
			i := slices.Index(part, gone[0]) // by equality, which is faster than by order
			if i < 0 {
				break
			}
			out, part, gone = append(out, part[:i]...), part[i+1:], gone[1:]
		}
		out = append(out, part...)
	}
	// A fresh element equal to a gone one comes before it here; the gone one is dropped with the next part.
	for _, e := range fresh {
		i, _ := slices.BinarySearchFunc(list, e, compare)
		keep(list[:i])
		out, list = append(out, e), list[i:]
	}
	keep(list)
	return out
}
