package fronts

import "slices"

// This file answers: what is still free on nodes to which members are put one by one, and taken away again?

// loads is what is on nodes. Members of a role ask for so much of each need.
type loads struct {
	asks [][]int64
	free [][]int64 // by position, by need; nil: nobody was put there
	on   [][]int32 // by position, by role
}

func newLoads(asks [][]int64, nodes int32) loads {
	return loads{asks: asks, free: make([][]int64, nodes), on: make([][]int32, nodes)}
}

// most is how many members of a role, up to so many, a node takes by its amounts; fresh is what is free on it without new
// members. O(needs).
func (l *loads) most(pos, role, most int32, fresh []int64) int32 {
	free, n := l.free[pos], int64(most)
	if free == nil {
		free = fresh
	}
	for i, ask := range l.asks[role] {
		if ask > 0 && free[i] < n*ask {
			n = max(0, free[i]) / ask
		}
	}
	if n > 0 && l.free[pos] == nil {
		l.free[pos], l.on[pos] = slices.Clone(fresh), make([]int32, len(l.asks))
	}
	return int32(n)
}

// put puts members of a role on a node for which most was asked, or takes some away.
func (l *loads) put(pos, role, n int32) {
	l.on[pos][role] += n
	for i, ask := range l.asks[role] {
		l.free[pos][i] -= int64(n) * ask
	}
}
