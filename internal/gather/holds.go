// How many members, or groups, do the largest children of a domain hold together, if the domain itself holds no more than so many?

package gather

import "github.com/muster-sched/muster/internal/index"

// holds are the sums of the children of a domain, the largest first, up to what the domain holds: what a child adds falls, also where the last one
// adds a part of its own.
type holds struct {
	sums index.ChildSums // of no more children than it takes
	most int64           // that the domain holds
}

// upTo are the sums of children up to what their domain holds. O(log children).
func upTo(sums index.ChildSums, most int64) holds {
	if sums.Len > 0 && sums.Of(sums.Len) > most {
		sums.Len, _ = sums.Fewest(most)
	}
	return holds{sums, most}
}

// of is what the n largest children hold, with n from 1 to sums.Len. O(1).
func (h *holds) of(n int32) int64 { return min(h.sums.Of(n), h.most) }

// atLeast is the number of children that add so many, which is 1 at least. O(log children).
func (h *holds) atLeast(size int64) int32 {
	n := h.sums.AtLeast(size)
	switch {
	case n == 0 || n < h.sums.Len:
	case n == 1 && h.most < size, n > 1 && h.most-h.sums.Of(n-1) < size: // the last one adds a part
		n--
	}
	return n
}

// fewest is the least number of children that make n, all if they do not. O(log children).
func (h *holds) fewest(n int64) int32 {
	count, _ := h.sums.Fewest(n)
	return count
}

// worthAt is what the domain is worth at a price: what its children add above it. O(log children).
func (h *holds) worthAt(price int64) int64 {
	n := h.atLeast(price + 1)
	if n == 0 {
		return 0
	}
	return h.of(n) - int64(n)*price
}
