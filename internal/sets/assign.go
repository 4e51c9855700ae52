package sets

import (
	"iter"
	"slices"
)

// Assign chooses m of n things to take m parts: the k-th chosen thing takes the k-th part. It returns the chosen things
// in ascending order. The sum of value(thing, part) is the largest, and of equal choices the one with the earlier
// things wins. O(n * m).
func Assign(n, m int, value func(i, j int) Score) []int {
	out := make([]int, 0, m)
	if n == m || m == 0 {
		for i := range m {
			out = append(out, i)
		}
		return out
	}
	best := make([]Score, (n+1)*(m+1)) // at i*(m+1)+j: the sum where things from i on take the parts from j on
	at := func(i, j int) *Score { return &best[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= max(0, m-(n-i)); j-- { // no more parts are left than things
			*at(i, j) = value(i, j).Plus(*at(i+1, j+1))
			if n-i > m-j && at(i+1, j).Compare(*at(i, j)) > 0 {
				*at(i, j) = *at(i+1, j)
			}
		}
	}
	// A thing is passed over only if a spare one is left and taking it loses value: ties go to the earlier thing.
	for i, j := 0, 0; j < m; i++ {
		if n-i == m-j || *at(i, j) == value(i, j).Plus(*at(i+1, j+1)) {
			out, j = append(out, i), j+1
		}
	}
	return out
}

// combinations iterates over the ways to take m entries of a list, in lexicographic order of their places. Every slice
// is the caller's. There are len(list) over m of them: bound the loop.
func combinations(list []int, m int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var walk func(from int, taken []int) bool
		walk = func(from int, taken []int) bool {
			if len(taken) == m {
				return yield(slices.Clone(taken))
			}
			for i := from; i <= len(list)-(m-len(taken)); i++ {
				if !walk(i+1, append(taken, list[i])) {
					return false
				}
			}
			return true
		}
		walk(0, make([]int, 0, m))
	}
}
